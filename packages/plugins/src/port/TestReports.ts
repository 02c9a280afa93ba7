import { Context, type Effect } from "effect"

export interface ReportFile {
  /** Relative to the directory. */
  readonly path: string
  readonly text: string
}

/** Reports that test runners write into files. */
export class TestReports extends Context.Service<
  TestReports,
  {
    /** Runs something, and answers the reports that were written in the directory meanwhile. */
    readonly around: <A, E, R>(
      options: {
        /** Absolute path. */
        readonly directory: string
        readonly command: string
        /** Globs of the user, relative to the directory. */
        readonly patterns: ReadonlyArray<string>
      },
      run: Effect.Effect<A, E, R>
    ) => Effect.Effect<readonly [A, ReadonlyArray<ReportFile>], E, R>
    /** Files of the directory, at any depth, whose paths end with one of these: what a report names, wherever it ran. */
    readonly named: (options: {
      readonly directory: string
      readonly endings: ReadonlyArray<string>
    }) => Effect.Effect<ReadonlyArray<ReportFile>>
  }
>()("@proofline/plugins/port/TestReports") {}
