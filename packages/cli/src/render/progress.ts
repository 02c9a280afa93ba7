import {
  andMore,
  checksOf,
  type EngineChange,
  heldIn,
  type KernelEvent,
  type PermissionAnswer,
  type PermissionWanted,
  partsOf,
  permissionsIn,
  type Recorded,
  taskOf,
  toldMax
} from "@proofline/kernel"
import { loopOf } from "@proofline/plugins/policies/requirements"
import { Effect, Stream } from "effect"
import { isLive } from "../process/output.ts"
import type { PluginSentence } from "../project/pluginSentence.ts"
import { type State, stateOf } from "../project/state.ts"
import { heldText, permissionText } from "./asked.ts"
import { allNotes, retryLine } from "./chunkTree.ts"
import { count, eventLine, timed } from "./lines.ts"
import { loopWording } from "./loopLines.ts"
import { makeToldIn, sameText } from "./refusals.ts"
import { oneLine, type Style, styleFor, wantsColor } from "./style.ts"
import { runTree } from "./tree.ts"

/** Redraws this often at most, ms. */
const frameMs = 80

/** So often it is looked what agents do, ms. */
const lookMs = 500

/** What a terminal that shows a run can do with it. */
export interface Terminal {
  readonly take: TakeAnswer
  /** What agents do now, as lines, by task. */
  readonly look: (state: State) => Promise<ReadonlyMap<string, ReadonlyArray<string>>>
}

/** Takes what a person at this terminal answers an agent. */
type TakeAnswer = (asked: PermissionWanted, answer: PermissionAnswer) => void

/**
 * Shows on stderr what happens in a run: a tree that is redrawn on a terminal, lines elsewhere. Where a person sits at the
 * terminal, what agents ask leave for is asked there too. A text among the changes is shown as it is.
 */
export const showProgress = <E, R>(
  changes: Stream.Stream<Change | string, E, R>,
  terminal: Terminal,
  pluginSentence: PluginSentence
): Effect.Effect<void, E, R> =>
  Effect.suspend(() => {
    const out = process.stderr
    const style = styleFor(wantsColor(out))
    const told = telling(style, pluginSentence)
    const show = isLive(out) ? liveTree(out, style, terminal, told) : plainLines(out, style, told)
    return changes.pipe(
      Stream.runForEach((change) =>
        Effect.sync(() => (typeof change === "string" ? show.say(change) : show.add(change)))
      ),
      Effect.ensuring(Effect.sync(() => show.end()))
    )
  })

type Change = Pick<EngineChange, "event" | "snapshot">

/** The lines of a change; of one that is not wanted, only what is told of those before it. */
type Told = (change: Change, isWanted?: boolean) => ReadonlyArray<string>

interface Show {
  readonly add: (change: Change) => void
  readonly say: (text: string) => void
  readonly end: () => void
}

const plainLines = (out: NodeJS.WriteStream, style: Style, told: Told): Show => {
  let held: ReadonlySet<string> = new Set()
  return {
    add: (change) => {
      for (const line of told(change)) out.write(`${line}\n`)
      // said once, until it waits for it again
      const now = heldLines(change)
      for (const one of now) if (!held.has(one)) out.write(`${timed(change.event, one, style)}\n`)
      held = new Set(now)
    },
    say: (text) => void out.write(`${text}\n`),
    end: () => {}
  }
}

/** What tasks of the run wait for that nobody of ours opens. */
const heldLines = ({ snapshot }: Change): ReadonlyArray<string> =>
  heldIn(stateOf(snapshot)).map((one) => `${one.task_id}: ${heldText(one)}`)

/** How a requirements run has ended stands in the lines of its loop. */
const silent: ReadonlySet<string> = new Set(["RUN_COMPLETED", "RUN_INCOMPLETE"])

/**
 * Tells change after change; of the refusals of one report the first, and then how many more there are, and how many an
 * attempt before has met too.
 */
