import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { caller, connect } from "./mcpClient.ts"
import { itemIn, newestRun, reportOf, repository, write } from "./sessionStage.ts"

const guide = fileURLToPath(new URL("../../packages/cli/templates/task_planning.md", import.meta.url))

const parts = ["accounts", "books", "desk", "fines", "loans"]
const names = (part: string) => ["add", "find", "list", "remove"].map((verb) => `${verb}_${part}`)
const pathOf = (part: string) => `src/${part}.py`

const plan = parts.map((part, i) => ({
  id: `task_${i + 1}`,
  title: `Manage ${part}`,
  description: `Let the desk add, find, list and remove ${part}.`,
  status: "pending",
  checklist: names(part).map((name) => ({ item: itemIn(pathOf(part), name), status: "pending" }))
}))

/** A project as people have it: a repository that was set up with `init`, and a command that can fail. */
const library = () =>
  repository({
    ...Object.fromEntries(parts.map((part) => [pathOf(part), `"""Everything about ${part}."""\n`])),
    "proofline.yaml": `verifiers: ["grep -q 'def remove_loans' src/loans.py"]\n`,
    ".proofline/task_planning.md": readFileSync(guide, "utf8")
  })

describe("five tasks of four items, from open to completed", () => {
  it("cost an agent that fetches every task too at most 22 calls and 18 KB of answers", async () => {
    const dir = library()
    const client = await connect(dir)
    // what is paid for: calls of tools, and bytes of their answers as text (structured content says the same again)
    let [calls, bytes] = [0, 0]
    const call = async (tool: string, args: Record<string, unknown> = {}) => {
      const { body, ok } = await client.call(tool, args)
      expect(ok, `${tool} ${JSON.stringify(body)}`).toBe(true)
      calls++
      bytes += Buffer.byteLength(JSON.stringify(body))
      return body
    }
    await call("get_next_action")
    const findings = parts.map((part) => `${pathOf(part)}: nothing but its docstring`)
    await call("submit_phase", { data: { explored_files: parts.map(pathOf), findings } })
    let said = await call("submit_phase", { data: { tasks: plan } })
    while (said.next?.task !== undefined) {
      const { task } = await call("get_my_task")
      const part = parts[Number(task.task_id.slice("task_".length)) - 1] ?? ""
      expect((await call("check_write_target", { file_path: pathOf(part) })).allowed).toBe(true)
      const items: ReadonlyArray<{ readonly item: string }> = task.checklist
      write(dir, pathOf(part), ...items.map(({ item }) => /Add (\w+)/.exec(item)?.[1] ?? ""))
      said = await call("complete_task", { task_id: task.task_id, data: reportOf(dir, pathOf(part), ...names(part)) })
    }
    await call("submit_phase", { data: { summary: "The desk manages all five." } })
    await call("submit_phase", { data: {} })
    await call("report_completed", { result: "success", summary: "The desk manages all five." })
    await client.close()
    expect(await newestRun(dir)).toMatchObject({ kind: "session", status: "completed" })
    expect(calls).toBeLessThanOrEqual(22)
    expect(bytes).toBeLessThanOrEqual(18 * 1024)
  })
})

it("answers within 300 bytes that a file may be written, however long its path is", async () => {
  const dir = library()
  const agent = await caller(dir, "ann")
  const long = `src/${"deep/".repeat(30)}${"nächste".repeat(20)}.py`
  await agent.call("submit_phase", { data: { explored_files: parts.map(pathOf), findings: ["nothing"] } })
  await agent.call("submit_phase", { data: { tasks: [...plan, { id: "long", description: `Write ${long}.` }] } })
  for (const file_path of [pathOf("books"), long]) {
    const { body } = await agent.call("check_write_target", { file_path })
    expect(body, JSON.stringify(body)).toMatchObject({ allowed: true, code: "allowed", phase: "READY_IMPL" })
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(300)
  }
})
