import { execFileSync } from "node:child_process"
import { mkdirSync, renameSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { commit, contentOf, filesOf, git, write } from "../plugins/repositories.ts"
import { documentOf, project, proofline, repository } from "./proofline.ts"

const works = (name: string) => `def ${name}(rows):\n    total = sum(rows)\n    return total / len(rows)\n`
const stub = (name: string) => `def ${name}(rows):\n    raise NotImplementedError("later")\n`

interface Told {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly item: string
  readonly code: string
  readonly message: string
  readonly tool: string
}

const auditOf = async (dir: string, ...paths: ReadonlyArray<string>) => {
  const finished = await proofline(["audit", ...paths, "--json"], dir)
  expect(finished.stderr).toBe("")
  const { data, kind } = documentOf(finished)
  expect(kind).toBe("audit")
  expect(finished.code).toBe(data.findings.length === 0 ? 0 : 1)
  const findings = data.findings as ReadonlyArray<Told>
  return { data, findings, said: findings.map(({ code, file, line }) => `${file}:${line} ${code}`) }
}

const lines = (...all: ReadonlyArray<string>): string => `${all.join("\n")}\n`

describe("given a repository with a task list of spec-kit, when it is audited", () => {
  const list = "specs/001-sums/tasks.md"
  const open = lines(
    "# Tasks",
    "",
    "- [ ] T001 Create `src/mean.py` with mean()",
    "- [ ] T002 [P] [US1] Create src/median.py",
    "- [ ] T003 [US1] Implement `mode()` in src/mode.py",
    "- [ ] T004 Add a range check to src/old.py",
    "- [ ] T005 Create src/notes.py",
    "- [ ] T006 Remove src/gone.py",
    "- [ ] T007 Move src/here.py to src/lib/there.py",
    "- [ ] T008 Verify the totals in src/old.py",
    "- [ ] T009 Tell everybody",
    "- [ ] T010 Create src/open.py",
    "- [ ] T011 Create src/first.py",
    "- [ ] T013 Implement `Later.mean()`",
    "- [ ] T014 Implement `most()` and call `print()`",
    "- [ ] T012 Create .env for the service in config/.env"
  )
  const done = open.replaceAll("- [ ]", "- [X]").replace("[X] T010", "[ ] T010")

  const grown = (): string => {
    const dir = repository({
      "src/old.py": works("old"),
      "src/gone.py": works("gone"),
      "src/here.py": works("here"),
      "src/first.py": works("first"),
      ".gitignore": ".env\n",
      [list]: open
    })
    rmSync(Path.join(dir, "src/gone.py"))
    mkdirSync(Path.join(dir, "src/lib"))
    renameSync(Path.join(dir, "src/here.py"), Path.join(dir, "src/lib/there.py"))
    renameSync(Path.join(dir, "src/first.py"), Path.join(dir, "src/lib/second.py"))
    write(dir, {
      "src/mean.py": works("mean"),
      "src/mode.py": `${works("most")}\n\n${stub("mode")}`,
      "src/later.py": "class Later:\n    def mean(self, rows):\n        pass\n"
    })
    commit(dir, "Work")
    write(dir, { [list]: done })
    commit(dir, "Tick")
    write(dir, { "src/notes.py": works("notes") })
    return dir
  }

  it("then it names what is missing, a stub, or was never touched, with the line of the tick, and changes nothing", async () => {
    const dir = grown()
    const before = [contentOf(dir), filesOf(Path.join(dir, ".git"))]
    const { data, findings, said } = await auditOf(dir)
    expect(said).toEqual([
      `${list}:4 missing_path`,
      `${list}:5 stub`,
      // old.py is as it was when its box was written, notes.py was never committed
      `${list}:6 never_touched`,
      `${list}:7 never_touched`,
      `${list}:14 stub`
    ])
    expect(findings[0]).toMatchObject({ column: 3, item: "T002 [P] [US1] Create src/median.py", tool: "spec-kit" })
    expect(data.lists).toEqual([{ file: list, tool: "spec-kit", items: 14, ticked: 13, names_nothing: 2, unclear: 1 }])
    expect(data.not_judged).toEqual([])
    expect([contentOf(dir), filesOf(Path.join(dir, ".git"))]).toEqual(before)
  })

  it("then SARIF has the same findings, and people read them with what is to be done", async () => {
    const dir = grown()
    const both = await proofline(["audit", "--format", "sarif", "--json"], dir)
    expect([both.code, both.stdout]).toEqual([2, expect.stringContaining("report_format")])
    const asked = await proofline(["audit", "--format", "sarif"], dir)
    expect([asked.code, asked.stderr]).toEqual([1, ""])
    const [run] = JSON.parse(asked.stdout).runs
    expect(run.results.map((one: { ruleId: string }) => one.ruleId)).toEqual([
      "missing_path",
      "stub",
      "never_touched",
      "never_touched",
      "stub"
    ])
    expect(run.results[1].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: list, uriBaseId: "%SRCROOT%" },
      region: { startLine: 5 }
    })
    const text = await proofline(["audit"], dir)
    expect(text.stdout).toContain(`${list}:4 T002`)
    expect(text.stdout).toContain("5 of 13 ticked in 1 list without evidence that holds; 2 name nothing")
    const table = await proofline(["audit", "--format", "markdown"], dir)
    expect(table.stdout).toContain(`src/median.py is not there`)
  })

  it("then a shallow clone, and a copy without git, say what cannot be judged there", async () => {
    const dir = grown()
    git(dir, "add", "--all")
    git(dir, "commit", "--quiet", "--message", "Rest")
    const beside = project({})
    execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${dir}`, beside])
    const shallow = await auditOf(beside)
    expect(shallow.said).toContain(`${list}:4 missing_path`)
    expect(shallow.said.join()).not.toContain("never_touched")
    expect(shallow.data.not_judged[0].why).toContain("shallow")
    rmSync(Path.join(beside, ".git"), { recursive: true })
    const bare = await auditOf(beside)
    expect(bare.said).toContain(`${list}:5 stub`)
    expect(bare.data.not_judged[0].why).toContain("no git repository")
  })
})

describe("given lists of other tools", () => {
  it("when they are audited, then the tick is found in each of them", async () => {
    const dir = repository({
      "src/there.py": works("there"),
      "openspec/changes/add-sums/tasks.md": lines(
        "## 1. Work",
        "- [x] 1.1 Create src/a.py",
        "- [ ] 1.2 Create src/b.py"
      ),
      "openspec/changes/archive/2026-01-02-add/tasks.md": lines("- [x] 1.1 Create src/c.py"),
      "backlog/tasks/task-1 - Sums.md": lines(
        "---",
        "id: task-1",
        "status: Done",
        "---",
        "## Acceptance Criteria",
        "<!-- AC:BEGIN -->",
        "- [x] #1 Implement sums in src/d.py",
        "<!-- AC:END -->",
        "## Definition of Done",
        "- [x] #1 Tests pass"
      ),
      ".taskmaster/tasks/tasks.json": JSON.stringify(
        {
          master: {
            tasks: [
              {
                id: 1,
                title: "Implement src/there.py",
                status: "done",
                subtasks: [{ id: 1, title: "Create src/e.py", status: "done" }]
              },
              { id: 2, title: "Create src/f.py", status: "pending", subtasks: [] }
            ]
          }
        },
        null,
        2
      ),
      ".beads/issues.jsonl": lines(
        JSON.stringify({ id: "bd-1", title: "Create src/g.py", status: "closed", issue_type: "task" }),
        JSON.stringify({ id: "bd-2", title: "Create src/h.py", status: "closed", close_reason: "Won't do" }),
        JSON.stringify({ id: "bd-3", title: "Create src/i.py", status: "open" })
      ),
      ".github/PULL_REQUEST_TEMPLATE.md": lines("- [x] Create src/form.py")
    })
    const { data, findings } = await auditOf(dir)
    expect(findings.map(({ file, line, message, tool }) => `${tool} ${file}:${line} ${message.split(" ")[0]}`)).toEqual(
      [
        "backlog.md backlog/tasks/task-1 - Sums.md:7 src/d.py",
        "beads .beads/issues.jsonl:1 src/g.py",
        "openspec openspec/changes/add-sums/tasks.md:2 src/a.py",
        "openspec openspec/changes/archive/2026-01-02-add/tasks.md:1 src/c.py",
        "taskmaster .taskmaster/tasks/tasks.json:12 src/e.py"
      ].toSorted((a, b) => (a.split(" ")[1] ?? "").localeCompare(b.split(" ")[1] ?? "", "en"))
    )
    const counts = Object.fromEntries(
      data.lists.map((one: { file: string; items: number; ticked: number }) => [one.file, [one.items, one.ticked]])
    )
    expect(counts).toEqual({
      ".beads/issues.jsonl": [3, 1],
      ".taskmaster/tasks/tasks.json": [3, 2],
      "backlog/tasks/task-1 - Sums.md": [2, 2],
      "openspec/changes/add-sums/tasks.md": [2, 1],
      "openspec/changes/archive/2026-01-02-add/tasks.md": [1, 1]
    })
    const some = await auditOf(dir, "openspec")
    expect(some.data.lists).toHaveLength(2)
  })

  it("when one is none, or is not there, then it is said", async () => {
    const dir = repository({ ".taskmaster/tasks/tasks.json": "{ not json", "a.txt": "a\n" })
    const { data } = await auditOf(dir)
    expect(data.not_judged).toEqual([
      { what: ".taskmaster/tasks/tasks.json", why: "It is not what such a file holds, or cannot be read as JSON." }
    ])
    for (const [path, code] of [
      ["nothing.md", "list_missing"],
      ["../x.md", "list_missing"],
      ["a.txt", "list_unknown"]
    ] as const) {
      const refused = await proofline(["audit", path, "--json"], dir)
      expect([refused.code, documentOf(refused).data.problems[0].code]).toEqual([2, code])
    }
  })
})

describe("given Markdown as people write it, when it is audited", () => {
  it("then boxes are found as a reader sees them, and what is no claim of a file is not accused", async () => {
    const honest = [
      "- [x] Parse it as the library does (see `lib/elsewhere.py`)",
      "- [x] Read `src/nowhere.py` from https://example.org/src/other.py",
      "- [x] Support Node.js and `config.json`",
      "- [x] Do not create `src/never.py`",
      "- [x] Test all files in `src/**/*.py`",
      "- [x] ~~Create src/dropped.py~~",
      "- [x] Replace `src/before.py`",
      "- [x] Create path/to/file.py",
      "- [x] Update `there.js`",
      "- [x] Implement it in src\\there.ts",
      "- [x] Add the page in `app/[id]/page.tsx`",
      "- [-] Create src/called_off.py",
      "- [ ] Create src/open.py <!-- - [x] Create src/hidden.py -->"
    ]
    const dir = repository({
      "src/there.ts": "export const there = (a: number) => a + 1\n",
      "PLAN.md": lines(
        "\uFEFF# Plan",
        ...honest,
        "",
        "```md",
        "- [x] Create src/in_code.py",
        "```",
        "",
        "<!--",
        "- [x] Create src/in_comment.py",
        "-->",
        "",
        "1. [x] Create src/numbered.py",
        "   * [X] Create src/nested.py",
        "   - a detail: create src/detail.py",
        "",
        "- [x] Add it (src/bracket.py, `src/second.py`)",
        "- [x] Add it — `src/dash.py`",
        "- [x] Add it: src/colon.py"
      ),
      "docs/CRLF.md":
        "# Windows\r\n\r\n- [x] Create src\\auth\\login.py\r\n- [x] Erstelle die Datei in `src/größe.py`\r\n+ [x] In `src/größe.py`, add it\r\n"
    })
    const { findings } = await auditOf(dir)
    expect(findings.map(({ file, line, message }) => `${file}:${line} ${message.split(" ")[0]}`)).toEqual([
      "PLAN.md:24 src/numbered.py",
      "PLAN.md:24 src/detail.py",
      "PLAN.md:25 src/nested.py",
      "PLAN.md:28 src/bracket.py",
      "PLAN.md:28 src/second.py",
      "PLAN.md:29 src/dash.py",
      "PLAN.md:30 src/colon.py",
      "docs/CRLF.md:3 src/auth/login.py",
      "docs/CRLF.md:4 src/größe.py",
      "docs/CRLF.md:5 src/größe.py"
    ])
  })
})

describe("given ticks that cite lines, when they are audited", () => {
  it.each([
    ["in brackets", "(src/a.ts:12-20)"],
    ["behind a preposition", "in src/a.ts:12-20"],
    ["behind a hyphen", "- `src/a.ts:12-20`"],
    ["behind a dash", "— src/a.ts:12"],
    ["behind a comma", ", src/a.ts:12"],
    ["behind a colon, with a stop", ": `src/a.ts:12`."],
    ["one behind another", "in src/b.ts:1-3 and src/a.ts:12"]
  ])("then those that are not there are found %s", async (_, words) => {
    const dir = repository({
      "src/a.ts": "export const a = (n: number) => n + 1\n",
      "src/b.ts": "export const b = (n: number) => {\n  return n + 2\n}\n",
      "tasks.md": lines(
        `- [x] T001 Write a() ${words}`,
        `- [x] T002 Write b() ${words.replaceAll(/a\.ts:[\d-]+/g, "b.ts:1-3")}`,
        "- [x] Fix the overflow in src/a.ts:12",
        "- [x] Handle what src/a.ts:12 throws"
      )
    })
    expect((await auditOf(dir)).said).toEqual(["tasks.md:1 missing_lines"])
  })
})
