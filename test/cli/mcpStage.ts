import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { expect } from "vitest"
import type { Agent, Said } from "./mcpClient.ts"
import { explored, files as found, itemIn, reportOf, source, write } from "./sessionStage.ts"

/** Fails until sessions expire, and says so; counts how often it ran. */
export const files = {
  ...found,
  "verify.sh": `#!/bin/sh
echo run >> verified
grep -q "def expire" ${source} || { echo "sessions never expire"; exit 1; }
`,
  "proofline.yaml": 'verifiers: ["sh verify.sh"]\n'
}

const functions = ["login", "logout"]
const hashed = `Hash passwords in ${source}`
const items = [...functions.map((name) => itemIn(source, name)), hashed]

/** What is asked of the parts of the second task. */
const wanted = { text: "Say how to log in in README.md", link: "Name docs/auth.md in README.md" }

/** What an agent writes that wants to be done, and how it lies of it. */
const stub = "def login(users, name):\n    pass\n"
const cheating = [
  { item: items[0], status: "done", evidence: `${source}:1-2` },
  { item: items[1], status: "done", evidence: `${source}:900` },
  { item: hashed, status: "skipped", reason: "later" }
]
const lies = ["checklist_evidence_empty_impl", "checklist_evidence_line_out_of_range", "checklist_reason_required"]

const honest = (dir: string) => {
  const { checklist, summary } = reportOf(dir, source, ...functions)
  const skipped = { item: hashed, status: "skipped", reason: "There are no passwords so far" }
  return { task_id: "auth", data: { summary, checklist: [...checklist, skipped] } }
}

/** One thing an agent does, and what must come of it. */
export interface Step {
  readonly name: string
  readonly take: (agent: Agent, dir: string) => Promise<void>
}

const accepted = ({ body, ok }: Said, phase: string): void => {
  expect(ok, JSON.stringify(body)).toBe(true)
  expect(body, JSON.stringify(body)).toMatchObject({ success: true, phase })
  // every answer stands alone
  for (const field of ["instruction", "expected_payload", "progress"]) expect(body, field).toHaveProperty(field)
}

const rewrite = (dir: string, text: string): void => writeFileSync(Path.join(dir, source), text)

/** Shows the parts of the second task, and says that the whole is done. */
const document = async (agent: Agent): Promise<Said> => {
  const [, docs] = (await agent.call("get_my_task_progress")).body.tasks
  for (const [i, item] of [wanted.text, wanted.link].entries()) {
    const { id } = docs.subtasks[i]
    await agent.call("update_task_status", { task_id: id, status: "in_progress" })
    const checklist = [{ item, status: "done", evidence: `README.md:${i + 1}` }]
    const said = await agent.call("complete_task", { task_id: id, data: { summary: item, checklist } })
    expect(said.body, JSON.stringify(said.body)).toMatchObject({ success: true, task: { id, new_status: "done" } })
  }
  return agent.call("update_task_status", { task_id: "docs", status: "done" })
}

