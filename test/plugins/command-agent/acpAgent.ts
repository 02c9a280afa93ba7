/*
 * A scripted agent that speaks the Agent Client Protocol, for tests alone. It is told what to do by its argument, and
 * writes what it was asked to `asked.jsonl` in its directory.
 */
import { spawn } from "node:child_process"
import { appendFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [, , mode = ""] = process.argv

const write = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}

interface Permitted {
  readonly outcome: { readonly optionId?: string }
}

const waiting = new Map<number, (result: Permitted) => void>()
let ids = 0
/** Asks the client, and waits for its answer. */
const ask = (method: string, params: object) =>
  new Promise<Permitted>((resolve) => {
    waiting.set(++ids, resolve)
    write({ id: ids, method, params })
  })

const newSession = "s1"
/** Whose updates it tells, and which session it was asked to load. */
let session = newSession
let loaded = newSession
const update = (content: object): void =>
  write({ method: "session/update", params: { sessionId: session, update: content } })
const say = (text: string, more: object = {}): void =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...more })

/** Some agents show what a tool is called with, and tell its name apart from that. */
const named: Readonly<Record<string, object>> = {
  named: { title: '{"judgment":"PASS"}', _meta: { toolName: "mcp__proofline__submit_review" } },
  foreign: { title: '{"path":"/src/proofline"}', _meta: { toolName: "mcp__files__remove" } }
}

const toolCall = (kind: string) => ({
  toolCallId: "t1",
  title: kind === "other" ? "proofline_submit_review" : "Edit a.txt",
  kind,
  ...named[mode],
  status: "pending",
  locations: [{ path: `${process.cwd()}/a.txt` }],
  rawInput: { file: "a.txt", text: "changed" }
})

/** Asks whether it may write, and does it only then. */
const edit = async (kind = "edit"): Promise<boolean> => {
  update({ sessionUpdate: "tool_call", ...toolCall(kind) })
  const { outcome } = await ask("session/request_permission", {
    sessionId: session,
    toolCall: toolCall(kind),
    options: [
      { optionId: "never", name: "Allow", kind: "reject_once" },
      { optionId: "always", name: "No", kind: "allow_always" },
      { optionId: "now", name: "Yes", kind: "allow_once" }
    ]
  })
  const isAllowed = outcome.optionId === "now" || outcome.optionId === "always"
  if (isAllowed) writeFileSync("a.txt", "changed\n")
  update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: isAllowed ? "completed" : "failed" })
  return isAllowed
}

const flood = async (size: number): Promise<object> => {
  const line = `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s1", update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "x".repeat(64_000) } } } })}\n`
  for (let bytes = 0; bytes < size; bytes += line.length) {
    if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once("drain", resolve))
  }
  say("\n```json\n{}\n```\n")
  return { stopReason: "end_turn" }
}

const answering = async (): Promise<object> => {
  say("```json\n{}\n```\n")
  return { stopReason: "end_turn" }
}

/** What was in its session before, with a report that is old. */
const past = ["first", "second"].flatMap((word) => [
  () => update({ sessionUpdate: "user_message_chunk", content: { type: "text", text: `The ${word} words.` } }),
  () => update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "It is old.\n" } }),
  () => update({ sessionUpdate: "tool_call", ...toolCall("edit") }),
  () => say("It is old.\n```json\n"),
  () => update({ sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 9, currency: "USD" } }),
  () => say('{"summary": "old"}\n```')
])
const tellPast = (pieces = past.length): void => {
  const now = session
  session = loaded
  for (const tell of past.splice(0, pieces)) tell()
  session = now
}

/** How many answers of its own its model takes longer than. */
let untilModel = 0
let modelAnswers = (): void => {}
const modelAnswered = new Promise<void>((resolve) => {
  modelAnswers = resolve
})

/** How it loads a session: how many pieces of its past it tells before its answer. */
const loads: Readonly<Record<string, number>> = {
  load: past.length,
  lost: 2,
  deaf: past.length,
  gone: past.length,
  // the rest behind its answer, one piece whenever it is asked something
  behind: past.length - 5,
  late: 0
}

