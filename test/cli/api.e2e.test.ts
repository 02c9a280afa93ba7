import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import * as Path from "node:path"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { done, scriptedAgent } from "./agent.ts"
import { documentOf, eventsOf, finish, isGone, launcher, project, proofline, start, until } from "./proofline.ts"
import { letGo, stage } from "./requirementsStage.ts"
import { ask, type Serving, serving, streamed } from "./serveClient.ts"
import { git, repository } from "./sessionStage.ts"

const tasks = `
name: greeting
defaults: { retry_delay_ms: 0, max_retries: 0 }
tasks:
  - id: greet
    name: Greet
    instruction: Write greet.js.
    checklist: [Add greet()]
`

const greet = "export function greet(name) {\n  return 'Hello ' + name\n}\n"

/** It does what it is told at once. */
const good = scriptedAgent({
  greet: [{ files: { "greet.js": greet }, stdout: "written", report: done({ "Add greet()": "greet.js:1-3" }) }]
})
const byGood = { agent_command: "node agent.mjs" }

/** It notes its process and works until the file `go` is there. */
const waiting = {
  "wait.sh": `#!/bin/sh
echo $$ >> pids
printf 'begun %s\\n' "$PROOFLINE_TOKEN"
while [ ! -e go ]; do sleep 0.05; done
printf 'going on\\n'
while [ ! -e end ]; do sleep 0.05; done
printf "export function greet(name) {\\n  return 'Hello ' + name\\n}\\n" > greet.js
printf '{"summary":"written","checklist":[{"item":"Add greet()","status":"done","evidence":"greet.js:1-3"}]}' > "$PROOFLINE_REPORT_FILE"
`
}
const byWaiting = { agent_command: "./wait.sh" }

const pidsIn = (dir: string): ReadonlyArray<number> => {
  const file = Path.join(dir, "pids")
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : []
}

const touch = (dir: string, name: string): void => writeFileSync(Path.join(dir, name), "")

const begin = async (server: Serving, more: object = byGood, file = "tasks.yaml"): Promise<string> => {
  const begun = await ask(server, "/runs", { file, ...more })
  expect(begun.status, JSON.stringify(begun.body)).toBe(201)
  return begun.body.run_id
}

const statusOf = async (server: Serving, run: string): Promise<string> =>
  (await ask(server, `/runs/${run}`)).body.status

const hasEnded = (type: string): boolean =>
  ["RUN_COMPLETED", "RUN_FAILED", "RUN_INCOMPLETE", "RUN_CANCELLED"].includes(type)

/** What a request to begin a run is refused for. */
const refusedFor = async (server: Serving, body: object): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const { body: said, status } = await ask(server, "/runs", body)
  expect(status, JSON.stringify(said)).toBe(422)
  return said.problems
}

