import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { withAgent } from "./agent.ts"
import { documentOf, proofline } from "./proofline.ts"
import { stage } from "./requirementsStage.ts"

const first = "generated/notes-tasks-iter1.yaml"
const second = "generated/notes-tasks-iter2.yaml"

const taskOf = (id: string, after = "") =>
  `  - id: ${id}\n    name: "Write ${id}.txt"\n${after}    instruction: |\n      ...\n    checklist: ["${id}.txt is written"]\n`

const firstFile = `tasks:\n${taskOf("task_1")}${taskOf("task_2")}${taskOf("task_3")}`

/** As the requirements loop prints it, with something to show. */
const secondFile = `# notes-tasks-iter2.yaml（追加タスク）
# 前回完了: task_1, task_2, task_3
# 今回追加分のみ

tasks:
${taskOf("task_4", "    depends_on: [task_2]  # 完了済みタスクへの依存OK\n")}`

const withoutHead = secondFile.replaceAll(/^#.*\n/gm, "")

describe("a tasks file of a second iteration", () => {
  it("given the first beside it and run, then it is valid and runs, and its agent is told what was done before", async () => {
    const dir = stage({ [first]: firstFile, [second]: withoutHead })
    const ran = await proofline(["run", first, ...withAgent, "--json"], dir)
    expect(ran.code, ran.stdout).toBe(0)
    const valid = documentOf(await proofline(["validate", second, "--json"], dir)).data
    expect(valid).toMatchObject({ tasks: 1, problems: [], warnings: [] })
    const again = await proofline(["run", second, ...withAgent, "--json"], dir)
    expect(again.code, again.stdout + again.stderr).toBe(0)
    expect(again.stderr).not.toContain("on your word")
    const { run_id, tasks } = documentOf(again).data
    expect(tasks).toMatchObject([{ id: "task_4", status: "completed" }])
    const events = (await proofline(["events", run_id], dir)).stdout.split("\n")
    const { content } = JSON.parse(events[0] ?? "")
    expect(content.completed_tasks).toMatchObject([{ task_id: "task_2", summary: "wrote task_2" }])
    expect((await proofline(["replay", run_id], dir)).code).toBe(0)
  })

  it("given a head that says what was completed, then that is taken at its word where nothing ran here", async () => {
    const dir = stage({ [first]: firstFile, [second]: secondFile })
    const valid = documentOf(await proofline(["validate", second, "--json"], dir)).data
    expect(valid).toMatchObject({ tasks: 1, problems: [], warnings: [] })
    const planned = await proofline(["run", second, ...withAgent, "--dry-run"], dir)
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining("(after task_2)")])
  })

  it("given that nothing ran here and nothing is said, then validate warns, and run refuses", async () => {
    const dir = stage({ [first]: firstFile, [second]: withoutHead })
    const read = await proofline(["validate", second, "--json"], dir)
    expect(read.code).toBe(0)
    expect(documentOf(read).data.warnings).toMatchObject([{ code: "dependency_not_run" }])
    const refused = await proofline(["run", second, ...withAgent, "--json"], dir)
    expect(refused.code).toBe(2)
    expect(documentOf(refused).data.problems).toMatchObject([
      {
        code: "dependency_not_completed",
        line: 5,
        hint: expect.stringContaining("Run the file of that iteration first")
      }
    ])
  })

  it("given a task of the first that failed, then what depends on it is refused, whatever the head says", async () => {
    const dir = stage({ [first]: firstFile.replace("task_2.txt is written", "it is not"), [second]: secondFile })
    const ran = await proofline(["run", first, ...withAgent, "--max-retries", "0", "--json"], dir)
    expect(ran.code).toBe(1)
    for (const args of [
      ["validate", second],
      ["run", second, ...withAgent]
    ]) {
      const refused = await proofline([...args, "--json"], dir)
      expect(refused.code).toBe(2)
      expect(documentOf(refused).data.problems).toMatchObject([{ code: "dependency_not_completed" }])
    }
    const reused = secondFile.replace("id: task_4", "id: task_2").replace("[task_2]", "[task_1]")
    writeFileSync(Path.join(dir, second), reused)
    const taken = documentOf(await proofline(["validate", second, "--json"], dir)).data
    expect(taken.problems).toMatchObject([{ code: "id_of_failed_task" }])
  })

  it("given a file of another feature, or no first file, then an unknown task is unknown", async () => {
    const dir = stage({ "generated/other-tasks-iter1.yaml": firstFile, [second]: secondFile })
    const read = documentOf(await proofline(["validate", second, "--json"], dir)).data
    expect(read.problems).toMatchObject([{ code: "dependency_unknown" }])
  })
})
