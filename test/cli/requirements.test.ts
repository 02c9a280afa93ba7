import { createHash } from "node:crypto"
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { events as declared } from "@proofline/plugins/policies/requirements"
import { describe, expect, it } from "vitest"
import { callsOf, done, rolesOf, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, answerOf, asked, each } from "./asked.ts"
import { eventsOf, finish, project, proofline, start, until, withSources } from "./proofline.ts"
import { planOf, requirements, stage } from "./requirementsStage.ts"

const command = ["run-requirements", "requirements.yaml", ...withAgent]
const fewer = requirements.split("  - id: req_2")[0] ?? ""
const read = (dir: string, file: string) => readFileSync(Path.join(dir, file), "utf8")
const write = (dir: string, file: string, text: string) => writeFileSync(Path.join(dir, file), text)

describe("proofline run-requirements", () => {
  it("given requirements that take two iterations, when it is run, then all are met and every part says so", async () => {
    const dir = stage()
    const { data, kind } = await achieved(command, dir)
    expect([kind, data.status, data.iterations]).toEqual(["run-requirements", "completed", 2])
    expect(each(data.requirements, "id")).toEqual(["req_1", "req_2", "req_3"])
    expect(each(data.requirements, "verdict")).toEqual(["proven", "proven", "proven"])
    expect(data.requirements[2].criteria[0]).toMatchObject({ id: "req_3.1", verdict: "proven", by: "check" })
    // the second iteration had only the new task, which waits for one of the first
    const second = read(dir, "generated/requirements-tasks-iter2.yaml")
    expect(second).toContain("# Completed before: task_1")
    expect(second).not.toContain("id: task_1")
    const [begun] = await eventsOf(`${data.run_id}-iter2`, dir)
    expect(begun.content).toMatchObject({ parent_run_id: data.run_id, completed_task_ids: ["task_1"] })
    // what it builds on, and what it is for, is told to the agent
    const prompt = callsOf(dir).find(({ key }) => key === "task_2")?.prompt
    expect(prompt).toContain("task_1: Write task_1.txt. Reported: wrote task_1")
    expect(prompt).toContain("A place for notes.")
    expect((await achieved(["replay", data.run_id], dir)).data).toMatchObject({
      divergence: null,
      task_runs: [{ divergence: null }, { divergence: null }]
    })
    // a receipt says which words of the requirements it is for
    const { payload } = JSON.parse((await proofline(["receipts", "export", data.run_id], dir)).stdout)
    const { receipts } = JSON.parse(Buffer.from(payload, "base64").toString()).predicate
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
    const first = { check: null, criterion: "the first note is written", verify: null }
    expect(receipts.find((one: Record<string, unknown>) => one["task_id"] === "task_1").criteria).toEqual([
      { id: "req_1.1", sha256: sha256(JSON.stringify(first)) }
    ])
  })

  it("given a check that runs tests of this run, then what its task shows meets it, and is looked at after the check", async () => {
    const [item, test] = ["Write list() in notes.mjs", 'Test "no notes" in notes.test.mjs']
    const dir = project({
      "requirements.yaml": `name: Notes
requirements:
  - id: empty
    name: No notes
    acceptance_criteria:
      - { criterion: "Without notes, the list is empty", check: 'node --test --test-name-pattern="no notes"' }
`,
      ...scriptedAgent({
        "generate:*": [
          {
            report: {
              tasks: [
                {
                  id: "notes",
                  name: "Notes",
                  instruction: "Write them.",
                  covers: ["empty.1"],
                  checklist: [item, test]
                }
              ]
            }
          }
        ],
        "verify:*": [
          {
            report: {
              all_requirements_met: true,
              requirement_status: [{ requirement_id: "empty", met: true, evidence: "$ node --test\nok" }]
            }
          }
        ],
        "*": [
          {
            files: {
              "notes.mjs": "export const list = (notes) => notes.map((note) => note.text)\n",
              "notes.test.mjs":
                'import assert from "node:assert"\nimport { test } from "node:test"\nimport { list } from "./notes.mjs"\ntest("no notes", () => assert.deepEqual(list([]), []))\n'
            },
            report: done({ [item]: "notes.mjs:1", [test]: "notes.test.mjs:4" })
          }
        ]
      })
    })
    const { data } = await achieved(command, dir)
    expect([data.status, data.iterations]).toEqual(["completed", 1])
    const [criterion] = data.requirements[0].criteria
    expect(criterion).toMatchObject({ verdict: "proven", by: "tasks" })
    expect(criterion.message).toContain("notes.test.mjs:4")
    const looks = (await eventsOf(data.run_id, dir)).filter(({ event_type }) => event_type === "CRITERIA_CHECKED")
    expect(
      looks.map(({ content }) => [content.round, content.runs.length, content.receipts.length]).slice(0, 3)
    ).toEqual([
      [1, 1, 0],
      [2, 1, 0],
      [2, 0, 2]
    ])
    expect((await achieved(["replay", data.run_id], dir)).data).toMatchObject({ divergence: null })
  })

  it("given lines that met a criterion in an iteration before, when they are cited for another one, then they show nothing of it", async () => {
    const [first, second] = ["The client caches answers", "The client tries again after an error"]
    const plan = (id: string, criterion: number, item: string) =>
      `\`\`\`yaml\ntasks:\n  - { id: ${id}, name: ${id}, instruction: Do it, covers: [client.${criterion}], checklist: ["${item}"] }\n\`\`\`\n`
    const met = { requirement_id: "%task", met: true, evidence: "client.js:1" }
    const client = "export const client = (ask) => {\n  const known = ask.cached()\n  return known ?? ask()\n}\n"
    const dir = project({
      "requirements.yaml": `name: Client\nrequirements:\n  - id: client\n    description: A client\n    acceptance_criteria: ["${first}", "${second}"]\n`,
      ...scriptedAgent({
        "verify:*": [{ report: { all_requirements_met: true, requirement_status: [met] } }],
        "generate:iteration-1": [{ stdout: plan("cache", 1, first) }],
        "generate:iteration-2": [{ stdout: plan("again", 2, second) }],
        cache: [{ files: { "client.js": client }, report: done({ [first]: "client.js:1-4" }) }],
        again: [
          { report: done({ [second]: "client.js:1-4" }) },
          {
            files: { "client.js": `${client}export const again = (ask) => ask.upTo(3)\n` },
            report: done({ [second]: "client.js:5" })
          }
        ]
      })
    })
    const { data } = await achieved(command, dir)
    expect([data.status, data.iterations]).toEqual(["completed", 2])
    const refused = (await eventsOf(`${data.run_id}-iter2`, dir)).filter(
      ({ event_type }) => event_type === "CHECKLIST_ITEM_REJECTED"
    )
    expect(refused.map(({ content }) => JSON.stringify(content))).toEqual([
      expect.stringContaining(`cited for '${first}' of task cache too`)
    ])
    expect((await achieved(["replay", data.run_id], dir)).data).toMatchObject({ divergence: null })
  })

  it("given a loop that ends with one criterion shown by its check and one refuted, then verify says both, and that no receipt is there to compare", async () => {
    const criteria = ["task_1.txt", "never.txt"].map(
      (file, index) =>
        `  - id: req_${index + 1}\n    name: Write ${file}\n    acceptance_criteria:\n      - { criterion: ${file} is there, check: test -f ${file} }\n`
    )
    const dir = stage({
      "requirements.yaml": `name: Files\nrequirements:\n${criteria.join("")}`,
      "plan-1.yaml": planOf({ task_1: { covers: ["req_1.1", "req_2.1"] } })
    })
    expect((await asked([...command, "--max-iterations", "1"], dir)).code).toBe(1)
    const { code, stdout } = await proofline(["verify"], dir)
    expect([code, stdout.trim().split("\n").at(-1)]).toEqual([1, "incomplete · 1 proven · 1 refuted"])
    expect(stdout).toContain("No receipts: there is nothing to compare.")
    expect(stdout).not.toContain("nothing of this run is proven")
  })

  it("given what was met is broken later, when the file is run again, then only that is repaired, with new ids", async () => {
    const dir = stage({
      "plan-3.yaml": planOf({ task_3: { covers: ["req_2.1", "req_3.1"] } }),
      "plans/requirements-tasks-iter1.yaml": "mine: true\n"
    })
    const inPlans = [...command, "--tasks-output-dir", "plans"]
    await achieved(inPlans, dir)
    rmSync(Path.join(dir, "task_2.txt"))
    const other = requirements.replace("test -s task_2.txt", "test -s task_2.txt || test -s task_3.txt")
    write(dir, "requirements.yaml", other)
    const before = callsOf(dir).length
    expect((await achieved(inPlans, dir)).data.status).toBe("completed")
    expect(rolesOf(dir).slice(before)).toEqual(["generate:iteration-3", "work:task_3", "verify:req_1", "verify:req_2"])
    // a file that was there is kept beside
    expect(readdirSync(Path.join(dir, "plans")).toSorted()).toEqual(
      ["1.yaml", "1.yaml.1.bak", "2.yaml", "3.yaml"].map((end) => `requirements-tasks-iter${end}`)
    )
    expect(read(dir, "plans/requirements-tasks-iter1.yaml.1.bak")).toBe("mine: true\n")
  })

  it("given a dry run, then nothing is started, checked or written, also where a run could be resumed", async () => {
    const dir = stage({ "requirements.yaml": requirements.replace("test -s task_2.txt", "touch checked") })
    const before = readdirSync(dir).toSorted()
    const planned = await achieved([...command, "--dry-run"], dir)
    expect(planned.data).toMatchObject({ dry_run: true, run_id: null })
    // as which it is run by `run` too
    expect((await achieved(["run", "requirements.yaml", ...withAgent, "--dry-run"], dir)).kind).toBe("run-requirements")
    expect(readdirSync(dir).toSorted()).toEqual(before)
    const stopped = await asked([...command, "--max-attempts", "1"], dir)
    const calls = callsOf(dir).length
    const state = read(dir, ".proofline/state/proofline.db")
    expect((await proofline([...command, "--dry-run"], dir)).code).toBe(0)
    expect(callsOf(dir)).toHaveLength(calls)
    expect(read(dir, ".proofline/state/proofline.db")).toBe(state)
    // with the id of its task run, the run above it goes on
    const { run_id } = stopped.data
    const resumed = await asked(["resume", `${run_id}-iter1`], dir)
    expect(resumed.stderr).toContain(`is a task run of ${run_id}`)
    expect(resumed.data).toMatchObject({ run_id })
  })

  it("given the file has changed while the run was not completed, then that is said, and the new one counts where a person says so", async () => {
    const dir = stage()
    const first = await asked([...command, "--max-iterations", "1"], dir)
    expect([first.code, first.data.status]).toEqual([1, "failed"])
    expect(first.data.unmet_requirements).toEqual(["req_2", "req_3"])
    // one that cannot be read loses nothing
    write(dir, "requirements.yaml", "name: x\nrequirements:\n  - id: req_1\n")
    const broken = await asked(command, dir)
    expect([broken.code, broken.data.problems[0]]).toMatchObject([
      2,
      { file: "requirements.yaml", line: expect.any(Number) }
    ])
    write(dir, "requirements.yaml", `${fewer}defaults: { workers: 7, agent: auto }\n`)
    // less than before is a decision of a person
    const narrowed = await asked(command, dir)
    expect(narrowed).toMatchObject({ code: 2, refused: ["requirements_narrowed"] })
    expect(narrowed.data.problems[0].message).toContain("req_2 was dropped")
    const { data, stderr } = await achieved(["resume", "--take-over"], dir)
    expect(stderr).toContain("NOTE: requirements.yaml was changed since this run read it")
    expect(data.requirements).toHaveLength(1)
    const changed = (await eventsOf(data.run_id, dir)).find(({ event_type }) => event_type === "INTENT_CHANGED")
    expect(each(changed.content.changes, "id")).toEqual(["req_2", "req_3", "constraints"])
    expect(rolesOf(dir).filter((call) => call === "work:task_1")).toHaveLength(1)
    const resumed = (await eventsOf(data.run_id, dir)).find(({ event_type }) => event_type === "RUN_RESUMED")
    expect(resumed.content.config).toMatchObject({ workers: 7, agent: "command" })
    expect(resumed.content.config).not.toHaveProperty("fallback")
  })

  it("given what it names is not there, then that is said before anything is started", async () => {
    const strategies = "generation:\n  generator: oracle\nverification: { verifier: nobody }\n"
    const dir = stage({ "requirements.yaml": `${requirements}${strategies}` })
    const line = requirements.split("\n").length + 1
    for (const args of [["validate", "requirements.yaml"], command]) {
      const { code, data } = await asked(args, dir)
      expect([code, data.problems]).toMatchObject([
        2,
        [
          { code: "generator_unknown", file: "requirements.yaml", line, column: 14 },
          { code: "verifier_unknown", file: "requirements.yaml", line: line + 1, column: 27 }
        ]
      ])
    }
    write(dir, "requirements.yaml", `${requirements}generation: { tasks: [plan-1.yaml, plan-9.yaml] }\n`)
    expect(await asked(command, dir)).toMatchObject({ code: 2, refused: ["plan_missing"] })
    const selected = ["run", "requirements.yaml", ...withAgent, "--only", "a"]
    expect(await asked(selected, dir)).toMatchObject({ code: 2, refused: ["selection_unusable"] })
    expect(callsOf(dir)).toEqual([])
  })

  it("given two files at once, then each has its own task runs, and the same file twice is refused", async () => {
    const other = requirements
      .replace("name: notes", "name: other")
      .replaceAll("req_", "other_")
      .replace("test -s task_2.txt", "test 1 = 1")
    const plan = planOf({ task_a: { covers: ["other_1.1"] }, task_b: { covers: ["other_2.1"] } })
    const dir = stage(
      { "other.yaml": `${other}generation: { tasks: [other-1.yaml] }\n`, "other-1.yaml": plan },
      "work:task_1"
    )
    const child = start([...command, "--json"], dir)
    const first = finish(child)
    await until(() => existsSync(Path.join(dir, "hanging")))
    expect(await asked(command, dir)).toMatchObject({ code: 2, refused: ["run_is_driven"] })
    const { run_id } = (await achieved(["run-requirements", "other.yaml", ...withAgent], dir)).data
    child.kill("SIGINT")
    const ended = answerOf(await first).data.run_id
    const { runs } = (await asked(["history"], dir)).data
    expect(
      Object.fromEntries(runs.map((one: Record<string, string>) => [one["run_id"], one["parent_run_id"]]))
    ).toEqual({ [ended]: undefined, [`${ended}-iter1`]: ended, [run_id]: undefined, [`${run_id}-iter1`]: run_id })
  })
})

