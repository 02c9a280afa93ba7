import {
  type AnyCommand,
  type AnyEvent,
  activities,
  type ChangedDecision,
  type ClaimDecision,
  type Compared,
  type Composition,
  criteriaReviewer,
  decisionsIn,
  Engine,
  EventLog,
  type EvidenceFile,
  faultFinder,
  faultText,
  judgedIn,
  type KernelEvent,
  type LogUnavailable,
  makeBacktest,
  makeTruths,
  mayBeOfOneRun,
  orLogNewer,
  PluginFault,
  pluginMissing,
  pluginsMissing,
  type Snapshot,
  scoresOf,
  type Turn,
  type WeakReason
} from "@proofline/kernel"
import type { PluginEntry } from "@proofline/plugins/adapters/project-files"
import { NotRecorded } from "@proofline/plugins/adapters/recorded-evidence"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect, Stream } from "effect"
import { momentSaid } from "../base/moment.ts"
import { type ProjectPaths, pathsOf, type Where } from "../base/paths.ts"
import { brokenLogs, exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import { type BacktestData, backtestDocument } from "../documents/backtest.ts"
import { print, printDocument } from "../process/output.ts"
import { type OtherPolicies, ownJudges, withPolicies } from "../project/compose.ts"
import { projectConfig } from "../project/files.ts"
import { withKernel } from "../project/withKernel.ts"
import { runNamed } from "../reading/historyIds.ts"
import { noRun } from "../reading/oneRun.ts"
import { withStorageToRead } from "../reading/readable.ts"
import { readRows } from "../reading/rows.ts"
import { backtestText } from "../render/backtest.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface BacktestOptions extends Where {
  readonly policy: ReadonlyArray<string>
  readonly accept?: ReadonlyArray<WeakReason> | undefined
  readonly since?: string | undefined
  /** All when there are none. */
  readonly runs: ReadonlyArray<string>
  readonly json: boolean
}

/** `proofline backtest`: what other rules would have decided about the claims of past runs, by what their logs hold. */
export const backtest = Effect.fnUntraced(function* (options: BacktestOptions) {
  const { accept = [], policy } = options
  if (policy.length === 0 && accept.length === 0) return yield* nothingToTry
  const since = options.since === undefined ? null : yield* momentSaid("--since", options.since)
  const paths = pathsOf(options)
  const rows = yield* chosen(options, paths, since)
  const { plugins } = yield* projectConfig(paths)
  const policies = yield* Effect.forEach(policy, entryOf)
  const found = yield* withStorageToRead(
    paths,
    noRun(undefined, paths),
    withKernel(
      paths,
      {},
      withPolicies(paths, plugins, policies, (others) =>
        Effect.gen(function* () {
          if (others.problems.length > 0)
            return yield* stop(exitCodes.usage, ...others.problems.map(ofPolicy(policies)))
          return yield* Effect.forEach(rows, (row) => tried(row, others, accept))
        })
      )
    )
  )
  const data = dataOf(options, found)
  yield* options.json
    ? printDocument(backtestDocument, data)
    : print(backtestText(data, styleFor(wantsColor(process.stdout))))
  if (data.integrity.length > 0) return exitCodes.integrity
  // of a run that was named it is asked what would change, and nobody knows
  if (options.runs.length > 0 && data.left_out.length > 0) return exitCodes.usage
  return data.changed.length > 0 ? exitCodes.unmet : exitCodes.proven
})

const nothingToTry = stop(exitCodes.usage, {
  code: "policy_missing",
  message: "Nothing is named that would decide otherwise.",
  hint: `Name a plugin with --policy (${ownJudges.join(", ")}, or a path such as ./policy.ts), or a reason with --accept.`
})

