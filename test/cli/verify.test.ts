import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { commit, contentOf, git, write } from "../plugins/repositories.ts"
import { callsOf, done, type Script, scriptedAgent } from "./agent.ts"
import { achieved, asked, each, fixture } from "./asked.ts"
import { eventsOf, finish, project, proofline, repository, startBound, withSources } from "./proofline.ts"
import { areaItem, calc, keyPair, provenRun, run, tasks, volumeItem } from "./provenStage.ts"

/** A run of the same task by another agent, which fails. */
const failedRun = async (script: Script) => {
  const dir = project({ "tasks.yaml": tasks, ...scriptedAgent(script) })
  expect((await asked([...run, "--max-retries", "0"], dir)).code).toBe(1)
  return dir
}

const verified = (dir: string, ...args: ReadonlyArray<string>) => asked(["verify", ...args], dir)

interface Receipt {
  readonly item: string
  readonly status: string
  readonly now: string | null
  readonly reason: string
}

/** How every receipt stands, and where. */
const standing = async (dir: string, ...args: ReadonlyArray<string>) => {
  const { code, data } = await verified(dir, ...args)
  return [code, ...data.receipts.map(({ now, status }: Receipt) => `${status} ${now ?? "nowhere"}`)]
}

describe("verify", () => {
  it("follows receipts from proof through edits and moves to a commit", async () => {
    const { dir, file, run } = await provenRun()
    const fresh = await verified(dir)
    const counts = { receipts: 2, proven: 2, re_anchored: 0, stale: 0, missing: 0, waived: 1, open: 0 }
    expect(fresh).toMatchObject({ code: 0, kind: "verify" })
    expect(fresh.data).toMatchObject({ run_id: run, run_status: "completed", ref: null, signature: null, counts })
    const events = await eventsOf(run, dir)
    const { hash, version } = events.at(-1)
    expect(fresh.data.chain).toEqual({ ok: true, events: events.length, head: { version, hash } })
    expect(await standing(dir)).toEqual([0, "proven calc.py:4", "proven calc.py:9-10"])

    // the body that the cited head stands for
    writeFileSync(file, calc.replace("radius * radius", "radius + radius"))
    expect(await standing(dir)).toEqual([1, "stale calc.py:4", "proven calc.py:9-10"])
    expect((await verified(dir)).data.receipts[0].reason).toContain("area")
    const { code, stdout } = await proofline(["verify"], dir)
    expect([code, stdout]).toEqual([1, expect.stringContaining(run)])
    expect(stdout).toMatch(/✘ stale {7}calc: Add area\(\) .*area, which was judged with them, changed\./)
    expect(stdout).toMatch(/✔ proven {6}calc: Add volume\(\) {2}calc\.py:9-10\n/)
    expect(stdout).toContain("2 receipts: 1 proven, 0 re-anchored, 1 stale, 0 missing.")
    expect(stdout).toContain("Without proof: 1 item waived, 0 items open.")

    writeFileSync(file, calc.replace("import math\n", "import math\n\nCUBE = 3\n"))
    const moved = [0, "re_anchored calc.py:6", "re_anchored calc.py:11-12"]
    expect(await standing(dir)).toEqual(moved)
    commit(dir, "moved")

    // the functions move to another file each
    const [area = "", volume = ""] = calc.slice(calc.indexOf("def area")).split("\n\n\n")
    rmSync(file)
    write(dir, { "circle.py": `import math\n\n\n${area}\n`, "cube.py": volume })
    expect(await standing(dir)).toEqual([0, "re_anchored circle.py:4", "re_anchored cube.py:1-2"])
    rmSync(Path.join(dir, "circle.py"))
    expect(await standing(dir)).toEqual([1, "missing nowhere", "re_anchored cube.py:1-2"])

    // the commit still has them, whatever became of the files
    expect(await standing(dir, run, "--ref", "HEAD")).toEqual(moved)
    expect((await verified(dir, "--ref", "HEAD")).data.ref).toBe(git(dir, "rev-parse", "HEAD").trim())
    expect(await standing(dir, "--ref", "HEAD~1")).toEqual([1, "missing nowhere", "missing nowhere"])
    expect(existsSync(file)).toBe(false)
  })

  it("does not pass a run that proved nothing, or only a part for the whole", async () => {
    const dir = await failedRun({ calc: [{ report: { summary: "no checklist" } }] })
    expect(await verified(dir)).toMatchObject({
      code: 1,
      data: { run_status: "failed", receipts: [], counts: { open: 3 } }
    })
    const { stdout } = await proofline(["verify"], dir)
    expect(stdout).toContain("No receipts: nothing of this run is proven.")
    expect(stdout).toContain("The run is not completed: failed.")
    // nor is there anything to be exported
    const exported = await proofline(["receipts", "export", "--out", "r.json"], dir)
    expect([exported.code, exported.stderr]).toEqual([1, expect.stringContaining("[receipts_none]")])
    expect(existsSync(Path.join(dir, "r.json"))).toBe(false)

    const part = await failedRun({
      calc: [{ files: { "calc.py": calc }, report: done({ [areaItem]: "calc.py:4-6" }) }]
    })
    expect(await verified(part)).toMatchObject({
      code: 1,
      data: {
        run_status: "failed",
        receipts: [{ item: areaItem, status: "proven", task_completed: false }],
        counts: { receipts: 1, open: 2 }
      }
    })
  })

  it("works without a repository, and changes nothing", async () => {
    const { dir } = await provenRun()
    rmSync(Path.join(dir, ".git"), { recursive: true })
    renameSync(Path.join(dir, "calc.py"), Path.join(dir, "shapes.py"))
    // what a checkout leaves out must not be found
    write(dir, { ".proofline/calc.py": calc })
    const before = contentOf(dir)
    expect(await standing(dir)).toEqual([0, "re_anchored shapes.py:4", "re_anchored shapes.py:9-10"])
    expect(contentOf(dir)).toEqual(before)
    expect((await verified(dir, "--ref", "HEAD")).refused).toEqual(["not_a_repository"])
  })

  it("reads a project that is a folder of a repository, at a commit, through links", async () => {
    const { dir, run } = await provenRun()
    commit(dir, "after")
    const outer = repository({ "inner/calc.py": calc, "real/calc.py": calc })
    const inner = (name: string) => Path.join(outer, "inner", name)
    symlinkSync("../real/calc.py", inner("link.py"))
    commit(outer, "a link beside")
    rmSync(inner("calc.py"))
    const args = [run, "--cwd", inner(""), "--state", Path.join(dir, ".proofline/state")]
    expect(await standing(outer, ...args)).toEqual([1, "missing nowhere", "missing nowhere"])
    expect((await verified(outer, ...args, "--ref", "HEAD")).data.counts).toMatchObject({ proven: 2 })
    symlinkSync("../real/calc.py", inner("calc.py"))
    commit(outer, "a link out of the project")
    const out = (await verified(outer, ...args, "--ref", "HEAD")).data
    expect(out.counts).toMatchObject({ stale: 2 })
    expect(out.receipts[0].reason).toContain("outside the project")
  })

  it("reads a state that may only be read, and leaves it as it was", async () => {
    const { dir } = await provenRun()
    const state = Path.join(dir, ".proofline", "state")
    execFileSync("chmod", ["-R", "a-w", state])
    const before = contentOf(dir)
    const finished = await finish(startBound(["verify", "--json"], dir))
    expect(finished.code, finished.stderr).toBe(0)
    expect(JSON.parse(finished.stdout).data.counts).toMatchObject({ proven: 2 })
    expect(contentOf(dir)).toEqual(before)
    execFileSync("chmod", ["-R", "u+w", state])
  })

  it("ends with 5 at the event that was changed, before it looks at any receipt", async () => {
    const { dir, run } = await provenRun()
    const database = new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"))
    for (const { name } of database.prepare("select name from sqlite_schema where type = 'trigger'").all())
      database.exec(`drop trigger ${name}`)
    const changed = database.prepare(
      `update event set content = replace(content, 'calc.py:4', 'calc.py:9') where version =
        (select min(version) from event where event_type = 'CHECKLIST_ITEM_ACCEPTED') returning version`
    )
    const version = Number(changed.get()?.["version"])
    database.close()
    expect(await verified(dir)).toMatchObject({
      code: 5,
      data: { run_id: run, receipts: [], chain: { ok: false, version, events: version - 1 } }
    })
    const { code, stderr } = await proofline(["verify"], dir)
    const said = expect.stringContaining(`The hash chain of ${run} is broken at version ${version}`)
    expect([code, stderr]).toEqual([5, said])
    expect(await proofline(["receipts", "export"], dir)).toMatchObject({ code: 5, stdout: "" })
  })

  it("refuses what it cannot look at, with what to do", async () => {
    const { dir } = await provenRun()
    const other = { payload: "e30=", payloadType: "application/json", signatures: [] }
    write(dir, { "other.json": JSON.stringify(other) })
    for (const [args, code] of [
      [["run_x"], "run_unknown"],
      [["no.json", "--public-key", "gone.pub"], "file_not_found"],
      [["reports/run"], "file_not_found"],
      [["--receipts", "other.json"], "receipts_unreadable"],
      [["--ref", "nowhere"], "ref_unknown"],
      [["--public-key", "tasks.yaml"], "public_key_unused"],
      [["--receipts", "tasks.yaml", "--public-key", "tasks.yaml"], "key_unusable"],
      [["--receipts", "tasks.yaml"], "receipts_unreadable"],
      [["--receipts", "no.json"], "file_not_found"]
    ] as const) {
      const found = await verified(dir, ...args)
      expect([found.code, found.refused], args.join(" ")).toEqual([2, [code]])
      expect(found.data.problems[0].hint).not.toBe("")
    }
  })
})

