import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { callsOf, scriptedAgent, withAgent } from "./agent.ts"
import { asked, expectReplay } from "./asked.ts"
import { eventsOf, proofline, repository } from "./proofline.ts"
import { planOf } from "./requirementsStage.ts"

const add = "Add add() to add.js"
const pay = "Call the payment service in pay.js"
const tasks = `
tasks:
  - { id: shop, name: Shop, instruction: Write both., checklist: [${add}, ${pay}] }
  - { id: after, name: After, instruction: Pay twice., depends_on: [shop], checklist: [Add twice() to twice.js] }
`
const reason = "there is no key for the service in the environment"
const files = { "add.js": "export const add = (a, b) => {\n  return a + b\n}\n" }
const paid = { "pay.js": "export const pay = (sum) => {\n  return fetch('/pay', { body: sum })\n}\n" }
const twice = { "twice.js": "export const twice = (sum) => {\n  return sum * 2\n}\n" }
const shown = { item: add, status: "done", evidence: "add.js:1-3" }
const done = (item: string, evidence: string) => ({ item, status: "done", evidence })

/** Its first report says of the second item that it cannot be done, its next one shows it. */
const staged = () =>
  repository({
    "tasks.yaml": tasks,
    "README.md": "The service needs a key.\n",
    ...scriptedAgent({
      shop: [
        {
          files,
          report: { summary: "", checklist: [shown, { item: pay, status: "cannot", reason, evidence: "README.md:1" }] }
        },
        { files: paid, report: { summary: "", checklist: [shown, done(pay, "pay.js:1-3")] } }
      ],
      after: [{ files: twice, report: { summary: "", checklist: [done("Add twice() to twice.js", "twice.js:1-3")] } }]
    })
  })

const run = ["run", "tasks.yaml", ...withAgent, "--max-retries", "0"]
const resume = ["resume", ...withAgent]

describe("an item that the agent says it cannot do", () => {
  it("given the answer waive, then the run waits for it, and ends with what counts as waived", async () => {
    const dir = staged()
    const waits = await asked(run, dir)
    expect(waits.code).toBe(3)
    const { data } = waits
    expect(data.asked).toMatchObject([
      { task_id: "shop", attempt: 1, index: 1, item: pay, reason, evidence: "README.md:1", files: ["add.js"] }
    ])
    expect(data).toMatchObject({
      status: "incomplete",
      verdict: "unproven",
      tasks: [
        {
          id: "shop",
          status: "blocked",
          reason: "cannot",
          checklist: [{ verdict: "proven" }, { status: "cannot", verdict: "unproven", reason, evidence: "README.md:1" }]
        },
        { id: "after", status: "pending" }
      ]
    })
    // everywhere first, with why and with what answers
    for (const command of [["show"], ["status"], ["status", data.run_id], ["history"], ["answer"]]) {
      const { stdout } = await proofline(command, dir)
      expect(stdout, command.join(" ")).toContain(pay)
    }
    for (const command of [["show"], ["status"], ["answer"]])
      expect((await proofline(command, dir)).stdout).toMatch(new RegExp(`^W(?:AITS|aits)[^]*${reason}`, "i"))
    const question = await proofline(["answer"], dir)
    expect([question.code, question.stdout]).toEqual([3, expect.stringContaining("answer waive --run")])
    expect(question.stdout).toMatch(
      /The run has ended\. It goes on with your answer when it is resumed\. Then: .*resume run_/
    )
    // nobody has answered: nothing is tried, and it waits again
    expect((await asked(resume, dir)).code).toBe(3)
    expect(callsOf(dir)).toHaveLength(1)

    expect((await proofline(["answer", "waive", "--comment", "not in this release"], dir)).code).toBe(0)
    const over = await asked(resume, dir)
    expect(over.code, over.stderr).toBe(0)
    expect(over.data).toMatchObject({ status: "completed", verdict: "proven", counts: { proven: 2, waived: 1 } })
    expect(over.data).not.toHaveProperty("asked")
    expect(over.data.tasks[0]).toMatchObject({
      attempts: 1,
      checklist: [
        { verdict: "proven" },
        { status: "skipped", verdict: "waived", shown_by: "person", answer: { text: "not in this release" } }
      ]
    })
    expect((await proofline(["verify"], dir)).code).toBe(0)
    await expectReplay(dir)
  })

  it("given the answer continue, then another attempt is told, and shows it although no retry is left", async () => {
    const dir = staged()
    const { code, data } = await asked(run, dir)
    expect(code).toBe(3)
    const mute = await asked(["answer", "continue"], dir)
    expect([mute.code, mute.refused]).toEqual([2, ["guidance_required"]])
    const said = ["answer", "continue", "--run", data.run_id, "--task", "shop", "--item", "2"]
    expect((await asked([...said, "--comment", "Use the key of .env.test."], dir)).code).toBe(0)
    const over = await asked(resume, dir)
    expect(over.code, over.stderr).toBe(0)
    expect(over.data).toMatchObject({ status: "completed", verdict: "proven", counts: { proven: 3, waived: 0 } })
    expect(over.data.tasks[0]).toMatchObject({ attempts: 2 })
    expect(callsOf(dir)[1]?.prompt).toContain("Use the key of .env.test.")
    const changes = (await eventsOf(data.run_id, dir)).filter(({ event_type }) => event_type === "TASK_STATUS_CHANGED")
    expect(changes.map(({ content }) => [content.to, content.retry_count])).toEqual([["retrying", 0]])
    await expectReplay(dir)
  })

  it("given the answer give_up, then the task fails with the reason, and another resume does not ask again", async () => {
    const dir = staged()
    expect((await asked(run, dir)).code).toBe(3)
    expect((await asked(["answer", "give_up", "--comment", "too dear"], dir)).code).toBe(0)
    const over = await asked(resume, dir)
    expect([over.code, over.data.tasks[0].reason]).toEqual([1, "given_up"])
    expect(over.data.tasks[0].message).toMatch(/there is no key.*too dear/)
    expect((await asked(resume, dir)).code).toBe(1)
    expect(callsOf(dir)).toHaveLength(1)
    expect(await asked(["answer", "waive"], dir)).toMatchObject({ code: 2, refused: ["session_run_missing"] })
  })
})

