import { HashMap } from "effect"
import type { Driver } from "../../base/Driver.ts"
import type { RunId, WorkKey } from "../../base/Ids.ts"
import type { ReadsOf } from "../../core/contract.ts"
import { plugin } from "../../core/define.ts"
import type { PermissionAnswer } from "../../port/Agent.ts"
import { defaultRunConfig, type RunConfig } from "./config.ts"
import type { AskedPermission, Base, FailedBy, Origin, PluginVersion, Redacted, Spent } from "./schemas.ts"

export type RunStatus = "none" | "running" | "completed" | "incomplete" | "failed" | "cancelled"

export const nothingSpent: Spent = { attempts: 0, calls: 0, tokens: 0, cost_usd: 0 }

/** What is true of a run, whatever is done in it. */
export interface RunState {
  readonly run_id: RunId
  /** One of the kinds that plugins declare. */
  readonly kind: string
  readonly name: string
  readonly root: string
  readonly input: { readonly path: string; readonly sha256: string } | null
  readonly parent_run_id: RunId | null
  readonly status: RunStatus
  readonly message: string
  /** By what it failed; null while it has not. */
  readonly failed_by: FailedBy | null
  readonly config: RunConfig
  readonly driver: Driver | null
  readonly base: Base | null
  /** Those it was started, resumed or gone on with last. */
  readonly plugins: ReadonlyArray<PluginVersion>
  /** What the whole is for; null: its tasks say it all. */
  readonly goal: string | null
  /** The run with which it shares its beginning; null: none. */
  readonly forked_from: Origin | null
  /** Its texts are pseudonyms: it shows nothing. Null: they are not. */
  readonly redacted: Redacted | null
  /** Since the run was started or resumed. */
  readonly spent: Spent
  /** How often the run was resumed. Part of every work key: what was cancelled or done once stays so. */
  readonly resumes: number
  /** Agents that may not be started: trying again cannot help. */
  readonly breakers: HashMap.HashMap<string, Breaker>
  /** Keys of the work that was ordered last to be done before the run ends. */
  readonly ending: ReadonlyArray<WorkKey>
  readonly permissions: PermissionsState
}

/** What agents have asked leave for. */
export interface PermissionsState {
  /** Questions so far. */
  readonly count: number
  readonly open: ReadonlyArray<AskedPermission>
  /** By the key of the question. */
  readonly answers: HashMap.HashMap<string, PermissionAnswer>
}

export interface Breaker {
  readonly code: string
  readonly message: string
}

/** Before anything happened. */
export const noRun: RunState = {
  run_id: "",
  kind: "tasks",
  name: "",
  root: "",
  input: null,
  parent_run_id: null,
  status: "none",
  message: "",
  failed_by: null,
  config: defaultRunConfig,
  driver: null,
  base: null,
  plugins: [],
  goal: null,
  forked_from: null,
  redacted: null,
  spent: nothingSpent,
  resumes: 0,
  breakers: HashMap.empty(),
  ending: [],
  permissions: { count: 0, open: [], answers: HashMap.empty() }
}

export const Run = plugin("run", { state: noRun })
export type RunView = ReadsOf<typeof Run>

/** What every helper about a run needs of a state. */
export interface HasRun {
  readonly run: RunState
}

/** The open breaker of an agent; undefined while it may be started. */
export const breakerOf = ({ run }: HasRun, agent: string): Breaker | undefined => {
  const found = HashMap.get(run.breakers, agent)
  return found._tag === "Some" ? found.value : undefined
}

/** Who is asked to plan and to verify. */
export const plannerOf = ({ agent, planner }: Pick<RunConfig, "agent" | "planner">): string => planner ?? agent

/**
 * Who is asked where an agent is named, the first that can be started: behind the working agent its fallbacks, and behind
 * who plans those that work. Nobody judges in the place of a reviewer, whatever else that one does.
 */
export const candidatesFor = (
  { agent, fallback = [], planner, reviewer }: Pick<RunConfig, "agent" | "fallback" | "planner" | "reviewer">,
  name: string
): ReadonlyArray<string> => {
  if (name === agent) return [...new Set([agent, ...fallback])]
  return name === planner && name !== reviewer ? [...new Set([name, agent, ...fallback])] : [name]
}

/** Whom to ask where an agent is named; itself also where nobody can be started. */
export const startableFor = (state: HasRun, name: string): string =>
  candidatesFor(state.run.config, name).find((one) => breakerOf(state, one) === undefined) ?? name

/** Nobody can be started where an agent is named. */
export const isUnavailable = (state: HasRun, name: string): boolean =>
  breakerOf(state, startableFor(state, name)) !== undefined
