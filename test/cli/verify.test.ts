import { execFileSync, spawnSync } from "node:child_process"
import { createHash, generateKeyPairSync } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { Ajv2020 } from "ajv/dist/2020.js"
import { afterAll, describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, eventsOf, launcher, project, proofline } from "./proofline.ts"

const calc = `import math


def area(radius):
    square = radius * radius
    return math.pi * square


def volume(side):
    return side * side * side
`
const tasks = `
tasks:
  - id: calc
    name: Calculate
    instruction: Write calc.py.
    checks: ["grep -q 'math.pi' calc.py"]
    checklist: [Add area(), Add volume(), Explain it]
`
const [areaItem, volumeItem, explainItem] = ["Add area()", "Add volume()", "Explain it"] as const

const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.t", ...args], { cwd, encoding: "utf8" })

/** A repository in which a run proved two items and waived one; made once, the test gets a copy. */
const provenRun = async () => {
  template ??= makeTemplate()
  const { files, run } = await template
  const dir = project({})
  cpSync(files, dir, { recursive: true })
  return { dir, run, file: Path.join(dir, "calc.py") }
}

let template: Promise<{ readonly files: string; readonly run: string }> | undefined
afterAll(async () => {
  if (template !== undefined) rmSync((await template).files, { recursive: true, force: true })
})

const makeTemplate = async () => {
  const report = {
    summary: "done",
    checklist: [
      { item: areaItem, status: "done", evidence: "calc.py:4" },
      { item: volumeItem, status: "done", evidence: "calc.py:9-10" },
      { item: explainItem, status: "skipped", reason: "the names say it all" }
    ]
  }
  const dir = mkdtempSync(Path.join(tmpdir(), "proofline-test-"))
  const files = {
    "tasks.yaml": tasks,
    ".gitignore": ".proofline\ncalls.ndjson\n",
    ...scriptedAgent({ calc: [{ files: { "calc.py": calc }, report }] })
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(Path.join(dir, name), text)
  git(dir, "init", "-q")
  git(dir, "add", ".")
  git(dir, "commit", "-qm", "before")
  const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
  expect(finished.code, finished.stderr).toBe(0)
  return { files: dir, run: documentOf(finished).data.run_id as string }
}

const verified = async (dir: string, ...args: ReadonlyArray<string>) => {
  const finished = await proofline(["verify", ...args, "--json"], dir)
  const { data, kind } = documentOf(finished)
  expect(kind).toBe("verify")
  expect(schemaErrors(documentOf(finished))).toEqual([])
  return { code: finished.code, data, stderr: finished.stderr }
}

const schemaErrors = (document: unknown): ReadonlyArray<unknown> => {
  const file = fileURLToPath(new URL("../../packages/cli/schema/verify.output.schema.json", import.meta.url))
  const check = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(file, "utf8")))
  return check(document) ? [] : (check.errors ?? [])
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every kind
const statuses = (data: any) => data.receipts.map(({ now, status }: any) => [status, now])

/** Every file below, with its content. */
const contentsOf = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, encoding: "utf8" })
      .map((name) => Path.join(dir, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => [file, createHash("sha256").update(readFileSync(file)).digest("hex")])
  )