describe("the runs of a project over the API", () => {
  let dir: string
  let server: Serving
  beforeAll(async () => {
    dir = repository({ "tasks.yaml": tasks, "sub/other.yaml": tasks, "notes.yaml": "a: tasks\n", ...waiting, ...good })
    server = await serving(dir)
  })

  it("given that nothing ran, lists nothing, and refuses a file with faults, or of elsewhere, with its place", async () => {
    expect((await ask(server, "/runs")).body).toMatchObject({ runs: [], next_cursor: null })
    const about = (await ask(server, "/about")).body
    expect(about).toMatchObject({ root: dir, can_start: true, agents: expect.arrayContaining(["claude"]) })
    const files = ["sub/other.yaml", "tasks.yaml"]
    const inputs = files.map((path) => ({ path, kind: "tasks", bytes: tasks.length }))
    expect((await ask(server, "/inputs")).body.inputs).toEqual(inputs)

    const faulty = "tasks:\n  - id: a\n    name: A\n    instruction: A\n    depends_on: [b]\n    colour: red\n"
    writeFileSync(Path.join(dir, "faulty.yaml"), faulty)
    const faults = await refusedFor(server, { file: "faulty.yaml", ...byGood })
    expect(faults.length).toBeGreaterThan(1)
    for (const fault of faults) {
      expect(fault).toMatchObject({ file: "faulty.yaml", line: expect.any(Number), hint: expect.any(String) })
    }
    const elsewhere = project({ "tasks.yaml": tasks })
    symlinkSync(Path.join(elsewhere, "tasks.yaml"), Path.join(dir, "linked.yaml"))
    symlinkSync(elsewhere, Path.join(dir, "folder"))
    mkdirSync(Path.join(dir, "directory.yaml"))
    for (const [file, code] of [
      ["linked.yaml", "file_outside_project"],
      ["folder/tasks.yaml", "file_outside_project"],
      ["../x.yaml", "file_outside_project"],
      [Path.join(dir, "tasks.yaml"), "file_outside_project"],
      ["missing.yaml", "file_not_found"],
      ["directory.yaml", expect.any(String)]
    ]) {
      expect((await refusedFor(server, { file, ...byGood }))[0]?.["code"], file).toEqual(code)
    }
    for (const more of [{}, { agent: "nobody" }, { ...byGood, only: "--all" }, { ...byGood, agent: "nobody" }]) {
      for (const { hint, message } of await refusedFor(server, { file: "tasks.yaml", ...more })) {
        // nobody who asks over HTTP has a command line before them
        if (!("only" in more)) expect(`${message} ${hint}`).not.toContain("--")
      }
    }
    for (const [body, code] of [
      [{ ...byGood }, "start_nothing"],
      [{ file: "tasks.yaml", prompt: "Do it", ...byGood }, "start_both"],
      [{ file: "tasks.yaml", checklist: ["a"], ...byGood }, "option_misplaced"],
      [{ file: "tasks.yaml", analyzer: "heuristic", ...byGood }, "option_misplaced"],
      [{ prompt: "Do it", only: "a", ...byGood }, "option_misplaced"],
      [{ prompt: " \n", ...byGood }, "prompt_empty"],
      [{ prompt: "Do it", checklist: ["a", "a"], ...byGood }, "item_invalid"]
    ] as const) {
      expect((await refusedFor(server, body))[0], JSON.stringify(body)).toMatchObject({
        code,
        hint: expect.any(String)
      })
    }
    const unclear = await ask(server, "/runs", { file: "tasks.yaml", ...byGood, max_duration: "90" })
    expect(unclear).toMatchObject({ status: 400, body: { code: "request_invalid" } })
    expect(unclear.body.detail).toContain("max_duration: It cannot be 90, which has no unit. Write 90s or 90ms.")
    expect((await ask(server, "/runs")).body.runs).toEqual([])
  })

  it("given one that works, shows what it prints, without its token, and ends it when it is cancelled", async () => {
    const run = await begin(server, byWaiting)
    await until(() => pidsIn(dir).length === 1)
    const output = (from: number) => ask(server, `/runs/${run}/tasks/greet/attempts/1/output?from=${from}`)
    await until(async () => (await output(0)).body.total > 0)
    const first = (await output(0)).body
    expect(first).toMatchObject({ from: 0, text: "begun [PROOFLINE_TOKEN]\n", is_live: true })
    // what it has shown so far is known while it goes on
    const [row] = (await ask(server, "/runs")).body.runs
    expect(row).toMatchObject({
      run_id: run,
      shown_as: { word: "running", text: "running" },
      verdict: "unproven",
      counts: { proven: 0, unproven: 1 },
      items_total: 1,
      items_closed: 0
    })
    touch(dir, "go")
    await until(async () => (await output(first.next)).body.text === "going on\n")
    expect((await output(-3)).body.text).toBe("on\n")

    const beside = await ask(server, "/runs", { file: "tasks.yaml", ...byGood })
    expect(beside).toMatchObject({ status: 409, body: { problems: [{ code: "run_is_driven" }] } })
    expect((await ask(server, `/runs/${run}/resume`, {})).status).toBe(409)

    expect((await ask(server, `/runs/${run}/cancel`, { reason: "enough" })).status).toBe(200)
    await until(() => pidsIn(dir).every(isGone))
    expect(await statusOf(server, run)).toBe("cancelled")
    expect((await ask(server, `/runs/${run}/cancel`, {})).status).toBe(409)

    // the one that was ended lets go of the run a moment after its log says so
    await until(async () => (await ask(server, `/runs/${run}/resume`, byGood)).status === 202)
    await until(async () => (await statusOf(server, run)) === "completed")
    const again = await ask(server, `/runs/${run}/resume`, {})
    expect(again).toMatchObject({ status: 409, body: { problems: [{ code: "run_completed" }] } })
    expect((await ask(server, "/runs/run_none/resume", {})).status).toBe(404)
  })

  it("says what trying a task again will do, does it, and refuses what cannot be tried", async () => {
    // what was there before shows nothing
    rmSync(Path.join(dir, "greet.js"), { force: true })
    writeFileSync(
      Path.join(dir, "two.yaml"),
      `${tasks}  - { id: other, name: Other, instruction: Write other.js., checklist: [Add other()] }\n`
    )
    const run = await begin(server, { agent_command: "exit 1" }, "two.yaml")
    await until(async () => (await statusOf(server, run)) === "failed")
    const retry = (task: string) => ask(server, `/runs/${run}/tasks/${task}/retry`)
    expect(await retry("greet")).toMatchObject({
      status: 200,
      body: { tasks: ["greet"], goes_on: [], set_aside: [], text: expect.stringContaining("greet is tried again") }
    })
    expect(await retry("nobody")).toMatchObject({ status: 404, body: { code: "task_unknown" } })
    const resume = async (body: object) => {
      const { body: said, status } = await ask(server, `/runs/${run}/resume`, body)
      return status === 202 ? status : [status, said.code]
    }
    expect(await resume({ task: ["nobody"], ...byGood })).toEqual([422, "task_unknown"])
    expect(await resume({ note: "Mind it.", ...byGood })).toEqual([422, "note_without_task"])
    await until(async () => (await resume({ task: ["greet"], note: "Say hello.", ...byGood })) === 202)
    await until(async () => (await statusOf(server, run)) === "incomplete")
    const statuses = (await ask(server, `/runs/${run}/tasks`)).body.tasks.map((one: { status: string }) => one.status)
    expect(statuses).toEqual(["completed", "failed"])
    expect((await ask(server, `/runs/${run}/tasks/greet`)).body).toMatchObject({
      guidance: ["Say hello."],
      attempts: 2
    })
    const prompt = (await ask(server, `/runs/${run}/tasks/greet/attempts/2/prompt`)).body.text
    expect(prompt).toContain("Say hello.")
    expect(await retry("greet")).toMatchObject({ status: 409, body: { code: "task_completed" } })
    expect(await resume({ task: ["greet"], ...byGood })).toEqual([409, "task_completed"])
  })

  it("shows a run from its start to what is proven, and lines as they were accepted beside those of now", async () => {
    // what was there before shows nothing
    rmSync(Path.join(dir, "greet.js"), { force: true })
    // what looks like a flag is a file
    writeFileSync(Path.join(dir, "--json.yaml"), tasks)
    const run = await begin(server, byGood, "--json.yaml")
    const events = await streamed(server, `/runs/${run}/events/stream`, hasEnded)
    expect(events[0]?.type).toBe("RUN_STARTED")
    expect(events.at(-1)?.type).toBe("RUN_COMPLETED")
    expect(events.map(({ type }) => type)).toEqual((await eventsOf(run, dir)).map(({ event_type }) => event_type))

    const task = `/runs/${run}/tasks/greet`
    expect((await ask(server, task)).body).toMatchObject({ status: "completed", verdict: "proven", items_closed: 1 })
    const attempt = (await ask(server, `${task}/attempts/1`)).body
    expect(attempt).toMatchObject({ outcome: "COMPLETE", accepted: [0], refusals: [] })
    const output = (await ask(server, `${task}/attempts/1/output`)).body
    expect(output).toMatchObject({ text: "written", total: 7, is_live: false })
    expect((await ask(server, `/runs/${run}/receipts`)).body.receipts).toHaveLength(1)
    expect((await ask(server, `/runs/${run}/verify`, {})).body).toMatchObject({ whole: true, chain: { ok: true } })
    const report = documentOf(await proofline(["report", run, "--json"], dir)).data
    expect((await ask(server, `/runs/${run}/report`)).body).toEqual(report)

    const evidence = async () => (await ask(server, `${task}/checklist/0/evidence`)).body
    const accepted = { path: "greet.js", from: 1, lines: greet.trimEnd().split("\n") }
    const now = { path: "greet.js", start: 1, end: 3 }
    expect(await evidence()).toMatchObject({ status: "proven", now, accepted, current: accepted })
    const bye = greet.replace("Hello", "Bye")
    writeFileSync(Path.join(dir, "greet.js"), bye)
    const current = { lines: expect.arrayContaining(["  return 'Bye ' + name"]) }
    // nothing is committed: the tree that was kept behind the attempt has the lines
    expect(await evidence()).toMatchObject({ status: "stale", accepted, current })
    expect((await ask(server, `/runs/${run}/verify`, {})).body).toMatchObject({ whole: false })

    writeFileSync(Path.join(dir, "greet.js"), greet)
    git(dir, "add", "greet.js")
    git(dir, "commit", "-qm", "greet")
    writeFileSync(Path.join(dir, "greet.js"), `// a greeting\n\n${greet}`)
    expect(await evidence()).toMatchObject({ status: "re_anchored", now: { ...now, start: 3, end: 5 }, accepted })
    const long = Array.from({ length: 1_000 }, (_, i) => `// ${i + 1}`).join("\n")
    writeFileSync(Path.join(dir, "greet.js"), `${long}\n${bye}${long}\n`)
    const stale = await evidence()
    expect(stale).toMatchObject({ status: "stale", accepted })
    expect(stale.current.lines.length).toBeLessThanOrEqual(63)
    rmSync(Path.join(dir, "greet.js"))
    expect(await evidence()).toMatchObject({ status: "missing", now: null, accepted, current: null })
    expect(await server.stop()).toBe(130)
    expect(server.stderr()).toBe("")
  })
})

