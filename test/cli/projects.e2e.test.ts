import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { describePostgres, newDatabase } from "../postgres.ts"
import { done, scriptedAgent } from "./agent.ts"
import { asked } from "./asked.ts"
import { afterwards, documentOf, isGone, project, proofline, until } from "./proofline.ts"
import { ask, connectHttp, type Serving, serving, streamed } from "./serveClient.ts"

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

const config = "agent: scripted\nreviewer: none\nagents:\n  scripted:\n    command: ./agent.mjs\n"

/** Shows what is asked for. */
const working = {
  "tasks.yaml": tasks,
  "proofline.yaml": config,
  ...scriptedAgent({ greet: [{ files: { "greet.js": greet }, report: done({ "Add greet()": "greet.js:1-3" }) }] })
}

/** Says that it cannot be done, so that a person is asked. */
const asking = {
  "tasks.yaml": tasks,
  "proofline.yaml": config,
  ...scriptedAgent({
    greet: [
      {
        report: {
          summary: "",
          checklist: [{ item: "Add greet()", status: "cannot", reason: "Nobody says whom to greet." }]
        }
      }
    ]
  })
}

/** Is at work until it is ended. */
const hanging = {
  "tasks.yaml": tasks,
  "proofline.yaml": config,
  ...scriptedAgent({ greet: [{ run: "echo $$ > ../pid", hang: true }] })
}

/** Directories of projects, beside each other. */
const projects = (all: Readonly<Record<string, Readonly<Record<string, string>>>>): string =>
  project(
    Object.fromEntries(
      Object.entries(all).flatMap(([name, files]) =>
        Object.entries(files).map(([file, text]) => [`${name}/${file}`, text] as const)
      )
    )
  )

