import { createPrivateKey, sign } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { commit, contentOf, git, shell, write } from "../plugins/repositories.ts"
import { achieved, asked, each } from "./asked.ts"
import { project, proofline } from "./proofline.ts"
import { areaItem, calc, committedRun, keyPair, provenRun } from "./provenStage.ts"

const notes = "refs/notes/proofline"

const verified = (dir: string, ...args: ReadonlyArray<string>) => asked(["verify", ...args], dir)

interface Found {
  readonly rule: string
  readonly level: string
}

const rules = (data: { readonly findings: ReadonlyArray<Found> }, level = "error") =>
  data.findings.filter((one) => one.level === level).map(({ rule }) => rule)

/** A commit with a note that nobody's Proofline wrote. */
const forgedNote = (dir: string, at: string, content: string | Uint8Array) => {
  const file = Path.join(project({}), "note")
  write(Path.dirname(file), { note: content })
  git(dir, "notes", "--ref", "proofline", "add", "-f", "-C", git(dir, "hash-object", "-w", file).trim(), at)
}

/** A clone with the receipts of a signed run, and what is attached in it. */
const signedClone = async () => {
  const stage = await committedRun()
  await achieved(["receipts", "attach", "--key", stage.key, "--push", "origin"], stage.dir)
  const dir = stage.clone()
  git(dir, "fetch", "-q", "origin", `${notes}:${notes}`)
  return { ...stage, dir, line: git(dir, "notes", "--ref", "proofline", "show", stage.head).trim() }
}