describe("a requirements run over the API", () => {
  it("given a file of requirements, is started, cancelled with its task run, and taken up by the name of that one", async () => {
    const dir = stage({}, "work:task_2")
    const secret = "a-token-of-the-operator-for-a-test"
    const server = await serving(dir, [], { PROOFLINE_TOKEN: secret })
    const byStage = { agent_command: "./agent.mjs" }
    const run = await begin(server, byStage, "requirements.yaml")
    await until(() => existsSync(Path.join(dir, "hanging")))
    const { child_run_ids, driver } = (await ask(server, `/runs/${run}`)).body
    if (existsSync("/proc/self/environ")) {
      expect(readFileSync(`/proc/${driver.pid}/environ`, "latin1")).not.toContain(secret)
    }
    const child = child_run_ids.at(-1)
    expect((await ask(server, `/runs/${child}/tasks/task_2/attempts/1/output`)).body).toMatchObject({ is_live: true })

    const hanging = Number(readFileSync(Path.join(dir, "hanging"), "utf8"))
    expect((await ask(server, `/runs/${run}/cancel`, {})).status).toBe(200)
    await until(() => isGone(hanging) && isGone(driver.pid))
    for (const one of [run, child]) expect(await statusOf(server, one)).toBe("cancelled")

    letGo(dir)
    // what its task runs leave open it takes up itself
    expect(await ask(server, `/runs/${child}/resume`, { task: ["task_2"], ...byStage })).toMatchObject({
      status: 409,
      body: { code: "task_of_iteration" }
    })
    const resumed = await ask(server, `/runs/${child}/resume`, byStage)
    expect(resumed, JSON.stringify(resumed.body)).toMatchObject({ status: 202, body: { run_id: run } })
    const events = await streamed(server, `/runs/${run}/events/stream`, (type) => type === "RUN_COMPLETED")
    expect(events.map(({ type }) => type)).toContain("RUN_RESUMED")
    expect((await ask(server, `/runs/${run}/report`)).body).toMatchObject({ kind: "requirements", proven: true })
  })
})

