import {
  ActivityFailed,
  activities,
  awaitsBase,
  BaseChecked,
  definePlugin,
  EvidenceRevisited,
  FinishRun,
  type Plugin,
  type PluginParts,
  type Start,
  TaskCompleted,
  TaskFailed,
  TaskSkipped
} from "@proofline/kernel"
import { AdvancePhase, commands, ReturnToWork } from "./commands.ts"
import { events, follows, PhaseEntered, PhaseSubmitted, SessionClosed } from "./events.ts"
import { offers, verification, verificationKey } from "./offers.ts"
import { isAtEnd } from "./phase.ts"
import { phases } from "./pluginPhases.ts"
import { SessionRun, type SessionsView } from "./state.ts"

const advance = ({ sessions }: SessionsView) => (sessions.phases === null ? [] : [AdvancePhase({})])

/** The commands of the phase that was handed in, once it is known how they ended before the work. */
const verificationWork = (state: SessionsView): ReadonlyArray<Start> => {
  const key = verificationKey(state)
  if (key === null || state.sessions.phases === null || awaitsBase(state)) return []
  const { phase, submissions: submission } = state.sessions.phases
  return [
    {
      _tag: "Start",
      key,
      kind: "activity",
      activity: verification,
      task_id: null,
      input: { phase, submission },
      delay_ms: 0,
      priority: 1_000_000
    }
  ]
}

const reactions = [
  SessionRun.react([PhaseEntered], (_, state) => [...advance(state), FinishRun({})]),
  SessionRun.react([PhaseSubmitted, BaseChecked], (_, state) => verificationWork(state)),
  SessionRun.react([ActivityFailed], ({ name }, state) => (name === activities.base ? verificationWork(state) : [])),
  // whoever waited for what is missing has gone
  SessionRun.react([SessionClosed], (_, { sessions }) =>
    sessions.phases !== null && isAtEnd(sessions.phases) ? [FinishRun({})] : []
  ),
  SessionRun.react([EvidenceRevisited], (_, { sessions }) => (sessions.phases === null ? [] : [ReturnToWork({})])),
  SessionRun.react([TaskFailed, TaskCompleted, TaskSkipped], (_, state) => advance(state))
]

export type { SessionsState } from "./state.ts"

/**
 * Pull mode: agents come by themselves, hand in phases of a contract, and are refused what does not hold. `parts`: the
 * doors to the world. Source: checklist and evidence, progress tools.
 */
export const sessionsWith = (parts: NonNullable<PluginParts<"sessions">["parts"]>): Plugin =>
  definePlugin(SessionRun, {
    version: "1",
    events,
    commands,
    points: [phases],
    parts: [...offers, ...follows, ...reactions, ...parts],
    ordersAny: true
  })

/** The rules alone: enough to fold and to replay a log. */
export const sessionsRules: Plugin = sessionsWith([])
