/**
 * A scripted client: there is no model in it. It works in the current directory as an agent does that a person has open:
 * over MCP, it asks Proofline what to do, does it, and hands it in. It does not do well at first, so the example shows the
 * same on every machine, offline and in seconds.
 *
 *     node client.mjs [command]       the command that starts the server; `proofline mcp` when left out
 *
 * It remembers nothing: what to do now, and what went wrong before, is in every answer. So it may be killed at any moment,
 * and another one goes on. Exit code 0: the run is proven.
 */
import { spawn } from "node:child_process"
import { copyFileSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"

// ── What a person sees ───────────────────────────────────────────────────────────────────────────────────────────────

const inColour = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb"
const paint = (code) => (text) => (inColour ? `\x1b[${code}m${text}\x1b[0m` : text)
const [bold, dim, red, green] = [1, 2, 31, 32].map(paint)

const held = []
const print = (line) => process.stdout.write(`${line}\n`)
const say = (line) => {
  for (const before of held.splice(0)) print(before)
  print(line)
}
/** Comes before what the next chapter has begun with. */
const chapter = (title) => {
  const begun = held.splice(0)
  say(`\n${bold(title)}`)
  for (const line of begun) print(line)
}
const thinks = (text) => say(dim(`  (${text})`))
const firstSentence = (text) => text.split("\n")[0].match(/^.*?[.:](?=\s|$)/)?.[0] ?? text.split("\n")[0]
const endOf = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

const showRefusal = ({ error, failures = [], message, next_step, verification }) => {
  const many = failures.length === 1 ? ": one thing is wrong" : `: ${failures.length} things are wrong`
  say(`  ${red("✗")} refused, ${error}${failures.length === 0 ? "" : many}`)
  if (failures.length === 0) say(`      ${message}`)
  for (const failure of failures) {
    if (failure.item) say(`      ${failure.item}`)
    say(`        ${red(failure.key)}: ${failure.message}`)
  }
  for (const { command, exit_code, output } of verification?.commands ?? []) {
    say(`      $ ${command}    exit code ${exit_code}`)
    for (const line of output.trim().split("\n")) say(`        ${line.startsWith("NO") ? red(line) : line}`)
  }
  say(dim(`      what to do: ${next_step}`))
}

// ── MCP over the standard streams of the server: JSON-RPC, one message a line ────────────────────────────────────────

const [command = "proofline", ...args] = process.argv.length > 2 ? process.argv.slice(2) : ["proofline", "mcp"]
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
const waiting = new Map()

const giveUp = (why) => {
  for (const { reject } of waiting.values()) reject(new Error(why))
  waiting.clear()
}
server.on("error", (error) => giveUp(`The server cannot be started: ${error.message}`))
server.on("close", (code, signal) => giveUp(`The server has ended (${signal ?? `exit code ${code}`}).`))
// what cannot be sent any more is told by the end of the server
server.stdin.on("error", () => {})

createInterface({ input: server.stdout }).on("line", (line) => {
  const message = JSON.parse(line)
  const asked = waiting.get(message.id)
  if (asked === undefined || message.method !== undefined) return
  waiting.delete(message.id)
  if (message.error) asked.reject(new Error(message.error.message))
  else asked.resolve(message.result)
})

let messages = 0
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const request = (method, params) =>
  new Promise((resolve, reject) => {
    const id = ++messages
    waiting.set(id, { resolve, reject })
    send({ id, method, params })
  })

/** Calls a tool, and shows what is asked and what is answered. */
const ask = async (name, args, shown, details = []) => {
  say(`  → ${name}  ${shown}`)
  for (const line of details) say(dim(`      ${line}`))
  const { structuredContent: body } = await request("tools/call", { name, arguments: args })
  if (body.success === false) showRefusal(body)
  for (const { message } of body.warnings ?? []) say(`      ${dim(`warning: ${message}`)}`)
  return body
}

const accepted = (text) => say(`  ${green("✓")} ${text}`)

// ── The work ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const solution = (name) => new URL(`solution/${name}`, import.meta.url)
const put = (name, file) => copyFileSync(solution(name), file)

/** The lines where a function really stands now. */
const linesOf = (file, name) => {
  const lines = readFileSync(file, "utf8").split("\n")
  const start = lines.findIndex((line) => line.startsWith(`export function ${name}(`))
  return `${file}:${start + 1}-${lines.indexOf("}", start) + 1}`
}

/** An item that names a function and its file, as done, with the lines of that function. */
const done = (item) => {
  const [, name] = item.match(/(\w+)\(\)/)
  const [file] = item.match(/src\/\w+\.js/)
  return { item, status: "done", evidence: linesOf(file, name) }
}

const leftAlone = "Move the arithmetic of days out of src/loans.js"

const plan = [
  {
    id: "fines",
    description: "Charge for books that come back late, as the README says.",
    checklist: [
      "Add daysLate() to src/fines.js",
      "Cap a fine at the price of the book with capped() in src/fines.js",
      "Add fine() to src/fines.js",
      "Add owed() to src/fines.js",
      leftAlone
    ]
  },
  {
    id: "desk",
    description: "Tell members what they owe, at the desk and by letter.",
    depends_on: ["fines"],
    checklist: ["Show what is owed in card() of src/desk.js", "Add reminder() to src/desk.js"]
  }
]

const honest = (checklist) =>
  checklist.map(({ item }) =>
    item === leftAlone
      ? { item, status: "skipped", reason: "src/days.js has daysBetween() and addDays() already." }
      : done(item)
  )

/** One lie of each kind. */
const lies = [
  { status: "done", evidence: "src/fines.js:2-4" },
  { status: "done", evidence: "src/limits.js:1-9" },
  { status: "done", evidence: "src/fines.js:120-131" },
  { status: "done", evidence: "somewhere around line 7" },
  { status: "skipped", reason: "later" }
]

const mayWrite = async (file_path) => {
  const { allowed, error, next_step } = await ask("check_write_target", { file_path }, file_path)
  if (allowed) accepted("may be written")
  else say(`  ${red("✗")} may not be written. ${error}\n      ${dim(`what to do: ${next_step}`)}`)
  return allowed
}

const report = async (task_id, summary, checklist) => {
  const details = checklist.map(({ evidence, item, reason, status }) => `${item}: ${status}, ${evidence ?? reason}`)
  const body = await ask(
    "complete_task",
    { task_id, data: { summary, checklist } },
    `${task_id}: “${summary}”`,
    details
  )
  if (body.success) accepted(`${task_id} is ${body.task.new_status}, ${body.verdict}`)
}

/** How each task is done, with the task as Proofline tells it. */
const tasks = {
  fines: async ({ checklist, last_report }, verification) => {
    if (verification) {
      chapter("The agent reads what has failed, and repairs it")
      put("fines.js", "src/fines.js")
      thinks("days on which the library is closed are not counted any more")
      return report("fines", "Fines for open days only", honest(checklist))
    }
    if (last_report) {
      chapter("The agent does the work")
      put("fines.first-try.js", "src/fines.js")
      return report("fines", "Fines, with the price of the book as their limit", honest(checklist))
    }
    chapter("The agent asks what it may write, and then cheats")
    await mayWrite("data/members.json")
    if (!(await mayWrite("src/fines.js"))) throw new Error("The plan names src/fines.js, and it may not be written.")
    put("fines.stub.js", "src/fines.js")
    thinks("two stubs are written to src/fines.js; the report says that all is there")
    return report(
      "fines",
      "Fines are implemented!",
      checklist.map(({ item }, i) => ({ item, ...lies[i] }))
    )
  },
  desk: async ({ checklist }, verification) => {
    put("desk.js", "src/desk.js")
    const part = {
      title: "Write amounts as people read them",
      parent_task_id: "desk",
      checklist: ["Add euros() to src/money.js"]
    }
    const { tasks } = (await request("tools/call", { name: "get_my_task_progress", arguments: {} })).structuredContent
    if (tasks.every(({ subtasks }) => subtasks.length === 0)) {
      chapter("The agent finds that a task has a part of its own")
      const { created } = await ask("create_tasks", { tasks: [part] }, part.title)
      accepted(`${created[0].id} is a part of desk`)
      thinks("the whole is called done before its part")
      return report("desk", "What is owed is shown", honest(checklist))
    }
    if (!verification) chapter("The agent does the rest of the whole")
    return report("desk", "What is owed is shown", honest(checklist))
  },
  /** The part, which has an id that Proofline gave it. */
  part: async ({ checklist, task_id }, verification) => {
    if (!verification) chapter("The agent does the part")
    put("money.js", "src/money.js")
    return report(task_id, "euros() writes cents as people read them", honest(checklist))
  }
}

const handIn = async (data, shown) => {
  const body = await ask("submit_phase", { data }, shown)
  if (body.success) accepted(`next is ${body.phase}`)
}

const summary = "Late books are charged, and members are told."
const pending = (checklist) => checklist.map((item) => ({ item, status: "pending" }))

/** What is handed in for each phase. */
const phases = {
  EXPLORATION: () => {
    chapter("The agent looks before it writes")
    const explored_files = ["README.md", "src/days.js", "src/loans.js", "src/desk.js"]
    const findings = [
      "README.md: fines are described, and nothing in src/ knows of them",
      "src/desk.js: card() does not say what is owed"
    ]
    return handIn({ explored_files, findings }, `looked at ${explored_files.join(", ")}`)
  },
  READY_PLAN: () => {
    chapter("The agent plans")
    const planned = plan.map((task) => ({ ...task, status: "pending", checklist: pending(task.checklist) }))
    return handIn({ tasks: planned }, plan.map(({ checklist, id }) => `${id} (${checklist.length} items)`).join(", "))
  },
  READY_COMPLETE: () => {
    chapter("The agent says what was done")
    return handIn({ summary }, `“${summary}”`)
  },
  POST_IMPL_VERIFY: () => {
    chapter("The whole is verified: by commands of the project, not by the agent")
    return handIn({}, "(nothing: there is no way to say that it has passed)")
  }
}

// ── The loop of every agent in pull mode ─────────────────────────────────────────────────────────────────────────────

/** Does what it is told to do now. The status of the run once it is over, else undefined. */
const step = async () => {
  const next = (await request("tools/call", { name: "get_next_action", arguments: {} })).structuredContent
  const { action, instruction, phase, task, verification } = next
  const about = task ? `${task.task_id}: ${endOf(task.title, 70)}` : `${phase}: ${firstSentence(instruction)}`
  held.push("  → get_next_action", `  ← ${bold(action)}  ${about}`)
  switch (action) {
    case "submit_phase":
      if (phases[phase] === undefined) throw new Error(`This scripted client does not know the phase ${phase}.`)
      return void (await phases[phase]())
    case "work":
    case "start_subtask":
    case "execute_subtask":
      return void (await (tasks[task.task_id] ?? tasks.part)(task, verification))
    case "wait":
      return void (await new Promise((resolve) => setTimeout(resolve, 500)))
    case "report_completion": {
      chapter("The agent says that it is done, and stops")
      const { run_status, success } = await ask("report_completed", { result: "success", summary }, "success")
      if (success) accepted(`the run is ${run_status}`)
      return run_status ?? "refused"
    }
    default:
      throw new Error(`This scripted client does not know what to do for ${action}.`)
  }
}

try {
  const { serverInfo } = await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "scripted-client", version: "1" }
  })
  send({ method: "notifications/initialized" })
  const { tools } = await request("tools/list", {})
  say(`A scripted client (no model) is connected with ${serverInfo.name} ${serverInfo.version}: ${tools.length} tools.`)
  let status
  // nothing in this story takes so many steps; a client that goes in circles must end
  for (let steps = 0; status === undefined && steps < 60; steps++) status = await step()
  process.exitCode = status === "completed" ? 0 : 1
} catch (error) {
  process.stderr.write(`The scripted client stops: ${error.message}\n`)
  process.exitCode = 1
}
// the server ends with its input, and the session with the server
server.stdin.end()
