import { assert, describe, it } from "@effect/vitest"
import { type AgentStep, shownSteps } from "@proofline/kernel"

const line = (second: number, step: object): string => JSON.stringify({ at: `2026-01-02T03:04:0${second}.000Z`, step })

const tool = (
  id: string,
  title: string,
  status: "running" | "done" | "failed",
  ...files: Array<string>
): AgentStep => ({
  type: "tool",
  id,
  title,
  status,
  files
})
const plan = (status: "pending" | "completed"): AgentStep => ({ type: "plan", entries: [{ text: "Look", status }] })

describe("the steps of an agent", () => {
  it("given states of tools and plans among others, then a tool stays where it began, and the newest plan is shown", () => {
    const text = [
      line(1, plan("pending")),
      line(2, tool("t1", "Edit a.ts", "running", "a.ts")),
      line(3, tool("t2", "ls", "running")),
      line(4, { type: "text", text: "Hm.\n" }),
      line(5, plan("completed")),
      line(6, tool("t1", "", "failed"))
    ].join("\n")
    assert.deepStrictEqual(
      shownSteps(text).map(({ at, step }) => [Number(at.slice(17, 19)), step]),
      [
        [2, tool("t1", "Edit a.ts", "failed", "a.ts")],
        [3, tool("t2", "ls", "running")],
        [4, { type: "text", text: "Hm.\n" }],
        [5, plan("completed")]
      ]
    )
  })

  it("given half lines, other lines and tools without a number, then what is no step is left out", () => {
    const whole = line(1, tool("", "ls", "done"))
    const text = [whole.slice(9), "", "[... 3 bytes cut ...]", "{}", whole, whole, whole.slice(0, 20)].join("\n")
    assert.deepStrictEqual(
      shownSteps(text).map(({ step }) => step),
      [tool("", "ls", "done"), tool("", "ls", "done")]
    )
  })
})