describe("a task that was made of requirements", () => {
  const requirements = `
name: Pay
requirements:
  - id: req_1
    description: People can pay
    acceptance_criteria: [The sum is added up, The service is called]
`
  const plan = planOf({ task_1: { covers: ["req_1.1"] }, task_2: { covers: ["req_1.2"] } })
  const item = (task: string) => `${task}.txt is written`
  const waiting = () =>
    repository({
      "requirements.yaml": requirements,
      ...scriptedAgent({
        "generate:*": [{ stdout: `\`\`\`yaml\n${plan}\`\`\`\n` }],
        "verify:*": [
          {
            report: {
              all_requirements_met: true,
              requirement_status: [{ requirement_id: "req_1", met: true, evidence: "task_1.txt:1" }]
            }
          }
        ],
        task_1: [
          { files: { "task_1.txt": "the sum\n" }, report: { checklist: [done(item("task_1"), "task_1.txt:1")] } }
        ],
        task_2: [{ report: { checklist: [{ item: item("task_2"), status: "cannot", reason }] } }]
      })
    })
  const planned = (dir: string) => callsOf(dir).filter(({ role }) => role === "generate")
  const started = ["run-requirements", "requirements.yaml", ...withAgent, "--max-retries", "0"]

  it.each(
    daily(
      [
        ["waive", 0, "waived"],
        ["give_up", 1, "unproven"]
      ] as const,
      2
    )
  )("given the answer %s, then nothing is planned again, and it ends with %i", async (answer, code, verdict) => {
    const dir = waiting()
    const waits = await asked(started, dir)
    expect(waits.code, waits.stderr).toBe(3)
    expect(waits.data.asked).toMatchObject([{ task_id: "task_2", item: item("task_2"), reason }])
    expect(planned(dir)).toHaveLength(1)
    // asked for again it waits still, and says how it is answered
    const again = await proofline(started, dir)
    expect(again.code, again.stderr).toBe(3)
    expect(again.stdout).toContain(`answer ${answer} --run ${waits.data.asked[0].run_id}`)
    expect(again.stdout).toContain("Seen before the tasks of iteration 1")
    expect((await asked(["answer", answer], dir)).code).toBe(0)
    const over = await asked(resume, dir)
    expect(over.data.asked).toBeUndefined()
    expect(over.data.requirements[0].criteria[1].verdict, JSON.stringify(over.data)).toBe(verdict)
    expect(over.code, JSON.stringify(over.data)).toBe(code)
    expect(planned(dir)).toHaveLength(1)
  })
})
