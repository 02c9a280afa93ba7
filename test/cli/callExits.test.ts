import { describe, expect, it } from "vitest"
import { caller } from "./mcpClient.ts"
import { documentOf, project, proofline } from "./proofline.ts"
import { colours, explored, files, planOf, source, submit } from "./sessionStage.ts"

/** How a call ends, and what it answers. */
const ended = async (dir: string, token: string, operation: string, args: string) => {
  const finished = await proofline(["call", operation, args], dir, { PROOFLINE_TOKEN: token })
  const { answer } = documentOf(finished).data
  return [finished.code, answer.error, answer.needs_person]
}

describe("the exit code of call", () => {
  it("given a person that is asked, tells what was asked wrongly from what waits for that one", async () => {
    const dir = project({ ".proofline/phase_contract.yml": colours })
    const agent = await caller(dir, "ann")
    await submit(agent, { summary: "Red and green" }, "COLOUR")
    for (const [operation, args, expected] of [
      ["submit_phase", '{"data": {"answer": "green"}}', [3, "person_required", true]],
      ["report_completed", '{"result": "success"}', [3, "phase_open", true]],
      ["submit_phase", "{}", [2, "payload_mismatch", true]],
      ["submit_phase", '{"data": 7}', [2, "payload_mismatch", true]],
      ["report_completed", '{"result": "done"}', [2, "payload_mismatch", true]],
      ["update_task_status", '{"task_id": "a", "status": "none"}', [2, "payload_mismatch", true]],
      ["update_task_status", '{"task_id": "a", "status": "done"}', [1, "unknown_task", true]],
      ["get_next_action", "{}", [0, undefined, true]]
    ] as const) {
      expect(await ended(dir, agent.token, operation, args), `${operation} ${args}`).toEqual(expected)
    }
    const noJson = await proofline(["call", "submit_phase", "{"], dir, { PROOFLINE_TOKEN: agent.token })
    expect(noJson.code).toBe(2)
  })

  it("given nobody that is asked, tells arguments that do not fit from work that is refused", async () => {
    const dir = project(files)
    const agent = await caller(dir, "ann")
    await submit(agent, explored, "READY_PLAN")
    await submit(agent, planOf("auth", source, "login"), "READY_IMPL")
    const report = { task_id: "auth", data: { summary: "There", checklist: [] } }
    for (const [args, expected] of [
      [JSON.stringify(report), [1, "payload_mismatch", false]],
      ['{"data": {}}', [2, "payload_mismatch", false]]
    ] as const) {
      expect(await ended(dir, agent.token, "complete_task", args), args).toEqual(expected)
    }
  })
})