/** A name, or a name and its options as JSON: `./gate.ts={"people": 2}`. */
const entryOf = (text: string): Effect.Effect<PluginEntry, Stop> => {
  const at = text.indexOf("={")
  if (at < 0) return Effect.succeed({ use: text, with: {}, line: 1, column: 1 })
  return Effect.try({
    try: () => ({ use: text.slice(0, at), with: JSON.parse(text.slice(at + 1)), line: 1, column: 1 }),
    catch: (cause) =>
      stop(exitCodes.usage, {
        code: "policy_options_invalid",
        message: `The options of the plugin "${text.slice(0, at)}" are no JSON: ${(cause as Error).message}.`,
        hint: `Write them as --policy './gate.ts={"people": 2}'.`
      })
  })
}

/** A plugin that was named on the command line is not in proofline.yaml. */
const ofPolicy =
  (policies: ReadonlyArray<PluginEntry>) =>
  (problem: Problem): Problem => {
    if (!policies.some(({ use }) => problem.message.includes(`"${use}"`))) return problem
    const { column: _, file: __, line: ___, ...rest } = problem
    return {
      ...rest,
      hint: `Look at the file, or name another one with --policy; ${ownJudges.join(" and ")} are built in.`
    }
  }

const chosen = Effect.fnUntraced(function* (options: BacktestOptions, paths: ProjectPaths, since: string | null) {
  const rows = yield* readRows(paths)
  const named = yield* Effect.forEach(options.runs, (run) => runNamed(run, rows, paths))
  const unknown = named.find((run) => rows.every(({ run_id }) => run_id !== run))
  if (unknown !== undefined || rows.length === 0) return yield* noRun(unknown, paths)
  // a requirements run stands for its task runs
  const isMeant = ({ parent_run_id, run_id }: RunOverview): boolean =>
    named.length === 0 || named.includes(run_id) || named.includes(parent_run_id ?? "")
  return rows.filter((row) => isMeant(row) && (since === null || row.started_at >= since)).toReversed()
})

type Judged = Compared & Omit<ChangedDecision, "changed_by"> & { readonly by: () => ChangedDecision["changed_by"] }
type Fault = BacktestData["left_out"][number]

interface Tried {
  readonly decisions: ReadonlyArray<Judged>
  readonly notJudgeable: number
  readonly leftOut: Fault | null
  readonly integrity: Fault | null
}

const untried: Tried = { decisions: [], notJudgeable: 0, leftOut: null, integrity: null }

/** Goes through one run. What could be judged of a log that is not as it was written says nothing. */
const tried = ({ run_id }: RunOverview, others: OtherPolicies, accept: ReadonlyArray<WeakReason>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { composition } = yield* Engine
    const missing = new Set<string>()
    const { add, end } = yield* faultFinder(run_id)
    const past = makeBacktest(composition, { composition: others.composition, told: accepting(accept) })
    const truths = makeTruths()
    const judged: Array<Omit<Judged, "truth">> = []
    let notJudgeable = 0
    let files: ReadonlyArray<EvidenceFile> | null = null
    const judge = Effect.fnUntraced(function* (turn: Turn) {
      for (const event of turn.recorded) truths.add(event)
      const about = judgedIn(turn.recorded)
      if (about === null) return
      files = filesIn(turn.recorded) ?? (turn.command._tag === "RecordEvidence" ? null : files)
      const before = decisionsIn(turn.recorded, about.task_id)
      truths.decided(about.task_id, about.attempt, wholeOf(before)?.outcome ?? "open")
      const command = yield* looked(turn, others, files)
      if (command === null) {
        notJudgeable += [...before.values()].filter(({ outcome }) => outcome !== "open").length
        return
      }
      judged.push(...comparedIn(run_id, turn, about, before, decisionsIn(turn.theirs(command), about.task_id)))
    })
    yield* log.read(run_id).pipe(
      Stream.takeWhile(add),
      Stream.runForEach((event) => {
        for (const name of pluginsMissing(event, composition)) missing.add(name)
        // without it nobody knows what was decided, nor what its events say
        return missing.size > 0 ? Effect.void : Effect.forEach(past.add(event), judge, { discard: true })
      })
    )
    const integrity = end()
    if (integrity !== null) {
      return { ...untried, integrity: { run_id, code: integrity.code, message: faultText(run_id, integrity) } }
    }
    if (missing.size > 0) {
      const { code, message } = pluginMissing(run_id, [...missing])
      return { ...untried, leftOut: { run_id, code, message } }
    }
    yield* Effect.forEach(past.end().turns, judge, { discard: true })
    const decisions = judged.map((one) => ({
      ...one,
      truth: truths.of({ task_id: one.task_id, index: one.item_index }, one.attempt)
    }))
    return { ...untried, decisions, notJudgeable }
  }).pipe(
    orLogNewer,
    Effect.catchIf(mayBeOfOneRun, ({ code, message }) =>
      Effect.succeed({ ...untried, [brokenLogs.has(code) ? "integrity" : "leftOut"]: { run_id, code, message } })
    )
  )