const turns: Readonly<Record<string, () => Promise<object | null>>> = {
  edit: async () => {
    update({
      sessionUpdate: "plan",
      entries: [{ content: "Change a.txt", priority: "high", status: "in_progress" }]
    })
    update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Where is it?" } })
    say("I look at a.txt.\n")
    await edit()
    say("All ")
    say("done.\n```json\n{}\n```\n")
    update({ sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 0.25, currency: "USD" } })
    return { stopReason: "end_turn", usage: { inputTokens: 7, outputTokens: 5, totalTokens: 12 } }
  },
  task: async () => {
    const item = "Change a.txt"
    const isAllowed = await edit()
    const told = isAllowed
      ? { status: "done", evidence: "a.txt:1" }
      : { status: "cannot", reason: "It may not be changed, as a person says." }
    say(`\n\`\`\`json\n${JSON.stringify({ summary: "", checklist: [{ item, ...told }] })}\n\`\`\`\n`)
    return { stopReason: "end_turn" }
  },
  read: async () => {
    await edit("read")
    return { stopReason: "end_turn" }
  },
  ours: async () => {
    await edit("other")
    return { stopReason: "end_turn" }
  },
  named: async () => {
    await edit("other")
    return { stopReason: "end_turn" }
  },
  foreign: async () => {
    await edit("other")
    return { stopReason: "end_turn" }
  },
  counts: async () => {
    say("", { _meta: { usage: { inputTokens: 10, outputTokens: 5 } } })
    say("done\n", { _meta: { usage: { inputTokens: 20, outputTokens: 1 } } })
    update({ sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } })
    return { stopReason: "end_turn" }
  },
  load: answering,
  lost: async () => {
    tellPast()
    return await answering()
  },
  deaf: answering,
  gone: answering,
  behind: async () => {
    tellPast()
    return await answering()
  },
  late: async () => {
    tellPast()
    untilModel = 4
    await modelAnswered
    update({ sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 9.5, currency: "USD" } })
    return { ...(await answering()), usage: { inputTokens: 7, outputTokens: 5, totalTokens: 12 } }
  },
  takeup: answering,
  cannot: answering,
  noise: async () => {
    process.stdout.write('Warning: { not JSON\n[1,2]\n\u0000\uFFFF{}\nnull\n{"jsonrpc":"2.0"}\n')
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: "nonsense" })}\n`)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: 99, result: {} })}\n`)
    say("done\n")
    return { stopReason: "end_turn" }
  },
  token: async () => {
    say(`It is ${process.env["PROOFLINE_TOKEN"]}.\n`)
    return { stopReason: "end_turn" }
  },
  crash: async () => {
    say("I begin.\n")
    process.exit(3)
  },
  quit: async () => process.exit(0),
  tokens: async () => ({ stopReason: "max_tokens" }),
  wait: async () => {
    writeFileSync("waits", "")
    return null
  },
  setsid: async () => {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" })
    child.unref()
    writeFileSync("pid", `${child.pid}\n`)
    return { stopReason: "end_turn" }
  },
  flood: () => flood(1_000_000_000),
  spill: () => flood(100_000_000)
}

const capabilities = mode === "takeup" ? { sessionCapabilities: { resume: {} } } : { loadSession: mode in loads }

const answers: Readonly<Record<string, () => Promise<object | null>>> = {
  initialize: async () =>
    mode === "mute" ? null : { protocolVersion: mode === "newer" ? 7 : 1, agentCapabilities: capabilities },
  "session/load": async () => {
    tellPast(loads[mode])
    return {}
  },
  "session/resume": async () => ({}),
  "session/new": async () => ({ sessionId: newSession }),
  "session/prompt": async () => (await turns[mode]?.()) ?? null
}

if (mode === "stubborn") process.on("SIGTERM", () => {})

let prompt: number | undefined
createInterface({ input: process.stdin }).on("line", async (line) => {
  appendFileSync("asked.jsonl", `${line}\n`)
  const { id, method, params, result } = JSON.parse(line)
  if (method === undefined) return waiting.get(id)?.(result)
  if (method === "session/cancel" && mode !== "stubborn")
    return write({ id: prompt, result: { stopReason: "cancelled" } })
  if (method === "session/new" && mode === "login") {
    return write({ id, error: { code: -32_000, message: "Authentication required" } })
  }
  if (method === "session/load") {
    loaded = params.sessionId
    if (mode !== "lost") session = loaded
  }
  if (method === "session/load" && mode === "lost") {
    tellPast(loads[mode])
    return write({ id, error: { code: -32_002, message: "Session not found" } })
  }
  if (method.startsWith("_")) {
    if (mode === "gone") process.exit(0)
    if (mode === "deaf") return
    if (mode === "behind") tellPast(1)
    write({ id, error: { code: -32_601, message: "Method not found" } })
    if (--untilModel === 0) modelAnswers()
    return
  }
  if (method === "session/prompt") prompt = id
  const answer = await answers[method === "session/prompt" && params.prompt[0].text === "" ? "" : method]?.()
  if (answer !== null && answer !== undefined) write({ id, result: answer })
})
