import { type EventLog, LogUnavailable, type Recorded, type RunId } from "@proofline/kernel"
import { Effect, Schema, Stream } from "effect"
import { type RecordedTree, treeFields, treeRecorded } from "../../../policies/checkouts/contract.ts"

export type { RecordedTree }

/** What is read of a run without its plugins: it may have some that are found in its own tree. */
export interface RunTrees {
  /** Of the stream as it was read. */
  readonly version: number
  readonly parent: RunId | null
  /** Runs as which it began, the one it was forked from first. */
  readonly origins: ReadonlyArray<RunId>
  /** As the run's configuration has them. */
  readonly agents: Schema.Json
  /** In order. */
  readonly trees: ReadonlyArray<RecordedTree>
}

export const noTrees: RunTrees = { version: 0, parent: null, origins: [], agents: {}, trees: [] }

const decodeTree = Schema.decodeUnknownSync(Schema.Struct(treeFields))
const Configured = Schema.Struct({ agents: Schema.Json })
const decodeStart = Schema.decodeUnknownSync(
  Schema.Struct({ parent_run_id: Schema.NullOr(Schema.String), config: Configured })
)
const decodeFork = Schema.decodeUnknownSync(Schema.Struct({ run_id: Schema.String }))
const decodeResume = Schema.decodeUnknownSync(Schema.Struct({ config: Schema.NullOr(Configured) }))

/** What is known of a run with what was appended since; `log_newer` when an event of it cannot be read here. */
export const readTrees = (
  log: EventLog["Service"],
  run: RunId,
  known: RunTrees = noTrees
): Effect.Effect<RunTrees, LogUnavailable> =>
  Effect.suspend(() => {
    let now = known
    return log.read(run, known.version + 1).pipe(
      Stream.runForEach((event) =>
        Effect.try({
          try: () => {
            now = withEvent(now, event)
          },
          catch: () => unreadable(event)
        })
      ),
      Effect.map(() => now)
    )
  })

/** Throws for what does not fit. */
const withEvent = (before: RunTrees, { content, event_type, version }: Recorded): RunTrees => {
  const now = { ...before, version }
  switch (event_type) {
    case "RUN_STARTED": {
      const { config, parent_run_id } = decodeStart(content)
      return { ...now, parent: parent_run_id, agents: config.agents }
    }
    case "RUN_FORKED":
      return { ...now, origins: [decodeFork(content).run_id, ...now.origins] }
    case "RUN_RESUMED":
      return { ...now, agents: decodeResume(content).config?.agents ?? now.agents }
    case treeRecorded:
      return { ...now, trees: [...now.trees, decodeTree(content)] }
    default:
      return now
  }
}

const unreadable = ({ event_type, schema_version, stream, version }: Recorded): LogUnavailable =>
  new LogUnavailable({
    code: "log_newer",
    message: `Event ${version} of ${stream}, a ${event_type} of schema version ${schema_version}, cannot be read by this Proofline.`,
    hint: "Use the version of Proofline that wrote the log."
  })

/** What work has left that no commit can hold, sorted. */
export const leftOutOf = ({ trees }: Pick<RunTrees, "trees">): ReadonlyArray<string> =>
  [...new Set(trees.flatMap(({ by, left_out = [] }) => (by === null ? [] : left_out)))].sort()

/** For the record of a tree: nothing where there is none. */
export const leavingOut = (nested: ReadonlyArray<string>): Pick<RecordedTree, "left_out"> =>
  nested.length === 0 ? {} : { left_out: nested }

/** What the run stands on. */
export const headOfTrees = ({ trees }: Pick<RunTrees, "trees">): RecordedTree | undefined => trees.at(-1)