/** As if the user had accepted these reasons from the beginning. */
const accepting =
  (accept: ReadonlyArray<WeakReason>) =>
  (event: AnyEvent): AnyEvent => {
    const { content, type } = event as KernelEvent
    if (accept.length === 0 || (type !== "RUN_STARTED" && type !== "RUN_RESUMED")) return event
    const { config } = content
    if (config === null) return event
    const proof = { ...config.proof, accept: [...new Set([...config.proof.accept, ...accept])] }
    return { ...event, content: { ...content, config: { ...config, proof } } } as AnyEvent
  }

/** The files that were read for evidence; null: none were kept. */
const filesIn = (events: ReadonlyArray<AnyEvent>): ReadonlyArray<EvidenceFile> | null => {
  const looked = (events as ReadonlyArray<KernelEvent>).find(({ type }) => type === "EVIDENCE_CHECKED")
  return looked?.type === "EVIDENCE_CHECKED"
    ? (looked.content.files ?? (looked.content.facts.length === 0 ? [] : null))
    : null
}

/** Work whose result is looked for anew where a policy does it in another way. */
const workOf = ({ command }: Turn): string | null =>
  command._tag === "RecordEvidence"
    ? activities.evidence
    : command._tag === "RecordJudgment" && command["reviewer"] === criteriaReviewer
      ? activities.criteria
      : command._tag === "RecordJudgment"
        ? activities.review
        : command._tag === "RecordVerification"
          ? activities.checks
          : null

/** The command with what the policies find in what was read then; null: the log does not hold it. */
const looked = (
  turn: Turn,
  { activities: done, composition, recorded }: OtherPolicies,
  files: ReadonlyArray<EvidenceFile> | null
): Effect.Effect<AnyCommand | null, LogUnavailable> => {
  const name = workOf(turn)
  if (name === null || !done.has(name)) return Effect.succeed(turn.command)
  if (files === null) return Effect.succeed(null)
  const { attempt, task_id } = turn.command as unknown as { readonly task_id: string; readonly attempt: number }
  return recorded
    .within(files, carriedOut(composition, name, { task_id, attempt }, turn.before))
    .pipe(Effect.catchDefect((defect) => (isNotRecorded(defect) ? Effect.succeed(null) : Effect.die(defect))))
}

const isNotRecorded = (defect: unknown): boolean =>
  defect instanceof NotRecorded || (defect instanceof PluginFault && /is not in the log\.$/.test(defect.problem))

const carriedOut = (
  composition: Composition,
  name: string,
  input: { readonly task_id: string; readonly attempt: number },
  before: Snapshot
): Effect.Effect<AnyCommand | null, LogUnavailable> => {
  const activity = composition.activities.get(name)
  if (activity === undefined) return Effect.succeed(null)
  const state = composition.view(activity.slot, before.slices)
  const elsewhere = Effect.die(new NotRecorded({ message: "What is decided meanwhile is not in the log." }))
  const context = { state, dispatch: () => elsewhere, until: () => elsewhere, drive: () => elsewhere }
  return (activity.run(input, context as never) as Effect.Effect<AnyCommand | null, LogUnavailable>).pipe(
    // what it cannot carry out it cannot judge either
    Effect.catchTags({ ActivityFailure: () => Effect.succeed(null), Rejection: () => Effect.succeed(null) } as never)
  ) as Effect.Effect<AnyCommand | null, LogUnavailable>
}

