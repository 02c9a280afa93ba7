import { assert, describe, it } from "@effect/vitest"
import {
  type AwaitedBy,
  type CommandOf,
  composePlugins,
  makeManifest,
  type RecordActivityFailure,
  type ReportedFailure
} from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { aPart, aSplit, bothPass, givenSplit, passes } from "../support/chunks.ts"
import { judge } from "../support/judge.ts"
import { begun, type Played, played } from "../support/play.ts"
import { activityFailed, cancel, end, start, verified } from "../support/words.ts"

type Waits = readonly [plugin: string, task_id: string | null, consequence: AwaitedBy["consequence"]]

const told = (awaited_by: AwaitedBy | null | undefined): Waits | null =>
  awaited_by == null ? null : [awaited_by.plugin, awaited_by.task_id, awaited_by.consequence]

const a = aTask("a")
const reviewed = aTask("a", { checks: [], validation: ["good"] })

const notBegun = (): Played => begun([a, aTask("b", { depends_on: ["a"] })])
const atWork = (): Played => notBegun().after(start("a"))
const retrying = (): Played => atWork().after(end("a", 1, "ERROR"))
const over = (): Played => atWork().after(end("a"), verified("a"))
const analysing = (): Played => played(judge).after(aSplit())
const working = (): Played => givenSplit([aPart("x"), aPart("y")], { reviewer: "critic" })

const failure = (over: Partial<ReportedFailure> = {}): ReportedFailure => {
  const { _tag, ...failed } = activityFailed("a", 1)
  return { ...failed, ...over }
}
const unavailable = { agent: "claude", terminal: true }
const usedUp = { code: "budget_used_up" }
const ofTask = (task_id: unknown, attempt: unknown): Partial<ReportedFailure> => ({
  input: { task_id, attempt } as never
})

describe("work that failed when the log did not say what had waited for it", () => {
  const manifest = makeManifest(composePlugins([judge]))
  const read = (play: Played, content: ReportedFailure) => {
    const event = { stream: "run_1", version: 9, event_type: "ACTIVITY_FAILED", schema_version: 1, content }
    const lifted = manifest.decode(event as never, () => play.snapshot).content as { readonly awaited_by: AwaitedBy }
    return told(lifted.awaited_by)
  }

  const blocked: Waits = ["tasks", "a", "blocked"]
  const rests: Waits = ["tasks", "a", "agent_unavailable"]
  const waits: Waits = ["tasks", "a", "deferred"]

  it.each<[string, () => Played, Partial<ReportedFailure>, Waits | null]>([
    ["is of the attempt that is at work", atWork, {}, blocked],
    ["is of another attempt", atWork, ofTask("a", 2), null],
    ["is of the attempt to come", notBegun, {}, blocked],
    ["is of one that was never there", notBegun, ofTask("a", 0), null],
    ["is of the attempt after one that failed", retrying, ofTask("a", 2), blocked],
    ["is of the attempt that failed", retrying, {}, null],
    ["names no attempt", atWork, ofTask("a", null), null],
    ["is of a task that is over", over, ofTask("a", 2), null],
    ["is of a task that nobody knows", atWork, ofTask("nobody", 1), null],
    ["names no task", atWork, ofTask(3, 1), null],
    ["has no input", atWork, { input: null }, null],
    ["comes after the end of the run", () => atWork().after(cancel()), {}, null],
    ["is for want of an agent", atWork, { ...unavailable, ...ofTask("a", 2) }, rests],
    ["is for want of an agent, and of a task that is over", over, { ...unavailable, ...ofTask("a", 2) }, rests],
    ["is for want of an agent, after the end of the run", () => atWork().after(cancel()), unavailable, null],
    ["is final, and of no agent", atWork, { terminal: true, ...ofTask("a", 2) }, null],
    ["is of an agent, and not final", atWork, { agent: "claude", ...ofTask("a", 2) }, null],
    ["is for want of a budget", atWork, { ...usedUp, ...ofTask("a", 2) }, waits],
    ["is for want of a budget, and of a task that is over", over, usedUp, null],
    ["was to split a task", analysing, ofTask("p", 0), ["chunking", "p", "survived"]],
    ["was for a task of which parts are open", working, ofTask("p", 0), null],
    ["was to put parts together", () => working().after(...bothPass), ofTask("p", 0), ["chunking", "p", "blocked"]],
    ["was for a part of which others are open", () => working().after(...passes("p-sub-1")), ofTask("p", 0), null],
    ["was for a split task, after the end of the run", () => analysing().after(cancel()), ofTask("p", 0), null]
  ])("counts as it did then when it %s", (_, play, over, expected) => {
    assert.deepStrictEqual(read(play(), failure(over)), expected)
  })
})

describe("work that failed", () => {
  const waiting = (): Played => begun([reviewed], { reviewer: "critic" }).after(start("a"), end("a"))
  const blocked: Waits = ["tasks", "a", "blocked"]

  const sent = (over: Partial<CommandOf<typeof RecordActivityFailure>>) => ({ ...activityFailed("a", 1), ...over })

  it.each<[string, () => Played, Partial<CommandOf<typeof RecordActivityFailure>>, Waits | null]>([
    ["is waited for by the task that ordered it", waiting, {}, blocked],
    ["is waited for by nobody under another key", waiting, { key: "review/a/2" }, null],
    ["is waited for by nobody where its task is unknown", waiting, { input: { task_id: "b" } }, null],
    ["is waited for by nobody where it names no task", waiting, { input: null }, null],
    ["is waited for by nobody while an agent is at work", atWork, {}, null],
    [
      "is waited for by nobody where it is an attempt that has ended, and another is to come",
      retrying,
      { name: "attempt", key: "attempt/a/1" },
      null
    ],
    ["lets the task rest where its agent cannot work", waiting, unavailable, ["tasks", "a", "agent_unavailable"]],
    ["blocks the task where it is final, and of no agent", waiting, { terminal: true }, blocked],
    ["blocks the task where it is of an agent, and not final", waiting, { agent: "claude" }, blocked],
    ["is put off where the budget is used up", waiting, usedUp, ["tasks", "a", "deferred"]]
  ])("%s", (_, play, over, expected) => {
    assert.deepStrictEqual(told(play().when(sent(over)).content("ACTIVITY_FAILED").awaited_by), expected)
  })
})
