import { assert, describe, it } from "@effect/vitest"
import type { AgentStep } from "@proofline/kernel"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { makeLines } from "../../../packages/plugins/src/adapters/command-agent/lines.ts"
import { makeSteps } from "../../../packages/plugins/src/adapters/command-agent/steps.ts"
import { stepsOfLine } from "../../../packages/plugins/src/adapters/command-agent/told.ts"

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
const text = (said: string): AgentStep => ({ type: "text", text: said })
const thought = (said: string): AgentStep => ({ type: "thought", text: said })

const codexItem = (type: string, item: object) => ({ type, item })

describe("what a client says that it does", () => {
  it.each<{ preset: PresetName; event: unknown; steps: ReadonlyArray<AgentStep> }>([
    {
      preset: "claude",
      event: {
        type: "assistant",
        message: {
          content: [
            { type: "thinking", thinking: "Hm." },
            { type: "text", text: "I look." },
            { type: "tool_use", id: "t1", name: "Edit", input: { file_path: "/p/a.ts", old_string: "x" } },
            { type: "tool_use", id: "t2", name: "Bash", input: { command: "npm test" } },
            {
              type: "tool_use",
              id: "t3",
              name: "TodoWrite",
              input: {
                todos: [
                  { content: "Look", status: "in_progress" },
                  { content: "Write", status: "odd" }
                ]
              }
            }
          ]
        }
      },
      steps: [
        thought("Hm.\n"),
        text("I look.\n"),
        tool("t1", "Edit: /p/a.ts", "running", "/p/a.ts"),
        tool("t2", "Bash: npm test", "running"),
        {
          type: "plan",
          entries: [
            { text: "Look", status: "in_progress" },
            { text: "Write", status: "pending" }
          ]
        }
      ]
    },
    {
      preset: "claude",
      event: {
        type: "user",
        message: {
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "ok" },
            { type: "tool_result", tool_use_id: "t2", is_error: true, content: "no" }
          ]
        }
      },
      steps: [tool("t1", "", "done"), tool("t2", "", "failed")]
    },
    { preset: "claude", event: { type: "user", message: { content: "the prompt" } }, steps: [] },
    { preset: "claude", event: { type: "result", result: "done" }, steps: [] },
    {
      preset: "codex",
      event: codexItem("item.started", { id: "i1", type: "command_execution", command: "ls", status: "in_progress" }),
      steps: [tool("i1", "ls", "running")]
    },
    {
      preset: "codex",
      event: codexItem("item.completed", { id: "i1", type: "command_execution", command: "ls", status: "failed" }),
      steps: [tool("i1", "ls", "failed")]
    },
    {
      preset: "codex",
      event: codexItem("item.completed", {
        id: "i2",
        type: "file_change",
        changes: [{ path: "a.ts", kind: "add" }],
        status: "completed"
      }),
      steps: [tool("i2", "change a.ts", "done", "a.ts")]
    },
    {
      preset: "codex",
      event: codexItem("item.completed", {
        id: "i3",
        type: "mcp_tool_call",
        server: "proofline",
        tool: "complete_task",
        status: "completed"
      }),
      steps: [tool("i3", "proofline complete_task", "done")]
    },
    {
      preset: "codex",
      event: codexItem("item.updated", { id: "i4", type: "todo_list", items: [{ text: "Look", completed: true }] }),
      steps: [{ type: "plan", entries: [{ text: "Look", status: "completed" }] }]
    },
    {
      preset: "codex",
      event: codexItem("item.completed", { id: "i5", type: "agent_message", text: "Done." }),
      steps: [text("Done.\n")]
    },
    { preset: "codex", event: { type: "turn.completed", usage: {} }, steps: [] },
    {
      preset: "gemini",
      event: { type: "tool_use", tool_name: "write_file", tool_id: "g1", parameters: { file_path: "a.ts" } },
      steps: [tool("g1", "write_file: a.ts", "running", "a.ts")]
    },
    {
      preset: "gemini",
      event: { type: "tool_result", tool_id: "g1", status: "error" },
      steps: [tool("g1", "", "failed")]
    },
    {
      preset: "gemini",
      event: { type: "message", role: "assistant", content: "Do", delta: true },
      steps: [text("Do")]
    },
    { preset: "gemini", event: { type: "message", role: "user", content: "the prompt" }, steps: [] },
    {
      preset: "opencode",
      event: {
        type: "tool_use",
        part: { callID: "o1", tool: "read", state: { status: "completed", input: { filePath: "/p/a.ts" } } }
      },
      steps: [tool("o1", "read: /p/a.ts", "done", "/p/a.ts")]
    },
    { preset: "opencode", event: { type: "text", part: { text: "Done." } }, steps: [text("Done.\n")] },
    ...(["claude", "codex", "gemini", "opencode"] as const).flatMap((preset) =>
      [null, [], {}, { type: "assistant" }, { type: "tool_use" }, { type: "item.completed", item: 1 }, "text"].map(
        (event) => ({
          preset,
          event,
          steps:
            event !== null &&
            typeof event === "object" &&
            "type" in event &&
            event.type === "tool_use" &&
            preset !== "claude" &&
            preset !== "codex"
              ? [tool("", "", "running")]
              : []
        })
      )
    )
  ])("$preset: $event", ({ event, preset, steps }) => {
    assert.deepStrictEqual(stepsOfLine(preset, JSON.stringify(event)), steps)
  })

  it("is read by lines, however these are cut into chunks, with a bound", () => {
    const lines: Array<string> = []
    const push = makeLines((line) => lines.push(line))
    const bytes = Buffer.from("grün\n\nzwei")
    for (const byte of bytes) push(Uint8Array.of(byte))
    assert.deepStrictEqual(lines, ["grün", ""])
    push(Buffer.alloc(20 * 1024 * 1024, "x"))
    push(Buffer.from("\nnext\n"))
    assert.deepStrictEqual(lines, ["grün", "", "next"])
  })

  it("is told by lines of text, in order, with the time, and long titles are cut", () => {
    const chunks: Array<string> = []
    const { end, tell } = makeSteps(
      (chunk) => chunks.push(new TextDecoder().decode(chunk)),
      () => 0
    )
    for (const step of [text("I "), text("look"), thought("Hm."), text("."), tool("t", "x".repeat(600), "done")])
      tell(step)
    tell(text("left"))
    const all = new TextDecoder().decode(end())
    assert.strictEqual(chunks.join(""), all)
    const steps = all
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(
      steps.map(({ step }) => step),
      [text("I look"), thought("Hm."), text("."), tool("t", `${"x".repeat(500)}…`, "done"), text("left")]
    )
    assert.deepStrictEqual(new Set(steps.map(({ at }) => at)), new Set(["1970-01-01T00:00:00.000Z"]))
  })
})
