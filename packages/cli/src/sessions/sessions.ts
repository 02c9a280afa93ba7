import { hostname } from "node:os"
import * as Path from "node:path"
import {
  defaultRunConfig,
  Engine,
  type Rejection,
  type RunConfig,
  type RunId,
  reject,
  StartRun
} from "@proofline/kernel"
import { escrowName } from "@proofline/plugins/policies/escrow"
import { currentMessages } from "@proofline/plugins/policies/evidence"
import {
  type PhaseContract,
  type SessionRunSetup,
  sessionsLayer,
  withPluginPhases
} from "@proofline/plugins/policies/sessions"
import { Baseline } from "@proofline/plugins/ports"
import { Effect, Layer, Result } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Problem, problemText, type Stop, stop } from "../base/problems.ts"
import { sayProblems } from "../process/output.ts"
import { type BaseFlags, baseOrRejection } from "../project/base.ts"
import { withChecks } from "../project/checksFrom.ts"
import { type ProjectConfig, projectConfig } from "../project/files.ts"
import { planningGuide, projectContract } from "../project/phaseContract.ts"
import { phaseProblems } from "../project/phaseProblems.ts"
import { noteProject } from "../project/recentProjects.ts"
import { judgedBy, type ProofFlags } from "../project/settings.ts"
import { readRows } from "../reading/rows.ts"

/** How a person wants agents to work, on the command line; undefined: as proofline.yaml says. */
export interface SessionRunFlags extends BaseFlags, ProofFlags {
  readonly contract?: string | undefined
  readonly intent?: string | undefined
  readonly gate?: "auto" | "full" | undefined
  readonly flag: ReadonlyArray<string>
}

/** Everything that governs a new session run, read and checked. `isQuiet`: warnings were told before. */
export const sessionRunSetup = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  flags: SessionRunFlags,
  isQuiet = false
) {
  const project = yield* projectConfig(paths)
  const contract = yield* projectContract(paths, flags.contract ?? project.pull.contract, { isQuiet })
  const { config, setup } = yield* setupUnder(contract, project, paths, flags)
  const checked = yield* withSessionChecks(config, project, paths, flags)
  const escrowed = (checked.proof.escrow?.checks ?? []).map(escrowName)
  return { config: checked, setup: escrowed.length === 0 ? setup : { ...setup, escrowed } }
})

/** The checks of a session run that agents do not see. Agents plan its tasks while it is under way. */
const withSessionChecks = (
  config: RunConfig,
  { checks_from }: ProjectConfig,
  paths: ProjectPaths,
  flags: SessionRunFlags
) => withChecks(config, { said: flags.checks_from, ofFile: checks_from }, paths, { tasks: null, requirements: null })

/** Stops where they cannot be used. */
export const checkSessionChecks = (project: ProjectConfig, paths: ProjectPaths, flags: SessionRunFlags) =>
  withSessionChecks(defaultRunConfig, project, paths, flags)

const setupUnder = Effect.fnUntraced(function* (
  contract: PhaseContract,
  project: ProjectConfig,
  paths: ProjectPaths,
  flags: SessionRunFlags
) {
  const { defaults, pull, verifiers } = project
  const setup: SessionRunSetup = {
    contract,
    intent: flags.intent ?? pull.intent ?? contract.intents[0] ?? "",
    gate: flags.gate ?? pull.gate ?? "auto",
    flags: flags.flag.length > 0 ? [...new Set(flags.flag)] : (pull.flags ?? []),
    verifiers,
    planning_guide: yield* planningGuide(paths)
  }
  const problems = setupProblems(setup)
  if (problems.length > 0) return yield* stop(exitCodes.usage, ...problems)
  const judged = judgedBy(defaultRunConfig, project, flags)
  const config: RunConfig = {
    ...judged,
    ...(defaults.check_timeout_ms === undefined ? {} : { check_timeout_ms: defaults.check_timeout_ms }),
    messages: messagesOf(contract)
  }
  return { setup, config }
})

/** Who works in session runs, and for how long a session may be silent. */
export const sessionDefaults = ({ agents, pull }: ProjectConfig) => ({
  agents,
  agent: pull.agent ?? null,
  ttlMs: pull.session_ttl_ms ?? hourMs
})

const hourMs = 60 * 60_000

/** A setup as it is read when a run begins: what is mended then is taken. */
export type ReadSetup = Effect.Effect<{ readonly setup: SessionRunSetup; readonly config: RunConfig }, Stop>

/**
 * The contract that a server begins with. One that is broken is null: agents are told with every call that would begin a
 * run, and people here; the server is there for them all the same, and for runs that go on. A file that is named on the
 * command line and is not there stops it.
 */
