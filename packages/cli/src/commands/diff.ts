import {
  type AnyEvent,
  canonicalJson,
  comparedLines,
  type Difference,
  type Durations,
  differencesOf,
  Engine,
  EventLog,
  eventDifferences,
  faultFinder,
  foldEvent,
  foldHistory,
  itemViewsOf,
  type Json,
  meaningOf,
  noHistory,
  pairsOf,
  pluginsMissing,
  type Recorded,
  runDetailOf,
  type Side,
  type Snapshot,
  taskOf,
  taskRowsOf
} from "@proofline/kernel"
import { loopProgressOf } from "@proofline/plugins/policies/requirements"
import { Effect, Stream } from "effect"
import { type ProjectPaths, pathsOf, type Where } from "../base/paths.ts"
import { exitCodes } from "../base/problems.ts"
import { diffDocument } from "../documents/log.ts"
import { print, printDocument } from "../process/output.ts"
import { type State, stateOf } from "../project/state.ts"
import { withKernel } from "../project/withKernel.ts"
import { runNamed } from "../reading/historyIds.ts"
import { logChanged, noRun, pluginMissing } from "../reading/oneRun.ts"
import { withStorageToRead } from "../reading/readable.ts"
import { readRows } from "../reading/rows.ts"
import { diffText } from "../render/diff.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface DiffOptions extends Where {
  readonly a: string
  readonly b: string
  readonly json: boolean
}

type Data = typeof diffDocument.data.Type

/** `proofline diff <run> <run>`: where two runs part, and what each came to. */
export const diff = Effect.fnUntraced(function* (options: DiffOptions) {
  const paths = pathsOf(options)
  const rows = yield* readRows(paths)
  const [a, b] = [yield* runNamed(options.a, rows, paths), yield* runNamed(options.b, rows, paths)]
  const both = Effect.gen(function* () {
    const sides = [yield* read(a, rows, paths), yield* read(b, rows, paths)] as const
    return compared(...sides)
  })
  const data = yield* withStorageToRead(paths, noRun(a, paths), withKernel(paths, {}, both))
  yield* options.json ? printDocument(diffDocument, data) : print(diffText(data, styleFor(wantsColor(process.stdout))))
  return exitCodes.proven
})

interface Told {
  readonly recorded: Recorded
  readonly event: AnyEvent
}

interface One extends Side {
  readonly run_id: string
  readonly state: State
  readonly events: ReadonlyArray<Told>
}

/** A run with its events, as today's version has them. */
const read = Effect.fnUntraced(function* (
  run_id: string,
  rows: Effect.Success<ReturnType<typeof readRows>>,
  paths: ProjectPaths
) {
  const row = rows.find((one) => one.run_id === run_id)
  if (row === undefined) return yield* noRun(run_id, paths)
  const { composition, manifest } = yield* Engine
  const log = yield* EventLog
  const { add, end } = yield* faultFinder(run_id)
  let missing: ReadonlyArray<string> = []
  const events: Array<Told> = []
  let history = noHistory
  let snapshot: Snapshot = composition.initial
  yield* log.read(run_id).pipe(
    Stream.takeWhile(add),
    Stream.runForEach((recorded) =>
      Effect.sync(() => {
        if (missing.length === 0) missing = pluginsMissing(recorded, composition)
        if (missing.length > 0) return
        const event = manifest.decode(recorded, () => snapshot)
        snapshot = foldEvent(composition, snapshot, event)
        history = foldHistory(history, recorded, event)
        events.push({ recorded, event })
      })
    )
  )
  const fault = end()
  if (fault !== null) return yield* logChanged(run_id, fault)
  if (missing.length > 0) return yield* pluginMissing(run_id, missing)
  const state = stateOf(snapshot)
  const one: One = {
    run_id,
    state,
    events,
    run: { ...runDetailOf(row, rows, state, history), loop: loopProgressOf(row) },
    tasks: taskRowsOf(state, history)
  }
  return one
})

const compared = (a: One, b: One): Data => {
  const shared = sharedBy(a, b)
  return {
    a: a.run_id,
    b: b.run_id,
    shared,
    parted: partedAt(a, b, shared),
    settings: differencesOf(settingsOf(a), settingsOf(b)).map(asSided),
    summary: comparedLines(a, b, durations),
    tasks: pairsOf(a.tasks, b.tasks).map(({ a: ofA, b: ofB, differs, task_id, title }) => ({
      task_id,
      title,
      ...(ofB === null || ofB.task_id === task_id ? {} : { b_task_id: ofB.task_id }),
      differs,
      a: ofA === null ? null : standing(ofA),
      b: ofB === null ? null : standing(ofB),
      items: itemsOf(a, b, ofA?.task_id ?? task_id, ofB?.task_id ?? task_id)
    }))
  }
}

