/** A project in which the commands of the pages are run as they stand: with agents that need no model, and two runs. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { begin, commit, git, shell, write } from "../plugins/repositories.ts"
import { afterFile, documentOf, eventsOf, launcher, proofline, withSources } from "./proofline.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Stands for any agent, and does what it is asked: new lines for each item, in the file that the item names. */
const agent = `#!/usr/bin/env node
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
const { PROOFLINE_PROMPT_FILE, PROOFLINE_REPORT_FILE, PROOFLINE_ROLE, PROOFLINE_TASK_ID = "x", PROOFLINE_ATTEMPT } = process.env
if (process.argv.includes("--version")) { console.log("1.2.3"); process.exit() }
if (PROOFLINE_REPORT_FILE === undefined) process.exit(0)
const prompt = readFileSync(PROOFLINE_PROMPT_FILE, "utf8")
const answer = (value) => writeFileSync(PROOFLINE_REPORT_FILE, JSON.stringify(value))
const under = (heading) => {
  const [, text = ""] = new RegExp("^## " + heading + "\\\\n([\\\\s\\\\S]*?)(?=^## |$(?![\\\\s\\\\S]))", "m").exec(prompt) ?? []
  return [...text.matchAll(/^- (.*)$/gm)].map(([, one]) => one)
}
if (PROOFLINE_ROLE === "review") answer({ judgment: "PASS", checks: [] })
else if (PROOFLINE_ROLE === "analyze") answer({ is_decomposable: false, decomposition_reason: "It is small.", subtasks: [] })
else if (PROOFLINE_ROLE === "generate") {
  const ids = [...new Set([...prompt.matchAll(/\\b([A-Za-z_][\\w-]*\\.\\d+)\\b(?=:)/g)].map(([, id]) => id))]
  const named = [...prompt.matchAll(/--test-name-pattern="([^"]+)"/g)].map(([, name]) => name)
  const checklist = [...ids.map((id) => "Write what shows " + id), ...named.map((name) => 'Test "' + name + '" in test/made.test.js')]
  answer({ tasks: [{ id: "made_" + PROOFLINE_TASK_ID, name: "Do it", instruction: "Do it.", covers: ids, checklist }] })
} else if (PROOFLINE_ROLE === "verify") {
  answer({ all_requirements_met: true, requirement_status: [{ requirement_id: PROOFLINE_TASK_ID, met: true, evidence: "package.json:1 names it." }] })
} else {
  const items = [...under("Checklist"), ...under("Criteria")]
  let written
  const checklist = items.map((item, i) => {
    const file = /[\\w./-]+\\.(?:js|ts|py)\\b/.exec(item)?.[0] ?? "src/" + PROOFLINE_TASK_ID.replace(/\\W/g, "_") + ".js"
    const [, wanted] = /"([^"]+)"/.exec(item) ?? []
    const name = PROOFLINE_TASK_ID.replace(/\\W/g, "_") + "_" + PROOFLINE_ATTEMPT + "_" + i + "_" + Date.now()
    mkdirSync(dirname(file), { recursive: true })
    const isTest = file.includes("test")
    const asked = /(\\w+)\\(/.exec(item)?.[1] ?? "x"
    if (isTest && !existsSync(file)) appendFileSync(file, 'import assert from "node:assert"\\nimport { test } from "node:test"\\n')
    const line = isTest
      ? 'test("' + (wanted ?? name) + '", async () => assert.equal((await import("' + relative(dirname(file), written.file) + '"))' + written.says + ", " + written.value + "))"
      : file.endsWith(".py") ? "def f" + name + "(" + asked + "): return " + asked + " + " + i
      : "export const f" + name + " = { " + asked + ": (x) => x + " + i + " }"
    appendFileSync(file, line + "\\n")
    if (!isTest && file.endsWith(".js")) written = { file, says: ".f" + name + "." + asked + "(2)", value: 2 + i }
    const at = readFileSync(file, "utf8").split("\\n").length - 1
    return { item, status: "done", evidence: file + ":" + at }
  })
  answer({ summary: "It is done.", checklist })
}
console.log("Done.")
`

/** Known clients, by the names of their programs; \`code\` and \`bd\` are programs of others that pages call. */
const clients = ["claude", "codex", "gemini", "opencode", "code"]

const long = Array.from({ length: 60 }, (_, i) => `export const f${i} = (x: number): number => x + ${i}`).join("\n")