describe("receipts attach", () => {
  it("given a run, then a clone without a log that fetches as it was told verifies it, and nothing else changes", async () => {
    const { clone, dir, head, key, keyid, pub, remote, run } = await committedRun()
    const before = [contentOf(dir), readFileSync(Path.join(dir, ".git/config"), "utf8"), git(dir, "status", "--short")]
    const attached = await achieved(["receipts", "attach", "--key", key, "--push", "origin"], dir)
    expect(attached.data).toMatchObject({
      ...{ run_id: run, commit: head, attached: true, receipts: 2, holding: 2, keyid, pushed_to: "origin" },
      receipts_ref: `refs/proofline/receipts/${run}`
    })
    expect(before).toEqual([
      contentOf(dir),
      readFileSync(Path.join(dir, ".git/config"), "utf8"),
      git(dir, "status", "--short")
    ])
    // once more: nothing to do, also without the key
    expect((await achieved(["receipts", "attach", "--key", key], dir)).data.attached).toBe(false)
    expect((await achieved(["receipts", "attach"], dir)).data.attached).toBe(false)
    // what stands there is what an export is
    const { stdout } = await proofline(["receipts", "export", "--key", key], dir)
    expect(git(remote, "cat-file", "blob", `refs/proofline/receipts/${run}`)).toBe(stdout)

    const fresh = clone()
    const none = await verified(fresh, "--ref", "HEAD")
    expect([none.code, none.data.found, rules(none.data)]).toEqual([1, "none", ["receipts-none"]])
    expect(none.stderr).toContain(attached.data.fetch)
    shell(fresh, attached.data.fetch)
    const content = contentOf(fresh)
    const found = await verified(fresh, "--ref", "HEAD", "--public-key", pub)
    expect(found).toMatchObject({
      code: 0,
      kind: "commit",
      data: {
        ...{ commit: head, whole: true, found: "commit", unknown: [] },
        runs: [{ run_id: run, commit: head, counts: { proven: 2 }, signature: { signed: true, checked: true, keyid } }]
      }
    })
    expect(rules(found.data)).toEqual([])
    const { stdout: text } = await proofline(["verify", "--ref", "HEAD", "--public-key", pub], fresh)
    expect(text).toContain(`Signed with the key ${keyid}.`)
    expect(text).toContain("✔ Proven: 1 run, and all receipts hold.")
    expect(contentOf(fresh)).toEqual(content)
  })

  it("given keys, then whose signature counts is what they say", async () => {
    const { dir: fresh, keys, pub } = await signedClone()
    const unchecked = await verified(fresh, "--ref", "HEAD")
    expect([unchecked.code, rules(unchecked.data, "warning")]).toEqual([0, ["signer-unknown"]])
    keyPair(keys, "other")
    const other = Path.join(keys, "other.pub")
    for (const args of [
      ["--signature", "required"],
      ["--public-key", other]
    ]) {
      const refused = await verified(fresh, "--ref", "HEAD", ...args)
      expect([refused.code, refused.data.whole, rules(refused.data)]).toEqual([5, false, ["signer-unknown"]])
    }
    expect((await verified(fresh, "--ref", "HEAD", "--public-key", other, "--signature", "optional")).code).toBe(0)
    // keys of the project: one of them is enough
    write(fresh, { "proofline.keys": `ours\n${readFileSync(other, "utf8")}\ntheirs\n${readFileSync(pub, "utf8")}` })
    expect((await verified(fresh, "--ref", "HEAD")).data).toMatchObject({
      whole: true,
      signatures: { required: true, from: ["proofline.keys"] }
    })
    write(fresh, { "proofline.keys": readFileSync(other, "utf8") })
    expect((await verified(fresh, "--ref", "HEAD")).code).toBe(5)
    write(fresh, { "proofline.keys": "no key\n" })
    expect(await verified(fresh, "--ref", "HEAD")).toMatchObject({ code: 2, refused: ["key_unusable"] })
  })

  it("given a run without a signature, then that is said, and a signed one takes its place", async () => {
    const { dir, head, key } = await committedRun()
    expect((await achieved(["receipts", "attach"], dir)).data.keyid).toBeNull()
    const unsigned = await verified(dir, "--attached")
    expect([unsigned.code, rules(unsigned.data, "warning")]).toEqual([0, ["signature-none"]])
    expect((await achieved(["receipts", "attach", "--key", key], dir)).data.attached).toBe(true)
    const lines = git(dir, "notes", "--ref", "proofline", "show", head).trim().split("\n")
    expect(lines.map((line) => JSON.parse(line).signatures.length)).toEqual([1])
  })

  it("refuses where it would attach nothing that holds, and says what to do", async () => {
    const { dir, run } = await provenRun()
    const refs = git(dir, "show-ref")
    const refused = (...args: ReadonlyArray<string>) => asked(["receipts", "attach", ...args], dir)
    const early = await refused()
    expect([early.code, early.refused]).toEqual([1, ["receipts_not_in_commit"]])
    expect(early.data.problems[0].hint).toContain("Commit the work first")
    commit(dir, "the work")
    for (const [args, code, problem] of [
      [["--ref", "HEAD~1"], 1, "receipts_not_in_commit"],
      [["--ref", "nowhere"], 2, "ref_unknown"],
      [["run_x"], 2, "run_unknown"],
      [["--key", "tasks.yaml"], 2, "key_unusable"]
    ] as const) {
      const { code: ended, refused: codes } = await refused(...args)
      expect([ended, codes], args.join(" ")).toEqual([code, [problem]])
    }
    expect(git(dir, "show-ref").replaceAll(/^\w+ /gm, "")).toBe(refs.replaceAll(/^\w+ /gm, ""))
    const gone = await refused(run, "--push", "/nowhere/at/all.git")
    expect([gone.code, gone.refused]).toEqual([1, ["remote_failed"]])
    expect((await verified(dir, "--attached")).code).toBe(0)
    shell(dir, "rm -rf .git")
    expect((await refused(run)).refused).toEqual(["not_a_repository"])
  })

  it("given a project in a folder, then it is judged there, and from the top, and in no other folder", async () => {
    const { dir, key } = await committedRun()
    const outer = Path.join(project({}), "outer")
    git(Path.dirname(outer), "init", "-q", outer)
    // a copy that is as good as the original
    write(outer, { "apps/calc/calc.py": calc, "copy/calc.py": calc, "calc.py": calc })
    const head = commit(outer)
    const inner = Path.join(outer, "apps/calc")
    const at = ["--cwd", inner, "--state", Path.join(dir, ".proofline/state")]
    await achieved(["receipts", "attach", "--key", key, ...at], outer)
    write(outer, { "apps/calc/calc.py": calc.replace("radius * radius", "radius + radius") })
    const broken = commit(outer)
    for (const cwd of [outer, inner]) {
      const held = await verified(cwd, "--ref", head, "--attached")
      expect([held.code, each(held.data.runs, "project"), rules(held.data)]).toEqual([0, ["apps/calc"], []])
      const lost = await verified(cwd, "--ref", broken, "--attached")
      expect([lost.code, rules(lost.data)]).toEqual([1, ["receipt-stale"]])
      expect(lost.data.findings.find(({ rule }: Found) => rule === "receipt-stale").path).toBe("apps/calc/calc.py")
    }
    const elsewhere = await verified(Path.join(outer, "copy"), "--ref", head, "--attached")
    expect([elsewhere.code, rules(elsewhere.data)]).toEqual([1, ["receipts-none"]])
  })
})