const telling = (style: Style, pluginSentence: PluginSentence): Told => {
  let refused = 0
  let same: Array<{ readonly line: string; readonly at: number; readonly event: Recorded }> = []
  const toldIn = makeToldIn()
  return (change, isWanted = true) => {
    const { event } = change
    const isRefusal = event.event_type === "CHECKLIST_ITEM_REJECTED"
    const at = isRefusal ? toldIn(...refusalOf(event)) : null
    const more = isRefusal ? 0 : refused - toldMax
    if (at === null) refused = isRefusal ? refused + 1 : 0
    const sentence = pluginSentence(event)
    const line =
      sentence !== null
        ? timed(event, oneLine(sentence, 240), style)
        : isWanted && (at !== null || refused <= toldMax)
          ? changeLine(change, style)
          : null
    if (at !== null) {
      if (line !== null) same.push({ line, at, event })
      return []
    }
    const again = isRefusal ? [] : sameLines(same, style)
    if (!isRefusal) same = []
    return [...(more > 0 ? [style.dim(andMore(more))] : []), ...again, ...(line === null ? [] : [line])]
  }
}

type Rejected = Extract<KernelEvent, { readonly type: "CHECKLIST_ITEM_REJECTED" }>["content"]

const refusalOf = ({ content, stream }: Recorded): readonly [task: string, attempt: number, refusal: string] => {
  const { attempt, item, key, message, task_id } = content as unknown as Rejected
  return [`${stream} ${task_id}`, attempt, JSON.stringify([key, item, message])]
}

const sameLines = (
  same: ReadonlyArray<{ readonly line: string; readonly at: number; readonly event: Recorded }>,
  style: Style
): ReadonlyArray<string> => {
  const [first, second] = same
  if (first === undefined || second === undefined) return same.map(({ line }) => line)
  const { task_id } = first.event.content as unknown as Rejected
  return [timed(first.event, `${task_id}: ${style.red("✘ refused")} ${sameText(same.map(({ at }) => at))}`, style)]
}

const changeLine = ({ event, snapshot }: Change, style: Style): string | null => {
  const state = stateOf(snapshot)
  const known = checksLine(event, state) ?? splitLine(event, state)
  if (known !== null) return timed(event, known, style)
  if (state.run.kind !== "requirements") return eventLine(event, style)
  const text = loopWording(event, loopOf(snapshot), style)
  if (text !== null) return timed(event, text, style)
  return silent.has(event.event_type) ? null : eventLine(event, style)
}

/** The event counts retries that have waited; parts that were done again at once have needed more attempts too. */
const splitLine = (event: Change["event"], state: State): string | null => {
  if (event.event_type !== "CHUNKING_COMPLETE") return null
  const { parent_task_id, total_subtasks } = event.content as {
    readonly parent_task_id: string
    readonly total_subtasks: number
  }
  const task = taskOf(state, parent_task_id)
  const attempts = (task === undefined ? [] : partsOf(state, task)).reduce((sum, part) => sum + part.attempts, 0)
  return `${parent_task_id}: all ${total_subtasks} subtasks completed after ${count(attempts, "attempt")}`
}

/** Checks of a task come next, and may take long: what is run is said before. */
const checksLine = (event: Change["event"], state: State): string | null => {
  const { content, type } = {
    content: event.content as { readonly task_id?: string; readonly outcome?: string },
    type: event.event_type
  }
  const task = content.task_id === undefined ? undefined : taskOf(state, content.task_id)
  if (task === undefined || task.status === "completed") return null
  const isNext =
    type === "CHECKLIST_COMPLETED" ||
    (type === "ATTEMPT_ENDED" && content.outcome === "COMPLETE" && task.items.length === 0)
  const commands = isNext ? checksOf(state, task).map(({ command }) => `\`${oneLine(command, 80)}\``) : []
  return commands.length === 0 ? null : `${content.task_id}: runs ${[...new Set(commands)].join(", ")}`
}