// --- receipts export --------------------------------------------------------------------------------------------

const exported = async (...args: ReadonlyArray<string>) => {
  const { dir, file, run } = await provenRun()
  const keyid = keyPair(dir, "key")
  const finished = await proofline(["receipts", "export", "--out", "r.json", ...args], dir)
  expect(finished.code, finished.stderr).toBe(0)
  const text = readFileSync(Path.join(dir, "r.json"), "utf8")
  const envelope = JSON.parse(text)
  const payload = Buffer.from(envelope.payload, "base64")
  return { dir, file, run, keyid, finished, text, envelope, payload, statement: JSON.parse(payload.toString("utf8")) }
}

const signed = () => exported("--key", "key.pem")
const byKey = ["--receipts", "r.json", "--public-key", "key.pub"]

describe("receipts export", () => {
  it("writes a signed in-toto statement, the same for the same log", async () => {
    const { dir, envelope, finished, keyid, run, statement, text } = await signed()
    expect(envelope).toMatchObject({ payloadType: "application/vnd.in-toto+json", signatures: [{ keyid }] })
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
    // a key may stand in the environment itself, and is never shown
    const pem = readFileSync(Path.join(dir, "key.pem"), "utf8")
    const itself = await proofline(["receipts", "export", run], dir, { PROOFLINE_SIGNING_KEY: pem })
    expect(itself.stdout).toBe(text)
    const broken = { PROOFLINE_SIGNING_KEY: pem.replace(/[A-Z]{4}/, "####") }
    const bad = await proofline(["receipts", "export", run], dir, broken)
    expect(bad.code).toBe(2)
    expect(bad.stdout + bad.stderr).not.toContain(pem.split("\n")[1]?.slice(-20))
  })

  it("says that it did not sign when there is no key", async () => {
    const { dir, envelope, finished } = await exported()
    expect([envelope.signatures, finished.stderr]).toEqual([[], expect.stringContaining("not signed")])
    const unchecked = await verified(dir, "--receipts", "r.json")
    const signature = { signed: false, checked: false, keyid: null }
    expect(unchecked).toMatchObject({ code: 0, data: { chain: null, signature } })
    expect(unchecked.stderr).toContain("It is not signed")
    expect(await verified(dir, ...byKey)).toMatchObject({ code: 5, refused: ["signature_broken"] })
  })
})

