import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { write } from "../plugins/repositories.ts"
import { callsOf, scriptedAgent, withAgent } from "./agent.ts"
import { answerOf, asked, expectReplay } from "./asked.ts"
import { type Connected, connect } from "./mcpClient.ts"
import { journey } from "./mcpStage.ts"
import { eventsOf, finish, project, proofline, repository, start, until } from "./proofline.ts"
import { planOf, requirements, stage } from "./requirementsStage.ts"
import { ask, serving } from "./serveClient.ts"

const criterion = "add is right for any two numbers"
// so long that no hash of the log holds it by chance
const expected = "734190734190419"

const byHeart = "export const add = () => {\n  return 5\n}\n"
const right = "export const add = (a, b) => {\n  return a + b\n}\n"
const test = (sum: string, name: string) =>
  `import { test } from "node:test"\nimport assert from "node:assert"\nimport { add } from "./add.mjs"\ntest("${name}", () => assert.equal(${sum}))\n`

const manifest = (about = "", run = "cp $PROOFLINE_CHECKS/vaulted.test.mjs . && node --test vaulted.test.mjs") =>
  `checks:\n  - criterion: ${criterion}\n    run: ${run}\n${about}`

/** A directory of checks beside the project, and where what is kept for a resume lies. */
const hiddenChecks = (files: Readonly<Record<string, string>> = {}) => {
  const place = project({
    "vault-of-checks/checks.yaml": manifest(),
    "vault-of-checks/vaulted.test.mjs": test(`add(419, 734190734190000), ${expected}`, "the hidden name")
  })
  const directory = Path.join(place, "vault-of-checks")
  write(directory, files)
  const dump = Path.join(place, "dump")
  mkdirSync(dump)
  return { directory, dump, env: { XDG_STATE_HOME: Path.join(place, "state-home") } }
}

/** What tells of the checks beyond their criterion. */
const secrets = ["vault", expected, "the hidden name", "PROOFLINE_CHECKS"]

/** Takes down all that an agent can look at: its environment, what runs beside it, and the project with its log. */
const looksAround = (dump: string): string =>
  `env > '${dump}/env'; tr '\\0' ' ' < /proc/$PPID/environ > '${dump}/parent' 2>/dev/null; ps -eo args > '${dump}/ps'; cp -R . '${dump}/copy'`

const textsIn = (directory: string): ReadonlyArray<readonly [path: string, text: string]> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => {
      const file = Path.join(parentPath, name)
      return [file, readFileSync(file, "latin1")]
    })

const tasks =
  "tasks:\n  - id: add\n    name: Add\n    instruction: Write add() in add.mjs.\n    checks: [node --test add.test.mjs]\n"

const projectOf = (moves: Parameters<typeof scriptedAgent>[0]) =>
  repository({
    "add.mjs": "export const add = () => {\n  throw new Error('later')\n}\n",
    "add.test.mjs": test("add(2, 3), 5", "adds"),
    "tasks.yaml": tasks,
    ...scriptedAgent(moves)
  })

const run = ["run", "tasks.yaml", ...withAgent]
const report = { summary: "done" }

