import {
  type Away,
  type Composition,
  canonicalJson,
  Digest,
  type Divergence,
  Engine,
  EventLog,
  eventDifferences,
  isClosed,
  type LogFault,
  makeFaultFinder,
  makeReplay,
  pluginsMissing,
  type Recorded,
  type RunHead,
  RunHeads,
  type Snapshot,
  tasksOf
} from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { type LoopBIteration, loopOf, outcomeOf } from "@proofline/plugins/policies/requirements"
import { Effect, Layer, Stream } from "effect"
import { fileNamed, type ProjectPaths, pathsOf, statOf } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { type Replayed as Data, replayDocument } from "../documents/proof.ts"
import { readEvents } from "../moving/archiveFile.ts"
import { restsOn } from "../moving/chain.ts"
import { stdinFile } from "../moving/stdinFile.ts"
import { print, printDocument, say } from "../process/output.ts"
import { checkedComposition } from "../project/checkedPlugins.ts"
import { projectConfig } from "../project/files.ts"
import { type State, stateOf } from "../project/state.ts"
import { headsOf } from "../project/storage.ts"
import { tellingFaults, withKernel } from "../project/withKernel.ts"
import { pluginMissing } from "../reading/oneRun.ts"
import { type RunChoice, withRunToRead } from "../reading/withRun.ts"
import { count } from "../render/lines.ts"
import { replayText } from "../render/replay.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface ReplayOptions extends RunChoice {
  /** Whatever is not judged to its end counts as a failure, and success says nothing. */
  readonly assert: boolean
  /** The last version that is judged. */
  readonly until?: number | undefined
  readonly json: boolean
}

/** What a replay of one run has found. */
interface Replayed {
  readonly run_id: string
  readonly events: number
  readonly divergence: Divergence | null
  readonly integrity: LogFault | null
  /** The run as today's rules have it; of a run that diverges, up to there. */
  readonly snapshot: Snapshot
  /** The event that was judged last. */
  readonly last: Recorded | null
}

/**
 * `proofline replay [run or file]`: checks the hash chain and decides everything again with today's rules. Of a requirements
 * run its task runs too, and whether it has recorded of them what their logs say.
 */
export const replay = (options: ReplayOptions) => {
  const { run } = options
  const paths = pathsOf(options)
  if (run === "-") return Effect.scoped(Effect.flatMap(stdinFile, (file) => replayFile(file, "stdin", paths, options)))
  const named = run === undefined ? null : fileNamed(run, paths).file
  return named !== null && statOf(named)?.isFile() === true
    ? replayFile(named, named, paths, options)
    : replayLog(options)
}

const replayLog = (options: ReplayOptions) =>
  withRunToRead(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const log = yield* EventLog
        const heads = yield* RunHeads
        const judging = makeJudging((yield* Engine).composition, yield* Digest)
        const ofRun = Effect.fnUntraced(function* (run_id: string, until?: number) {
          const judge = judging(run_id, yield* heads.of(run_id), until, yield* log.away(run_id))
          yield* log.read(run_id).pipe(Stream.mapEffect(judge.add), Stream.takeWhile(isTrue), Stream.runDrain)
          return judge.end()
        })
        const whole = yield* ofRun(run, options.until)
        if (whole.last === null) return yield* none
        const children = yield* Effect.forEach(options.until === undefined ? linkedIn(whole) : [], (id) => ofRun(id))
        return yield* told([whole], children, [], options)
      })
    )
  )

const isTrue = (goesOn: boolean): boolean => goesOn

/** The runs of a file: nothing of it is written anywhere, and no log is opened. */
const replayFile = Effect.fnUntraced(function* (
  file: string,
  shown: string,
  paths: ProjectPaths,
  options: ReplayOptions
) {
  const composition = yield* checkedComposition(paths, yield* projectConfig(paths))
  const only = options.until === undefined ? null : yield* onlyWhole(file, shown)
  return yield* Effect.gen(function* () {
    const heads = yield* RunHeads
    const judging = makeJudging(composition, yield* Digest)
    const judges = new Map<string, Judge>()
    const ends = new Map<string, RunHead>()
    const judgeOf = Effect.fnUntraced(function* (run: string) {
      const known = judges.get(run)
      if (known !== undefined) return known
      const made = judging(run, ends.get(run) ?? (yield* heads.of(run)), options.until)
      judges.set(run, made)
      return made
    })
    yield* readEvents(
      file,
      {
        header: ({ runs }) =>
          Effect.sync(() => {
            for (const { hash, run_id, version } of runs) ends.set(run_id, { run_id, version, hash })
          }),
        event: (event) =>
          only !== null && event.stream !== only
            ? Effect.void
            : Effect.flatMap(judgeOf(event.stream), (judge) => Effect.asVoid(judge.add(event))),
        blob: () => Effect.void
      },
      shown
    )
    // one that the header names and of which there is no event is cut off
    for (const run_id of ends.keys()) if (only === null || run_id === only) yield* judgeOf(run_id)
    const replayed = [...judges.values()].map((judge) => judge.end())
    const linked = new Set(options.until === undefined ? replayed.flatMap(linkedIn) : [])
    const missing = [...linked].filter((run) => !judges.has(run))
    return yield* told(
      replayed.filter(({ run_id }) => !linked.has(run_id)),
      replayed.filter(({ run_id }) => linked.has(run_id)),
      missing,
      options
    )
  }).pipe(Effect.provide(Layer.merge(headsOf(paths), nodeDigest)), tellingFaults)
})

