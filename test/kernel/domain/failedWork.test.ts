import { assert, describe, it } from "@effect/vitest"
import type { AwaitedBy, CommandOf, RecordActivityFailure } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { begun, type Played } from "../support/play.ts"
import { activityFailed, end, start } from "../support/words.ts"

type Waits = readonly [plugin: string, task_id: string | null, consequence: AwaitedBy["consequence"]]

const told = (awaited_by: AwaitedBy | null | undefined): Waits | null =>
  awaited_by == null ? null : [awaited_by.plugin, awaited_by.task_id, awaited_by.consequence]

const a = aTask("a")
const reviewed = aTask("a", { checks: [], validation: ["good"] })

const notBegun = (): Played => begun([a, aTask("b", { depends_on: ["a"] })])
const atWork = (): Played => notBegun().after(start("a"))
const retrying = (): Played => atWork().after(end("a", 1, "ERROR"))

const unavailable = { agent: "claude", terminal: true }
const usedUp = { code: "budget_used_up" }
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
