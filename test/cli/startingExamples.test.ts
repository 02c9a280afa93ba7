import { spawnSync } from "node:child_process"
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { commit, git } from "../plugins/repositories.ts"
import { achieved, expectReplay } from "./asked.ts"
import { eventsOf, finish, project, proofline, start } from "./proofline.ts"

const examples = fileURLToPath(new URL("../../examples/", import.meta.url))
const agent = Path.join(examples, "scripted-agent.mjs")

interface Example {
  readonly name: string
  /** What says whether its tests can be run here. */
  readonly needs: readonly [program: string, ...args: ReadonlyArray<string>]
  /** In their order. */
  readonly tasks: ReadonlyArray<string>
}

const all: ReadonlyArray<Example> = [
  { name: "python", needs: ["python3", "--version"], tasks: ["parse", "summary"] },
  { name: "typescript", needs: ["node", "--version"], tasks: ["parse", "next"] },
  { name: "go", needs: ["go", "version"], tasks: ["version", "latest"] },
  { name: "rust", needs: ["cargo", "--version"], tasks: ["write", "read"] }
]

const isThere = ({ needs: [program, ...args] }: Example): boolean => spawnSync(program, args).status === 0

const scripted = (name: string, ...path: ReadonlyArray<string>) => Path.join(examples, "scripted", name, ...path)

/** A copy of it as its README says, in a repository of its own. */
const copyOf = (name: string): string => {
  const dir = project({})
  cpSync(Path.join(examples, name), dir, { recursive: true })
  git(dir, "init", "-q")
  commit(dir)
  return dir
}

const modes = {
  tasks: ["run", "tasks.yaml"],
  requirements: ["run-requirements", "requirements.yaml"]
} as const

/** What differs from one run to the next, or from one machine to another. */
const volatile: ReadonlySet<string> = new Set([
  ...[
    "base",
    "census",
    "failed_tests",
    "clean_room",
    "config",
    "driver",
    "duration_ms",
    "git_blob",
    "git_commit",
    "item_id",
    "host",
    "lease",
    "lines",
    "shown",
    "output"
  ],
  ...[
    "output_tail",
    "plugins",
    "prompt",
    "proofline_version",
    "sha256",
    "stderr",
    "stdout",
    "trees",
    "worker_id",
    "requirements_path"
  ]
])

const withoutVolatile = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutVolatile)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !volatile.has(key))
      .map(([key, inner]) => [key, withoutVolatile(inner)])
  )
}

/** The log of a run as it is on every machine, a line an event; commands at the base end at any moment, and stand at the end. */
const normalised = async (run: string, dir: string): Promise<string> => {
  const events = await eventsOf(run, dir)
  const inOrder = [
    ...events.filter(({ event_type }) => event_type !== "BASE_CHECKED"),
    ...events.filter(({ event_type }) => event_type === "BASE_CHECKED")
  ]
  return inOrder
    .map(({ content, event_type }) => JSON.stringify({ event_type, content: withoutVolatile(content) }))
    .map(
      (line) => `${line.replaceAll(run, "RUN").replaceAll(agent, "scripted-agent.mjs").replaceAll(dir, "PROJECT")}\n`
    )
    .join("")
}

const isUpdating = process.env["UPDATE_GOLDEN"] === "1"

describe("an example that people start from", () => {
  it("is one of those that are tested here, and the other way round", () => {
    const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).toSorted()).toEqual(
      [...all.map(({ name }) => name), "plugins", "scripted"].toSorted()
    )
    const page = readFileSync(Path.join(examples, "README.md"), "utf8")
    for (const { name } of all) expect(page).toContain(`(${name})`)
  })

  const cases = all.flatMap((example) => (["tasks", "requirements"] as const).map((mode) => ({ ...example, mode })))
  for (const example of isUpdating ? cases : daily(cases, 4)) {
    const { mode, name, needs } = example
    const missing = isThere(example) ? "" : ` (not run: there is no ${needs[0]} here)`
    it.skipIf(missing !== "")(
      `${name}, by its ${mode}: a stub that is claimed is refused, then all is proven, as its log says${missing}`,
      { timeout: 300_000 },
      async () => {
        const dir = copyOf(name)
        const command = `node '${agent}' ${name}`
        const flags = ["--agent", "command", "--agent-command", command, "--retry-delay", "0s", "--json"]
        // the environment of a toolchain is the machine's
        const finished = await finish(start([...modes[mode], ...flags], dir))
        expect(finished.code, finished.stderr).toBe(0)
        const { runs } = (await achieved(["history"], dir)).data
        const { run_id } = runs.find((run: object) => !("parent_run_id" in run))
        const log = await normalised(run_id, dir)
        const golden = scripted(name, `${mode}.ndjson`)
        if (isUpdating) writeFileSync(golden, log)
        expect(log).toBe(readFileSync(golden, "utf8"))
        if (mode === "tasks")
          expect(log).toMatch(/"key":"checklist_evidence_empty_impl"[\s\S]*"event_type":"RUN_COMPLETED"/)
        // nothing lies around but the work
        const changed = git(dir, "status", "--short", "--untracked-files=all")
          .split("\n")
          .filter((line) => line !== "")
        expect(changed.filter((line) => !/^ M /.test(line) && !/^\?\? generated\//.test(line))).toEqual([])
        const { settings } = (await achieved(["config", "show"], dir)).data
        const verifiers = settings.find(({ key }: { key: string }) => key === "verifiers").value
        expect(verifiers.length).toBeGreaterThan(0)
        for (const verifier of verifiers)
          expect([verifier, spawnSync("sh", ["-c", verifier], { cwd: dir }).status]).toEqual([verifier, 0])
        await expectReplay(dir, run_id)
        expect((await proofline(["verify", run_id], dir)).code).toBe(0)
      }
    )
  }

  it.each(all)(
    "$name: its files are sound, and what its agent claims is judged without its toolchain",
    async ({ name, tasks }) => {
      const dir = copyOf(name)
      for (const file of ["tasks.yaml", "requirements.yaml", "proofline.yaml"]) {
        expect((await achieved(["validate", file], dir)).data).toMatchObject({ problems: [], warnings: [] })
      }
      const judged: Array<ReadonlyArray<boolean>> = []
      for (const task of tasks) {
        for (const attempt of readdirSync(scripted(name, task)).toSorted()) {
          const folder = scripted(name, task, attempt)
          cpSync(Path.join(folder, "files"), dir, { recursive: true })
          const { checklist } = JSON.parse(readFileSync(Path.join(folder, "report.json"), "utf8"))
          const input = checklist.map(({ evidence }: { evidence: string }) => `${evidence}\n`).join("")
          const { stdout } = await proofline(["evidence", "check", "--stdin", "--json"], dir, {}, input)
          const verdicts = stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line).ok)
          expect(verdicts).toHaveLength(checklist.length)
          judged.push(verdicts)
        }
      }
      // the first attempt at the first task claims a stub; all that follows holds
      expect(judged[0]).toContain(false)
      expect(judged.slice(1).flat()).not.toContain(false)
      expect(judged.length).toBe(3)
    }
  )

  it.each(all)("$name: its README names what is there", ({ name }) => {
    const text = readFileSync(Path.join(examples, name, "README.md"), "utf8")
    expect(text.split("\n").length).toBeLessThan(50)
    for (const [, path = ""] of text.matchAll(/^\| `([\w./]+)`/gm))
      expect(existsSync(Path.join(examples, name, path)), path).toBe(true)
    expect(text).toContain(`scripted-agent.mjs ${name}'`)
  })
})