describe("a task run that was linked and did not begin", () => {
  it("given the tasks file cannot be written, then the run says why and how to go on, and is no log that was changed", async () => {
    const dir = stage()
    // what is seen only when it is made
    symlinkSync("none/there", Path.join(dir, "generated"))
    const { code, data } = await asked(command, dir)
    expect([code, data.status, data.message]).toEqual([1, "failed", expect.stringContaining("cannot be written")])
    const again = await proofline(["resume"], dir)
    expect([again.code, again.stdout]).toEqual([1, expect.stringContaining(`resume ${data.run_id}`)])
    expect(await asked(["verify"], dir)).toMatchObject({ code: 1, data: { chain: { ok: true } } })
    rmSync(Path.join(dir, "generated"))
    expect((await achieved(["resume"], dir)).data.status).toBe("completed")
  })

  it("given the log of one that ended is removed, with its head, then verify says that it is gone", async () => {
    const dir = stage()
    const { run_id } = (await achieved(command, dir)).data
    await achieved(["verify"], dir)
    const db = new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"))
    for (const { name } of db.prepare("select name from sqlite_schema where type = 'trigger'").all())
      db.exec(`drop trigger ${name}`)
    db.prepare("delete from event where stream = ?").run(`${run_id}-iter1`)
    db.close()
    rmSync(Path.join(dir, ".proofline/heads"), { recursive: true })
    const { code, data } = await asked(["verify"], dir)
    expect([code, data.chain.message]).toEqual([5, `The log of its task run ${run_id}-iter1 is gone.`])
  })
})