describe("given checks outside of the project and an agent that has the answer of the visible test by heart", () => {
  it("when it is run, then it is refused by the criterion, finds nothing more wherever it looks, and passes by real work", async () => {
    const { directory, dump, env } = hiddenChecks()
    const dir = projectOf({
      add: [
        { files: { "add.mjs": byHeart }, report },
        { run: looksAround(dump), files: { "add.mjs": right }, report }
      ]
    })
    // by itself: its arguments would be in the list of processes
    const answer = answerOf(await finish(start([...run, "--checks-from", directory, "--json"], dir, env)))
    expect(answer.code, answer.stdout + answer.stderr).toBe(0)
    expect(answer.data).toMatchObject({ status: "completed", verdict: "proven", counts: { proven: 2 } })
    const [, second] = callsOf(dir)
    expect(second?.prompt).toContain(`Not met, by checks of the user that are not shown: "${criterion}".`)
    const shown = await proofline(["show", "last"], dir)
    const whole = await asked(["show", "last"], dir)
    const events = await eventsOf(answer.data.run_id, dir)
    const seen = [
      ...textsIn(dump),
      ...textsIn(Path.join(dir, ".proofline")),
      ["prompts", JSON.stringify(callsOf(dir))],
      ["what is shown", shown.stdout + JSON.stringify(whole.data) + answer.stdout + answer.stderr]
    ] as const
    for (const secret of secrets)
      for (const [what, text] of seen) expect(text.includes(secret), `${secret} in ${what}`).toBe(false)
    expect(shown.stdout).toContain(criterion)
    const verified = events.filter(({ event_type }) => event_type === "VERIFICATION_RUN")
    const escrowed = { command: `escrowed check: ${criterion}`, output: null, output_tail: "" }
    expect(verified.map(({ content }) => content.checks.at(-1))).toMatchObject([
      { ...escrowed, exit_code: 1, escrow: { criterion, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      { ...escrowed, exit_code: 0 }
    ])
    await expectReplay(dir)
  })
})

describe("a run with escrowed checks that is taken up again", () => {
  const once = [...run, "--max-retries", "0"]
  const begun = async () => {
    const { directory, env } = hiddenChecks()
    const dir = projectOf({
      add: [
        { files: { "add.mjs": byHeart }, report },
        { files: { "add.mjs": right }, report }
      ]
    })
    const first = await asked([...once, "--checks-from", directory], dir, env)
    expect(first.data).toMatchObject({ status: "failed", verdict: "unproven" })
    return { dir, directory, env, run_id: first.data.run_id }
  }

  it("given they are as they were, then nobody has to say again where they are", async () => {
    const { dir, env } = await begun()
    const { code, data } = await asked(["resume"], dir, env)
    expect([code, data.verdict]).toEqual([0, "proven"])
  })

  it("given they were changed, then it is refused until they are named, and the log has what is in force", async () => {
    const { dir, directory, env, run_id } = await begun()
    write(directory, { "vaulted.test.mjs": test("add(1, 1), 2", "another") })
    expect(await asked(["resume"], dir, env)).toMatchObject({ code: 2, refused: ["checks_from_changed"] })
    const { code, stderr } = await asked(["resume", "--checks-from", directory], dir, env)
    expect([code, stderr]).toEqual([0, expect.stringContaining("NOTE: the escrowed checks are not those")])
    const digests = (await eventsOf(run_id, dir)).flatMap(({ content, event_type }) =>
      ["RUN_STARTED", "RUN_RESUMED"].includes(event_type) ? [content.config.proof.escrow.sha256] : []
    )
    expect(new Set(digests).size).toBe(2)
  })

  it("given nobody knows any more where they are, then it is said how to go on", async () => {
    const { dir, directory, env } = await begun()
    const elsewhere = { XDG_STATE_HOME: Path.join(env.XDG_STATE_HOME, "other") }
    expect(await asked(["resume"], dir, elsewhere)).toMatchObject({ code: 2, refused: ["checks_from_lost"] })
    expect((await asked(["resume", "--checks-from", directory], dir, elsewhere)).code).toBe(0)
  })

  it("given they are gone while it is at work, then the task is unproven and no attempt is spent on that", async () => {
    const { directory, env } = hiddenChecks()
    const dir = projectOf({
      add: [{ run: `mv '${directory}' '${directory}.away'`, files: { "add.mjs": right }, report }]
    })
    const first = await asked([...run, "--checks-from", directory], dir, env)
    expect(first.data).toMatchObject({ verdict: "unproven", tasks: [{ attempts: 1, verdict: "unproven" }] })
    expect(first.data.tasks[0].message ?? first.stderr).toContain("could not be run: The checks are not there any more")
    write(
      directory,
      Object.fromEntries(textsIn(`${directory}.away`).map(([file, text]) => [Path.basename(file), text]))
    )
    const { code, data } = await asked(["resume"], dir, env)
    expect([code, data.tasks[0].attempts]).toEqual([0, 1])
  })
})

describe("a directory of checks that cannot be used", () => {
  const faults: ReadonlyArray<readonly [code: string, prepare: (dir: string, checks: string) => string]> = [
    ["checks_from_missing", (dir) => Path.join(dir, "../nowhere-at-all")],
    ["checks_from_no_directory", (_, checks) => Path.join(checks, "checks.yaml")],
    [
      "checks_from_inside",
      (dir, checks) => {
        mkdirSync(Path.join(dir, "inside"))
        symlinkSync(Path.join(dir, "inside"), Path.join(checks, "../link"))
        return Path.join(checks, "../link")
      }
    ],
    ["checks_from_inside", () => "/"],
    [
      "checks_file_missing",
      (_, checks) => {
        rmSync(Path.join(checks, "checks.yaml"))
        return checks
      }
    ],
    [
      "task_unknown",
      (_, checks) => {
        write(checks, { "checks.yaml": manifest("    task: ad\n") })
        return checks
      }
    ],
    [
      "requirement_unknown",
      (_, checks) => {
        write(checks, { "checks.yaml": manifest("    requirement: req_1\n") })
        return checks
      }
    ]
  ]
  it.each(daily(faults, 3))("is refused with %s before anything runs, wherever it is named", async (code, prepare) => {
    const { directory, env } = hiddenChecks()
    const dir = projectOf({ add: [{ report }] })
    const named = prepare(dir, directory)
    expect(await asked([...run, "--checks-from", named], dir, env)).toMatchObject({ code: 2, refused: [code] })
    const byVariable = { ...env, PROOFLINE_CHECKS_FROM: named }
    expect(await asked(run, dir, byVariable)).toMatchObject({ code: 2, refused: [code] })
    writeFileSync(Path.join(dir, "proofline.yaml"), `proof: { checks_from: ${JSON.stringify(named)} }\n`)
    const { code: exit, stderr, stdout } = await proofline(["run", "tasks.yaml", "--dry-run", ...withAgent], dir, env)
    expect([exit, stdout]).toEqual([2, ""])
    expect(stderr).toContain(`[${code}]`)
    expect(stderr).not.toContain(named)
    const served = await proofline(["mcp"], dir, env)
    expect([served.code, served.stderr]).toEqual([2, expect.stringMatching(/\[(?:checks|task|requirement)_/)])
    expect(callsOf(dir)).toEqual([])
  })
})

describe("given requirements and a check that decides about one of their criteria", () => {
  it("when the work does not meet it, then the criterion is refuted and worked on again until it holds", async () => {
    const { directory, env } = hiddenChecks({
      "checks.yaml": `checks:\n  - criterion: the first note says hello\n    run: grep -q ${expected} more.txt\n    requirement: req_1.1\n`
    })
    const again = planOf({ task_2: { covers: ["req_1.1", "req_2.1", "req_3.1"] } })
    const dir = stage({
      "requirements.yaml": requirements,
      "plan-1.yaml": planOf({ task_1: { covers: ["req_1.1"] } }),
      "plan-2.yaml": again
    })
    const script = JSON.parse(readFileSync(Path.join(dir, "script.json"), "utf8"))
    const [whole] = script["*"]
    script["task_2"] = [{ ...whole, files: { ...whole.files, "more.txt": `${expected}\n` } }]
    writeFileSync(Path.join(dir, "script.json"), JSON.stringify(script))
    const { data } = await asked(
      ["run-requirements", "requirements.yaml", ...withAgent, "--checks-from", directory],
      dir,
      env
    )
    expect(data.requirements[0]).toMatchObject({ id: "req_1", criteria: [{ id: "req_1.1", verdict: "proven" }] })
    expect(data.iterations).toBe(2)
    const events = await eventsOf(data.run_id, dir)
    const looked = events.flatMap(({ content, event_type }) =>
      event_type === "REQUIREMENT_VERIFIED" && content.requirement_id === "req_1" ? content.criteria : []
    )
    expect(looked.map(({ verdict }) => verdict)).toEqual(["refuted", "refuted", "proven", "proven"])
    expect(looked[0].message).toContain('"the first note says hello"')
    for (const { prompt } of callsOf(dir)) expect(prompt).not.toContain(expected)
  })
})

describe("given a session over MCP and a check that agents do not see", () => {
  it("when the whole does not meet it, then the work is sent back with the criterion alone, until it holds", async () => {
    const { directory, env } = hiddenChecks({
      "checks.yaml": manifest("", "sh $PROOFLINE_CHECKS/vaulted.sh"),
      "vaulted.sh": `grep -q "def expire" src/auth.py || { echo ${expected}; exit 1; }\n`
    })
    const dir = project({ "src/auth.py": "SALT = 'x'\n" })
    const begun = await connect(dir, { env, args: ["--checks-from", directory] })
    const answers: Array<unknown> = []
    const heard = (agent: Connected): Connected => ({
      ...agent,
      call: async (tool, args) => {
        const said = await agent.call(tool, args)
        answers.push(said.body)
        return said
      }
    })
    const walk = async (agent: Connected, from: string, to: string) => {
      const [first, last] = [from, to].map((name) => journey.findIndex((step) => step.name === name))
      for (const { take } of journey.slice(first, (last ?? 0) + 1)) await take(agent, dir)
    }
    await walk(heard(begun), "asks what to do", "says that all is done")
    await begun.kill()
    // another server of the project knows where they are
    const agent = heard(await connect(dir, { env }))
    const refused = await agent.call("submit_phase", { data: {} })
    expect(refused.body, JSON.stringify(refused.body)).toMatchObject({ phase: "READY_IMPL" })
    expect(JSON.stringify(refused.body)).toContain(criterion)
    await walk(agent, "repairs what the verifier found", "passes the verifier")
    const ended = await agent.call("report_completed", { result: "success", summary: "Done" })
    expect(ended.body, JSON.stringify(ended.body)).toMatchObject({ success: true })
    await agent.close()
    const { data } = await asked(["show", "last"], dir, env)
    expect(data).toMatchObject({ status: "completed", verdict: "proven" })
    const kept = textsIn(Path.join(dir, ".proofline")).map(([, text]) => text)
    for (const text of [JSON.stringify(answers), JSON.stringify(data), ...kept])
      for (const secret of secrets) expect(text.includes(secret), secret).toBe(false)
    await expectReplay(dir)
  })
})

describe("given a server that starts runs", () => {
  it("when a request names checks that cannot be used, then it is refused with their code; else they decide", async () => {
    const { directory, env } = hiddenChecks()
    const dir = projectOf({
      add: [
        { files: { "add.mjs": byHeart }, report },
        { files: { "add.mjs": right }, report }
      ]
    })
    writeFileSync(Path.join(dir, "proofline.yaml"), "agent_command: node agent.mjs\nretry_delay_ms: 0\n")
    const server = await serving(dir, [], env)
    const begin = (checks_from: string) => ask(server, "/runs", { file: "tasks.yaml", checks_from })
    const refused = await begin(dir)
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining("checks_from_inside")])
    const { body, status } = await begin(directory)
    expect([status, body], JSON.stringify(body)).toEqual([201, { run_id: expect.any(String) }])
    await until(async () => (await asked(["show", body.run_id], dir)).data.status === "completed")
    const [, second] = callsOf(dir)
    expect(second?.prompt).toContain(criterion)
  })
})
