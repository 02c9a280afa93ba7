import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { callsOf, done, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, project, proofline } from "./proofline.ts"

const claims = {
  "Delete old.js": "absent:old.js",
  "Add the logo": "file:img/logo.png",
  "Mark the package as typed": "file:py.typed",
  "Export both functions": "src/index.ts:1-2"
}

/** Deletes a file, adds a binary one, an empty one and a barrel, and cites them. */
const script = {
  t: [
    {
      files: { "py.typed": "", "src/index.ts": 'export { a } from "./a.js"\nexport { b } from "./b.js"\n' },
      run: "rm old.js && mkdir img && printf '\\211PNG\\000\\001\\002' > img/logo.png",
      report: done(claims)
    }
  ]
}

const files = {
  ...scriptedAgent(script),
  "old.js": "export const old = 1\n",
  "src/a.ts": "export const a = 1\n",
  "src/b.ts": "export const b = 2\n",
  "tasks.yaml": `tasks:\n  - id: t\n    name: T\n    instruction: Do it.\n    checklist:\n${Object.keys(claims)
    .map((item) => `      - ${item}\n`)
    .join("")}`
}

const git = (cwd: string, ...words: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], { cwd, stdio: "pipe" })

const repository = (): string => {
  const dir = project(files)
  git(dir, "init", "-q")
  git(dir, "add", ".")
  git(dir, "commit", "-q", "-m", "first")
  return dir
}

const verified = async (dir: string, ...words: ReadonlyArray<string>) => {
  const finished = await proofline(["verify", ...words, "--json"], dir)
  const { receipts } = documentOf(finished).data
  const byItem = Object.fromEntries(
    receipts.map(({ item, reason, status }: { item: string; reason: string; status: string }) => [
      item,
      [status, reason]
    ])
  )
  return { code: finished.code, byItem }
}

describe("a task that deletes a file, and adds a binary one, an empty one and a barrel", () => {
  it("given it cites them, when it is run, then all of it is proven, and verify agrees until something comes back", {
    timeout: 120_000
  }, async () => {
    const dir = repository()
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(finished.code, finished.stderr + finished.stdout).toBe(0)
    const { checklist, status } = documentOf(finished).data.tasks[0]
    expect(status).toBe("completed")
    expect(checklist.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
      "proven",
      "proven",
      "proven",
      "proven"
    ])
    const prompt = callsOf(dir)[0]?.prompt ?? ""
    expect(prompt).toContain("`file:<path>`, a new or changed file")
    expect(prompt).toContain("`absent:<path>`, a removed file")

    expect((await verified(dir)).code).toBe(0)
    // the commit the run began on has none of it
    const atFirst = await verified(dir, "--ref", "HEAD")
    expect(atFirst.code).toBe(1)
    expect(atFirst.byItem["Delete old.js"]?.[0]).toBe("stale")
    git(dir, "add", "-A")
    git(dir, "commit", "-q", "-m", "second")
    expect((await verified(dir, "--ref", "HEAD")).code).toBe(0)

    const exported = await proofline(["receipts", "export", "--out", "receipts.json"], dir)
    expect(exported.code, exported.stderr).toBe(0)
    expect((await verified(dir, "--receipts", "receipts.json")).code).toBe(0)

    writeFileSync(Path.join(dir, "old.js"), "export const old = 2\n")
    const back = await verified(dir)
    expect(back.code).toBe(1)
    expect(back.byItem["Delete old.js"]).toEqual(["stale", "What absent:old.js names is not what it was."])
    expect(back.byItem["Add the logo"]).toEqual(["proven", ""])
    writeFileSync(Path.join(dir, "py.typed"), "partial\n")
    expect((await verified(dir)).byItem["Mark the package as typed"]?.[0]).toBe("stale")
    const reported = await proofline(["report", "--json"], dir)
    expect(reported.stdout).toContain("absent:old.js names is not what it was")
  })
})

describe("proofline evidence check", () => {
  it("given files as a whole, when they are checked without a run, then only what is there is told", {
    timeout: 60_000
  }, async () => {
    const dir = project({ "a.bin": "\u0000", "empty.txt": "", "s.py": "def f():\n    pass\n", "old.js": "x = 1\n" })
    const cited = ["file:a.bin", "file:empty.txt", "absent:gone.js", "file:no.bin", "file:s.py", "absent:old.js"]
    const finished = await proofline(["evidence", "check", ...cited, "--json"], dir)
    expect(finished.code).toBe(1)
    expect(
      finished.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).key)
    ).toEqual([
      null,
      null,
      null,
      "checklist_evidence_file_not_found",
      "checklist_evidence_empty_impl",
      "checklist_evidence_refuted"
    ])
  })
})
