import { describe, expect, it } from "vitest"
import { type Connected, connect } from "./mcpClient.ts"
import { project } from "./proofline.ts"
import { expectReplay, newestLog, newestRun, refused, submit, taken } from "./sessionStage.ts"

const source = "src/auth.py"
const explored = { explored_files: [source], findings: [`${source}: there is no login`] }

/** A leads, and has planned one task of its own; B is there and has nothing yet. */
const team = async () => {
  const dir = project({ [source]: "SALT = 'x'\n" })
  const [ann, ben] = [
    await connect(dir, { args: ["--agent", "ann"] }),
    await connect(dir, { args: ["--agent", "ben"] })
  ]
  await submit(ann, explored, "READY_PLAN")
  await submit(ann, { tasks: [{ id: "lead", description: "Bring it together", status: "pending" }] }, "READY_IMPL")
  const create = async (tasks: ReadonlyArray<Record<string, unknown>>): Promise<Record<string, string>> =>
    taken(await ann.call("create_tasks", { tasks }), "READY_IMPL").local_id_to_real_id
  return { dir, ann, ben, create }
}

const next = async (agent: Connected) => {
  const { body, ok } = await agent.call("get_next_action")
  expect(ok, JSON.stringify(body)).toBe(true)
  expect(body.instruction).toMatch(/\S/)
  return body
}
const move = (agent: Connected, task_id: string | undefined, status: string, reason?: string) =>
  agent.call("update_task_status", { task_id, status, ...(reason === undefined ? {} : { reason }) })

