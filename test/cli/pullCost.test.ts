import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type Connected, connect, type Said } from "./mcpClient.ts"
import { documentOf, proofline } from "./proofline.ts"
import { itemIn, reportOf, repository, write } from "./sessionStage.ts"

/** What is paid for: calls of tools, and bytes of their answers as text (structured content says the same again). */
interface Cost {
  calls: number
  bytes: number
}

/** The same agent, with its calls counted. */
const counted =
  ({ call }: Connected, cost: Cost) =>
  async (tool: string, args: Record<string, unknown> = {}) => {
    const said = await call(tool, args)
    expect(said.ok, `${tool} ${JSON.stringify(said.body)}`).toBe(true)
    cost.calls++
    cost.bytes += Buffer.byteLength(JSON.stringify(said.body))
    return said
  }

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

/** An agent that does the work it is told, from the first question to its goodbye. */
const works = async (
  dir: string,
  call: (tool: string, args?: Record<string, unknown>) => Promise<Said>,
  looks: boolean
) => {
  await call("get_next_action")
  const findings = parts.map((part) => `${pathOf(part)}: nothing but its docstring`)
  await call("submit_phase", { data: { explored_files: parts.map(pathOf), findings } })
  let { body } = await call("submit_phase", { data: { tasks: plan } })
  while (body.next?.task !== undefined) {
    const task = looks ? (await call("get_my_task")).body.task : body.next.task
    const part = parts[Number(task.task_id.slice("task_".length)) - 1] ?? ""
    const { allowed } = (await call("check_write_target", { file_path: pathOf(part) })).body
    expect(allowed).toBe(true)
    write(
      dir,
      pathOf(part),
      ...task.checklist.map(({ item }: { readonly item: string }) => /Add (\w+)/.exec(item)?.[1])
    )
    const data = reportOf(dir, pathOf(part), ...names(part))
    body = (await call("complete_task", { task_id: task.task_id, data })).body
  }
  await call("submit_phase", { data: { summary: "The desk manages all five." } })
  await call("submit_phase", { data: {} })
  await call("report_completed", { result: "success", summary: "The desk manages all five." })
}

describe("five tasks of four items, from open to completed", () => {
  for (const [agent, looks] of [["an agent that fetches every task too", true]] as const) {
    it(`cost ${agent} at most 22 calls and 18 KB of answers`, { timeout: 120_000 }, async () => {
      const dir = library()
      const cost: Cost = { calls: 0, bytes: 0 }
      const client = await connect(dir)
      await works(dir, counted(client, cost), looks)
      await client.close()
      const { data } = documentOf(await proofline(["history", "--json"], dir))
      expect(data.runs).toMatchObject([{ kind: "session", status: "completed" }])
      expect(cost.calls).toBeLessThanOrEqual(22)
      expect(cost.bytes).toBeLessThanOrEqual(18 * 1024)
    })
  }
})

it("answers within 300 bytes that a file may be written, however long its path is", { timeout: 60_000 }, async () => {
  const dir = library()
  const client = await connect(dir)
  const long = `src/${"deep/".repeat(30)}${"nächste".repeat(20)}.py`
  await client.call("submit_phase", { data: { explored_files: parts.map(pathOf), findings: ["nothing"] } })
  await client.call("submit_phase", { data: { tasks: [...plan, { id: "long", description: `Write ${long}.` }] } })
  for (const file_path of [pathOf("books"), long]) {
    const { body } = await client.call("check_write_target", { file_path })
    expect(body, JSON.stringify(body)).toMatchObject({ allowed: true, code: "allowed", phase: "READY_IMPL" })
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(300)
  }
})