const files: Readonly<Record<string, string>> = {
  ".gitignore": "node_modules\n.proofline/state\n*.pem\n*.pub\n",
  "package.json": JSON.stringify({
    name: "app",
    private: true,
    type: "module",
    scripts: { test: "node check.js && node --test", lint: "node --eval 0" }
  }),
  // other projects beside it
  "api/.gitkeep": "",
  "web/.gitkeep": "",
  "README.md": "# App\n\nIt lends books.\n",
  "proofline.yaml": "agent: claude\n",
  "src/auth.ts": `${long}\n`,
  "src/auth.py": "def login(name):\n    return name\n",
  "lib/cart.dart": `${Array.from({ length: 12 }, (_, i) => `int f${i}(int x) => x + ${i};`).join("\n")}\n`,
  "docs/plan.md": "# Plan\n\nBooks are lent for four weeks.\n",
  // what the newer run did broke it
  "check.js":
    'import { readFileSync } from "node:fs"\nprocess.exitCode = readFileSync("src/logout.js", "utf8").split("\\n").length > 2 ? 1 : 0\n',
  "evidence.txt": "src/auth.ts:1\nsrc/auth.py:1-2\n",
  "task.md": "Add these functions:\n- add login() to src/a.js\n- add logout() to src/b.js\n",
  "specs/001-login/tasks.md":
    "# Tasks\n\n- [x] T001 Write login() in src/auth.py\n- [ ] T002 Write logout() in src/auth.py\n",
  "tasks.yaml": `tasks:
  - id: login
    name: Log in
    instruction: Add login.
    checklist: [Add login() to src/login.js, Test it in test/login.test.js]
  - id: logout
    name: Log out
    depends_on: [login]
    instruction: Add logout.
    checklist: [Add logout() to src/logout.js]
`,
  "requirements.yaml": `name: Lending
requirements:
  - id: lend
    name: Lend books
    acceptance_criteria: [A book is lent, A book comes back]
`
}

/** What a page's commands are run in. */
export interface DocStage {
  readonly dir: string
  readonly env: Readonly<Record<string, string>>
  readonly runs: { readonly requirements: string; readonly older: string; readonly newer: string }
  /** A version of the newer run behind which a command ends, and its last one. */
  readonly versions: { readonly middle: number; readonly last: number }
}

const programIn = (bin: string, name: string, text: string): void => write(bin, { [name]: text })

/** Made once; each page works in a copy. */
export const docStage = async (): Promise<DocStage> => {
  const base = mkdtempSync(join(tmpdir(), "proofline-docs-"))
  afterFile(() => rmSync(base, { recursive: true, force: true }))
  const dir = join(base, "app")
  const bin = join(base, "bin")
  mkdirSync(dir)
  programIn(bin, "proofline", `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`)
  for (const client of clients) {
    programIn(bin, client, `#!/bin/sh\nexec "${process.execPath}" "${join(base, "agent.mjs")}" "$@"\n`)
  }
  write(base, { "agent.mjs": agent })
  const example = (name: string): string => withSources(readFileSync(join(root, "examples/plugins", name), "utf8"))
  write(dir, {
    ...files,
    "my-agent.sh": `#!/bin/sh\nexec "${process.execPath}" "${join(base, "agent.mjs")}"\n`,
    "gate.ts": example("open-items.ts"),
    ...Object.fromEntries(readdirSync(join(root, "examples/plugins")).map((name) => [name, example(name)]))
  })
  const keys = "openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub"
  shell(dir, `${keys} && cp key.pub public.pem`)
  begin(dir, {})
  git(base, "init", "-q", "--bare", "origin.git")
  git(dir, "remote", "add", "origin", "../origin.git")
  const env = {
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    HOME: base,
    PROOFLINE_TOKEN: "",
    // which projects were used lately is known of those of the stage
    XDG_STATE_HOME: join(base, "state"),
    PROOFLINE_NO_RECENT: ""
  }
  const ran = async (command: string, file: string): Promise<string> => {
    const args = [command, file, "--agent", "claude", "--record", "--retry-delay", "0s", "--json"]
    const finished = await proofline(args, dir, env)
    if (finished.code !== 0) throw new Error(`The stage is not ready: ${finished.stdout}${finished.stderr}`)
    commit(dir, "Work")
    return documentOf(finished).data.run_id
  }
  const requirements = await ran("run-requirements", "requirements.yaml")
  const older = await ran("run", "tasks.yaml")
  const newer = await ran("run", "tasks.yaml")
  const events = await eventsOf(newer, dir, env)
  const ends = events.filter(({ command_id }, index) => command_id !== events[index + 1]?.command_id)
  return {
    dir,
    env,
    runs: { requirements, older, newer },
    versions: { middle: ends[Math.floor(ends.length / 2)]?.version, last: events.length }
  }
}

/** A stage of a page's own beside the first one, with all that it has. */
export const copyOfStage = (stage: DocStage, name: string): DocStage => {
  const own = join(stage.dir, "..", name)
  mkdirSync(own)
  const dir = join(own, "app")
  cpSync(stage.dir, dir, { recursive: true, verbatimSymlinks: true })
  cpSync(join(stage.dir, "../origin.git"), join(own, "origin.git"), { recursive: true })
  cpSync(stage.dir, join(own, "other"), { recursive: true })
  return { ...stage, dir }
}