/** The one run of a file that is no part of another. */
const onlyWhole = Effect.fnUntraced(function* (file: string, shown: string) {
  const runs = new Set<string>()
  const linked = new Set<string>()
  yield* readEvents(
    file,
    {
      header: () => Effect.void,
      event: (event) =>
        Effect.sync(() => {
          runs.add(event.stream)
          for (const run of event.event_type === "TASK_RUN_LINKED" ? restsOn(event) : []) linked.add(run)
        }),
      blob: () => Effect.void
    },
    shown
  )
  const wholes = [...runs].filter((run) => !linked.has(run))
  const [only] = wholes
  return only !== undefined && wholes.length === 1
    ? only
    : yield* stop(exitCodes.usage, {
        code: "run_ambiguous",
        message: `--until is a version of one run, and ${shown} holds ${wholes.length}: ${wholes.slice(0, 10).join(", ")}.`,
        hint: "Take one of them: `proofline events RUN` prints it."
      })
})

interface Judge {
  /** False: what comes after it need not be asked. */
  readonly add: (event: Recorded) => Effect.Effect<boolean, Stop>
  readonly end: () => Replayed
}

/** Judges the events of one run after the other. `kept` is where it ended, as somebody else says. */
const makeJudging =
  (composition: Composition, { sha256, uuid5 }: Digest["Service"]) =>
  (run_id: string, kept: RunHead | null, until?: number, away: Away | null = null): Judge => {
    const again = makeReplay(composition, uuid5, until)
    const finder = makeFaultFinder(sha256, kept, away)
    let last: Recorded | null = null
    return {
      add: (event) =>
        Effect.suspend(() => {
          const isAsked = until === undefined || event.version <= until
          // what an event says of plugins counts only while the chain holds
          const missing = !isAsked || finder.add(event) ? pluginsMissing(event, composition) : []
          if (missing.length > 0) return pluginMissing(run_id, missing)
          const goesOn = again.add(event)
          if (goesOn && isAsked) last = event
          return Effect.succeed(goesOn)
        }),
      end: () => {
        const fault = finder.end()
        // what comes behind the last version that was asked for was left out by whoever asked
        const isAsked = until !== undefined && last?.version === until && fault?.code === "log_cut"
        return { run_id, integrity: isAsked ? null : fault, last, ...again.end() }
      }
    }
  }

/** Task runs of a requirements run. */
const linkedIn = (whole: Replayed): ReadonlyArray<string> =>
  iterationsOf(whole).flatMap(({ loop_c_history_id }) => loop_c_history_id ?? [])

const iterationsOf = ({ snapshot }: Replayed) =>
  stateOf(snapshot).run.kind === "requirements" ? loopOf(snapshot).iterations : []

/** Prints what was found, and gives the exit code. */
const told = Effect.fnUntraced(function* (
  wholes: ReadonlyArray<Replayed>,
  parts: ReadonlyArray<Replayed>,
  missing: ReadonlyArray<string>,
  options: ReplayOptions
) {
  const { assert, json, until } = options
  for (const { integrity, last, run_id } of wholes) {
    if (until !== undefined && integrity === null && (last?.version ?? 0) < until)
      return yield* versionUnknown(run_id, last?.version ?? 0, until)
  }
  const judged = wholes.map((whole) => {
    const links = iterationsOf(whole)
    const children = links.flatMap(({ ended, iteration_number, loop_c_history_id }) => {
      const child = parts.find(({ run_id }) => run_id === loop_c_history_id)
      return child === undefined
        ? []
        : judgedOf({ ...child, divergence: child.divergence ?? misreported(child, iteration_number, ended) }, [])
    })
    const gone = links.flatMap(({ loop_c_history_id: id }) => (id !== null && missing.includes(id) ? id : []))
    const left = [
      ...gone.map((run) => ({ code: "task_run_missing", message: `Its task run ${run} is not in the file.` }) as const),
      ...(until === undefined || links.length === 0 ? [] : [taskRunsSkipped])
    ]
    return { ...judgedOf(whole, left, until), children }
  })
  const all = judged.flatMap((one): ReadonlyArray<Judged> => [one, ...one.children])
  const code = codeOf(all, assert)
  const style = styleFor(wantsColor(assert ? process.stderr : process.stdout))
  const text = all.map(({ data, state }) => replayText(data, state, style)).join("\n")
  const isTold = json || (assert && code !== exitCodes.proven)
  if (assert && isTold) yield* say(text)
  if (isTold) yield* printDocument(replayDocument, documentOf(judged))
  else if (!assert) yield* print(text)
  return code
})