describe("a check that runs a file of the project", () => {
  const run = (description: string, check: string, file: string) => {
    const item = `Print the version in ${file}`
    const dir = project({
      "tool.mjs": 'console.log("hello")\n',
      "check.sh": "node tool.mjs | grep -q version\n",
      "plan.yaml": `tasks: [{ id: t1, name: T, covers: [v.1], instruction: Do it., checklist: ["${item}"] }]\n`,
      "requirements.yaml": `name: Tool
requirements:
  - id: v
    description: ${description}
    acceptance_criteria:
      - criterion: The version is printed
        check: |
          ${check}
generation: { tasks: [plan.yaml] }
verification: { verifier: none }
`,
      ...scriptedAgent({
        "*": [
          {
            files: { [file]: file === "tool.mjs" ? 'console.log("version 1.2")\n' : "exit 0\n" },
            report: done({ [item]: `${file}:1` })
          }
        ]
      })
    })
    return asked([...command, "--max-iterations", "1"], dir)
  }

  it("given its requirement asks to write it, when the agent has, then it is met", async () => {
    const { code, data } = await run("Add the version to tool.mjs", "node tool.mjs | grep -q version", "tool.mjs")
    expect([code, data.requirements[0].verdict]).toEqual([0, "proven"])
  })

  it("given nobody asks to write it, when the agent has, then it is not, and all of the reason is told", async () => {
    const { code, data, stderr } = await run("Print the version", "sh check.sh", "check.sh")
    expect([code, data.requirements[0].verdict]).toEqual([1, "refuted"])
    // each on a line, whatever the command ends with
    expect(stderr).toMatch(/v\.1: `sh check\.sh ` exited with 1\.$/m)
    expect(stderr).toMatch(/v\.1: `sh check\.sh ` counts only with what it rests on .* check\.sh/)
  })
})

