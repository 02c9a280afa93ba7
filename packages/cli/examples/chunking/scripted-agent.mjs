/**
 * A scripted agent: there is no model in it. It works on the parts of a task that was split, the way coding agents do: one
 * part it hands in with a TODO, one it cannot finish because its process fails, one it does right at once. So the example
 * shows the same on every machine, offline and in seconds.
 *
 * Proofline starts it like any other agent (`--agent command`), for each part in a git worktree of its own. It takes the
 * files and the criteria of its part from the prompt, and what went wrong before as well: it remembers nothing and counts
 * nothing, so a run that was killed and resumed goes as it would have gone. Doing an attempt twice leaves the same files.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"

const { PROOFLINE_ROLE: role = "work", PROOFLINE_TASK_ID: task, PROOFLINE_REPORT_FILE: reportFile } = process.env
const root = process.env.PROOFLINE_ROOT ?? process.cwd()

const say = (line) => process.stdout.write(`${line}\n`)

// ── What the prompt says ─────────────────────────────────────────────────────────────────────────────────────────────

const prompt = process.stdin.isTTY ? "" : await text(process.stdin)

/** The text below a heading, up to the next one. */
const section = (heading) => prompt.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}`)) ?? ""
const bulletsOf = (heading) => section(heading).match(/(?<=^- ).+/gm) ?? []

const criteria = [...new Set([...bulletsOf("Checklist"), ...bulletsOf("Criteria")])]
const refusals = section("Attempt ").split("\n")
const wasRefused = (by) => refusals.some((line) => line.includes(by))

// ── Editing ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const solution = (name) => readFileSync(new URL(`solution/${name}`, import.meta.url), "utf8")
const project = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "")

/** A whole file or none, also when the process is killed right here. */
const write = (file, content) => {
  writeFileSync(join(root, `${file}.tmp`), content)
  renameSync(join(root, `${file}.tmp`), join(root, file))
  say(`Wrote ${file}.`)
}

const functionsIn = (content) => [...content.matchAll(/^export function (\w+)\(/gm)].map(([, name]) => name)

/** Adds the functions of a part to src/index.js, below the comment that names the part. */
const exportAll = (part) => {
  const names = functionsIn(project(`src/${part}.js`)).sort()
  const line = `export { ${names.join(", ")} } from "./${part}.js"`
  const lines = project("src/index.js").split("\n")
  if (lines.includes(line)) return
  lines.splice(lines.findIndex((one) => one.startsWith(`// ${part}:`)) + 1, 0, line)
  write("src/index.js", lines.join("\n"))
}

// ── Reporting ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The lines in which a function really does its work now: those between its head and its end. */
const bodyOf = (file, name) => {
  const lines = project(file).split("\n")
  const head = lines.findIndex((line) => line.startsWith(`export function ${name}(`))
  const [start, end] = [head + 2, lines.indexOf("}", head)]
  return start === end ? `${file}:${start}` : `${file}:${start}-${end}`
}

/**
 * A criterion as done. It speaks of a function of the part, and the body of that shows it, or else of the part as a
 * whole, and its file shows it. The file has more than those bodies, so each criterion has something of its own.
 */
const done = (item, file) => {
  const names = functionsIn(project(file))
  const name = [...item.matchAll(/`(\w+)\(\)`/g)].map(([, name]) => name).find((name) => names.includes(name))
  return { item, status: "done", evidence: name === undefined ? `file:${file}` : bodyOf(file, name) }
}

// ── The script: how each part is done ────────────────────────────────────────────────────────────────────────────────

const script = {
  sessions: () => {
    if (wasRefused("no_todo_left")) return write("src/sessions.js", solution("sessions.js"))
    // Real code, so its evidence holds. But one function is not finished, and says so itself.
    write("src/sessions.js", solution("sessions.first-try.js"))
    say("The rest is a detail. Done!")
  },
  login: () => {
    const whole = solution("login.js")
    if (wasRefused("agent_exit")) return write("src/login.js", whole)
    write("src/login.js", whole.slice(0, whole.indexOf("/** The token")))
    say("Half way through this process ends, as that of a client does that lost its connection.")
    process.exit(1)
  },
  logout: () => write("src/logout.js", solution("logout.js"))
}

// ── One attempt ──────────────────────────────────────────────────────────────────────────────────────────────────────

const yours = section("Your part")
const parts = Object.keys(script).filter((part) => yours.includes(`src/${part}.js`))
if (role !== "work" || !reportFile || parts.length !== 1) {
  process.stderr.write(`This scripted agent only knows the parts of its example (role ${role}, task ${task}).\n`)
  process.exit(1)
}

const [part] = parts
say(`Scripted agent (no model), ${task}: ${part}.`)
for (const line of refusals.filter((line) => /\b[a-z]+_[a-z_]+\b|^- \S+:\d+:/.test(line))) {
  say(`I was told: ${line.replace(/^- /, "").slice(0, 160)}`)
}
script[part]()
exportAll(part)

const file = `src/${part}.js`
const checklist = criteria.map((item) => done(item, file))
const summary = `${functionsIn(project(file)).join(", ")} in ${file}, exported from src/index.js`
writeFileSync(reportFile, `${JSON.stringify({ summary, checklist }, null, 2)}\n`)
say(`Reported ${checklist.length} criteria as met.`)