const servingAll = (dir: string, names: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  serving(
    dir,
    names.flatMap((name) => ["--project", name]),
    env
  )

/** What the server has printed of its projects. */
// biome-ignore lint/suspicious/noExplicitAny: as in the client
const told = (server: Serving): any => JSON.parse(server.stdout().split("\n")[0] ?? "").data

/** One of the projects, to be asked as a server of its own. */
const at = (server: Serving, dir: string): Serving & { readonly id: string } => {
  const root = realpathSync(dir)
  const found = told(server).projects.find((one: { root: string }) => realpathSync(one.root) === root)
  expect(found, `${dir} in ${server.stdout()}`).toBeDefined()
  return { ...server, url: `${server.url}/projects/${found.id}`, id: found.id }
}

/** The list, by name. */
// biome-ignore lint/suspicious/noExplicitAny: as in the client
const listed = async (server: Serving): Promise<Record<string, any>> => {
  const { body, status } = await ask(server, "/projects")
  expect(status).toBe(200)
  return Object.fromEntries(body.projects.map((one: { name: string }) => [one.name, one]))
}

describe("a server of several projects", () => {
  it("given two, each answers at its own address, from its own log, to its own sessions", async () => {
    const dir = projects({ one: working, two: working })
    const server = await servingAll(dir, ["one", "two"])
    const [one, two] = [at(server, Path.join(dir, "one")), at(server, Path.join(dir, "two"))]
    const begun = await ask(one, "/runs", { file: "tasks.yaml" })
    expect(begun.status, JSON.stringify(begun.body)).toBe(201)
    const events = await streamed(one, `/runs/${begun.body.run_id}/events/stream`, (type) => type === "RUN_COMPLETED")
    expect(events[0]?.type).toBe("RUN_STARTED")
    expect((await ask(one, "/runs")).body.runs).toMatchObject([{ run_id: begun.body.run_id, verdict: "proven" }])
    expect((await ask(two, "/runs")).body.runs).toEqual([])
    expect(existsSync(Path.join(dir, "one", "greet.js"))).toBe(true)
    expect(existsSync(Path.join(dir, "two", "greet.js"))).toBe(false)
    expect((await ask(two, `/runs/${begun.body.run_id}`)).body).toMatchObject({ code: "run_unknown" })
    // over MCP too: a session belongs to the project in which it was opened
    const lead = await connectHttp(two, server.token, { name: "Lead" })
    await lead.call("get_next_action")
    expect((await ask(one, "/operations/list_runs", {})).body.runs).toHaveLength(1)
    expect((await ask(two, "/operations/list_runs", {})).body.runs).toMatchObject([{ kind: "session" }])
    const { token } = documentOf(
      await proofline(["session", "open", "--agent", "ci", "--json"], Path.join(dir, "two"))
    ).data
    const next = (url: string) => ask({ url, token }, "/operations/get_next_action", {})
    expect((await next(two.url)).status).toBe(200)
    expect((await next(one.url)).body).toMatchObject({ status: 401 })
    expect((await next(server.url)).body).toMatchObject({ status: 401, code: "token_unknown" })
    await lead.client.close()
    expect(await server.stop()).toBe(130)
    expect(server.stderr()).toBe("")
  })

  it("given an address that names none of them, or one that is not there, says what to name", async () => {
    const dir = projects({ one: working, two: working })
    const server = await servingAll(dir, ["one", "two"])
    expect(told(server)).not.toHaveProperty("api")
    expect((await ask(server, "/runs")).body).toMatchObject({ status: 400, code: "project_unnamed" })
    expect((await ask(server, "/runs", { file: "tasks.yaml" })).body).toMatchObject({ code: "project_unnamed" })
    const agent = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: "{}"
    })
    expect(await agent.json()).toMatchObject({ success: false, error: "project_unnamed" })
    const nowhere = { ...server, url: `${server.url}/projects/three-00000000` }
    expect((await ask(nowhere, "/about")).body).toMatchObject({ status: 404, code: "project_unknown" })
    for (const url of [server.url, at(server, Path.join(dir, "one")).url, nowhere.url]) {
      const { body } = await ask({ url, token: "x" }, "/projects")
      expect(body, url).toMatchObject({ status: 401 })
      expect(JSON.stringify(body)).not.toContain(dir)
    }
    // for people: the page at the project
    const led = await fetch(at(server, Path.join(dir, "one")).url, { redirect: "manual" })
    expect([led.status, led.headers.get("location")]).toEqual([
      303,
      `/#/projects/${at(server, Path.join(dir, "one")).id}/`
    ])
    // each describes itself
    for (const name of ["one", "two"]) {
      const { id, url } = at(server, Path.join(dir, name))
      const document = await (await fetch(`${url}/openapi.json`)).json()
      expect(document.servers).toEqual([{ url: `/projects/${id}` }])
    }
    const whole = await (await fetch(`${server.url}/openapi.json`)).json()
    expect(Object.keys(whole.paths)).toEqual(["/api/v1/projects"])
  })

  it("given what waits and runs, counts it for each and for all, and Ctrl-C ends the runs of all", async () => {
    const dir = projects({ calm: working, asks: asking, "runs/a": hanging, "runs/b": hanging })
    expect((await asked(["run", "tasks.yaml"], Path.join(dir, "asks"))).code).toBe(3)
    const server = await servingAll(dir, ["calm", "asks", "runs/a", "runs/b"])
    for (const name of ["a", "b"]) {
      const begun = await ask(at(server, Path.join(dir, "runs", name)), "/runs", { file: "tasks.yaml" })
      expect(begun.status, JSON.stringify(begun.body)).toBe(201)
    }
    const pid = Path.join(dir, "runs", "pid")
    await until(() => existsSync(pid))
    await until(async () => (await listed(server))["b"].running === 1)
    const list = await listed(server)
    const counts = Object.entries(list).map(([name, { running, waiting }]) => [name, waiting, running])
    expect(counts).toEqual([
      ["calm", 0, 0],
      ["asks", 1, 0],
      ["a", 0, 1],
      ["b", 0, 1]
    ])
    const { body } = await ask(at(server, Path.join(dir, "calm")), "/projects")
    expect(body).toMatchObject({ waiting: 1, running: 2 })
    expect((await ask(at(server, Path.join(dir, "asks")), "/approvals")).body.approvals).toHaveLength(1)
    const agent = Number(readFileSync(pid, "utf8"))
    expect(await server.stop()).toBe(130)
    await until(() => isGone(agent))
    expect(server.stderr().match(/Interrupted: run_/g)).toHaveLength(2)
    for (const name of ["a", "b"]) {
      const { data } = await asked(["history"], Path.join(dir, "runs", name))
      expect(data.runs).toMatchObject([{ status: "cancelled" }])
    }
  })

  it("given some that cannot be served, serves the others, says why, and serves them once they are mended", async () => {
    const dir = projects({ good: working, broken: { ...working, "proofline.yaml": "agents: [1" } })
    const state = Path.join(dir, "damaged", ".proofline", "state")
    mkdirSync(state, { recursive: true })
    writeFileSync(Path.join(state, "proofline.db"), "no log at all, and longer than nothing")
    writeFileSync(Path.join(dir, "file"), "")
    const names = ["broken", "good", "damaged", "gone", "file"]
    const server = await servingAll(dir, names)
    const problems = Object.fromEntries(
      told(server).projects.map((one: { name: string; problems?: ReadonlyArray<{ code: string }> }) => [
        one.name,
        one.problems?.map(({ code }) => code)
      ])
    )
    expect(problems).toEqual({
      broken: ["yaml_syntax"],
      good: undefined,
      damaged: ["log_corrupt"],
      gone: ["directory_missing"],
      file: ["directory_missing"]
    })
    const list = await listed(server)
    expect(Object.values(list).map(({ status }) => status)).toEqual(
      names.map((name) => (name === "good" ? "open" : "unusable"))
    )
    expect(list["broken"].problems).toMatchObject(
      [{ file: "proofline.yaml", line: 1, hint: /\S/ }].map((one) => ({
        ...one,
        hint: expect.stringMatching(one.hint)
      }))
    )
    const broken = at(server, Path.join(dir, "broken"))
    expect((await ask(broken, "/about")).body).toMatchObject({
      status: 503,
      code: "yaml_syntax",
      hint: expect.stringMatching(/\S/)
    })
    expect((await ask(at(server, Path.join(dir, "good")), "/about")).status).toBe(200)
    writeFileSync(Path.join(dir, "broken", "proofline.yaml"), config)
    await until(async () => (await listed(server))["broken"].status === "open")
    expect((await ask(broken, "/about")).status).toBe(200)
    expect(server.stderr()).toContain(`The project ${Path.join(dir, "broken")} is served now.`)
    // nothing was made of what is none
    expect(existsSync(Path.join(dir, "gone"))).toBe(false)
    expect((await listed(server))["damaged"].status).toBe("unusable")
  })

  it("given a log that is lost meanwhile, goes on with the others, makes no new one in its place, and takes it back", async () => {
    const dir = projects({ one: working, two: working, broken: { ...working, "proofline.yaml": "agents: [1" } })
    expect((await proofline(["run", "tasks.yaml"], Path.join(dir, "one"))).code).toBe(0)
    const server = await servingAll(dir, ["one", "two", "broken"])
    const one = at(server, Path.join(dir, "one"))
    const [state, copy] = [Path.join(dir, "one", ".proofline", "state"), Path.join(dir, "copy")]
    renameSync(state, copy)
    await until(async () => (await listed(server))["one"].status === "unusable")
    expect((await listed(server))["one"].problems).toMatchObject([{ code: "log_lost" }])
    expect(server.stderr()).toContain("log_lost")
    expect((await ask(at(server, Path.join(dir, "two")), "/about")).status).toBe(200)
    // another one that fails later is looked at again later: when that is served, this one was looked at
    writeFileSync(Path.join(dir, "one", "proofline.yaml"), `${config}\n`)
    writeFileSync(Path.join(dir, "broken", "proofline.yaml"), "agents:\n  - [1")
    await until(async () => (await listed(server))["broken"].problems[0]?.line === 2)
    writeFileSync(Path.join(dir, "broken", "proofline.yaml"), config)
    await until(async () => (await listed(server))["broken"].status === "open")
    expect((await listed(server))["one"].status).toBe("unusable")
    expect(existsSync(state)).toBe(false)
    renameSync(copy, state)
    await until(async () => (await listed(server))["one"].status === "open")
    expect((await ask(one, "/runs")).body.runs).toMatchObject([{ verdict: "proven" }])
  })

  it("given none that can be served, ends with what is wrong with each", async () => {
    const dir = projects({ one: { "proofline.yaml": "agents: [1" }, two: { "proofline.yaml": "[" } })
    const { code, data } = await asked(["serve", "--project", "one", "--project", "two", "--port", "0"], dir)
    expect(code).toBe(2)
    expect(data.problems.map(({ file }: { file: string }) => file)).toEqual([
      "one/proofline.yaml",
      "two/proofline.yaml"
    ])
  })

  it("given the token of an agent's session as the operator's, in whichever project, serves none", async () => {
    const dir = projects({ one: working, two: working })
    const open = ["session", "open", "--agent", "ci", "--json"]
    const { token } = documentOf(await proofline(open, Path.join(dir, "two"))).data
    const args = ["serve", "--project", "one", "--project", "two", "--port", "0"]
    expect((await asked(args, dir, { PROOFLINE_TOKEN: token })).refused).toEqual(["token_of_session"])
  })

  it("given two that share a log, counts what waits in it once", async () => {
    const dir = projects({ one: asking, two: working })
    expect((await asked(["run", "tasks.yaml"], Path.join(dir, "one"))).code).toBe(3)
    mkdirSync(Path.join(dir, "two", ".proofline"))
    symlinkSync(Path.join(dir, "one", ".proofline", "state"), Path.join(dir, "two", ".proofline", "state"))
    const server = await servingAll(dir, ["one", "two"])
    const { body } = await ask(server, "/projects")
    expect(body).toMatchObject({
      waiting: 1,
      projects: [
        { waiting: 1, same_log_as: null },
        { waiting: 1, same_log_as: at(server, Path.join(dir, "one")).id }
      ]
    })
    // each hears of what is begun in the other
    const hears = streamed(at(server, Path.join(dir, "one")), "/events/stream", (type) => type === "RUN_COMPLETED")
    expect((await ask(at(server, Path.join(dir, "two")), "/runs", { file: "tasks.yaml" })).status).toBe(201)
    await hears
  })

  it("given one alone, or one twice, is the server of that project", async () => {
    const dir = projects({ one: working })
    symlinkSync(Path.join(dir, "one"), Path.join(dir, "link"))
    const server = await servingAll(dir, ["one", "link", "one/"])
    const { api, projects: all } = told(server)
    expect(api).toBe(`${server.url}/api/v1`)
    expect(all).toHaveLength(1)
    expect((await ask(server, "/about")).body.root).toBe(Path.join(dir, "one"))
    // its own address is good here too
    expect((await ask(at(server, Path.join(dir, "one")), "/about")).body.root).toBe(Path.join(dir, "one"))
    expect(Object.keys(await listed(server))).toEqual(["one"])
    expect((await ask({ ...server, url: `${server.url}/projects/two-00000000` }, "/about")).body).toMatchObject({
      status: 404,
      code: "project_unknown"
    })
  })

  it("given --cwd or --state beside them, is refused", async () => {
    const dir = projects({ one: working })
    for (const flag of ["--cwd", "--state"]) {
      const answer = await asked(["serve", "--project", "one", flag, "one"], dir)
      expect([answer.code, answer.refused]).toEqual([2, ["project_conflict"]])
    }
  })
})