describe("verify", () => {
  it("follows receipts from proof through edits and moves to a commit", async () => {
    const { dir, file, run } = await provenRun()

    const fresh = await verified(dir)
    expect(fresh).toMatchObject({
      code: 0,
      data: {
        run_id: run,
        run_status: "completed",
        ref: null,
        signature: null,
        counts: { receipts: 2, proven: 2, re_anchored: 0, stale: 0, missing: 0, waived: 1, open: 0 }
      }
    })
    const events = await eventsOf(run, dir)
    const { hash, version } = events.at(-1)
    expect(fresh.data.chain).toEqual({ ok: true, events: events.length, head: { version, hash } })
    expect(statuses(fresh.data)).toEqual([
      ["proven", "calc.py:4"],
      ["proven", "calc.py:9-10"]
    ])

    // the body that the cited head stands for
    writeFileSync(file, calc.replace("radius * radius", "radius + radius"))
    const edited = await verified(dir)
    expect(edited.code).toBe(1)
    expect(statuses(edited.data)).toEqual([
      ["stale", "calc.py:4"],
      ["proven", "calc.py:9-10"]
    ])
    expect(edited.data.receipts[0].reason).toContain("area")

    writeFileSync(file, calc.replace("import math\n", "import math\n\nCUBE = 3\n"))
    const moved = await verified(dir)
    expect(moved.code).toBe(0)
    expect(statuses(moved.data)).toEqual([
      ["re_anchored", "calc.py:6"],
      ["re_anchored", "calc.py:11-12"]
    ])
    git(dir, "add", ".")
    git(dir, "commit", "-qm", "moved")

    // the functions move to another file each
    const [area = "", volume = ""] = calc.slice(calc.indexOf("def area")).split("\n\n\n")
    rmSync(file)
    writeFileSync(Path.join(dir, "circle.py"), `import math\n\n\n${area}\n`)
    writeFileSync(Path.join(dir, "cube.py"), volume)
    const split = await verified(dir)
    expect(split.code).toBe(0)
    expect(statuses(split.data)).toEqual([
      ["re_anchored", "circle.py:4"],
      ["re_anchored", "cube.py:1-2"]
    ])

    rmSync(Path.join(dir, "circle.py"))
    const gone = await verified(dir)
    expect(gone.code).toBe(1)
    expect(statuses(gone.data)).toEqual([
      ["missing", null],
      ["re_anchored", "cube.py:1-2"]
    ])

    // the commit still has them, whatever became of the files
    const committed = await verified(dir, run, "--ref", "HEAD")
    expect(committed).toMatchObject({ code: 0, data: { ref: git(dir, "rev-parse", "HEAD").trim() } })
    expect(statuses(committed.data)).toEqual(statuses(moved.data))
    const before = await verified(dir, "--ref", "HEAD~1")
    expect(before.code).toBe(1)
    expect(before.data.counts).toMatchObject({ missing: 2 })
    expect(existsSync(file)).toBe(false)
  })

  it("says for people what it found, and what has no proof", async () => {
    const { dir, file, run } = await provenRun()
    writeFileSync(file, calc.replace("side * side * side", "0"))
    const finished = await proofline(["verify"], dir)
    expect(finished.code).toBe(1)
    expect(finished.stdout).toContain(run)
    expect(finished.stdout).toMatch(/✔ proven {6}calc: Add area\(\) {2}calc\.py:4\n/)
    expect(finished.stdout).toMatch(/✘ stale {7}calc: Add volume\(\) .*volume was found, but it changed\./)
    expect(finished.stdout).toContain("2 receipts: 1 proven, 0 re-anchored, 1 stale, 0 missing.")
    expect(finished.stdout).toContain("Without proof: 1 item waived, 0 items open.")
  })

  it("does not pass a run that proved nothing, or only a part for the whole", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ calc: [{ report: { summary: "no checklist" } }] }) })
    await proofline(["run", "tasks.yaml", ...withAgent, "--max-retries", "0"], dir)
    const nothing = await verified(dir)
    expect(nothing).toMatchObject({ code: 1, data: { run_status: "failed", receipts: [], counts: { open: 3 } } })
    const text = await proofline(["verify"], dir)
    expect(text.stdout).toContain("No receipts: nothing of this run is proven.")
    expect(text.stdout).toContain("The run is not completed: failed.")

    const part = project({
      "tasks.yaml": tasks,
      ...scriptedAgent({ calc: [{ files: { "calc.py": calc }, report: done({ [areaItem]: "calc.py:4-6" }) }] })
    })
    await proofline(["run", "tasks.yaml", ...withAgent, "--max-retries", "0"], part)
    const found = await verified(part)
    expect(found.data).toMatchObject({
      run_status: "failed",
      receipts: [{ item: areaItem, status: "proven", task_completed: false }],
      counts: { receipts: 1, open: 2 }
    })
  })

  it("works without a repository, and changes nothing", async () => {
    const { dir } = await provenRun()
    rmSync(Path.join(dir, ".git"), { recursive: true })
    renameSync(Path.join(dir, "calc.py"), Path.join(dir, "shapes.py"))
    // what a checkout leaves out must not be found
    writeFileSync(Path.join(dir, ".proofline", "calc.py"), calc)
    const before = contentsOf(dir)
    expect(statuses((await verified(dir)).data)).toEqual([
      ["re_anchored", "shapes.py:4"],
      ["re_anchored", "shapes.py:9-10"]
    ])
    expect(contentsOf(dir)).toEqual(before)
    expect((await verified(dir, "--ref", "HEAD")).data.problems[0].code).toBe("not_a_repository")
  })

  it("reads a project that is a folder of a repository, at a commit, through links", async () => {
    const { dir, run } = await provenRun()
    git(dir, "add", ".")
    git(dir, "commit", "-qm", "after")
    const state = Path.join(dir, ".proofline", "state")
    const outer = project({ "inner/calc.py": calc, "real/calc.py": calc })
    execFileSync("ln", ["-s", "../real/calc.py", Path.join(outer, "inner", "link.py")])
    git(outer, "init", "-q")
    git(outer, "add", ".")
    git(outer, "commit", "-qm", "one")
    rmSync(Path.join(outer, "inner", "calc.py"))
    const args = ["--cwd", Path.join(outer, "inner"), "--state", state]
    expect(statuses((await verified(outer, run, ...args)).data)).toEqual([
      ["missing", null],
      ["missing", null]
    ])
    expect((await verified(outer, run, ...args, "--ref", "HEAD")).data.counts).toMatchObject({ proven: 2 })
    git(outer, "rm", "-q", "--cached", "inner/calc.py")
    execFileSync("ln", ["-s", "../real/calc.py", Path.join(outer, "inner", "calc.py")])
    git(outer, "add", ".")
    git(outer, "commit", "-qm", "a link out of the project")
    const out = await verified(outer, run, ...args, "--ref", "HEAD")
    expect(out.data.counts).toMatchObject({ stale: 2 })
    expect(out.data.receipts[0].reason).toContain("outside the project")
  })

  it("reads a state that may only be read, and leaves it as it was", async ({ skip }) => {
    const { dir } = await provenRun()
    const state = Path.join(dir, ".proofline", "state")
    execFileSync("chmod", ["a+rx", dir])
    execFileSync("chmod", ["-R", "a+rX,a-w", state])
    // permissions mean nothing to root
    const reader = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const asReader = (...args: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [launcher, ...args], { ...reader, cwd: dir, encoding: "utf8" })
    skip(asReader("--version").status !== 0, "another user cannot start the program")
    const before = contentsOf(dir)
    const finished = asReader("verify", "--json")
    expect(finished.status, finished.stderr).toBe(0)
    expect(JSON.parse(finished.stdout).data.counts).toMatchObject({ proven: 2 })
    expect(contentsOf(dir)).toEqual(before)
    execFileSync("chmod", ["-R", "u+w", state])
  })

  it("ends with 5 at the event that was changed, before it looks at any receipt", async () => {
    const { dir, run } = await provenRun()
    const database = new DatabaseSync(Path.join(dir, ".proofline", "state", "proofline.db"))
    const table = database
      .prepare("select name from sqlite_schema where type = 'table'")
      .all()
      .map(({ name }) => String(name))
      .find((name) =>
        database
          .prepare(`pragma table_info(${name})`)
          .all()
          .some((column) => column["name"] === "content")
      )
    const row = database
      .prepare(`select version, content from ${table} where event_type = 'CHECKLIST_ITEM_ACCEPTED' order by version`)
      .get() as { readonly version: number; readonly content: string }
    database.exec("drop trigger if exists event_no_update")
    for (const { name } of database.prepare("select name from sqlite_schema where type = 'trigger'").all())
      database.exec(`drop trigger ${name}`)
    database
      .prepare(`update ${table} set content = ? where version = ?`)
      .run(row.content.replace("calc.py:4", "calc.py:9"), row.version)
    database.close()

    const found = await verified(dir)
    expect(found).toMatchObject({
      code: 5,
      data: { run_id: run, receipts: [], chain: { ok: false, version: row.version, events: row.version - 1 } }
    })
    const text = await proofline(["verify"], dir)
    expect(text.code).toBe(5)
    expect(text.stderr).toContain(`The hash chain of ${run} is broken at version ${row.version}`)
    const exported = await proofline(["receipts", "export"], dir)
    expect(exported).toMatchObject({ code: 5, stdout: "" })
  })

  it.each([
    ["a run nobody knows", ["run_x"], "run_unknown"],
    ["receipts with another type of content", ["--receipts", "other.json"], "receipts_unreadable"],
    ["a commit nobody knows", ["--ref", "nowhere"], "ref_unknown"],
    ["a key without receipts", ["--public-key", "tasks.yaml"], "public_key_unused"],
    ["a key that is none", ["--receipts", "tasks.yaml", "--public-key", "tasks.yaml"], "key_unusable"],
    ["receipts that are none", ["--receipts", "tasks.yaml"], "receipts_unreadable"],
    ["receipts that are not there", ["--receipts", "no.json"], "file_not_found"]
  ])("refuses %s", async (_, args, code) => {
    const { dir } = await provenRun()
    const other = { payload: "e30=", payloadType: "application/json", signatures: [] }
    writeFileSync(Path.join(dir, "other.json"), JSON.stringify(other))
    const found = await verified(dir, ...args)
    expect(found.code).toBe(2)
    expect(found.data.problems[0].code).toBe(code)
    expect(found.data.problems[0].hint).not.toBe("")
  })
})