describe("exported receipts", () => {
  it("are verified without the log, also at a commit, and show that a log was not rewritten since", async () => {
    const { dir, file, keyid, run: named } = await signed()
    const signature = { checked: true, keyid }
    const [written] = (await achieved(["history", "export"], dir)).data.files
    for (const name of [named, named.slice(-6), "last", written.history_id])
      expect(await verified(dir, name, ...byKey)).toMatchObject({ code: 0, data: { chain: { ok: true }, signature } })
    const other = (await asked(run, dir)).data.run_id
    expect(await verified(dir, other, ...byKey)).toMatchObject({ code: 5, refused: ["log_rewritten"] })
    commit(dir, "after")
    rmSync(Path.join(dir, ".proofline"), { recursive: true })
    expect(await verified(dir, ...byKey)).toMatchObject({
      code: 0,
      data: { chain: null, signature, counts: { proven: 2, waived: 1 } }
    })
    writeFileSync(file, "")
    expect((await verified(dir, ...byKey)).code).toBe(1)
    expect((await verified(dir, ...byKey, "--ref", "HEAD")).code).toBe(0)
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })

  const payloadOf = (text: string) => ({ payload: Buffer.from(text).toString("base64") })
  it("that were changed are told by it", async () => {
    // what is signed, and by whom: test/plugins/dsse
    const other = await signed()
    keyPair(other.dir, "key")
    expect(await verified(other.dir, ...byKey)).toMatchObject({ code: 5, refused: ["signature_broken"] })

    const { dir, envelope, payload, run } = await signed()
    const forge = (before: string, after: string) => {
      const text = payload.toString("utf8")
      expect(text).toContain(before)
      write(dir, { "r.json": JSON.stringify({ ...envelope, ...payloadOf(text.replace(before, after)) }) })
    }
    forge('"path":"calc.py"', '"path":"../secret.py"')
    const led = await verified(dir, "--receipts", "r.json")
    expect([led.code, each(led.data.receipts, "status")]).toEqual([1, ["stale", "proven"]])
    expect(led.data.receipts[0].reason).toContain("outside the project")
    forge(`"item":"${areaItem}"`, '"item":"Something else"')
    expect(await verified(dir, run, "--receipts", "r.json")).toMatchObject({ code: 5, refused: ["receipts_changed"] })
  })

  const tools = ["openssl", "python3"].every(
    (tool) => spawnSync(tool, ["--version"]).status === 0 || spawnSync(tool, ["version"]).status === 0
  )

  it.skipIf(!tools)("are verified by other programs, as the docs show: python3 and openssl", async () => {
    const { dir, envelope, keyid, payload, statement } = await signed()
    const docs = readFileSync(fileURLToPath(new URL("../../docs/receipts.md", import.meta.url)), "utf8")
    const [, script = ""] = /```python\n(.*?)```/s.exec(docs) ?? []
    const check = (content: unknown) => {
      write(dir, { "check.py": script, "receipts.json": JSON.stringify(content) })
      return spawnSync("python3", ["check.py"], { cwd: dir, encoding: "utf8" })
    }
    const good = check(envelope)
    expect(good.status, good.stderr).toBe(0)
    expect(good.stdout).toContain("Signature Verified Successfully")
    expect(good.stdout).toContain(statement.predicate.head.hash)
    const changed = payload.toString("utf8").replace("Add area()", "Add areas()")
    expect(check({ ...envelope, ...payloadOf(changed) }).status).not.toBe(0)

    const toDer = ["pkey", "-pubin", "-in", "key.pub", "-pubout", "-outform", "der"]
    const der = execFileSync("openssl", toDer, { cwd: dir })
    expect(createHash("sha256").update(der).digest("hex")).toBe(keyid)
    const canonical =
      "import json,sys; t=sys.stdin.read(); d=json.loads(t); assert t==json.dumps(d,sort_keys=True,separators=(',',':'),ensure_ascii=False)"
    expect(spawnSync("python3", ["-c", canonical], { input: payload }).status).toBe(0)
  })
})