const words: Readonly<Record<string, PermissionAnswer>> = {
  y: "allow",
  yes: "allow",
  allow: "allow",
  a: "always",
  always: "always",
  n: "deny",
  no: "deny",
  deny: "deny"
}

const liveTree = (out: NodeJS.WriteStream, style: Style, { look, take: answer }: Terminal, told: Told): Show => {
  const take = process.stdin.isTTY ? answer : null
  let drawn = 0
  let latest: State | null = null
  let timer: NodeJS.Timeout | null = null
  /** By subtask, of this process. */
  const retries = new Map<string, ReadonlyArray<string>>()
  /** By task, what its agent does now. */
  let steps: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
  const log: Array<string> = []
  const clear = () => (drawn === 0 ? "" : `\u001b[${drawn}A\r\u001b[J`)
  const draw = () => {
    timer = null
    const [first] = take === null || latest === null ? [] : permissionsIn(latest)
    const question = first === undefined ? [] : permissionText(first, style, false)
    const height = Math.max(4, (out.rows || 24) - 2 - (question.length + 1))
    const tree = latest === null ? [] : runTree(latest, style, out.columns || 80, height, allNotes(retries, steps))
    const below = [...tree, ...question]
    const prompt = first === undefined ? "" : "  May it? yes (y), always (a), no (n), then Enter: "
    out.write(`${clear()}${[...log.splice(0), ...below].map((line) => `${line}\n`).join("")}${prompt}`)
    drawn = below.length
  }
  const hear = (typed: Buffer | string): void => {
    // what was typed is on the screen, on the line below
    drawn += String(typed).split("\n").length - 1
    const [first] = latest === null ? [] : permissionsIn(latest)
    const answer = words[String(typed).trim().toLowerCase()]
    if (first !== undefined && answer !== undefined) take?.(first, answer)
    timer ??= setTimeout(draw, frameMs)
  }
  let isOver = false
  const looking = setInterval(() => {
    if (latest === null) return
    void look(latest).then((now) => {
      if (isOver || JSON.stringify([...now]) === JSON.stringify([...steps])) return
      steps = now
      timer ??= setTimeout(draw, frameMs)
    })
  }, lookMs)
  /** The terminal is listened to only once something is asked. */
  let isListening = false
  const listen = (state: State): void => {
    if (take === null || isListening || permissionsIn(state).length === 0) return
    isListening = true
    process.stdin.on("data", hear)
  }
  return {
    add: (change) => {
      const { event } = change
      const state = stateOf(change.snapshot)
      // the loop of a requirements run has no tasks of its own
      if (state.run.kind !== "requirements") latest = state
      listen(state)
      if (event.event_type === "SUBTASK_RETRY") {
        const retry = event.content as unknown as Extract<KernelEvent, { readonly type: "SUBTASK_RETRY" }>["content"]
        retries.set(retry.subtask_id, [...(retries.get(retry.subtask_id) ?? []), retryLine(retry)])
      }
      // what was refused stays on the screen, above the tree
      const isLasting = lasting.has(event.event_type) || state.run.kind === "requirements"
      log.push(...told(change, isLasting))
      timer ??= setTimeout(draw, frameMs)
    },
    say: (text) => {
      log.push(text)
      timer ??= setTimeout(draw, frameMs)
    },
    end: () => {
      isOver = true
      clearInterval(looking)
      steps = new Map()
      if (timer !== null) clearTimeout(timer)
      draw()
      if (!isListening) return
      process.stdin.off("data", hear)
      process.stdin.pause()
    }
  }
}

const lasting = new Set([
  "RUN_STARTED",
  "CHECKLIST_ITEM_REJECTED",
  "GATE_REFUSED",
  "PERMISSION_ASKED",
  "PERMISSION_ANSWERED",
  "VERIFICATION_RUN",
  "CHUNKING_SKIPPED",
  "ACTIVITY_FAILED",
  "SUBTASK_COMPLETE",
  "SUBTASK_FAILED",
  "TASK_COMPLETED",
  "TASK_FAILED",
  "RUN_RESUMED"
])