describe("a server and its runs", () => {
  it("given that it is killed, its runs go on, one to its end; another server, with a token of its own, shows them and can cancel one", async () => {
    const stay = "#!/bin/sh\necho $$ >> pids\nexec sleep 600\n"
    const dir = project({ "tasks.yaml": tasks, "other.yaml": tasks, "stay.sh": stay, ...waiting })
    const first = await serving(dir)
    const run = await begin(first, byWaiting)
    const other = await begin(first, { agent_command: "./stay.sh" }, "other.yaml")
    await until(() => pidsIn(dir).length === 2)
    await first.kill()
    touch(dir, "go")
    const second = await serving(dir)
    expect((await ask({ url: second.url, token: first.token }, "/runs")).status).toBe(401)
    for (const one of [run, other]) expect(await statusOf(second, one)).toBe("running")
    const output = `/runs/${run}/tasks/greet/attempts/1/output`
    await until(async () => String((await ask(second, output)).body.text).endsWith("going on\n"))
    expect(pidsIn(dir).some(isGone)).toBe(false)
    touch(dir, "end")
    await until(async () => (await statusOf(second, run)) === "completed")
    expect((await ask(second, `/runs/${run}/verify`, {})).body).toMatchObject({ whole: true, chain: { ok: true } })
    expect((await ask(second, `/runs/${other}/cancel`, {})).status).toBe(200)
    await until(() => pidsIn(dir).every(isGone))
    expect(await statusOf(second, other)).toBe("cancelled")
  })

  it("given Ctrl-C, ends its runs with their agents, says so, and they can be resumed", async () => {
    const dir = project({ "tasks.yaml": tasks, ...waiting, ...good })
    const server = await serving(dir)
    const run = await begin(server, byWaiting)
    await until(() => pidsIn(dir).length === 1)
    process.kill(server.pid, "SIGINT")
    await until(() => isGone(server.pid))
    expect(pidsIn(dir).every(isGone)).toBe(true)
    expect(server.stderr()).toContain("Interrupted")
    expect(server.stderr()).toContain(`resume ${run}`)
    const resumed = await proofline(["resume", run, "--agent-command", "node agent.mjs", "--json"], dir)
    expect(documentOf(resumed).data, resumed.stderr).toMatchObject({ run_id: run, status: "completed" })
  })
})