describe("several agents", () => {
  it("given a task by another, an agent fetches it, splits it, does the parts in order, then the whole", {
    timeout: 120_000
  }, async () => {
    const { ann, ben, create, dir } = await team()
    expect(await next(ben)).toMatchObject({ action: "wait" })
    const { given } = await create([{ local_id: "given", title: "Write the tests", assignee: "ben" }])
    expect(await next(ann)).toMatchObject({ action: "work", task: { task_id: "lead" } })
    expect(await next(ben)).toMatchObject({ action: "get_task" })
    const fetched = (await ben.call("get_my_task")).body
    expect(fetched).toMatchObject({ has_task: true, task: { task_id: given, title: "Write the tests" } })
    const split = await next(ben)
    expect(split).toMatchObject({ action: "create_subtasks", task: { task_id: given } })
    expect(split.instruction).toContain(`parent_task_id: "${given}"`)

    const tasks = [
      { local_id: "last", title: "Run them", parent_task_id: given, dependencies: ["first"] },
      { local_id: "first", title: "Write them", parent_task_id: given }
    ]
    const parts = taken(await ben.call("create_tasks", { tasks }), "READY_IMPL").local_id_to_real_id
    // what depends on nothing comes first, whatever the order of creation
    expect(await next(ben)).toMatchObject({
      action: "start_subtask",
      current_subtask: { id: parts.first },
      subtask_progress: { completed: 0, total: 2 }
    })
    const early = refused(await move(ben, parts.last, "in_progress"), "dependencies_open")
    expect(early.open).toEqual([parts.first])
    const whole = refused(
      await move(ben, given, "in_progress").then(() => move(ben, given, "done")),
      "subtasks_incomplete"
    )
    expect(whole.open.toSorted()).toEqual([parts.first, parts.last].toSorted())
    taken(await move(ben, parts.first, "in_progress"), "READY_IMPL")
    expect(await next(ben)).toMatchObject({ action: "execute_subtask", current_subtask: { id: parts.first } })
    expect(taken(await move(ben, parts.first, "done"), "READY_IMPL")).toMatchObject({ code: "tasks_left" })
    expect(await next(ben)).toMatchObject({
      action: "start_subtask",
      current_subtask: { id: parts.last },
      subtask_progress: { completed: 1, total: 2 }
    })
    taken(await move(ben, parts.last, "in_progress"), "READY_IMPL")
    taken(await move(ben, parts.last, "done"), "READY_IMPL")
    expect(await next(ben)).toMatchObject({ action: "work", task: { task_id: given } })
    expect(taken(await move(ben, given, "done"), "READY_IMPL")).toMatchObject({
      code: "all_done",
      task: { id: given, title: "Write the tests", previous_status: "in_progress", new_status: "done" }
    })
    // the lead is still at it: that is not the other's business
    expect(await next(ben)).toMatchObject({ action: "report_completion" })
    const done = await ben.call("report_completed", { result: "success", summary: "Tests" })
    expect(done.body).toMatchObject({ success: true, action: "exit", run_status: "running" })
    expect(await next(ben)).toMatchObject({ action: "exit" })
    refused(await move(ben, given, "in_progress"), "session_closed")

    refused(await ann.call("report_completed", { result: "success" }), "tasks_open")
    taken(await move(ann, "lead", "in_progress"), "READY_IMPL")
    taken(await move(ann, "lead", "done"), "READY_COMPLETE")
    refused(await ann.call("report_completed", { result: "success" }), "phase_open")
    await Promise.all([ann.close(), ben.close()])
    expect(await newestRun(dir)).toMatchObject({ status: "running" })
    await expectReplay(dir)
  })

  it("given tasks of others, an agent sees them around its own, marked, and cannot touch them", {
    timeout: 120_000
  }, async () => {
    const { ann, ben, create, dir } = await team()
    const { design, review, write } = await create([
      { local_id: "write", title: "Write it", parent_task_id: "lead", assignee: "ben" },
      { local_id: "review", title: "Review it", parent_task_id: "lead", dependencies: ["write"] },
      { local_id: "design", title: "Design it", parent_task_id: "write", assignee: "cid" }
    ])
    const tree = [
      {
        id: "lead",
        title: "Bring it together",
        status: "todo",
        assignee: "ann",
        subtasks: [
          {
            id: write,
            title: "Write it",
            status: "todo",
            subtasks: [{ id: design, title: "Design it", status: "todo", assignee: "cid" }]
          },
          { id: review, title: "Review it", status: "todo", assignee: "ann" }
        ]
      }
    ]
    expect((await ben.call("get_my_task_progress")).body).toEqual({ tasks: tree })

    const before = await newestLog(dir)
    for (const [tool, args] of [
      ["update_task_status", { task_id: "lead", status: "in_progress" }],
      ["update_task_status", { task_id: review, status: "cancelled", reason: "I do not want to be reviewed" }],
      ["create_tasks", { tasks: [{ title: "Mine", parent_task_id: "lead" }] }]
    ] as const) {
      expect(refused(await ben.call(tool, args), "task_not_yours").message).toContain("ann")
    }
    expect(await newestLog(dir)).toEqual(before)
    const data = { summary: "Done", checklist: [] }
    const foreign = refused(await ben.call("complete_task", { task_id: "lead", data }), "payload_mismatch")
    expect(foreign.failures).toMatchObject([{ key: "task_not_yours", fields: { task_id: "lead", assignee: "ann" } }])
    const plan = { tasks: [{ id: "lead", status: "cancelled", reason: "Nobody wants it any more" }] }
    expect(refused(await ben.call("submit_phase", { data: plan }), "payload_mismatch").failures).toMatchObject([
      { key: "task_not_yours" }
    ])
    // its own part waits for that of a third, who is not there
    expect(await next(ben)).toMatchObject({ action: "wait" })
    // whoever gave a task may take it back with all that is below, and only with a reason
    refused(await move(ann, write, "cancelled"), "reason_required")
    expect(refused(await move(ann, write, "cancelled", "Nobody is there to do it"), "dependents_open").open).toEqual([
      review
    ])
    taken(await move(ann, review, "cancelled", "There is nothing to review"), "READY_IMPL")
    taken(await move(ann, write, "cancelled", "Nobody is there to do it"), "READY_IMPL")
    expect((await ben.call("get_my_task_progress")).body.tasks[0].subtasks[0]).toMatchObject({
      status: "cancelled",
      subtasks: [{ id: design, status: "cancelled" }]
    })
    expect(await next(ben)).toMatchObject({ action: "report_completion" })
    await Promise.all([ann.close(), ben.close()])
    await expectReplay(dir)
  })

  it("given that all it has left is blocked, an agent may go and say so, and not call it a success", async () => {
    const { ann, ben, create, dir } = await team()
    const { given } = await create([{ local_id: "given", title: "Deploy it", assignee: "ben" }])
    await ben.call("get_my_task")
    await next(ben)
    refused(await ben.call("report_completed", { result: "blocked", summary: "no" }), "tasks_open")
    taken(await move(ben, given, "in_progress"), "READY_IMPL")
    refused(await move(ben, given, "blocked"), "reason_required")
    taken(await move(ben, given, "blocked", "There is no account"), "READY_IMPL")
    const resting = await next(ben)
    expect(resting).toMatchObject({ action: "review_and_resolve_blocks", task: { reason: "There is no account" } })
    expect(refused(await ben.call("report_completed", { result: "success" }), "tasks_open").open).toEqual([given])
    const left = await ben.call("report_completed", { result: "blocked", summary: "An account is needed" })
    expect(left.body).toMatchObject({ success: true, result: "blocked", run_status: "running" })
    // what its agent has left behind is not waited for: whoever is still there takes it up
    taken(await move(ann, "lead", "in_progress"), "READY_IMPL")
    taken(await move(ann, "lead", "done"), "READY_IMPL")
    expect(await next(ann)).toMatchObject({ action: "review_and_resolve_blocks", task: { task_id: given } })
    taken(await move(ann, given, "cancelled", "Nobody gets an account"), "READY_COMPLETE")
    await Promise.all([ann.close(), ben.close()])
    const [closed] = (await newestLog(dir)).filter(({ event_type }) => event_type === "COMPLETION_REPORTED")
    expect(closed.content).toMatchObject({ result: "blocked", open: [given] })
    await expectReplay(dir)
  })

  it("given that another was killed, an agent that would only wait goes on with its work", async () => {
    const { ann, ben, create, dir } = await team()
    const { given, after } = await create([
      { local_id: "given", title: "Deploy it", assignee: "ben" },
      { local_id: "after", title: "Tell people", dependencies: ["given"] }
    ])
    await next(ben)
    taken(await move(ben, given, "in_progress"), "READY_IMPL")
    taken(await move(ann, "lead", "in_progress"), "READY_IMPL")
    taken(await move(ann, "lead", "done"), "READY_IMPL")
    expect(await next(ann)).toMatchObject({ action: "wait", waiting_subtasks: [{ id: after, waiting_for: [given] }] })
    await ben.kill()
    expect(await next(ann)).toMatchObject({ action: "work", task: { task_id: given, status: "in_progress" } })
    expect((await ann.call("get_my_task_progress")).body.tasks).toMatchObject([
      { id: "lead" },
      { id: given },
      { id: after }
    ])
    taken(await move(ann, given, "done"), "READY_IMPL")
    expect(await next(ann)).toMatchObject({ action: "work", task: { task_id: after } })
    await ann.close()
    await expectReplay(dir)
  })
})
