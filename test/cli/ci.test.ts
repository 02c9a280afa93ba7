import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { ciRange } from "../../packages/cli/src/attached/ciRange.ts"
import { commit, git, shell, write } from "../plugins/repositories.ts"
import { scriptedAgent } from "./agent.ts"
import { achieved, answerOf, each } from "./asked.ts"
import { launcher, project, proofline } from "./proofline.ts"
import { areaItem, calc, committedRun, explainItem, keyPair, run, volumeItem } from "./provenStage.ts"

/** Nobody's CI. */
const outside = {
  ...{ GITHUB_ACTIONS: "", GITHUB_EVENT_PATH: "", GITHUB_BASE_REF: "", GITHUB_SHA: "", GITHUB_STEP_SUMMARY: "" },
  ...{ CI_MERGE_REQUEST_DIFF_BASE_SHA: "", CI_COMMIT_SHA: "", PROOFLINE_PUBLIC_KEY: "", XDG_CONFIG_HOME: "/nowhere" }
}

const ci = (dir: string, env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  proofline(["ci", ...args], dir, { ...outside, ...env })

const judged = async (dir: string, env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  answerOf(await ci(dir, env, "--json", ...args))

/** What GitHub says of a pull request. */
const pullRequest = (base: string, head: string) => {
  const dir = project({
    "event.json": JSON.stringify({
      action: "opened",
      pull_request: { base: { sha: base, ref: "main" }, head: { sha: head } }
    })
  })
  return {
    GITHUB_EVENT_PATH: Path.join(dir, "event.json"),
    GITHUB_ACTIONS: "true",
    GITHUB_STEP_SUMMARY: Path.join(dir, "summary.md")
  }
}

const errors = (data: { readonly findings: ReadonlyArray<{ readonly level: string; readonly rule: string }> }) =>
  data.findings.filter(({ level }) => level === "error").map(({ rule }) => rule)

const fetchReceipts = (dir: string) =>
  git(dir, "fetch", "-q", "--no-tags", "origin", "refs/notes/proofline*:refs/notes/proofline*")

/** A pull request: `main` before the work, the work with its receipts, and a clone of both. */
const proposed = async (...keys: ReadonlyArray<string>) => {
  const stage = await committedRun()
  const { clone, dir, head, key } = stage
  const base = git(dir, "rev-parse", "HEAD~1").trim()
  await achieved(["receipts", "attach", "--push", "origin", ...(keys.includes("unsigned") ? [] : ["--key", key])], dir)
  const made = clone()
  fetchReceipts(made)
  return { ...stage, origin: dir, dir: made, base, head }
}

const broken = calc.replace("radius * radius", "radius + radius")

/** The main constraints of the schema of SARIF 2.1.0 for what is written here: what is required, and nothing unknown. */
const sarifSchema = (() => {
  const text = {
    type: "object",
    required: ["text"],
    properties: { text: { type: "string" } },
    additionalProperties: false
  }
  const object = (required: ReadonlyArray<string>, properties: object) => ({
    type: "object",
    required,
    properties,
    additionalProperties: false
  })
  const line = { type: "integer", minimum: 1 }
  const rule = object(["id"], {
    id: { type: "string" },
    name: { type: "string" },
    shortDescription: text,
    fullDescription: text,
    help: text,
    helpUri: { type: "string" }
  })
  const place = object([], {
    artifactLocation: object([], { uri: { type: "string", pattern: "^[^ :\\\\]*$" }, uriBaseId: { type: "string" } }),
    region: object([], { startLine: line, endLine: line })
  })
  const result = object(["message"], {
    ruleId: { type: "string" },
    ruleIndex: { type: "integer", minimum: 0 },
    level: { enum: ["none", "note", "warning", "error"] },
    message: text,
    locations: { type: "array", minItems: 1, items: object([], { physicalLocation: place }) },
    partialFingerprints: { type: "object", additionalProperties: { type: "string" } }
  })
  const driver = object(["name"], {
    name: { type: "string" },
    version: { type: "string" },
    semanticVersion: { type: "string" },
    rules: { type: "array", uniqueItems: true, items: rule }
  })
  const one = object(["tool"], {
    tool: object(["driver"], { driver }),
    columnKind: { enum: ["utf16CodeUnits", "unicodeCodePoints"] },
    results: { type: "array", items: result }
  })
  return object(["version", "runs"], {
    $schema: { type: "string" },
    version: { const: "2.1.0" },
    runs: { type: "array", items: one }
  })
})()
const isSarif = new Ajv2020({ strict: false }).compile(sarifSchema)

describe("given a pull request", () => {
  it("when its receipts hold, then it is proven; when lines change, then they are annotated, summed up and written for code scanning", async () => {
    const { base, dir, head, run } = await proposed()
    const good = pullRequest(base, head)
    const proven = await ci(dir, good)
    expect(proven.code, proven.stdout + proven.stderr).toBe(0)
    expect(proven.stdout).not.toContain("::error")
    expect(readFileSync(good.GITHUB_STEP_SUMMARY, "utf8")).toContain("## Proofline: ✔ proven")

    write(dir, { "calc.py": broken, "docs/a,b: 100%.md": "new\n" })
    const event = pullRequest(base, commit(dir))
    const args = ["--format", "sarif", "--out", "found.sarif"]
    const lost = await ci(dir, event, ...args)
    expect(lost.code).toBe(1)
    const [, word] = /^::stop-commands::(\w+)\n/.exec(lost.stdout) ?? []
    const [told = "", commands = ""] = lost.stdout.split(`::${word}::\n`)
    expect(told).toContain(areaItem)
    expect(commands.split("\n")[0]).toMatch(
      /^::error file=calc\.py,line=4,endLine=4,title=Proofline%3A Stale receipt::calc: Add area\(\): /
    )
    const summary = readFileSync(event.GITHUB_STEP_SUMMARY, "utf8")
    expect(summary).toMatch(/\| error \| calc: Add area\(\): .* \| calc\.py:4 \|/)
    expect(summary).toContain("docs/a,b: 100%.md")

    const sarif = JSON.parse(readFileSync(Path.join(dir, "found.sarif"), "utf8"))
    isSarif(sarif)
    expect(isSarif.errors).toBeNull()
    const { results, tool } = sarif.runs[0]
    expect(results[0]).toMatchObject({
      ruleId: "receipt-stale",
      level: "error",
      locations: [{ physicalLocation: { artifactLocation: { uri: "calc.py" }, region: { startLine: 4 } } }]
    })
    expect(results.map((one: { ruleId: string; ruleIndex: number }) => tool.driver.rules[one.ruleIndex].id)).toEqual(
      each(results, "ruleId")
    )

    const { data } = await judged(dir, event)
    expect(data).toMatchObject({
      base,
      found: "range",
      whole: false,
      unknown: ["docs/a,b: 100%.md"],
      runs: [{ run_id: run }]
    })
    // as advice it is said, and nothing is stopped
    const advice = await ci(dir, event, "--advisory")
    expect([advice.code, advice.stdout]).toEqual([0, expect.stringMatching(/^::warning file=calc\.py,line=4/m)])
    // outside of GitHub it is plain text
    const plain = await ci(dir, {}, "--base", base)
    expect([plain.code, plain.stdout]).toEqual([1, expect.not.stringMatching(/^::/m)])
    expect(plain.stdout).toContain("✘ stale       calc: Add area()")
  })

  it("when files must be spoken of, then one that no receipt speaks of is an error at its place", async () => {
    const { base, dir } = await proposed("unsigned")
    expect((await ci(dir, {}, "--base", base, "--require", "files")).code).toBe(0)
    write(dir, { "more.py": "x = 1\n" })
    commit(dir)
    expect((await ci(dir, {}, "--base", base)).code).toBe(0)
    const { code, data } = await judged(dir, {}, "--base", base, "--require", "files")
    expect([code, errors(data)]).toEqual([1, ["file-unknown"]])
  })

  it("when it names a key of its own, then the keys of its base decide; a broken note is no advice", async () => {
    const { base, dir, key, keys, origin, pub } = await proposed()
    expect((await ci(dir, {}, "--base", base, "--signature", "required")).code).toBe(5)
    // from now on the project names whose receipts it takes
    git(dir, "checkout", "-q", "-b", "team", base)
    write(dir, { "proofline.keys": readFileSync(pub, "utf8") })
    const trusting = commit(dir, "keys")
    keyPair(keys, "other")
    write(dir, { "proofline.keys": readFileSync(Path.join(keys, "other.pub"), "utf8"), "calc.py": calc })
    const head = commit(dir, "work of somebody else")
    const state = ["--state", Path.join(origin, ".proofline/state")]
    await achieved(["receipts", "attach", "--key", Path.join(keys, "other.pem"), ...state], dir)
    for (const args of [[], ["--advisory"]]) {
      const { code, data } = await judged(dir, {}, "--base", trusting, ...args)
      expect([code, data.signatures.from, errors(data)]).toEqual([
        5,
        [`proofline.keys of commit ${trusting}`],
        ["signer-unknown"]
      ])
    }
    await achieved(["receipts", "attach", "--key", key, ...state], dir)
    expect(await judged(dir, {}, "--base", trusting)).toMatchObject({ code: 0, data: { commit: head, whole: true } })
    // a key that CI itself names counts alone
    const other = { PROOFLINE_PUBLIC_KEY: readFileSync(Path.join(keys, "other.pub"), "utf8") }
    expect((await judged(dir, other, "--base", trusting)).data.signatures.from).toEqual(["PROOFLINE_PUBLIC_KEY"])
  })

  it("when a later run has shown anew what an earlier one had shown, then both stand", async () => {
    const { base, dir: clone, origin: dir } = await proposed("unsigned")
    const other = calc.replace("square = radius * radius", "square = radius**2")
    const report = {
      summary: "done",
      checklist: [
        { item: areaItem, status: "done", evidence: "calc.py:4-6" },
        { item: volumeItem, status: "done", evidence: "calc.py:9-10" },
        { item: explainItem, status: "skipped", reason: "the names say it all" }
      ]
    }
    const both = other.replace("side * side * side", "side**3")
    write(dir, { ...scriptedAgent({ calc: [{ files: { "calc.py": both }, report }] }) })
    shell(dir, "rm -f calls.ndjson")
    const second = (await achieved(run, dir)).data.run_id
    commit(dir, "more work")
    expect(errors((await judged(dir, {}, "--base", base)).data)).toEqual(["receipt-stale", "receipt-stale"])
    await achieved(["receipts", "attach", second], dir)
    const { code, data } = await judged(dir, {}, "--base", base)
    expect([code, errors(data), data.runs.length]).toEqual([0, [], 2])
    expect(data.findings.find(({ rule }: { rule: string }) => rule === "receipt-moved").message).toContain(
      `${second} has shown it anew`
    )
    expect(existsSync(Path.join(clone, ".proofline"))).toBe(false)
  })
})

describe("given what CI says of a change", () => {
  it("then base and head are those of GitHub, GitLab or the flags, and what cannot be read is said", async () => {
    const [a, b, zeros] = ["a".repeat(40), "b".repeat(40), "0".repeat(40)]
    const event = (content: unknown) => ({
      GITHUB_EVENT_PATH: Path.join(project({ e: typeof content === "string" ? content : JSON.stringify(content) }), "e")
    })
    const range = (env: Readonly<Record<string, string>>) => Effect.runPromise(ciRange(env))
    for (const [env, head, base, mayLackBase] of [
      [pullRequest(a, b), b, a, false],
      [event({ merge_group: { base_sha: a, head_sha: b } }), b, a, false],
      [event({ before: a, after: b }), b, a, true],
      [event({ before: zeros, after: b }), b, null, true],
      [{ ...event({ schedule: "x" }), GITHUB_SHA: b, GITHUB_BASE_REF: "" }, b, null, true],
      [{ ...event({}), GITHUB_SHA: b, GITHUB_BASE_REF: "main" }, b, "origin/main", true],
      [{ GITLAB_CI: "true", CI_MERGE_REQUEST_DIFF_BASE_SHA: a, CI_COMMIT_SHA: b }, b, a, false],
      [{ GITLAB_CI: "true", CI_COMMIT_BEFORE_SHA: a, CI_COMMIT_SHA: b }, b, a, true],
      [{ GITLAB_CI: "true", CI_COMMIT_BEFORE_SHA: zeros, CI_COMMIT_SHA: b }, b, null, true],
      [{ ...outside }, null, null, false]
    ] as const)
      expect(await range(env), JSON.stringify(env)).toEqual({ head, base, mayLackBase })

    const { base, dir, head } = await proposed("unsigned")
    write(dir, { "later.txt": "x\n" })
    const later = commit(dir)
    const found = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
      const { data } = await judged(dir, env, ...args)
      return [data.base, data.commit, data.found]
    }
    // what a branch was before is looked at where it is here
    expect(await found(event({ before: "1".repeat(40), after: later }))).toEqual([null, later, "ancestors"])
    expect(await found({}, "--head", head)).toEqual([null, head, "commit"])
    expect(await found(pullRequest(base, head), "--base", head, "--head", later)).toEqual([head, later, "none"])
    for (const content of ["no JSON", { pull_request: { head: 3 } }])
      expect(await judged(dir, event(content))).toMatchObject({ code: 2, refused: ["ci_event_unreadable"] })
    expect((await judged(dir, {}, "--format", "sarif")).refused).toEqual(["report_format"])
    expect(await judged(dir, { GITHUB_EVENT_PATH: "/nowhere" })).toMatchObject({ code: 2, refused: ["file_not_found"] })
  })

  it("given a clone that lacks commits or receipts, then the lines that are said bring them", async () => {
    const { base, head, keys, remote } = await proposed("unsigned")
    const shallow = Path.join(project({}), "shallow")
    git(keys, "clone", "-q", "--depth", "1", `file://${remote}`, shallow)
    const { data, refused } = await judged(shallow, {}, "--base", base, "--head", "HEAD")
    expect(refused).toEqual(["base_missing"])
    // both are there, and what lies between may not be
    git(shallow, "fetch", "-q", "--depth", "1", "origin", base)
    git(remote, "update-ref", "refs/heads/work", head)
    git(shallow, "fetch", "-q", "--depth", "1", "origin", "work")
    const cut = await judged(shallow, {}, "--base", base, "--head", head)
    expect([cut.code, cut.refused]).toEqual([2, ["history_missing"]])
    for (const { hint } of [...data.problems, ...cut.data.problems]) {
      const [, line = "false"] = /Fetch (?:it|them): (git fetch .*?),/.exec(hint) ?? []
      const here = Path.join(project({}), "again")
      git(keys, "clone", "-q", "--depth", "1", "-b", "work", `file://${remote}`, here)
      shell(here, line)
      const none = await ci(here, {}, "--base", base, "--head", head)
      expect([none.code, none.stderr]).toEqual([
        1,
        expect.stringContaining("refs/notes/proofline*:refs/notes/proofline*")
      ])
      shell(here, none.stderr.split("\n").find((line) => line.trim().startsWith("git fetch")) ?? "false")
      expect((await ci(here, {}, "--base", base, "--head", head)).code).toBe(0)
    }
    // one that has left the content of files out
    git(remote, "config", "uploadpack.allowFilter", "true")
    const partial = Path.join(project({}), "partial")
    git(keys, "clone", "-q", "--no-checkout", "--filter=blob:none", `file://${remote}`, partial)
    git(partial, "config", "gc.auto", "0")
    fetchReceipts(partial)
    const left = await judged(partial, {}, "--base", base, "--head", head)
    expect([left.code, left.refused]).toEqual([2, ["objects_missing"]])
    shell(partial, /git fetch .*/.exec(left.data.problems[0].hint)?.[0] ?? "false")
    expect((await ci(partial, {}, "--base", base, "--head", head)).code).toBe(0)

    const unknown = await judged(shallow, {}, "--base", "origin/nowhere")
    expect(unknown.data.problems[0].hint).toContain("+refs/heads/nowhere:refs/remotes/origin/nowhere")
    expect((await judged(project({}), {})).refused).toEqual(["not_a_repository"])
  })

  it("given a change that brings programs, then none of them is run", async () => {
    const { base, dir } = await proposed("unsigned")
    const ran = Path.join(project({}), "ran")
    const program = `#!/bin/sh\ntouch ${ran}\ncat\n`
    write(dir, {
      ...{ "x.sh": program, ".gitattributes": "* diff=x filter=x merge=x\n" },
      "proofline.yaml": "plugins: [./plugin.mjs]\nagents: { x: { command: ./x.sh } }\n",
      "plugin.mjs": `import { writeFileSync } from "node:fs"\nwriteFileSync(${JSON.stringify(ran)}, "")\n`,
      "package.json": '{ "scripts": { "test": "./x.sh" } }\n'
    })
    commit(dir)
    for (const name of ["diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge", "core.fsmonitor"])
      git(dir, "config", name, Path.join(dir, "x.sh"))
    for (const hook of ["post-checkout", "reference-transaction", "pre-push"]) {
      write(dir, { [`.git/hooks/${hook}`]: program })
      chmodSync(Path.join(dir, ".git/hooks", hook), 0o755)
    }
    expect((await ci(dir, {}, "--base", base)).code).toBe(0)
    expect(existsSync(ran)).toBe(false)
  })
})

describe("the examples for CI", () => {
  const template = (name: string) =>
    readFileSync(fileURLToPath(new URL(`../../packages/cli/templates/ci/${name}`, import.meta.url)), "utf8")
  const docs = readFileSync(fileURLToPath(new URL("../../docs/ci.md", import.meta.url)), "utf8")

  /** The steps of a job in a clone of its own, with `proofline` installed. */
  const steps = async (
    commands: ReadonlyArray<string>,
    from: "good" | "bad",
    env: (commits: { readonly base: string; readonly head: string }) => Readonly<Record<string, string>>
  ) => {
    const { base, clone, origin, remote } = await proposed()
    if (from === "bad") {
      write(origin, { "calc.py": broken })
      commit(origin)
    }
    git(origin, "push", "-q", "origin", "HEAD:refs/heads/work")
    const head = git(origin, "rev-parse", "HEAD").trim()
    const dir = clone()
    const bin = project({ proofline: `#!/bin/sh\nexec ${process.execPath} ${launcher} "$@"\n` })
    const PATH = `${bin}:${process.env["PATH"]}`
    const ended = spawnSync("sh", ["-e", "-c", commands.join("\n")], {
      cwd: dir,
      encoding: "utf8",
      env: { ...process.env, ...outside, PATH, ...env({ base, head }), FROM: `file://${remote}` }
    })
    return { dir, ...ended }
  }

  it("given the workflow of GitHub, then its steps verify a pull request", async () => {
    const text = template("github.yml")
    expect(docs).toContain(text)
    const workflow = parse(text)
    expect(Object.keys(workflow.on)).toEqual(["pull_request", "merge_group"])
    const { steps: all } = workflow.jobs.receipts
    expect(all[0]).toMatchObject({ uses: "actions/checkout@v4", with: { "fetch-depth": 0 } })
    const commands = all.flatMap(({ run }: { run?: string }) =>
      run === undefined || run.startsWith("npm install") ? [] : [run]
    )
    expect(commands.length).toBe(2)
    for (const [from, status, level] of [
      ["good", 0, "nothing"],
      ["bad", 1, "::error file=calc.py,line=4"]
    ] as const) {
      const found = await steps(commands, from, ({ base, head }) => pullRequest(base, head))
      expect(found.status, found.stdout + found.stderr).toBe(status)
      expect(found.stdout.includes(level)).toBe(from === "bad")
      expect(isSarif(JSON.parse(readFileSync(Path.join(found.dir, all.at(-1).with.sarif_file), "utf8")))).toBe(true)
    }
  })

  it("given the job of GitLab, then its script verifies a merge request", async () => {
    const text = template("gitlab.yml")
    expect(docs).toContain(text)
    const { artifacts, script } = parse(text).proofline
    const found = await steps(script.slice(1), "good", ({ base, head }) => ({
      CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
      CI_COMMIT_SHA: head
    }))
    expect(found.status, found.stdout + found.stderr).toBe(0)
    expect(JSON.parse(readFileSync(Path.join(found.dir, artifacts.paths[0]), "utf8")).data.whole).toBe(true)
    expect(execFileSync("sh", ["-n", "-c", script.join("\n")], { encoding: "utf8" })).toBe("")
  })
})