describe("agents that change what they are judged by", () => {
  /** An agent that does something besides, by its role and task. */
  const meddling = (when: string, file: string, text: string) => ({
    "meddle.mjs": `import { writeFileSync } from "node:fs"
if (process.env.PROOFLINE_ROLE + ":" + process.env.PROOFLINE_TASK_ID === ${JSON.stringify(when)}) writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(text)})
await import("./agent.mjs")
`
  })
  const meddled = (dir: string) => {
    const agent = ["--agent", "command", "--agent-command", "node meddle.mjs", "--retry-delay", "0s"]
    return asked(["run-requirements", "requirements.yaml", ...agent, "--max-iterations", "1"], dir)
  }

  it("given one rewrites the requirements while it works, then the run is judged by what was asked, until a person takes it over", async () => {
    const dir = stage(meddling("work:task_1", "requirements.yaml", fewer))
    const first = await meddled(dir)
    expect([first.code, first.data.requirements.length]).toEqual([1, 3])
    expect(first.stderr).toContain("was changed while the run was at work")
    for (const args of [command, ["resume"]])
      expect(await asked(args, dir)).toMatchObject({ code: 2, refused: ["requirements_changed_meanwhile"] })
    const person = project({})
    cpSync(dir, person, { recursive: true })
    expect((await achieved([...command, "--take-over"], person)).data.requirements).toHaveLength(1)
    // as it was again, it goes on, with as many iterations again
    write(dir, "requirements.yaml", requirements)
    expect((await achieved(command, dir)).data.iterations).toBe(2)
  })

  it("given one removes the requirements while it works, then it is said that they were removed", async () => {
    const removing = `import { rmSync } from "node:fs"
if (process.env.PROOFLINE_TASK_ID === "task_1") rmSync("requirements.yaml")
await import("./agent.mjs")
`
    const { stderr } = await meddled(stage({ "meddle.mjs": removing }))
    expect(stderr).toContain("requirements.yaml was removed while the run was at work")
  })

  it("given a verifier destroys what another requirement rests on, then that is seen before anything counts as met", async () => {
    const dir = stage({
      ...meddling("verify:req_2", "task_1.txt", "something else\n"),
      "requirements.yaml": `name: x
requirements:
  - { id: req_1, description: a first note, acceptance_criteria: [the first note] }
  - { id: req_2, description: a second note, acceptance_criteria: [the second note], priority: optional }
`
    })
    const { code, data } = await meddled(dir)
    expect([code, data.requirements[0].verdict]).toEqual([1, "stale"])
  })
})

