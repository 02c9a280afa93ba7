import { driveRun, elsewhere, type LogUnavailable, Presence, type Recorded, type RunIsDriven } from "@proofline/kernel"
import { Clock, Effect } from "effect"
import { type Problem, problemIn } from "../base/problems.ts"
import { type Checked, type HeldRun, readEvents } from "./archiveFile.ts"
import { faultProblem, readRun } from "./chain.ts"
import type { Side } from "./side.ts"

/** What became of one run of a file. */
export interface TakenIn {
  readonly run_id: string
  /** `there`: all of it was in the log already; `refused`: for `problem`, and the log was left as it is. */
  readonly outcome: "taken" | "there" | "refused"
  /** In the file. */
  readonly events: number
  /** Of them, those that came now. */
  readonly added: number
  /** Of its last event in the file. */
  readonly hash: string
  readonly redacted: boolean
  readonly problem: Problem | null
}

/** Events that are written at once; a run of no more is there as a whole or not at all, at any moment. */
const pageEvents = 10_000

/** How far a run has come. */
interface Coming {
  readonly run: HeldRun
  /** Of its last event that is in the log. */
  version: number
  readonly from: number
  /** It was here, and nothing of it is missing. */
  readonly isWhole: boolean
  readonly page: Array<Recorded>
  problem: Problem | null
}

/**
 * Takes the runs of a file that was checked into a log, with their blobs and heads. A run that is there only up to some event goes on
 * behind it; one that is there otherwise is refused. Interrupted, it goes on when it is done again.
 */
export const takeIn = Effect.fnUntraced(function* (side: Side, file: string, { blobs, runs }: Checked, shown = file) {
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const arriving = { place: shown, at }
  const driven = yield* hold(side, runs)
  const coming = new Map<string, Coming>()
  for (const run of runs) coming.set(run.run_id, yield* begin(side, run, shown, driven))
  const nothing = { header: () => Effect.void, event: () => Effect.void, blob: () => Effect.void }
  // what events name is there before they are
  if (blobs > 0)
    yield* readEvents(file, { ...nothing, blob: (_, bytes) => Effect.asVoid(side.blobs.put(bytes)) }, shown)
  const flush = (one: Coming, isLast: boolean) =>
    one.problem !== null || one.isWhole || (one.page.length === 0 && !isLast)
      ? Effect.void
      : side.log.adopt(one.run.run_id, one.version, one.page.splice(0), isLast ? {} : { arriving }).pipe(
          Effect.tap((taken) =>
            Effect.sync(() => {
              one.version += taken.length
            })
          ),
          Effect.catchTag(["ChainBroken", "Conflict"], () =>
            Effect.sync(() => {
              one.problem = differs(one.run.run_id, side, shown)
            })
          )
        )
  yield* readEvents(
    file,
    {
      ...nothing,
      event: (event) => {
        const one = coming.get(event.stream) as Coming
        if (one.problem !== null || event.version <= one.version + one.page.length) return Effect.void
        one.page.push(event)
        return one.page.length >= pageEvents && event.version < one.run.version ? flush(one, false) : Effect.void
      }
    },
    shown
  )
  return yield* Effect.forEach(coming.values(), (one) =>
    Effect.gen(function* () {
      yield* flush(one, true)
      const { from, isWhole, problem, run, version } = one
      if (problem === null && run.head !== null) yield* side.heads.keep(run.head)
      return {
        run_id: run.run_id,
        outcome: problem !== null ? "refused" : isWhole ? "there" : "taken",
        events: run.version,
        added: problem === null && !isWhole ? version - from : 0,
        hash: run.hash,
        redacted: run.redacted,
        problem
      } satisfies TakenIn
    })
  )
}, Effect.scoped)

type Driven = ReadonlyMap<string, RunIsDriven>

/** Lets this process alone drive the runs and those they are parts of; gives those that another one drives. */
const hold = Effect.fnUntraced(function* ({ presence }: Side, runs: ReadonlyArray<HeldRun>) {
  const driven = new Map<string, RunIsDriven>()
  for (const id of new Set(runs.flatMap(({ parent_run_id, run_id }) => [parent_run_id ?? run_id, run_id]))) {
    yield* driveRun(id).pipe(
      Effect.provideService(Presence, presence),
      Effect.catchTag("RunIsDriven", (by) => Effect.sync(() => driven.set(id, by)))
    )
  }
  return driven as Driven
})

/** Where a run stands in the log before anything of it comes. */
const begin = Effect.fnUntraced(function* (
  side: Side,
  run: HeldRun,
  shown: string,
  driven: Driven
): Effect.fn.Return<Coming, LogUnavailable> {
  const { parent_run_id, run_id } = run
  // whoever drives the whole drives its parts
  const by = driven.get(run_id) ?? driven.get(parent_run_id ?? "")
  if (by !== undefined) return { run, version: 0, from: 0, isWhole: false, page: [], problem: problemIn(by) }
  const away = yield* side.log.away(run_id)
  // of one that was archived nothing can be read; it comes back as it left
  const there = away?.kind === "archived" ? null : yield* readRun(side, run_id, run.version)
  const version = there?.head?.version ?? 0
  const isWhole = version >= run.version
  return {
    run,
    version: Math.min(version, run.version),
    from: version,
    isWhole: isWhole && away?.kind !== "archived" && away?.kind !== "arriving",
    page: [],
    problem: problemOf()
  }

  function problemOf(): Problem | null {
    // what was cut off may come back
    if (there?.head != null && there.fault !== null && there.fault.code !== "log_cut")
      return faultProblem(run_id, side.name, there.fault)
    if (isWhole && there !== null && there.hashAt !== run.hash) return differs(run_id, side, shown)
    return away?.kind === "moved" && !isWhole ? problemIn(elsewhere(run_id, away)) : null
  }
})

const differs = (run: string, { name }: Side, shown: string): Problem => ({
  code: "run_differs",
  kind: "conflict",
  message: `Run ${run} is another one in ${name} than in ${shown}.`,
  hint: "It was left as it is; the others were taken."
})
