import { mkdirSync, readdirSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { commit, contentOf, filesOf, git, write } from "../plugins/repositories.ts"
import { documentOf, finish, project, proofline, repository, start } from "./proofline.ts"

const python = (name: string) =>
  `def ${name}(rows):\n    first_${name} = rows[0]\n    others = [row for row in rows if row != first_${name}]\n    return len(others) + first_${name}\n`
const script = (name: string) =>
  `export function ${name}(rows) {\n  const first_${name} = rows[0]\n  const others = rows.filter((row) => row !== first_${name})\n  return others.length + first_${name}\n}\n`
const goes = (name: string) =>
  `package rows\n\nfunc ${name}(rows []int) int {\n\tfirst${name} := rows[0]\n\tothers := rows[1:]\n\treturn len(others) + first${name}\n}\n`

const tests = {
  "src/total.test.js":
    'import { total } from "./total.js"\n\ntest("counts", () => {\n  const sum = total([1, 2])\n  expect(sum).toBe(2)\n})\n\ntest("counts none", () => {\n  expect(total([])).toBe(0)\n})\n',
  "tests/test_sums.py": "from sums import sums\n\n\ndef test_sums():\n    assert sums([1, 2]) == 2\n"
}

/** A project in three languages with a history. */
const grown = (more: Readonly<Record<string, string>> = tests): string => {
  const dir = repository({ "src/total.js": script("total"), "sums.py": python("sums"), "README.md": "# Rows\n" })
  write(dir, { "src/total.js": `${script("total")}\n${script("most")}`, ...more })
  commit(dir, "Add most() to src/total.js")
  write(dir, { "rows/rows.go": goes("Rows"), "sums.py": `${python("sums")}\n\n${python("averages")}` })
  commit(dir, "Count in other languages too")
  return dir
}

interface Told {
  readonly kind: string
  readonly what: string
  readonly path: string
  readonly evidence: string | null
  readonly key: string | null
}

const noCheck = { what: "A check script that is bent", why: "There is no package.json with a script for tests." }

const stateOf = (dir: string) => ({
  files: contentOf(dir),
  git: filesOf(Path.join(dir, ".git")),
  worktrees: git(dir, "worktree", "list")
})

describe("given a repository with several languages and commits, when it is drilled", () => {
  it("then cheats are refused, genuine changes are not, and nothing of it is touched", async () => {
    const dir = grown()
    write(dir, { "sums.py": `${python("sums")}# not committed\n`, "new.txt": "new\n" })
    const temporary = project({})
    const before = stateOf(dir)
    const finished = await proofline(["drill", "--json"], dir, { TMPDIR: temporary })
    expect(finished.stderr).toBe("")
    const { kind, data } = documentOf(finished)
    expect([kind, data.held, finished.code]).toEqual(["drill", true, 0])
    expect(data.commit).toBe(git(dir, "rev-parse", "HEAD").trim())
    const kinds = Map.groupBy(data.cases as ReadonlyArray<Told>, ({ kind }) => kind)
    expect([...kinds.keys()].toSorted()).toEqual([
      "comment",
      "commit",
      "function",
      "stub",
      "test-deleted",
      "test-empty",
      "test-skipped",
      "test-stripped",
      "untouched"
    ])
    expect(data.cheats.refused).toBe(data.cheats.tried)
    expect(data.genuine.refused).toBe(0)
    expect(kinds.get("commit")).toHaveLength(2)
    const stubs = kinds.get("stub") ?? []
    expect(new Set(stubs.map(({ path }: Told) => path))).toEqual(new Set(["src/total.js", "sums.py", "rows/rows.go"]))
    expect(new Set(stubs.map(({ key }: Told) => key))).toEqual(new Set(["checklist_evidence_empty_impl"]))
    expect(data.not_tried).toEqual([noCheck])
    expect(stateOf(dir)).toEqual(before)
    expect(readdirSync(temporary)).toEqual([])
  })

  it("then the same cases are chosen each time, and every one is told on a line", async () => {
    const dir = grown()
    const { stdout } = await proofline(["drill"], dir)
    const { data } = documentOf(await proofline(["drill", "--json"], dir))
    const lines = stdout.split("\n")
    const told = lines.filter((line) => line.startsWith("✔ "))
    expect(told).toHaveLength(data.cases.length)
    for (const [i, { evidence, path, what }] of (data.cases as ReadonlyArray<Told>).entries()) {
      expect(told[i]).toContain(what)
      expect(told[i]).toContain(evidence ?? path)
    }
    const { cheats, genuine } = data
    expect(lines).toContain(
      `${cheats.tried} of ${cheats.tried} cheats refused, 0 of ${genuine.tried} genuine changes refused`
    )
  })

  it("then a folder of it is drilled by itself", async () => {
    const dir = grown()
    const { data } = documentOf(await proofline(["drill", "--json", "--cwd", Path.join(dir, "src")], dir))
    expect(data.held).toBe(true)
    expect(new Set(data.cases.map(({ path }: Told) => path))).toEqual(new Set(["total.js", "total.test.js"]))
  })

  it("then what was not tried is said, with the reason", async () => {
    const withoutTests = await proofline(["drill", "--json"], grown({}))
    expect(documentOf(withoutTests).data.not_tried).toEqual([
      { what: "Tests that are skipped, emptied, deleted or assert nothing", why: "No test files were found." },
      noCheck
    ])
    const texts = await proofline(["drill"], repository({ "README.md": "# Nothing\n" }))
    expect(texts.code).toBe(0)
    for (const said of [
      "0 of 0 cheats refused",
      "has a grammar for",
      "No test files were found.",
      "no commit with a parent"
    ])
      expect(texts.stdout).toContain(said)
  })

  it("then a commit that only left a stub counts as a genuine change that was refused", async () => {
    const dir = grown()
    write(dir, {
      "later.py":
        'def later(rows):\n    """Counts later."""\n    print("not implemented yet")\n    raise NotImplementedError("later, when somebody asks")\n'
    })
    commit(dir, "Promise more")
    const finished = await proofline(["drill"], dir)
    expect(finished.code).toBe(1)
    expect(finished.stdout).toMatch(/^✘ a commit .*later\.py:\d-\d \(.*Promise more\) refused: empty_impl/m)
    expect(finished.stdout).toContain("1 of ")
  })

  it("then a script for tests that is bent hides nothing, and the tests run in the copy alone", async () => {
    const dir = repository({
      "package.json": JSON.stringify({ type: "module", scripts: { test: "echo ran >> ran.txt && node --test" } }),
      "proofline.yaml": "proof: { accept: [check_changed] }\n",
      "src/total.js": script("total"),
      "total.test.js":
        'import { test } from "node:test"\nimport assert from "node:assert"\nimport { two } from "installed"\nimport { total } from "./src/total.js"\n\ntest("counts", () => {\n  assert.equal(total([1, 2]), two)\n})\n'
    })
    write(dir, {
      "node_modules/installed/package.json": JSON.stringify({
        name: "installed",
        type: "module",
        exports: "./index.js"
      }),
      "node_modules/installed/index.js": "export const two = 2\n"
    })
    const before = stateOf(dir)
    const { data } = documentOf(await proofline(["drill", "--json"], dir))
    const notTried = (data.not_tried as ReadonlyArray<{ readonly what: string }>).map(({ what }) => what)
    expect(notTried).not.toContain(noCheck.what)
    expect(data.cases).toContainEqual(
      expect.objectContaining({ kind: "check-bent", path: "package.json", refused: true, key: "checks_failed" })
    )
    expect(stateOf(dir)).toEqual(before)
  })

  it("then after an interruption nothing is left either", async () => {
    const dir = grown()
    const temporary = project({})
    const before = stateOf(dir)
    const child = start(["drill"], dir, { TMPDIR: temporary })
    await new Promise((resolve) => child.stdout?.once("data", resolve))
    child.kill("SIGINT")
    expect((await finish(child)).code).toBe(130)
    expect(readdirSync(temporary)).toEqual([])
    expect(stateOf(dir)).toEqual(before)
  })
})

describe("given no repository with a commit, when it is drilled", () => {
  it("then it is said what is needed", async () => {
    const none = await proofline(["drill", "--json"], project({ "a.py": python("a") }))
    expect([none.code, documentOf(none).data.problems[0].code]).toEqual([2, "drill_no_repository"])
    const dir = project({ "a.py": python("a") })
    git(dir, "init", "--quiet")
    const empty = await proofline(["drill"], dir)
    expect(empty.code).toBe(2)
    expect(empty.stderr).toContain("has no commit yet")
    const inside = Path.join(dir, "tmp")
    mkdirSync(inside)
    commit(dir, "a")
    const within = await proofline(["drill"], dir, { TMPDIR: inside })
    expect(within.code).toBe(2)
    expect(within.stderr).toContain("TMPDIR")
  })
})