describe("verify of a commit", () => {
  it("given commits after the one with receipts, then those are judged by what has changed since", async () => {
    const { dir, head, run } = await signedClone()
    write(dir, { "calc.py": calc.replace("import math\n", "import math\n\nCUBE = 3\n"), "README.md": "read\n" })
    const moved = commit(dir)
    write(dir, { "calc.py": calc.replace("radius * radius", "radius + radius") })
    const changed = commit(dir)
    const held = await verified(dir, "--ref", moved)
    expect(held).toMatchObject({ code: 0, data: { found: "ancestors", unknown: ["README.md"] } })
    expect(each(held.data.runs[0].receipts, "now")).toEqual(["calc.py:6", "calc.py:11-12"])
    const lost = await verified(dir, "--ref", "HEAD")
    expect([lost.code, lost.data.commit, rules(lost.data)]).toEqual([1, changed, ["receipt-stale"]])
    expect(lost.data.findings.find(({ rule }: Found) => rule === "receipt-stale")).toMatchObject({
      ...{ run_id: run, path: "calc.py", start: 4 },
      message: expect.stringContaining(areaItem)
    })
    const { stdout } = await proofline(["verify", "--ref", "HEAD"], dir)
    expect(stdout).toMatch(/✘ stale {7}calc: Add area\(\)/)
    expect(stdout).toContain("Unknown: 1 changed file of which no receipt speaks.\n  README.md")
    expect((await verified(dir, "--ref", head)).code).toBe(0)
    expect((await verified(dir, "--ref", `${head}~1`)).data.found).toBe("none")
    // what a merge brings stays on the commit it was attached to
    git(dir, "checkout", "-q", "-b", "main-line", `${head}~1`)
    write(dir, { "other.py": "x = 1\n" })
    commit(dir, "beside")
    shell(dir, `git merge -q --no-ff -m merge ${moved}`)
    const merged = await verified(dir, "--ref", "HEAD")
    expect(merged).toMatchObject({ code: 0, data: { found: "ancestors", runs: [{ commit: head }] } })
    // a run that is named is compared with any commit
    expect(await verified(dir, run.slice(-6), "--ref", moved)).toMatchObject({ code: 0, data: { found: "run" } })
    expect((await verified(dir, run, "--ref", `${head}~1`)).code).toBe(1)
    expect(await verified(dir, "run_x", "--ref", "HEAD")).toMatchObject({ code: 1, data: { found: "none" } })
    expect(await verified(dir, "--ref", "nowhere")).toMatchObject({ code: 2, refused: ["ref_unknown"] })
  })

  it("given a commit that was squashed, rebased or amended, then receipts are found by what they show, and by nothing else", async () => {
    const stage = await committedRun()
    const { clone, dir, remote } = stage
    await achieved(["receipts", "attach", "--push", "origin"], dir)
    // another history: the same work among other work, on another commit
    git(dir, "checkout", "-q", "-b", "squashed", "HEAD~1")
    write(dir, { "other.py": "x = 1\n" })
    const other = commit(dir, "other")
    write(dir, { "calc.py": calc, "more.py": "y = 2\n" })
    const squashed = commit(dir, "squashed")
    write(dir, { "more.py": "y = 3\n" })
    const after = commit(dir, "after")
    write(dir, { "calc.py": calc.replace("side * side *", "side +") })
    const partly = commit(dir, "partly")
    git(dir, "push", "-q", "-f", "origin", "squashed:main", "squashed:master")
    git(remote, "gc", "-q", "--prune=now")
    const fresh = clone()
    git(fresh, "fetch", "-q", "origin", "refs/notes/*:refs/notes/*")
    expect(() => git(fresh, "cat-file", "-e", stage.head)).toThrow()
    const found = async (at: string) => {
      const { code, data } = await verified(fresh, "--ref", at)
      return [code, data.found, data.whole, data.unknown]
    }
    expect(await found(squashed)).toEqual([0, "content", true, ["more.py"]])
    expect(await found(other)).toEqual([1, "none", false, ["other.py"]])
    // it does not come with this one: what holds did before
    expect(await found(after)).toEqual([1, "none", false, ["more.py"]])
    expect(await found(partly)).toEqual([1, "none", false, ["calc.py"]])
  })

  it("given something that was made up, then it is never proven, and never the end of the program", async () => {
    const { dir, head, keys, line, pub } = await signedClone()
    const envelope = JSON.parse(line)
    const payload = Buffer.from(envelope.payload, "base64").toString()
    const withPayload = (text: string) => JSON.stringify({ ...envelope, payload: Buffer.from(text).toString("base64") })
    keyPair(keys, "other")
    const signedBy = (name: string, text: string) => {
      const key = createPrivateKey(readFileSync(Path.join(keys, `${name}.pem`)))
      const bytes = Buffer.from(text)
      const signed = Buffer.concat([
        Buffer.from(`DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${bytes.length} `),
        bytes
      ])
      const sig = sign(null, signed, key).toString("base64")
      return JSON.stringify({ ...envelope, payload: bytes.toString("base64"), signatures: [{ sig }] })
    }
    const statement = JSON.parse(payload)
    const empty = JSON.stringify({ ...statement, predicate: { ...statement.predicate, receipts: [] } })
    const outside = JSON.stringify({ ...statement, predicate: { ...statement.predicate, project: "../x" } })
    const made: ReadonlyArray<readonly [string, string | Uint8Array, string]> = [
      ["garbage", Buffer.from([0xff, 0, 0x0a, 0xfe, 0x0a]), "attached-unreadable"],
      ["a cut end", line.slice(0, line.length / 2), "attached-unreadable"],
      ["an HTML page", "<html>\n<p>hello\n", "attached-unreadable"],
      ["another JSON", "{}\n[]\nnull\n3\n", "attached-unreadable"],
      ["another payload", withPayload("e30="), "signature-broken"],
      ["a changed receipt", withPayload(payload.replace(areaItem, "Add more()")), "signature-broken"],
      ["no signature", JSON.stringify({ ...envelope, signatures: [] }), "signature-none"],
      ["another signer", signedBy("other", payload), "signer-unknown"],
      ["no receipts", signedBy("key", empty), "attached-unreadable"],
      ["a project outside", signedBy("key", outside), "attached-unreadable"],
      ["more than is read", Buffer.alloc(64 * 1_024 * 1_024 + 1, "x\n"), "attached-unreadable"]
    ]
    for (const [what, content, rule] of made) {
      forgedNote(dir, head, content)
      const { code, data } = await verified(dir, "--ref", head, "--public-key", pub)
      expect([code, data.whole, rules(data)], what).toEqual([5, false, expect.arrayContaining([rule])])
      // beside what is good it is not overlooked either
      if (what !== "garbage" && what !== "a changed receipt") continue
      forgedNote(dir, head, Buffer.concat([Buffer.from(`${line}\n`), Buffer.from(content)]))
      const beside = await verified(dir, "--ref", head, "--public-key", pub)
      expect([beside.code, beside.data.whole, each(beside.data.runs, "whole")], what).toEqual([5, false, [true]])
    }
    // of a run that somebody signed, nothing unsigned takes the place
    const later = JSON.stringify({
      ...statement,
      predicate: { ...statement.predicate, head: { version: 999, hash: "0".repeat(64) }, name: "forged" }
    })
    forgedNote(
      dir,
      head,
      `${line}\n${JSON.stringify({ ...envelope, payload: Buffer.from(later).toString("base64"), signatures: [] })}\n`
    )
    const kept = await verified(dir, "--ref", head, "--public-key", pub)
    expect(each(kept.data.runs, "name")).not.toContain("forged")

    git(dir, "update-ref", notes, git(dir, "rev-parse", "HEAD:calc.py").trim())
    const { code, data } = await verified(dir, "--ref", head)
    expect([code, data.whole, rules(data)]).toEqual([5, false, ["attached-unreadable", "receipts-none"]])
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })
})