/** How it is to be run; what names the run itself is the same in both. */
const settingsOf = ({ run_id, state }: One): Json =>
  JSON.parse(JSON.stringify(state.run.config).replaceAll(run_id, "<run>"))

/** Never below 0: the clock may have been set back meanwhile. */
const durations: Durations = {
  between: (from, to) => (from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from))),
  text: (ms) => `${(ms / 1_000).toFixed(1)} s`
}

const asSided = ({ expected: b, path, recorded: a }: Difference) => ({
  path,
  ...(a === undefined ? {} : { a }),
  ...(b === undefined ? {} : { b })
})

const standing = ({ attempts, items_closed, items_total, refusals, status, verdict }: Side["tasks"][number]) => ({
  ...{ status, verdict, attempts, refusals, items_closed, items_total }
})

/** Items that came to something else. */
const itemsOf = (a: One, b: One, idInA: string, idInB: string): Data["tasks"][number]["items"] => {
  const verdicts = ({ state }: One, task_id: string) => {
    const task = taskOf(state, task_id)
    return new Map((task === undefined ? [] : itemViewsOf(state, task)).map(({ item, verdict }) => [item, verdict]))
  }
  const [ofA, ofB] = [verdicts(a, idInA), verdicts(b, idInB)]
  return [...new Set([...ofA.keys(), ...ofB.keys()])].flatMap((item) => {
    const [mine = null, theirs = null] = [ofA.get(item), ofB.get(item)]
    return mine === theirs ? [] : [{ item, a: mine, b: theirs }]
  })
}

/** How many events both have from the beginning on, because one is a fork of the other, or both are of one run. */
const sharedBy = (a: One, b: One): number => {
  const [ofA, ofB] = [a.state.run.forked_from, b.state.run.forked_from]
  if (ofB?.run_id === a.run_id) return ofB.version
  if (ofA?.run_id === b.run_id) return ofA.version
  return ofA !== null && ofB !== null && ofA.run_id === ofB.run_id ? Math.min(ofA.version, ofB.version) : 0
}

/** Without that it was forked, and the command by which it then went on. */
const behind = ({ events }: One, shared: number): ReadonlyArray<Told> => {
  const [first, second, ...rest] = events.slice(shared)
  if (first?.event.type !== "RUN_FORKED") return events.slice(shared)
  const isResume = second?.event.type === "RUN_RESUMED"
  const left = second === undefined ? [] : [second, ...rest]
  return isResume ? left.filter(({ recorded }) => recorded.command_id !== second.recorded.command_id) : left
}

/** What happened side by side is in any order: only what the other one has nowhere is a difference. */
const partedAt = (a: One, b: One, shared: number): Data["parted"] => {
  const [ofA, ofB] = [meant(a, shared), meant(b, shared)]
  const [mine, theirs] = [firstWithout(ofA, ofB), firstWithout(ofB, ofA)]
  if (mine === null && theirs === null) return null
  return {
    a: mine === null ? null : placed(mine.told),
    b: theirs === null ? null : placed(theirs.told),
    differences: eventDifferences(mine?.meaning ?? null, theirs?.meaning ?? null).map(asSided)
  }
}

interface Meant {
  readonly told: Told
  readonly meaning: AnyEvent
  readonly text: string
}

const meant = (one: One, shared: number): ReadonlyArray<Meant> =>
  behind(one, shared).map((told) => {
    const meaning = meaningOf(told.event, one.run_id)
    return { told, meaning, text: canonicalJson(meaning as never) }
  })

/** The first event that has no counterpart of its own among the others. */
const firstWithout = (events: ReadonlyArray<Meant>, others: ReadonlyArray<Meant>): Meant | null => {
  const left = new Map<string, number>()
  for (const { text } of others) left.set(text, (left.get(text) ?? 0) + 1)
  for (const one of events) {
    const count = left.get(one.text) ?? 0
    if (count === 0) return one
    left.set(one.text, count - 1)
  }
  return null
}

const placed = ({ event, recorded }: Told) => ({ version: recorded.version, type: event.type, content: event.content })
