import { Engine } from "@proofline/kernel"
import { type Declaration, type Level, operations, operationsAt, pluginOperations } from "@proofline/plugins/operations"
import { attemptsLayer } from "@proofline/plugins/policies/attempts"
import type { PhaseContract } from "@proofline/plugins/policies/sessions"
import { Effect, Layer } from "effect"
import { fileVariable, readDatabaseUrl } from "../base/database.ts"
import { logName, type ProjectPaths, type Where } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { say } from "../process/output.ts"
import { baseOf } from "../project/base.ts"
import { existingProject, projectConfig } from "../project/files.ts"
import { saysProof } from "../project/settings.ts"
import { withExistingStorage, withStorage } from "../project/storage.ts"
import { agentNamed } from "../sessions/agentName.ts"
import { attemptToken } from "../sessions/attemptToken.ts"
import { checkSessionPlugins } from "../sessions/sessionPlugins.ts"
import {
  checkSessionChecks,
  contractToBegin,
  projectSessions,
  runningSession,
  type SessionRunFlags,
  sessionDefaults,
  sessionRunSetup
} from "../sessions/sessions.ts"
import { projectOversight } from "./oversight.ts"

/** How a server of this project is to be, on the command line. */
export interface ServerFlags extends SessionRunFlags {
  readonly agent?: string | undefined
  readonly tools?: Level | undefined
  readonly approvals: boolean
}

/** The database of the log in which an agent was started; undefined: it is a file. */
const urlInFile = (): string | undefined => {
  const file = process.env[fileVariable]
  const read = file === undefined ? null : readDatabaseUrl(`file:${file}`)
  return read !== null && "url" in read ? read.url : undefined
}

/** An agent that Proofline has started works where it was told, and its run is where it was told. */
export const callersProject = (options: Where, attempt: string | null) =>
  existingProject(
    attempt === null
      ? options
      : {
          ...options,
          databaseUrl: options.databaseUrl ?? urlInFile(),
          cwd: options.cwd ?? process.env["PROOFLINE_ROOT"],
          state: options.state ?? process.env["PROOFLINE_STATE"]
        }
  )

/**
 * Runs with the storage of a project. One that an attempt was started with is there: where it is not, it was removed, and a
 * new one would belong to nobody.
 */
export const withCallersStorage = <A, E, R>(
  paths: ProjectPaths,
  attempt: string | null,
  use: Effect.Effect<A, E, R>
) =>
  attempt === null
    ? withStorage(paths, use)
    : withExistingStorage(
        paths,
        Effect.fail(
          stop(exitCodes.integrity, {
            code: "log_lost",
            message: `The event log ${logName(paths)} is gone, and this process belongs to an attempt that is recorded in it.`,
            hint: "Tell the user; nothing that is reported here can be recorded."
          })
        ),
        use
      )

/** What every server of a project has in common, read and checked before it starts. */
export const serverSetup = Effect.fnUntraced(function* (paths: ProjectPaths, options: ServerFlags) {
  const named = options.agent === undefined ? null : yield* agentNamed(options.agent)
  const project = yield* projectConfig(paths)
  const { agent, agents, ttlMs } = sessionDefaults(project)
  const contract = yield* contractToBegin(paths, project, options)
  const level = options.tools ?? (attemptToken() === null ? "core" : "standard")
  return {
    agents,
    caller: { agent: named ?? agent, ttlMs, isPerson: options.approvals },
    // what an agent hands in that was asked for a plan or a judgment is no core tool
    shown: shownAt(level, contract),
    /** What plugins declare, which is no core tool either. */
    toolsOfPlugins: Effect.map(Engine, ({ composition }) => {
      const ofPlugins = pluginOperations(composition)
      return { ofPlugins, shownOfPlugins: level === "core" ? [] : ofPlugins }
    }),
    /** Answers whoever asks, over the kernel. */
    answering: Layer.mergeAll(
      projectSessions(paths, sessionRunSetup(paths, options, true), options),
      attemptsLayer,
      projectOversight(paths)
    ),
    /** Stops unless a session run can go on or begin here; says what flags change nothing for one that goes on. */
    check: Effect.gen(function* () {
      yield* checkSessionPlugins(paths, contract)
      const run = yield* runningSession(paths)
      if (run === undefined) yield* checkSessionChecks(project, paths, options)
      // a name that means no commit is said before anybody works
      if (run === undefined && options.base !== undefined) yield* baseOf(options)
      const { base, flag, gate, intent } = options
      const isSaid =
        saysProof(options) || [base, options.contract, intent, gate, ...flag].some((one) => one !== undefined)
      if (run !== undefined && isSaid) {
        yield* say(
          `${run} goes on under the contract and from the base it began with; --contract, --intent, --gate, --flag, --base and what says what counts as proof (--accept, …) are for a new run.`
        )
      }
    })
  }
})

/** Where no phase of work takes a plan, tasks are created in the other way, and agents have to be shown it. */
const shownAt = (level: Level, contract: PhaseContract | null): ReadonlyArray<Declaration> => {
  const shown = operationsAt(level)
  const phases = contract?.phases ?? {}
  const isNeeded =
    contract === null ||
    Object.values(phases).some(
      ({ also, kind }) => kind === "tasks" && !also.some((name) => phases[name]?.kind === "plan")
    )
  return isNeeded ? operations.filter((one) => shown.includes(one) || one.name === "create_tasks") : shown
}