// --- receipts export --------------------------------------------------------------------------------------------

const keyPair = (dir: string, name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  writeFileSync(Path.join(dir, `${name}.pem`), privateKey.export({ type: "pkcs8", format: "pem" }))
  writeFileSync(Path.join(dir, `${name}.pub`), publicKey.export({ type: "spki", format: "pem" }))
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex")
}

const exported = async (...args: ReadonlyArray<string>) => {
  const { dir, file, run } = await provenRun()
  const keyid = keyPair(dir, "key")
  const finished = await proofline(["receipts", "export", "--out", "r.json", ...args], dir)
  expect(finished.code, finished.stderr).toBe(0)
  const text = readFileSync(Path.join(dir, "r.json"), "utf8")
  const envelope = JSON.parse(text)
  return { dir, file, run, keyid, finished, text, envelope, payload: Buffer.from(envelope.payload, "base64") }
}

const signed = () => exported("--key", "key.pem")
const verifyEnvelope = (dir: string, key = "key.pub") => verified(dir, "--receipts", "r.json", "--public-key", key)

describe("receipts export", () => {
  it("writes a signed in-toto statement, the same for the same log", async () => {
    const { dir, envelope, finished, keyid, payload, run, text } = await signed()
    expect(envelope).toMatchObject({ payloadType: "application/vnd.in-toto+json", signatures: [{ keyid }] })
    const statement = JSON.parse(payload.toString("utf8"))
    expect(statement).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      predicateType: "urn:proofline:receipts:v1",
      predicate: { run_id: run, status: "completed", receipts: [{ item: areaItem }, { item: volumeItem }] }
    })
    const lines = calc.split(/(?<=\n)/)
    const sha256 = (some: ReadonlyArray<string>) => createHash("sha256").update(some.join("")).digest("hex")
    expect(statement.subject).toEqual([
      { name: "calc.py", digest: { gitBlob: git(dir, "hash-object", "calc.py").trim() } },
      { name: "calc.py#L4-L4", digest: { sha256: sha256(lines.slice(3, 4)) } },
      { name: "calc.py#L9-L10", digest: { sha256: sha256(lines.slice(8, 10)) } }
    ])
    expect(finished.stdout).toBe("")
    expect(finished.stderr).toContain(`2 receipts of ${run}, signed with the key ${keyid}.`)
    const again = await proofline(["receipts", "export", run], dir, { PROOFLINE_SIGNING_KEY: "key.pem" })
    expect(again.stdout).toBe(text)
    expect(readdirSync(dir).filter((name) => name.includes(".tmp"))).toEqual([])
  })

  it("says that it did not sign when there is no key", async () => {
    const { dir, envelope, finished } = await exported()
    expect(envelope.signatures).toEqual([])
    expect(finished.stderr).toContain("not signed")
    const unchecked = await verified(dir, "--receipts", "r.json")
    expect(unchecked).toMatchObject({
      code: 0,
      data: { chain: null, signature: { signed: false, checked: false, keyid: null } }
    })
    expect(unchecked.stderr).toContain("It is not signed")
    const refused = await verifyEnvelope(dir)
    expect(refused).toMatchObject({ code: 5, data: { problems: [{ code: "signature_broken" }] } })
  })

  it("signs with a key that stands in the environment itself, and never shows it", async () => {
    const { dir, run } = await provenRun()
    const keyid = keyPair(dir, "key")
    const pem = readFileSync(Path.join(dir, "key.pem"), "utf8")
    const good = await proofline(["receipts", "export", run], dir, { PROOFLINE_SIGNING_KEY: pem })
    expect(JSON.parse(good.stdout).signatures).toMatchObject([{ keyid }])
    const bad = await proofline(["receipts", "export", run], dir, {
      PROOFLINE_SIGNING_KEY: pem.replace(/[A-Z]{4}/, "####")
    })
    expect(bad.code).toBe(2)
    expect(bad.stdout + bad.stderr).not.toContain(pem.split("\n")[1]?.slice(-20))
  })

  it("makes no statement about nothing", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ calc: [{ exit: 3 }] }) })
    await proofline(["run", "tasks.yaml", ...withAgent, "--max-retries", "0"], dir)
    const finished = await proofline(["receipts", "export", "--out", "r.json"], dir)
    expect(finished.code).toBe(1)
    expect(finished.stderr).toContain("[receipts_none]")
    expect(existsSync(Path.join(dir, "r.json"))).toBe(false)
  })
})