export const contractToBegin = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  project: ProjectConfig,
  flags: SessionRunFlags
) {
  const read = yield* Effect.result(projectContract(paths, flags.contract ?? project.pull.contract))
  if (Result.isSuccess(read)) return (yield* setupUnder(read.success, project, paths, flags)).setup.contract
  const isMissing = read.failure.problems.some(({ code }) => code === "file_not_found")
  if (flags.contract !== undefined && isMissing) return yield* read.failure
  yield* sayProblems(read.failure.problems)
  return null
})

/** What keeps a run from beginning, for an agent: every problem with its code and place, and what to do. */
const asRejection = ({ problems }: Stop): Rejection => {
  const [first] = problems
  const shown = problems.slice(0, maxProblems).map(({ hint: _, ...problem }) => problemText({ ...problem, hint: "" }))
  const more = problems.length - shown.length
  return reject(
    first?.code ?? "contract_invalid",
    `No session run can begin: ${shown.join(" ")}${more > 0 ? ` And ${more} more.` : ""}`,
    `${first?.hint ?? ""} Tell the user, or mend the file if you may; the next call reads it again.`.trim(),
    problems
      .slice(0, maxProblems)
      .flatMap(({ column, file, line }) =>
        file === undefined ? [] : [[file, line, column].filter((at) => at !== undefined).join(":")]
      )
  )
}

const maxProblems = 10

/** The sentences for what evidence can be refused for, as the evidence policy takes them. */
const messagesOf = ({ failures }: PhaseContract): RunConfig["messages"] =>
  Object.fromEntries([
    ...Object.entries(currentMessages),
    ...[failures["common"], failures["READY"], failures["READY_IMPL"]].flatMap((sentences) =>
      Object.entries(sentences ?? {})
        .filter(([key]) => key.startsWith("checklist_"))
        .map(([key, { message }]) => [key, message] as const)
    )
  ])

const setupProblems = ({ contract, flags, intent }: SessionRunSetup): ReadonlyArray<Problem> => {
  const unknown = flags.filter((flag) => !Object.hasOwn(contract.flags, flag))
  const known = Object.keys(contract.flags)
  return [
    ...unknown.map((flag) => ({
      code: "flag_unknown",
      message: `The contract "${contract.name}" has no flag "${flag}".`,
      hint: known.length === 0 ? "It has no flags: leave it out." : `Its flags: ${known.join(", ")}.`
    })),
    ...(intent !== "" && !contract.intents.includes(intent)
      ? [
          {
            code: "intent_unknown",
            message: `The contract "${contract.name}" knows no intent "${intent}".`,
            hint:
              contract.intents.length === 0
                ? "It asks for no intent: leave it out."
                : `Its intents: ${contract.intents.join(", ")}.`
          }
        ]
      : [])
  ]
}

/** Session runs of the project, newest first. */
const sessionRuns = (paths: ProjectPaths) =>
  Effect.map(readRows(paths), (rows) =>
    rows
      .filter(({ kind }) => kind === "session")
      .map(({ ended_at, run_id, status }) => ({ run_id, isRunning: status === "running", ended_at }))
  )

/** The newest session run that goes on; undefined: there is none. */
export const runningSession = (paths: ProjectPaths) =>
  Effect.map(sessionRuns(paths), (runs) => runs.find(({ isRunning }) => isRunning)?.run_id)

/** Sessions of a project over the kernel. */
export const projectSessions = (paths: ProjectPaths, read: ReadSetup, flags: BaseFlags = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { composition } = yield* Engine
      const baseline = yield* Baseline
      const begin = Effect.fnUntraced(function* (run_id: RunId) {
        const { config, setup } = yield* Effect.mapError(read, asRejection)
        const problems = phaseProblems(setup.contract, composition)
        if (problems.length > 0) return yield* asRejection(stop(exitCodes.usage, ...problems))
        const contract = withPluginPhases(setup.contract, composition.initial.state)
        const base = yield* Effect.provideService(baseOrRejection(flags), Baseline, baseline)
        noteProject(paths)
        return StartRun({
          run_id,
          kind: "session",
          name: Path.basename(paths.root),
          root: paths.root,
          input: null,
          parent_run_id: null,
          completed_task_ids: [],
          config: { ...config, labels: [`run:${run_id}`] },
          plugins: composition.versions,
          driver: null,
          base,
          tasks: [],
          pull: { ...setup, contract }
        })
      })
      return sessionsLayer({
        // a file that is no log was refused when the storage was opened
        runs: Effect.orDie(sessionRuns(paths)),
        begin,
        workerId: `${hostname()}:${process.pid}`
      })
    })
  )