describe("what docs say of requirements", () => {
  const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

  it("docs/events.md tells of every event of a requirements run", () => {
    const events = readFileSync(at("docs/events.md"), "utf8")
    for (const { name: type } of declared) {
      expect(events).toContain(` \`${type}\``)
      expect(events).toMatch(new RegExp(`^\\| .*\`${type}\`.* \\| .* \\|$`, "m"))
    }
  })

  it("docs/plugins.md shows a generator that a requirements file can name", async () => {
    const [text = ""] =
      readFileSync(at("docs/plugins.md"), "utf8").match(
        /(?<=^## A generator or a verifier\n[\s\S]*?```ts\n)[\s\S]*?(?=```)/m
      ) ?? []
    const dir = stage({
      "generator.mjs": withSources(stripTypeScriptTypes(text)),
      "proofline.yaml": "plugins: [./generator.mjs]\n",
      "requirements.yaml": `name: x
requirements:
  - { id: r, description: two notes, acceptance_criteria: [r.1-try-1.txt is written, r.2-try-1.txt is written] }
generation: { generator: one-each }
verification: { verifier: none }
`
    })
    const { data, stderr } = await achieved(command, dir)
    expect(stderr).not.toContain("error:")
    expect(data.completed_task_ids).toEqual(["r.1-try-1", "r.2-try-1"])
    expect(rolesOf(dir).toSorted()).toEqual(["work:r.1-try-1", "work:r.2-try-1"])
  })
})