describe("exported receipts", () => {
  it("are verified without the log, also at a commit", async () => {
    const { dir, file, keyid } = await signed()
    git(dir, "add", ".")
    git(dir, "commit", "-qm", "after")
    rmSync(Path.join(dir, ".proofline"), { recursive: true })
    expect(await verifyEnvelope(dir)).toMatchObject({
      code: 0,
      data: { chain: null, signature: { checked: true, keyid }, counts: { proven: 2, waived: 1 } }
    })
    writeFileSync(file, "")
    expect((await verifyEnvelope(dir)).code).toBe(1)
    expect((await verified(dir, "--receipts", "r.json", "--public-key", "key.pub", "--ref", "HEAD")).code).toBe(0)
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })

  it("end with 5 when they were changed, or the key is another one", async () => {
    const { dir, envelope, payload } = await signed()
    keyPair(dir, "other")
    expect((await verifyEnvelope(dir, "other.pub")).code).toBe(5)
    const changed = Buffer.from(payload.toString("utf8").replace('"exit_code":0', '"exit_code":1'))
    const [signature] = envelope.signatures
    for (const forged of [
      { ...envelope, payload: changed.toString("base64") },
      { ...envelope, signatures: [{ ...signature, sig: `AAAA${signature.sig.slice(4)}` }] }
    ]) {
      writeFileSync(Path.join(dir, "r.json"), JSON.stringify(forged))
      const found = await verifyEnvelope(dir)
      expect(found).toMatchObject({ code: 5, data: { problems: [{ code: "signature_broken" }] } })
    }
  })

  it("lead nobody out of the project", async () => {
    const { dir, envelope, payload } = await exported()
    const statement = JSON.parse(payload.toString("utf8"))
    statement.predicate.receipts[0].receipt.path = "../secret.py"
    const forged = { ...envelope, payload: Buffer.from(JSON.stringify(statement)).toString("base64") }
    writeFileSync(Path.join(dir, "r.json"), JSON.stringify(forged))
    const found = await verified(dir, "--receipts", "r.json")
    expect(found).toMatchObject({ code: 1, data: { receipts: [{ status: "stale" }, { status: "proven" }] } })
    expect(found.data.receipts[0].reason).toContain("outside the project")
  })

  it("show that a log was not rewritten since, when its run is named", async () => {
    const { dir, run } = await signed()
    expect(await verified(dir, run, "--receipts", "r.json", "--public-key", "key.pub")).toMatchObject({
      code: 0,
      data: { chain: { ok: true }, signature: { checked: true } }
    })
    const again = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    const other = documentOf(again).data.run_id
    expect(await verified(dir, other, "--receipts", "r.json", "--public-key", "key.pub")).toMatchObject({
      code: 5,
      data: { problems: [{ code: "log_rewritten" }] }
    })
  })

  it("show that they were changed after the export, when their run is named", async () => {
    const { dir, envelope, run } = await exported()
    const statement = JSON.parse(Buffer.from(envelope.payload, "base64").toString("utf8"))
    statement.predicate.receipts[0].item = "Something else"
    const payload = Buffer.from(JSON.stringify(statement)).toString("base64")
    writeFileSync(Path.join(dir, "r.json"), JSON.stringify({ ...envelope, payload }))
    expect(await verified(dir, run, "--receipts", "r.json")).toMatchObject({
      code: 5,
      data: { problems: [{ code: "receipts_changed" }] }
    })
  })

  const tools = ["openssl", "python3"].every(
    (tool) => spawnSync(tool, ["--version"]).status === 0 || spawnSync(tool, ["version"]).status === 0
  )

  it.skipIf(!tools)("are verified by other programs, as the docs show: python3 and openssl", async () => {
    const { dir, envelope, keyid, payload } = await signed()
    const docs = readFileSync(fileURLToPath(new URL("../../docs/receipts.md", import.meta.url)), "utf8")
    const [, script = ""] = /```python\n(.*?)```/s.exec(docs) ?? []
    writeFileSync(Path.join(dir, "check.py"), script)
    const check = (content: unknown) => {
      writeFileSync(Path.join(dir, "receipts.json"), JSON.stringify(content))
      return spawnSync("python3", ["check.py"], { cwd: dir, encoding: "utf8" })
    }
    const good = check(envelope)
    expect(good.status, good.stderr).toBe(0)
    expect(good.stdout).toContain("Signature Verified Successfully")
    expect(good.stdout).toContain(JSON.parse(payload.toString("utf8")).predicate.head.hash)
    const changed = Buffer.from(payload.toString("utf8").replace("Add area()", "Add areas()"))
    expect(check({ ...envelope, payload: changed.toString("base64") }).status).not.toBe(0)

    const der = execFileSync("openssl", ["pkey", "-pubin", "-in", "key.pub", "-pubout", "-outform", "der"], {
      cwd: dir
    })
    expect(createHash("sha256").update(der).digest("hex")).toBe(keyid)
    const canonical =
      "import json,sys; t=sys.stdin.read(); d=json.loads(t); assert t==json.dumps(d,sort_keys=True,separators=(',',':'),ensure_ascii=False)"
    expect(spawnSync("python3", ["-c", canonical], { input: payload }).status).toBe(0)
  })
})