// --- receipts of other kinds ----------------------------------------------------------------------------------------

describe("receipts of files as a whole", () => {
  const claims = {
    "Delete old.js": "absent:old.js",
    "Add the logo": "file:img/logo.png",
    "Mark the package as typed": "file:py.typed",
    "Export both functions": "src/index.ts:1-2"
  }
  const items = Object.keys(claims)

  it("given a file is deleted, a binary, an empty one and a barrel added, then all is proven until something comes back", async () => {
    const dir = repository({
      "old.js": "export const old = 1\n",
      "src/a.ts": "export const a = 1\n",
      "src/b.ts": "export const b = 2\n",
      "tasks.yaml": `tasks: [{id: t, name: T, instruction: Do it., checklist: [${items.join(", ")}]}]\n`,
      ...scriptedAgent({
        t: [
          {
            files: { "py.typed": "", "src/index.ts": 'export { a } from "./a.js"\nexport { b } from "./b.js"\n' },
            run: "rm old.js && mkdir img && printf '\\211PNG\\000\\001\\002' > img/logo.png",
            report: done(claims)
          }
        ]
      })
    })
    const { data } = await achieved(run, dir)
    expect(data.tasks[0].status).toBe("completed")
    expect(each(data.tasks[0].checklist, "verdict")).toEqual(items.map(() => "proven"))
    const prompt = callsOf(dir)[0]?.prompt
    expect(prompt).toContain("`file:<path>`, a new or changed file")
    expect(prompt).toContain("`absent:<path>`, a removed file")

    const receiptOf = async (item: string, ...args: ReadonlyArray<string>) => {
      const { code, data } = await verified(dir, ...args)
      const { reason, status } = data.receipts.find((one: Receipt) => one.item === item)
      return [code, status, reason]
    }
    expect((await verified(dir)).code).toBe(0)
    // the commit the run began on has none of it
    expect((await receiptOf("Delete old.js", "--ref", "HEAD")).slice(0, 2)).toEqual([1, "stale"])
    commit(dir, "second")
    expect((await verified(dir, "--ref", "HEAD")).code).toBe(0)
    expect((await proofline(["receipts", "export", "--out", "receipts.json"], dir)).code).toBe(0)
    expect((await verified(dir, "--receipts", "receipts.json")).code).toBe(0)

    write(dir, { "old.js": "export const old = 2\n" })
    const back = "What absent:old.js names is not what it was."
    expect(await receiptOf("Delete old.js")).toEqual([1, "stale", back])
    expect(await receiptOf("Add the logo")).toEqual([1, "proven", ""])
    write(dir, { "py.typed": "partial\n" })
    expect((await receiptOf("Mark the package as typed"))[1]).toBe("stale")
    expect((await asked(["report"], dir)).stdout).toContain("absent:old.js names is not what it was")
  })

  it("given they are checked without a run, then only what is there is told", async () => {
    const dir = project({ "a.bin": "\u0000", "empty.txt": "", "s.py": "def f():\n    pass\n", "old.js": "x = 1\n" })
    const keys = {
      "file:a.bin": null,
      "file:empty.txt": null,
      "absent:gone.js": null,
      "file:no.bin": "checklist_evidence_file_not_found",
      "file:s.py": "checklist_evidence_empty_impl",
      "absent:old.js": "checklist_evidence_refuted"
    }
    const { code, stdout } = await proofline(["evidence", "check", ...Object.keys(keys), "--json"], dir)
    const answers = stdout.trim().split("\n")
    expect([code, ...answers.map((line) => JSON.parse(line).key)]).toEqual([1, ...Object.values(keys)])
  })
})

