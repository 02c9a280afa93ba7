import { EventLog, RunHeads } from "@proofline/kernel"
import { bringHome, handOver, handOverAgain, type RecordedTree } from "@proofline/plugins/adapters/git-workspaces"
import { RecordTree } from "@proofline/plugins/policies/checkouts"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { say } from "../process/output.ts"
import type { State } from "../project/state.ts"
import { count } from "../render/lines.ts"
import { sayingOfGit } from "./failedByGit.ts"

/** What is recorded with the start of a run so that workers have the project; undefined: this process works on it. */
export const handedOver = Effect.fnUntraced(function* (run: string, paths: ProjectPaths, remote: string | undefined) {
  if (paths.databaseUrl === undefined) return undefined
  const blobs = yield* BlobStore
  const tree = yield* Effect.mapError(handOver({ blobs }, optionsOf(paths), run, remote ?? null), notHanded)
  return yield* recordOf(tree)
})

/** The same for a run that goes on: what was changed in the project since. */
export const handedOverAgain = Effect.fnUntraced(function* (
  run: string,
  paths: ProjectPaths,
  remote: string | undefined
) {
  if (paths.databaseUrl === undefined) return undefined
  const tree = yield* Effect.mapError(handOverAgain(yield* sources, optionsOf(paths), run, remote ?? null), notHanded)
  return tree === null ? undefined : yield* recordOf(tree)
})

const recordOf = (tree: RecordedTree) =>
  Effect.as(tellLeftOut("Workers do not get", tree.left_out ?? []), RecordTree(tree))

const tellLeftOut = (who: string, folders: ReadonlyArray<string>) =>
  folders.length === 0
    ? Effect.void
    : say(
        `${who} ${folders.join(", ")}: ${folders.length === 1 ? "it is a git repository of its own" : "they are git repositories of their own"}, which git does not carry.`
      )

const optionsOf = ({ root, state }: ProjectPaths) => ({ root, stateDir: state })

const sources = Effect.gen(function* () {
  return { log: yield* EventLog, blobs: yield* BlobStore }
})

/** Writes what a run has come to into the project, and keeps its head there. False: something stands in the way. */
export const broughtHome = Effect.fnUntraced(function* ({ run: { run_id: run, status } }: State, paths: ProjectPaths) {
  yield* keepHead(run)
  const isOver = status === "completed"
  return yield* Effect.flatMap(sources, (from) => bringHome(from, optionsOf(paths), run, isOver)).pipe(
    Effect.flatMap((brought) =>
      brought === null
        ? Effect.succeed(true)
        : Effect.gen(function* () {
            const { files, leftOut } = brought
            if (files.length > 0)
              yield* say(`The work is in the project now, not committed: ${count(files.length, "changed file")}.`)
            yield* tellLeftOut("The project does not get", leftOut)
            return true
          })
    ),
    Effect.catchTag(["GitFailed", "WorkspaceRefused"], (refused) =>
      Effect.as(say(`The work is not in the project. ${refused.message}`), false)
    )
  )
})

/** For whoever completed a run without it: workers have nowhere to keep it that whoever loses the log would leave alone. */
export const keepHead = Effect.fnUntraced(function* (run: string) {
  const last = yield* Stream.runLast((yield* EventLog).read(run))
  if (last._tag === "None") return
  const { hash, version } = last.value
  yield* (yield* RunHeads).keep({ run_id: run, version, hash })
})

/** A project that cannot be had by git. */
export const notHanded = sayingOfGit(({ code, isNone, message }) =>
  stop(
    exitCodes.usage,
    isNone
      ? {
          code: "checkout_no_repository",
          message: "The project is in no git repository with a commit, and workers get it by git.",
          hint: "Make it one (`git init && git add -A && git commit -m start`), or run without a database."
        }
      : { code, message, hint: "Nothing was started." }
  )
)
