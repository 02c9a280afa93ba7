import { Effect } from "effect"
import { type ProjectPaths, pathsOf, type Where } from "../base/paths.ts"
import { runNamed } from "./historyIds.ts"
import { tellNotHome } from "./notHome.ts"
import { noRun } from "./oneRun.ts"
import { readable, withReadableStorage } from "./readable.ts"
import { newest, readRows } from "./rows.ts"

export interface RunChoice extends Where {
  readonly run?: string | undefined
}

type WithRun<A, E, R> = (run: string, paths: ProjectPaths, none: ReturnType<typeof noRun>) => Effect.Effect<A, E, R>

/** Does something with one run of a project: the named one, or the newest. `none` is the refusal when it is not there. */
export const withRun = <A, E, R>(options: RunChoice, use: WithRun<A, E, R>) => withRunIn(pathsOf(options), options, use)

/** The same, of which nothing is written: it may be in a place that can only be read. */
export const withRunToRead = <A, E, R>(options: RunChoice, use: WithRun<A, E, R>) =>
  Effect.scoped(Effect.flatMap(readable(pathsOf(options)), (from) => withRunIn(from, options, use)))

const withRunIn = <A, E, R>(from: ProjectPaths, options: RunChoice, use: WithRun<A, E, R>) =>
  Effect.gen(function* () {
    const paths = pathsOf(options)
    const rows = yield* readRows(from)
    const run = options.run === undefined ? newest(rows) : yield* runNamed(options.run, rows, from)
    const none = noRun(run, paths)
    yield* tellNotHome(
      rows.filter(({ run_id }) => run_id === run),
      from
    )
    return run === undefined ? yield* none : yield* withReadableStorage(paths, from, none, use(run, paths, none))
  })