/** A run as it is told. */
interface Judged {
  readonly data: Data
  readonly state: State
}

type Whole = Judged & { readonly children: ReadonlyArray<Judged> }

const codeOf = (all: ReadonlyArray<Judged>, assert: boolean): number => {
  if (all.some(({ data }) => data.integrity !== null)) return exitCodes.integrity
  const isUnmet = all.some(({ data }) => data.divergence !== null || (assert && data.unjudged.length > 0))
  return isUnmet ? exitCodes.unmet : exitCodes.proven
}

const documentOf = (judged: ReadonlyArray<Whole>): typeof replayDocument.data.Type => {
  const [first, ...others] = judged.map(({ children, data, state }) => ({
    ...data,
    ...(state.run.kind === "requirements" ? { task_runs: children.map((child) => child.data) } : {})
  }))
  return { ...(first as Data), ...(others.length === 0 ? {} : { other_runs: others }) }
}

const judgedOf = (
  { divergence, events, integrity, last, run_id, snapshot }: Replayed,
  left: Data["unjudged"],
  until?: number
): Judged => {
  const state = stateOf(snapshot)
  const { status } = state.run
  const goesOn = status === "running" && divergence === null && integrity === null && until === undefined
  const data: Data = {
    run_id,
    events,
    status,
    divergence:
      divergence === null
        ? null
        : { ...divergence, differences: eventDifferences(divergence.recorded, divergence.expected) },
    integrity,
    unjudged: [...(goesOn ? [notEnded] : []), ...left, ...departures(state)],
    ...(until === undefined || last === null ? {} : { until: standingOf(last, state) })
  }
  return { data, state }
}

const standingOf = ({ event_type, timestamp, version }: Recorded, state: State): NonNullable<Data["until"]> => ({
  version,
  event_type,
  timestamp,
  tasks: tasksOf(state).map(({ attempts, items, spec, status }) => ({
    id: spec.id,
    status,
    attempts,
    items_total: items.length,
    items_closed: items.filter(({ verdict }) => isClosed(verdict)).length
  }))
})

const departures = ({ run: { redacted } }: State): Data["unjudged"] =>
  redacted === null || redacted.departs.length === 0
    ? []
    : [
        {
          code: "redacted_departs",
          message: `The run is redacted, and today's rules did not come to ${count(redacted.departs.length, "event")} of it with pseudonyms, the first of them version ${redacted.departs[0]}: a divergence from there on says nothing of the run it was made of.`
        }
      ]

const notEnded = {
  code: "run_not_ended",
  message: "The run has not ended: what follows is not in the log, and was not judged."
} as const

const taskRunsSkipped = {
  code: "task_runs_skipped",
  message: "Its task runs were not judged: --until is a version of the whole."
} as const

const versionUnknown = (run: string, last: number, until: number): Stop =>
  stop(exitCodes.usage, {
    code: "version_unknown",
    message: `Run ${run} has no version ${until}: it ends at version ${last}.`,
    hint: `Name one from 1 to ${last} with --until.`
  })

/** The requirements run has taken its verdicts from what it recorded of its task runs. */
const misreported = (
  { events, snapshot }: Replayed,
  iteration: number,
  recorded: LoopBIteration["ended"]
): Divergence | null => {
  const state = stateOf(snapshot)
  // one that was taken up again has not ended again, or was not looked at since
  if (recorded === null || state.run.status === "running") return null
  const expected = outcomeOf(state, iteration)
  return canonicalJson(expected as never) === canonicalJson(recorded as never)
    ? null
    : {
        version: snapshot.version,
        reason: "different",
        message:
          events === 0
            ? "The requirements run has an end of this task run, and its log is gone."
            : "The requirements run has recorded another end of this task run than its log has.",
        recorded: { type: "TASK_RUN_ENDED", content: recorded as never },
        expected: { type: "TASK_RUN_ENDED", content: expected as never }
      }
}
