import { Engine } from "@proofline/kernel"
import { cancelRun } from "@proofline/plugins/policies/oversight"
import { CloseSession, type SessionState, Sessions } from "@proofline/plugins/policies/sessions"
import { Clock, Effect } from "effect"
import type { ProjectPaths, Where } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { type Session, sessionDocument, sessionsDocument } from "../documents/sessions.ts"
import { print, printDocument } from "../process/output.ts"
import { existingProject, projectConfig } from "../project/files.ts"
import { stateOf } from "../project/state.ts"
import { withExistingStorage, withStorage } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { readRows } from "../reading/rows.ts"
import { agentNamed } from "../sessions/agentName.ts"
import { checkSessionPlugins } from "../sessions/sessionPlugins.ts"
import { projectSessions, runningSession, sessionDefaults, sessionRunSetup } from "../sessions/sessions.ts"

interface Options extends Where {
  readonly json: boolean
}

/** `proofline session open`: a session of its own for an agent; its token is shown once. */
export const openSession = Effect.fnUntraced(function* (
  options: Options & { readonly agent: string; readonly ttlMs?: number | undefined }
) {
  const paths = yield* existingProject(options)
  const agent = yield* agentNamed(options.agent)
  const { ttlMs } = sessionDefaults(yield* projectConfig(paths))
  const { config, setup } = yield* sessionRunSetup(paths, { flag: [] })
  const identity = { agent, ofProcess: false, ttl_ms: options.ttlMs ?? ttlMs }
  const opened = yield* withStorage(
    paths,
    withKernel(
      paths,
      {},
      Effect.andThen(
        checkSessionPlugins(paths, setup.contract),
        Effect.provide(
          Effect.flatMap(Sessions, (sessions) => sessions.open(identity)),
          projectSessions(paths, Effect.succeed({ setup, config }))
        )
      )
    )
  )
  const { run: run_id, ...session } = opened
  yield* options.json
    ? printDocument(sessionDocument, { run_id, ...session })
    : print(
        `Session ${session.session_id} of ${session.agent} in ${run_id}, until ${session.expires_at}; every call moves that on.\nToken, shown only here: ${session.token}\n`
      )
  return exitCodes.proven
})

/** Does something with the session run that goes on. */
const withSessionRun = <A, E, R>(options: Options, use: (run: string, paths: ProjectPaths) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const paths = yield* existingProject(options)
    const run = yield* runningSession(paths)
    const none = stop(exitCodes.usage, {
      code: "session_run_missing",
      message: `No session run goes on in ${paths.root}.`,
      hint: "Start one with `proofline mcp` or `proofline session open`."
    })
    if (run === undefined) return yield* none
    return yield* withExistingStorage(paths, Effect.fail(none), withKernel(paths, {}, use(run, paths)))
  })

const shown = ({ agent, closed, of_process, seen_at, session_id, ttl_ms }: SessionState): Session => ({
  session_id,
  agent,
  status: closed === null ? "open" : "closed",
  ...(closed === null ? {} : { reason: closed }),
  seen_at,
  // one of a process ends with it alone
  ...(closed !== null || of_process ? {} : { expires_at: new Date(Date.parse(seen_at) + ttl_ms).toISOString() })
})

const sessionLine = ({ agent, expires_at, reason, seen_at, session_id, status }: Session): string =>
  [
    `  ${session_id}`,
    agent,
    reason === undefined || reason === status ? status : `${status} (${reason.replace("_", " ")})`,
    `last heard ${clock(seen_at)}`,
    ...(expires_at === undefined ? [] : [`until ${clock(expires_at)}`])
  ].join("  ")

const clock = (at: string): string => at.slice(0, 19).replace("T", " ")

/** `proofline session list`: who works in the session run that goes on. */
export const listSessions = (options: Options) =>
  withSessionRun(options, (run) =>
    Effect.gen(function* () {
      const { phases } = stateOf(yield* (yield* Engine).load(run)).sessions
      const sessions = (phases?.sessions ?? []).map(shown)
      yield* options.json
        ? printDocument(sessionsDocument, { run_id: run, phase: phases?.phase ?? null, sessions })
        : print([`${run}, phase ${phases?.phase}`, ...sessions.map(sessionLine), ""].join("\n"))
      return exitCodes.proven
    })
  )

/** `proofline session revoke`: from now on the session is refused everything. */
export const revokeSession = (options: Options & { readonly session: string }) =>
  withSessionRun(options, (run) =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { phases } = stateOf(yield* engine.load(run)).sessions
      if (phases?.sessions.every(({ session_id }) => session_id !== options.session) !== false) {
        return yield* stop(exitCodes.usage, {
          code: "session_unknown",
          message: `There is no session ${options.session} in ${run}.`,
          hint: "See `proofline session list`."
        })
      }
      const at = new Date(yield* Clock.currentTimeMillis).toISOString()
      yield* engine.execute(run, CloseSession({ session_id: options.session, at, reason: "revoked" }))
      yield* options.json
        ? printDocument(sessionDocument, { run_id: run, session_id: options.session, status: "closed" })
        : print(`Session ${options.session} is closed.\n`)
      return exitCodes.proven
    })
  )

/** `proofline session end`: gives the session run up; agents are told that it is over. */
export const endSessionRun = (options: Options) =>
  withSessionRun(options, (run, paths) =>
    Effect.gen(function* () {
      yield* cancelRun(run, yield* readRows(paths), "ended by a person")
      yield* options.json
        ? printDocument(sessionDocument, { run_id: run, status: "cancelled" })
        : print(`${run} is ended. The next \`proofline mcp\` begins a new one.\n`)
      return exitCodes.proven
    })
  )
