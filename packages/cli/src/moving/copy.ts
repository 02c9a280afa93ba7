import { type ChainHead, elsewhere } from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Clock, Effect, Stream } from "effect"
import { exitCodes, type Problem, problemIn, type Stop, stop } from "../base/problems.ts"
import { takeBlobs } from "./blobs.ts"
import { faultProblem, type Read, readRun } from "./chain.ts"
import type { Side } from "./side.ts"
import { holding } from "./units.ts"

/** What became of one run. */
export interface Copied {
  readonly run_id: string
  /** `there`: it was there already; `left_out`: for `problem`, and nothing of it was written; `refused`: what is there is not the same, or the log is broken. */
  readonly outcome: "copied" | "there" | "left_out" | "refused"
  readonly events: number
  /** Of them, those that came now. */
  readonly added: number
  readonly blobs: number
  readonly blobs_missing: ReadonlyArray<string>
  /** Of its last event in the target. */
  readonly hash: string | null
  /** It is not completed: it goes on in the target alone. */
  readonly moved: boolean
  readonly problem: Problem | null
}

/** Events that are written at once. */
const pageEvents = 1_000

/** Copies the runs of one unit, what they rest on first, while nobody drives them in either log. */
export const copyUnit = (from: Side, to: Side, unit: ReadonlyArray<RunOverview>) =>
  Effect.forEach(unit, (row) => copyOne(from, to, row)).pipe(
    holding(from, unit),
    holding(to, unit),
    Effect.catchTag("RunIsDriven", (driven) =>
      Effect.succeed(unit.map(({ run_id }) => leftOut(run_id, problemIn(driven))))
    )
  )

const nothing = { events: 0, added: 0, blobs: 0, blobs_missing: [], hash: null, moved: false, problem: null } as const

export const leftOut = (run_id: string, problem: Problem): Copied => ({
  ...nothing,
  run_id,
  outcome: "left_out",
  problem
})

const refused = (run_id: string, problem: Problem): Copied => ({ ...nothing, run_id, outcome: "refused", problem })

const copyOne = (from: Side, to: Side, row: RunOverview) => {
  const { run_id } = row
  return Effect.gen(function* () {
    const away = { here: yield* from.log.away(run_id), there: yield* to.log.away(run_id) }
    if (away.there?.kind === "archived") return leftOut(run_id, problemIn(elsewhere(run_id, away.there)))
    // it may have been interrupted after it had left
    const hasLeft = away.here?.kind === "moved" && away.here.place === to.name
    if (away.here !== null && !hasLeft) return leftOut(run_id, problemIn(elsewhere(run_id, away.here)))
    const here = yield* readRun(from, run_id)
    if (here.fault !== null || here.head === null) return refused(run_id, sourceProblem(run_id, from, here))
    const there = yield* readRun(asItIs(to), run_id, here.head.version)
    if (there.fault !== null) return refused(run_id, faultProblem(run_id, to.name, there.fault))
    if (!(yield* agree(from, run_id, here.head, there))) return refused(run_id, differs(run_id, from, to))
    const moves = row.status !== "completed"
    if (moves && !hasLeft && from.isReadOnly) return leftOut(run_id, cannotLeave(run_id, from))
    const { hash, version } = there.head ?? { hash: null, version: 0 }
    if (version > here.head.version || (version === here.head.version && away.there === null && hasLeft === moves)) {
      return { ...nothing, run_id, outcome: "there", events: version, hash } satisfies Copied
    }
    const { missing, taken } = yield* takeBlobs(from, here.blobs, (name, bytes) =>
      Effect.flatMap(to.blobs.put(bytes), (put) =>
        put.sha256 === name ? Effect.void : Effect.fail(blobChanged(from, name))
      )
    )
    yield* take(from, to, run_id, version, here.head)
    const end = yield* readRun(asItIs(to), run_id)
    if (end.fault !== null || end.head?.hash !== here.head.hash) return refused(run_id, notArrived(run_id, to))
    if (here.kept !== null) yield* to.heads.keep(here.kept)
    // in this order: at no moment can it go on in both
    if (moves && !hasLeft) {
      yield* from.log.leave(run_id, here.head.version, { kind: "moved", place: to.name, at: yield* now })
    }
    yield* to.log.adopt(run_id, here.head.version, [])
    return {
      run_id,
      outcome: "copied",
      events: here.head.version,
      added: here.head.version - version,
      blobs: taken,
      blobs_missing: missing,
      hash: here.head.hash,
      moved: moves,
      problem: null
    } satisfies Copied
  }).pipe(
    Effect.catchTag("ChainBroken", ({ message, version }) =>
      Effect.succeed(refused(run_id, faultProblem(run_id, from.name, { code: "log_changed", version, message })))
    ),
    Effect.catchTag("Conflict", () => Effect.succeed(leftOut(run_id, changing(run_id))))
  )
}