describe("projects that were used lately", () => {
  const known = (home: string): ReadonlyArray<string> => {
    const place = Path.join(home, "proofline", "projects")
    return existsSync(place)
      ? readdirSync(place).map((name) => JSON.parse(readFileSync(Path.join(place, name), "utf8")).root)
      : []
  }
  const noting = (home: string) => ({ XDG_STATE_HOME: home, PROOFLINE_NO_RECENT: "" })

  it("given runs in some, are served without those that are gone, the last one first", async () => {
    const dir = projects({ one: working, two: working, gone: working, off: working, away: working, looked: working })
    const home = Path.join(dir, "home")
    const run = (name: string, env: object = {}, ...more: ReadonlyArray<string>) =>
      proofline(["run", "tasks.yaml", ...more], Path.join(dir, name), { ...noting(home), ...env })
    for (const name of ["one", "gone", "two"]) expect((await run(name)).code).toBe(0)
    expect((await run("off", { PROOFLINE_NO_RECENT: "1" })).code).toBe(0)
    expect((await run("away", {}, "--state", Path.join(dir, "elsewhere"))).code).toBe(0)
    // who only looks uses nothing
    for (const args of [["history"], ["run", "tasks.yaml", "--dry-run"]]) {
      expect((await proofline(args, Path.join(dir, "looked"), noting(home))).code).toBe(0)
    }
    expect(new Set(known(home))).toEqual(new Set(["one", "two", "gone"].map((name) => Path.join(dir, name))))
    rmSync(Path.join(dir, "gone"), { recursive: true })
    const server = await serving(dir, ["--recent", "--project", "off"], noting(home))
    expect(told(server).projects.map(({ name }: { name: string }) => name)).toEqual(["off", "two", "one"])
  })

  it("given a home where nothing can be written, runs as ever; given nothing that is known, says so", async () => {
    const dir = projects({ one: working })
    const home = Path.join(dir, "home")
    writeFileSync(home, "no directory")
    const { code, stderr } = await proofline(["run", "tasks.yaml"], Path.join(dir, "one"), noting(home))
    expect(code).toBe(0)
    expect(stderr).not.toContain("home")
    expect((await asked(["serve", "--recent"], dir, noting(home))).refused).toEqual(["recent_none"])
  })

  it("given more than are kept, forgets those that were used longest ago, first what is gone", async () => {
    const dir = projects({ one: working })
    const place = Path.join(dir, "home", "proofline", "projects")
    mkdirSync(place, { recursive: true })
    const note = (i: number, root: string) =>
      writeFileSync(
        Path.join(place, `${String(i).padStart(32, "0")}.json`),
        JSON.stringify({ root, used_at: `2026-01-${String(i + 1).padStart(2, "0")}T00:00:00.000Z` })
      )
    for (let i = 0; i < 20; i++) note(i, i % 2 === 0 ? dir : Path.join(dir, `gone-${i}`))
    writeFileSync(Path.join(place, "broken.json"), "{")
    expect((await proofline(["run", "tasks.yaml"], Path.join(dir, "one"), noting(Path.join(dir, "home")))).code).toBe(0)
    const left = readdirSync(place).filter((name) => name !== "broken.json")
    expect(left).toHaveLength(20)
    expect(left.filter((name) => name.startsWith("00000"))).toHaveLength(19)
    expect(left).not.toContain(`${"1".padStart(32, "0")}.json`)
    expect(left).toContain(`${"0".padStart(32, "0")}.json`)
  })
})

describePostgres("projects whose log is in one database", () => {
  it("given two, are served over one log, each hears of the other, and what waits counts once", async () => {
    const dir = projects({ one: working, two: working })
    const { remove, url } = await newDatabase()
    afterwards(remove)
    const server = await servingAll(dir, ["one", "two"], { PROOFLINE_DATABASE_URL: url })
    const [one, two] = [at(server, Path.join(dir, "one")), at(server, Path.join(dir, "two"))]
    const hears = streamed(two, "/events/stream", (type) => type === "SESSION_OPENED")
    const lead = await connectHttp(one, server.token, { name: "Lead" })
    await lead.call("get_next_action")
    await hears
    expect((await ask(two, "/runs")).body.runs).toMatchObject([{ kind: "session" }])
    const { body } = await ask(server, "/projects")
    expect(body).toMatchObject({ running: 1, projects: [{ running: 1 }, { running: 1, same_log_as: one.id }] })
    await lead.client.close()
    expect(await server.stop()).toBe(130)
  })
})
