import { Result } from "effect"
import type { StartAttempt } from "../domain/Command.ts"
import type { Start } from "../domain/Intent.ts"
import type { Recorded } from "../domain/Recorded.ts"
import { canonicalJson } from "../log/codec.ts"
import { makeManifest, UnknownEvent } from "../log/EventManifest.ts"
import type { Composition } from "../plugin/compose.ts"
import { recall } from "./recall.ts"
import { type AnyEvent, emptySnapshot, type Snapshot, step } from "./step.ts"

/** The first place where today's rules and the log part. */
export interface Divergence {
  /** Version of the first event that differs, or of the batch that cannot be judged. */
  readonly version: number
  /** `different`: another event or content; `missing`: today one more; `surplus`: today one fewer; `refused`: today the command would be rejected; `unordered`: work that nothing had asked for; `unreadable`. */
  readonly reason: "different" | "missing" | "surplus" | "refused" | "unordered" | "unreadable"
  readonly message: string
  /** Type and content as recorded; null where the log has none. */
  readonly recorded: AnyEvent | null
  /** Type and content as decided today; null where today has none. */
  readonly expected: AnyEvent | null
}

export interface Replay {
  readonly add: (recorded: Recorded) => void
  /** Judges what is left and gives the result. */
  readonly end: () => { readonly events: number; readonly divergence: Divergence | null; readonly snapshot: Snapshot }
}

/**
 * Decides a run again, from its events alone and without any effect. The events of one command are folded back into
 * the command, the command is decided by today's guards, rules and reactions on the state of then, and the outcome is
 * compared with what was recorded. Also every attempt must have been ordered by an earlier decision.
 * `uuid5` names work items as the engine does.
 */
export const makeReplay = (plugins: Composition, uuid5: (name: string) => string): Replay => {
  const manifest = makeManifest(plugins.events)
  const ordered = new Map<string, Start>()
  let snapshot = emptySnapshot(plugins)
  let batch: Array<{ readonly recorded: Recorded; readonly event: AnyEvent }> = []
  let events = 0
  let divergence: Divergence | null = null

  const judge = (): void => {
    const [head] = batch
    if (divergence !== null || head === undefined) return
    const found = judgeBatch(plugins, snapshot, batch, ordered, uuid5)
    batch = []
    if ("reason" in found) divergence = found
    else snapshot = found
  }

  return {
    add: (recorded) => {
      events++
      if (divergence !== null) return
      if (batch[0] !== undefined && batch[0].recorded.command_id !== recorded.command_id) judge()
      if (divergence !== null) return
      try {
        batch.push({ recorded, event: manifest.decode(recorded) })
      } catch (error) {
        if (!(error instanceof UnknownEvent)) throw error
        divergence = {
          version: recorded.version,
          reason: "unreadable",
          message: error.message,
          recorded: null,
          expected: null
        }
      }
    },
    end: () => {
      judge()
      return { events, divergence, snapshot }
    }
  }
}

const judgeBatch = (
  plugins: Composition,
  before: Snapshot,
  batch: ReadonlyArray<{ readonly recorded: Recorded; readonly event: AnyEvent }>,
  ordered: Map<string, Start>,
  uuid5: (name: string) => string
): Snapshot | Divergence => {
  const version = batch[0]?.recorded.version ?? 0
  const events = batch.map((entry) => entry.event)
  const first = events[0] as AnyEvent
  const command = recall(plugins, events)
  if (command === undefined) {
    const message = `No command is known that begins with ${first.type}.`
    return { version, reason: "unreadable", message, recorded: first, expected: null }
  }
  if (command._tag === "StartAttempt" && "item_id" in command && !isFor(ordered.get(command.item_id), command)) {
    const message = `Attempt ${command.attempt} of task ${command.task_id} was started, but nothing before it asked for it.`
    return { version, reason: "unordered", message, recorded: first, expected: null }
  }
  const decided = step(plugins, before, command)
  if (Result.isFailure(decided)) {
    const message = `Today this would be refused: ${decided.failure.message}`
    return { version, reason: "refused", message, recorded: first, expected: null }
  }
  const { after, events: expected, starts } = decided.success
  for (let i = 0; i < Math.max(events.length, expected.length); i++) {
    const mine = expected[i]
    const theirs = events[i]
    if (mine !== undefined && theirs !== undefined && same(mine, theirs)) continue
    const reason = theirs === undefined ? "missing" : mine === undefined ? "surplus" : "different"
    const message =
      theirs === undefined
        ? `Today a ${mine?.type} would follow here.`
        : mine === undefined
          ? `Today no ${theirs.type} would be written here.`
          : mine.type === theirs.type
            ? `Today this ${mine.type} would say something else.`
            : `Today a ${mine.type} would be written here, not a ${theirs.type}.`
    return { version: version + i, reason, message, recorded: theirs ?? null, expected: mine ?? null }
  }
  for (const start of starts) ordered.set(uuid5(`${after.state.run_id}/${start.key}`), start)
  return after
}

const isFor = (order: Start | undefined, { attempt, task_id }: StartAttempt): boolean =>
  order?.kind === "attempt" &&
  order.task_id === task_id &&
  (order.input as { readonly attempt?: unknown } | null)?.attempt === attempt

const same = (a: AnyEvent, b: AnyEvent): boolean =>
  a.type === b.type && canonicalJson(a.content as never) === canonicalJson(b.content as never)