/** Whatever it should have of the run: its end may be about to come, also that which it has lost. */
const asItIs = (side: Side): Side => ({
  ...side,
  log: { ...side.log, away: () => Effect.succeed(null) },
  heads: { keep: () => Effect.void, of: () => Effect.succeed(null), all: Effect.succeed([]) }
})

const now = Effect.map(Clock.currentTimeMillis, (ms) => new Date(ms).toISOString())

/** Whether one of both is the beginning of the other. */
const agree = Effect.fnUntraced(function* ({ log }: Side, run: string, here: ChainHead, there: Read) {
  if (there.head === null) return true
  if (there.head.version >= here.version) return there.hashAt === here.hash
  const same = yield* Stream.runHead(log.read(run, there.head.version))
  return same._tag === "Some" && same.value.hash === there.head.hash
})

/** Takes over what is missing, page by page: until it is whole nobody goes on with it there. */
const take = Effect.fnUntraced(function* (from: Side, to: Side, run: string, after: number, end: ChainHead) {
  const arriving = { place: from.name, at: yield* now }
  let version = after
  yield* to.log.adopt(run, version, [], { arriving })
  yield* from.log.read(run, version + 1).pipe(
    Stream.takeWhile((event) => event.version <= end.version),
    Stream.grouped(pageEvents),
    Stream.runForEach((page) =>
      Effect.tap(to.log.adopt(run, version, page, { arriving }), () =>
        Effect.sync(() => {
          version += page.length
        })
      )
    )
  )
})

const sourceProblem = (run: string, { name }: Side, { fault }: Read): Problem =>
  fault === null ? notThere(run, name) : faultProblem(run, name, fault)

const notThere = (run: string, name: string): Problem => ({
  code: "run_unknown",
  kind: "unknown",
  message: `There is no run ${run} in ${name}.`,
  hint: "See `proofline history` for the runs of a project."
})

const cannotLeave = (run: string, { name }: Side): Problem => ({
  code: "log_unwritable",
  message: `Run ${run} is not completed, and nothing can be written to ${name}: that it goes on elsewhere cannot be noted there.`,
  hint: "Make that log writable for this user, with space on its disk, and copy again; completed runs are copied without it."
})

const differs = (run: string, from: Side, to: Side): Problem => ({
  code: "run_differs",
  kind: "conflict",
  message: `Run ${run} is another one in ${to.name} than in ${from.name}: neither is the beginning of the other.`,
  hint: "Nothing of it was written. Both went on by themselves, or one was changed; keep the one that you trust."
})

const blobChanged = ({ name }: Side, blob: string): Stop =>
  stop(exitCodes.integrity, {
    code: "log_corrupt",
    message: `The blob ${blob} of ${name} has other bytes than its name says.`,
    hint: "Restore it from a backup, and copy again."
  })

const notArrived = (run: string, { name }: Side): Problem => ({
  code: "log_failed",
  message: `Run ${run} is not in ${name} as it was written there: the copy was read again and differs.`,
  hint: "Its old log was left as it is. Look at the disk of the new one."
})

const changing = (run: string): Problem => ({
  code: "run_contended",
  kind: "conflict",
  message: `Run ${run} was changed while it was copied.`,
  hint: "Run the same command again: it goes on where it stopped."
})