/** A whole session, from the first look to the word that it is done. */
export const journey: ReadonlyArray<Step> = [
  {
    name: "asks what to do",
    take: async (agent) => {
      const { body } = await agent.call("get_next_action")
      expect(body).toMatchObject({ action: "submit_phase", phase: "EXPLORATION" })
    }
  },
  {
    name: "explores",
    take: async (agent) => {
      accepted(await agent.call("submit_phase", { data: explored }), "READY_PLAN")
    }
  },
  {
    name: "plans",
    take: async (agent) => {
      const tasks = [
        {
          id: "auth",
          description: "Let people log in and out",
          status: "pending",
          checklist: items.map((item) => ({ item, status: "pending" }))
        },
        { id: "docs", description: "Tell people of it", status: "pending", depends_on: ["auth"] }
      ]
      // as a text, as some clients send it
      const said = await agent.call("submit_phase", { data: JSON.stringify({ tasks }) })
      accepted(said, "READY_IMPL")
      expect(said.body.warnings).toMatchObject([{ code: "checklist_missing" }])
    }
  },
  {
    name: "asks where it may write",
    take: async (agent, dir) => {
      const inside = await agent.call("check_write_target", { file_path: Path.join(dir, source) })
      expect(inside.body).toMatchObject({ allowed: true })
      const outside = await agent.call("check_write_target", { file_path: "../elsewhere.py" })
      expect(outside.body).toMatchObject({ allowed: false })
      rewrite(dir, stub)
    }
  },
  {
    name: "cheats",
    take: async (agent) => {
      const said = await agent.call("complete_task", {
        task_id: "auth",
        data: { summary: "Done", checklist: cheating }
      })
      expect(said.ok).toBe(false)
      expect(said.body).toMatchObject({ success: false, error: "payload_mismatch", needs_person: false })
      expect(said.body.failures.map(({ key }: { readonly key: string }) => key)).toEqual(lies)
      const word = "Evidence line 900 exceeds file length (2 lines). Use a valid line number within 1-2."
      expect(JSON.stringify(said.body.failures)).toContain(word)
    }
  },
  {
    name: "does the work and shows it",
    take: async (agent, dir) => {
      rewrite(dir, found[source])
      write(dir, source, ...functions)
      const report = honest(dir)
      accepted(await agent.call("complete_task", report), "READY_IMPL")
      // the same report again is the same report
      accepted(await agent.call("complete_task", report), "READY_IMPL")
    }
  },
  {
    name: "splits a task",
    take: async (agent) => {
      const tasks = [
        { local_id: "text", title: "Write it", parent_task_id: "docs", checklist: [wanted.text] },
        { local_id: "link", title: "Link it", parent_task_id: "docs", checklist: [wanted.link], dependencies: ["text"] }
      ]
      const first = await agent.call("create_tasks", { tasks })
      expect(first.ok, JSON.stringify(first.body)).toBe(true)
      const again = await agent.call("create_tasks", { tasks })
      expect(again.body.local_id_to_real_id).toEqual(first.body.local_id_to_real_id)
    }
  },
  {
    name: "does the parts, then the whole",
    take: async (agent, dir) => {
      const [, docs] = (await agent.call("get_my_task_progress")).body.tasks
      const parts = docs.subtasks.map(({ id }: { readonly id: string }) => id)
      await agent.call("update_task_status", { task_id: "docs", status: "in_progress" })
      const early = await agent.call("update_task_status", { task_id: "docs", status: "done" })
      expect(early).toMatchObject({ ok: false, body: { error: "subtasks_incomplete", open: parts } })
      const leaving = await agent.call("report_completed", { result: "success" })
      expect(leaving).toMatchObject({ ok: false, body: { error: "tasks_open", open: ["docs", ...parts] } })
      writeFileSync(Path.join(dir, "README.md"), "Log in with your name and your password.\nMore in docs/auth.md.\n")
      const said = await document(agent)
      accepted(said, "READY_COMPLETE")
      expect(said.body).toMatchObject({ code: "all_done" })
      expect(said.body.instruction).toContain("report_completed")
    }
  },
  {
    name: "says that all is done",
    take: async (agent) => {
      accepted(await agent.call("submit_phase", { data: { summary: "People can log in" } }), "POST_IMPL_VERIFY")
    }
  },
  {
    name: "is sent back by the verifier",
    take: async (agent) => {
      const said = await agent.call("submit_phase", { data: {} })
      expect(said.body, JSON.stringify(said.body)).toMatchObject({ phase: "READY_IMPL" })
      expect(JSON.stringify(said.body)).toContain("sessions never expire")
    }
  },
  {
    name: "repairs what the verifier found",
    take: async (agent, dir) => {
      write(dir, source, "expire")
      accepted(await agent.call("complete_task", honest(dir)), "READY_IMPL")
      // all of it is open again
      accepted(await document(agent), "READY_COMPLETE")
    }
  },
  {
    name: "says again that all is done",
    take: async (agent) => {
      accepted(await agent.call("submit_phase", { data: { summary: "Sessions expire too" } }), "POST_IMPL_VERIFY")
    }
  },
  {
    name: "passes the verifier",
    take: async (agent) => {
      accepted(await agent.call("submit_phase", { data: {} }), "DONE")
    }
  },
  {
    name: "reports completion",
    take: async (agent) => {
      const said = await agent.call("report_completed", { result: "success", summary: "Auth" })
      expect(said.ok, JSON.stringify(said.body)).toBe(true)
    }
  }
]

/** Where things stand: what the agent is told to do, and its tasks. */
export const standing = async (agent: Agent): Promise<unknown> => ({
  next: (await agent.call("get_next_action")).body,
  progress: (await agent.call("get_my_task_progress")).body
})

/** What is refused in every state before the last, each with its words; none of it changes anything. */
export const refusals = async (agent: Agent): Promise<ReadonlyArray<unknown>> => {
  const said = []
  for (const [tool, args] of [
    ["submit_phase", { data: { summary: ["x"] } }],
    ["complete_task", { task_id: "auth", data: { summary: "Done", checklist: cheating } }],
    ["complete_task", { task_id: "auth", data: { summary: "Done" } }],
    ["complete_task", { task_id: "nobody", data: { summary: "Done", checklist: [] } }],
    ["update_task_status", { task_id: "auth", status: "done" }],
    ["update_task_status", { task_id: "auth", status: "finished" }],
    ["create_tasks", { tasks: [{ title: "x", dependencies: ["nowhere"] }] }],
    ["report_completed", { result: "perfect" }],
    ["report_completed", { result: "success" }]
  ] as const) {
    const { body, ok } = await agent.call(tool, args)
    expect(ok, `${tool} ${JSON.stringify(body)}`).toBe(false)
    // a report that is judged begins the work on its task; that is told by `standing`
    const { progress, ...words } = body
    said.push({ tool, words })
  }
  const { body } = await agent.call("check_write_target", { file_path: "/etc/passwd" })
  expect(body).toMatchObject({ allowed: false, code: "outside_root" })
  return said
}
