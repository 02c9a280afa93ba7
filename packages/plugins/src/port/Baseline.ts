import type { Base, LogUnavailable } from "@proofline/kernel"
import { Context, type Effect, Schema } from "effect"

/** What became of a file since a run began. */
export interface Changes {
  /** True when one of the lines is new or was changed, or a line was taken out between them. Lines from 1, both included. */
  readonly touched: (start: number, end: number) => boolean
  /** Work of before the run came into the file with a commit, and is none of what was changed; left out: none did. */
  readonly brought?: Brought
}

export interface Brought {
  readonly commit: string
  /** The same as of the changes, with what came. */
  readonly touched: Changes["touched"]
}

/** A file as it is. */
export interface Now {
  /** Null: it is not there, or is no text. */
  readonly text: string | null
  /** The checkout of the project that it lies in; the project itself when left out. */
  readonly root?: string
}

/** What a file was before the run. */
export type Before = Was & {
  /** Some of it came since, with this commit, which was there before the run. */
  readonly brought?: string
}

type Was =
  | {
      readonly _tag: "text"
      readonly text: string
      /** It could be run. */
      readonly executable?: true
    }
  /** It surely was not there. */
  | { readonly _tag: "absent" }
  /** It was there, but there is no text to give back (binary, too large, a link); with its digest where that is known. */
  | { readonly _tag: "other"; readonly sha256: string | null }
  /** Nobody can tell. */
  | { readonly _tag: "unknown" }

/** What other branches had already when the run began, and have brought into the project since. */
export interface Came {
  readonly commits: ReadonlyArray<string>
  /** Puts it into a copy of the project as it was at the base. Absolute path. */
  readonly into: (directory: string) => Effect.Effect<void, BaseRefused>
}

/** Why there is no base, or why it cannot be had again. */
export class BaseRefused extends Schema.TaggedError<BaseRefused>()("BaseRefused", {
  /** Stable: `base_unknown`, `base_no_repository`, `base_lost`. */
  code: Schema.String,
  /** A sentence. */
  message: Schema.String,
  /** What to do about it. */
  hint: Schema.String
}) {}

/** Remembers what a project was, so that it can be told later what a run changed. Reads the project, never writes it. */
export class Baseline extends Context.Service<
  Baseline,
  {
    /** The state of the project now; what the commit does not hold is kept in the blob store. */
    readonly capture: Effect.Effect<Base, LogUnavailable>
    /** The state of the project at a commit, by any name that git takes; nothing of the working tree. */
    readonly captureAt: (ref: string) => Effect.Effect<Base, LogUnavailable | BaseRefused>
    /**
     * How today's text of a file differs from the one at the base; null when the base cannot be read any more. What another
     * branch had already and has brought is no difference. `root`: as of `Now`.
     */
    readonly changes: (base: Base, path: string, text: string, root?: string) => Effect.Effect<Changes | null>
    /**
     * The file at the base. `path` as in evidence; what it leads to counts where it is a link now. With `now` what another
     * branch had already when the run began, and has brought since, counts as there before too.
     */
    readonly before: (base: Base, path: string, now?: Now) => Effect.Effect<Before>
    /** What came since, with a commit; null: nothing. `root`: as of `Now`. */
    readonly came: (base: Base, root?: string) => Effect.Effect<Came | null, BaseRefused>
    /**
     * Git ignores the file: it does not track it, and a rule of the project, the repository or the user names it. True
     * for what git and Proofline keep for themselves, false outside of a repository.
     */
    readonly isIgnored: (path: string) => Effect.Effect<boolean>
    /**
     * Makes the files of another directory what they were at the base: those that no commit holds, all others must be
     * there as the commit has them. With `paths` these only, wherever they are kept. Absolute path.
     */
    readonly restore: (base: Base, directory: string, paths?: ReadonlyArray<string>) => Effect.Effect<void, BaseRefused>
    /** Paths of a directory, among those that are wanted, whose files are not what they were; absent ones too. */
    readonly changedIn: (
      base: Base,
      directory: string,
      isWanted: (path: string) => boolean
    ) => Effect.Effect<ReadonlyArray<string>, BaseRefused>
  }
>()("@proofline/plugins/port/Baseline") {}