/** A browser that keeps what it was led to; the environment in which it is the one that is opened. */
const browser = (dir: string): Record<string, string> => {
  const bin = Path.join(dir, "bin")
  mkdirSync(bin)
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(Path.join(bin, name), `#!/bin/sh\necho "$@" > ${dir}/opened\ncat "$1" > ${dir}/page\n`, {
      mode: 0o755
    })
  }
  return { PATH: `${bin}${Path.delimiter}${process.env["PATH"]}` }
}

describe("the page of a project", () => {
  it("given --open, is opened with the token in its address, which stands in no command line", async () => {
    const dir = project({})
    const server = await serving(dir, ["--open"], browser(dir))
    await until(() => existsSync(Path.join(dir, "page")) && readFileSync(Path.join(dir, "page"), "utf8").endsWith("\n"))
    expect(readFileSync(Path.join(dir, "page"), "utf8")).toContain(`${server.url}/#token=${server.token}"`)
    const [file = ""] = readFileSync(Path.join(dir, "opened"), "utf8").split("\n")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(file).not.toContain(server.token)
    await server.stop()
    expect(existsSync(file)).toBe(false)
  })

  it("given a token that was chosen, asks for it; given no browser, says so and serves", async () => {
    const dir = project({})
    const token = "a-token-of-the-operator-for-a-test"
    const nothing = Path.join(dir, "nothing")
    const server = await serving(dir, ["--open"], { PROOFLINE_TOKEN: token, PATH: nothing })
    expect(JSON.parse(server.stdout()).data).toMatchObject({
      token,
      page: `${server.url}/`,
      api: `${server.url}/api/v1`
    })
    await until(() => server.stderr().includes("No browser could be opened"))
    expect((await ask(server, "/runs")).status).toBe(200)
    for (const path of ["/", "/openapi.json"]) expect((await fetch(server.url + path)).status).not.toBe(401)
  })
})