describe("receipts of a kind that a plugin declares", () => {
  /** `note:<path>` holds while the file says that it is done. */
  const notes = fixture("notes")

  it("given its plugin looks, breaks, sees a change or is gone, when verified and reported, then that is said", async () => {
    const dir = project({
      ...notes,
      "notes.mjs": withSources(notes["notes.mjs"] ?? ""),
      ...scriptedAgent({
        a: [{ files: { "note.txt": "done\n" }, report: done({ "Leave a note": "note:note.txt" }) }]
      })
    })
    await achieved(run, dir)
    const told = [
      "`file:<path>`, a new or changed file",
      "`absent:<path>`, a removed file",
      "`note:<reference>`, the path of a note that says that it is done"
    ]
    expect(callsOf(dir)[0]?.prompt).toContain(`It may be of another kind instead: ${told.join("; ")}.`)
    const stands = async () => {
      const { code, data, stderr } = await verified(dir)
      const { now, reason, status } = data.receipts[0]
      return { code, status, now, reason, stderr }
    }
    expect(await stands()).toMatchObject({ code: 0, status: "proven", now: "note:note.txt", reason: "" })
    expect((await asked(["report"], dir)).code).toBe(0)
    for (const [file, text, reason] of [
      ["broken", "", "It could not be looked at again. Plugin notes, look of note: no ink"],
      ["note.txt", "gone\n", "What note:note.txt names is not what it was."]
    ] as const) {
      write(dir, { [file]: text })
      expect(await stands()).toMatchObject({ code: 1, status: "stale", reason })
      expect(await asked(["report"], dir)).toMatchObject({ code: 1, stdout: expect.stringContaining(reason) })
      rmSync(Path.join(dir, "broken"), { force: true })
    }
    rmSync(Path.join(dir, "notes.mjs"))
    const reason = "No plugin of this project declares evidence of the kind note, to look at it again."
    const warning = /warning: proofline.yaml:1:11: The plugin ".\/notes.mjs" is not used: .*\[plugin_unusable\]/
    expect(await stands()).toMatchObject({ code: 1, status: "stale", reason, stderr: expect.stringMatching(warning) })
    write(dir, { "proofline.yaml": "plugns: []\n" })
    expect(await stands()).toMatchObject({ code: 1, status: "stale", reason })
  })
})