type Decisions = ReadonlyMap<string, ClaimDecision>

const wholeOf = (decisions: Decisions): ClaimDecision | undefined =>
  [...decisions.values()].find(({ index }) => index === null)

const comparedIn = (
  run_id: string,
  turn: Turn,
  { attempt, task_id }: { readonly task_id: string; readonly attempt: number },
  recorded: Decisions,
  policy: Decisions
): ReadonlyArray<Omit<Judged, "truth">> =>
  [...new Set([...recorded.keys(), ...policy.keys()])].flatMap((key) => {
    const [was, would] = [recorded.get(key), policy.get(key)]
    const { evidence, index, item } = (was ?? would) as ClaimDecision
    const side = (one: ClaimDecision | undefined) =>
      ({ outcome: one?.outcome ?? "open", reasons: one?.reasons ?? [] }) as const
    if (side(was).outcome === "open" && side(would).outcome === "open") return []
    return [
      {
        run_id,
        version: turn.version,
        task_id,
        attempt,
        item_index: index,
        item,
        evidence: was?.evidence ?? would?.evidence ?? evidence,
        recorded: side(was),
        policy: side(would),
        by: () =>
          side(decisionsIn(turn.today(), task_id).get(key)).outcome === side(would).outcome ? "version" : "policy"
      }
    ]
  })

const dataOf = ({ accept = [], policy }: BacktestOptions, found: ReadonlyArray<Tried>): BacktestData => {
  const all = found.flatMap((one) => one.decisions)
  const items = all.filter(({ item_index }) => item_index !== null)
  const attempts = attemptsOf(all)
  return {
    policies: policy,
    accept,
    runs: found.filter(({ integrity, leftOut }) => integrity === null && leftOut === null).length,
    items: scoresOf(items),
    attempts: scoresOf(attempts),
    not_judgeable: found.reduce((sum, { notJudgeable }) => sum + notJudgeable, 0),
    changed: [...items, ...attempts]
      .filter(({ policy: would, recorded }) => would.outcome !== recorded.outcome)
      .map(({ by, ...one }) => ({ ...one, changed_by: by() }))
      .toSorted(inOrder),
    left_out: found.flatMap(({ leftOut }) => leftOut ?? []),
    integrity: found.flatMap(({ integrity }) => integrity ?? [])
  }
}

/** Run by run, and in each as it was decided. */
const inOrder = (a: ChangedDecision, b: ChangedDecision): number =>
  a.run_id === b.run_id ? a.version - b.version : a.run_id < b.run_id ? -1 : 1

/**
 * An attempt is judged by its evidence, its commands and its reviews, one after the other: the last that was decided counts, and of a
 * policy the first refusal, for then it would have ended.
 */
const attemptsOf = (all: ReadonlyArray<Judged>): ReadonlyArray<Judged> =>
  [
    ...Map.groupBy(
      all.filter(({ item_index }) => item_index === null),
      ({ attempt, run_id, task_id }) => JSON.stringify([run_id, task_id, attempt])
    ).values()
  ].flatMap((turns) => {
    const recorded = turns.findLast((turn) => turn.recorded.outcome !== "open")
    const policy =
      turns.find((turn) => turn.policy.outcome === "refused") ??
      turns.findLast((turn) => turn.policy.outcome !== "open")
    const told = turns.find((turn) => turn.recorded.outcome !== turn.policy.outcome) ?? recorded ?? policy
    return told === undefined
      ? []
      : [{ ...told, recorded: (recorded ?? told).recorded, policy: (policy ?? told).policy }]
  })
