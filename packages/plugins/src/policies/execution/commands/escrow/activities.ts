/** Checks that agents do not see. Of what they run, print and report nothing is kept. */
import {
  type AblationRun,
  type Base,
  type BaseCheck,
  baseCheckOf,
  type CheckRun,
  type CleanRoom,
  type EscrowRef,
  type HasRun,
  type HasTasks,
  type LogUnavailable,
  type ScratchRun
} from "@proofline/kernel"
import { Effect } from "effect"
import { EscrowedChecks, ScratchProjects } from "../../../../port/index.ts"
import { escrowName } from "../../../escrow/contract.ts"
import { countedRun, running } from "../../commandRun.ts"
import { makeLooks, type PassedCommand } from "../again/activities.ts"
import { makeRestsOn } from "../base/readFacts.ts"
import { atBase, isUnstarted, notRun, notStarted, outcomeOf } from "../outcomes.ts"

/** The variable that tells a check where the files beside it are. */
const variable = "PROOFLINE_CHECKS"

const unknownCheck = "There is no check for this criterion any more."
const noCopy = "No fresh copy of the work could be made."

const makeOpening = Effect.gen(function* () {
  const checks = yield* EscrowedChecks
  return ({ criterion, sha256 }: EscrowRef) => {
    const opened = checks.open(sha256)
    return {
      /** What is run; a text: nothing can be, and why. */
      check: Effect.scoped(opened).pipe(
        Effect.map(({ checkOf }) => checkOf(criterion) ?? unknownCheck),
        Effect.catchTag("EscrowRefused", ({ message }) => Effect.succeed(message))
      ),
      withChecks: Effect.map(opened, ({ directory }) => ({ [variable]: directory }))
    }
  }
})

/** Runs one in the clean room: a fresh copy of the work, never the project itself. */
export const makeEscrowed = Effect.gen(function* () {
  const open = yield* makeOpening
  const restsOn = yield* makeRestsOn
  const { alone } = yield* makeLooks

  return Effect.fnUntraced(function* (
    request: PassedCommand,
    escrow: EscrowRef
  ): Effect.fn.Return<CheckRun, LogUnavailable> {
    const { state } = request
    const { base, config, root } = state.run
    const { check, withChecks } = open(escrow)
    const found = yield* check
    if (typeof found === "string" || base === null) return untried(escrow, typeof found === "string" ? found : noCopy)
    const { command, timeout_ms = config.check_timeout_ms } = found
    if (command.includes(root)) return untried(escrow, atBase.namesProject)
    const before = baseCheckOf(state, escrowName(escrow))
    const rests_on = yield* restsOn(base, command, root)
    const ran = yield* alone(
      {
        ...request,
        command,
        timeout_ms,
        before: before === undefined ? undefined : { outcome: before.outcome, rests_on },
        withChecks
      },
      base
    )
    // why there is no copy may name what the checks rest on
    return typeof ran === "string" ? untried(escrow, ran === notStarted ? ran : noCopy) : told(escrow, ran)
  })
})

/** Runs one on the project as it was before the work. */
export const makeEscrowedAtBase = Effect.gen(function* () {
  const open = yield* makeOpening
  const services = yield* running
  const projects = yield* ScratchProjects

  return Effect.fnUntraced(function* (
    { run: { config, root, run_id } }: HasRun & HasTasks,
    base: Base,
    escrow: EscrowRef
  ): Effect.fn.Return<BaseCheck, LogUnavailable> {
    const { check, withChecks } = open(escrow)
    const found = yield* check
    const unknown = (message: string): BaseCheck => ({ ...notRun(escrowName(escrow), [], message), escrow })
    if (typeof found === "string") return unknown(found)
    const { command, timeout_ms = config.check_timeout_ms } = found
    if (command.includes(root)) return unknown(atBase.namesProject)
    const ran = yield* Effect.scoped(
      Effect.gen(function* () {
        const { directory } = yield* projects.make({ at: base })
        const env = { PROOFLINE_RUN_ID: run_id, ...(yield* withChecks) }
        const reports = config.proof.test_reports ?? []
        const request = { command, directory, root: directory, env, timeout_ms, reports }
        return yield* countedRun({ ...services, blobs: null }, request)
      })
    ).pipe(Effect.catchTag(["CheckoutRefused", "EscrowRefused"], () => Effect.succeed(null)))
    if (ran === null) return unknown(noCopy)
    const { message, outcome } = outcomeOf(ran, "")
    const { exit_code, timed_out, duration_ms } = ran
    return {
      ...unknown(isUnstarted(ran) ? notStarted : message),
      outcome,
      exit_code: outcome === "unknown" ? exit_code : Number(outcome === "red"),
      timed_out,
      duration_ms
    }
  })
})

const nothingShown = { item_index: null, signal: null, output: null, output_tail: "", ablation: null } as const

const untried = (escrow: EscrowRef, not_run: string): CheckRun => ({
  ...nothingShown,
  command: escrowName(escrow),
  exit_code: null,
  timed_out: false,
  duration_ms: 0,
  escrow,
  not_run
})

/** Passed, failed, or not found: which of these is all that an exit code may tell. */
const plainExit = (exit_code: number | null, hasNoTests: boolean): number => {
  if (exit_code === 126 || exit_code === 127) return exit_code
  return exit_code === 0 && !hasNoTests ? 0 : 1
}

type Ended = Pick<AblationRun, "exit_code" | "timed_out" | "duration_ms" | "census">

const plainEnd = ({ census, duration_ms, exit_code, timed_out }: Ended) => ({
  exit_code: plainExit(exit_code, census !== undefined && census.passed + census.failed === 0),
  timed_out,
  duration_ms
})

const plainRun = ({ run }: ScratchRun): ScratchRun => ({
  run: run === null ? null : { ...plainEnd(run), output: null },
  message: ""
})

const plainRoom = ({ with_new, ...room }: CleanRoom): CleanRoom => ({
  ...plainRun(room),
  restored: [],
  left_out: [],
  ...(with_new === undefined ? {} : { with_new: plainRun(with_new) })
})

const notShown = "(not shown)"

/** What the log may hold of a run: agents can read it. */
const told = (escrow: EscrowRef, { clean_room, without, written, ...ran }: CheckRun): CheckRun => ({
  ...nothingShown,
  command: escrowName(escrow),
  ...plainEnd(ran),
  ...(clean_room == null ? {} : { clean_room: plainRoom(clean_room) }),
  ...(written === undefined ? {} : { written: [notShown] }),
  ...(without === undefined ? {} : { without: plainRun(without) }),
  escrow
})