describe("the page of a run", () => {
  it("given --ui on a terminal, stays when the run has ended, and Ctrl-C does not change its exit code", async ({
    skip
  }) => {
    if (spawnSync("script", ["--version"]).status !== 0) return skip()
    const dir = project({ "tasks.yaml": tasks, ...good })
    const words = [
      process.execPath,
      launcher,
      "run",
      "tasks.yaml",
      "--agent-command",
      "node agent.mjs",
      "--ui",
      "--port=0"
    ]
    // a shell that stays between would be interrupted too, and end with a code of its own
    const command = `exec ${words.map((word) => `'${word}'`).join(" ")}`
    const { CI, ...env } = process.env
    const child = spawn("script", ["-qefc", command, "/dev/null"], { cwd: dir, env: { ...env, ...browser(dir) } })
    onTestFinished(() => {
      child.kill("SIGKILL")
    })
    let shown = ""
    child.stdout.on("data", (chunk) => (shown += chunk))
    const ended = finish(child)
    await until(() => shown.includes("until Ctrl-C"))
    const [, url = "", token = ""] = /(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]+)/.exec(shown) ?? []
    expect((await ask({ url, token }, "/runs")).body.runs).toMatchObject([{ status: "completed" }])
    // whoever comes next finds it free
    expect(documentOf(await proofline(["status", "--all", "--json"], dir)).data.runs[0].driver ?? null).toBeNull()
    child.stdin.write("\u0003")
    expect((await ended).code, shown).toBe(0)
  })

  it("given --ui, is served while it runs, and the run ends with its own exit code and document", async () => {
    const dir = project({ "tasks.yaml": tasks, ...waiting })
    const args = ["run", "tasks.yaml", "--agent-command", "./wait.sh", "--json"]
    const child = start([...args, "--ui", "--port", "0"], dir)
    let stderr = ""
    child.stderr?.on("data", (chunk) => (stderr += chunk))
    const ended = finish(child)
    await until(() => pidsIn(dir).length === 1 && stderr.includes("#token="))
    const [, url = "", token = ""] = /(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]+)&to=\/runs\/run_/.exec(stderr) ?? []
    const server = { url, token }
    const [run] = (await ask(server, "/runs")).body.runs
    expect(run).toMatchObject({ status: "running", active: ["greet"] })
    expect((await ask(server, "/about")).body).toMatchObject({ can_start: false })
    const started = await ask(server, "/runs", { file: "tasks.yaml" })
    expect(started.status).toBeGreaterThanOrEqual(403)
    expect((await fetch(`${url}/`)).headers.get("content-security-policy")).toContain("default-src 'none'")
    touch(dir, "go")
    touch(dir, "end")
    const finished = await ended
    expect(finished.code, finished.stderr).toBe(0)
    expect(documentOf(finished).data).toMatchObject({ run_id: run.run_id, status: "completed" })
    expect(finished.stdout).not.toContain(token)
  })

  it("given --ui and an agent that shows nothing, ends with 1; given --port alone, or one that is taken, begins nothing", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ greet: [{ stdout: "nothing" }] }) })
    const args = ["run", "tasks.yaml", "--agent-command", "node agent.mjs", "--json"]
    const unused = await proofline([...args, "--port", "0"], dir)
    expect([unused.code, documentOf(unused).data.problems[0].code]).toEqual([2, "port_unused"])
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const taken = await proofline([...args, "--ui", "--port", String(port)], dir)
    other.close()
    expect([taken.code, documentOf(taken).data.problems[0].code]).toEqual([2, "port_unavailable"])
    expect(documentOf(await proofline(["history", "--json"], dir)).data.runs).toEqual([])
    const failed = await proofline([...args, "--ui", "--port", "0"], dir)
    expect(failed.code, failed.stderr).toBe(1)
    const { run_id } = documentOf(failed).data
    const resumed = await proofline(["resume", run_id, "--ui", "--port", "0", "--json"], dir)
    expect([resumed.code, documentOf(resumed).data.run_id], resumed.stderr).toEqual([1, run_id])
    expect(resumed.stderr).toContain("#token=")
  })
})
