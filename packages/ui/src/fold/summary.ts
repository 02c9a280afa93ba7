import type { Recorded } from "@proofline/kernel"

const longest = 240

/** What an event is about, in one line of at most 240 characters, whatever it holds. Its type is not said again. */
export const summaryOf = ({ content }: Pick<Recorded, "content">): string => {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return oneLine(JSON.stringify(content))
  const of = content as Readonly<Record<string, unknown>>
  const about = firstOf(of, [
    "subtask_id",
    "task_id",
    "parent_task_id",
    "requirement_id",
    "phase",
    "session_id",
    "name"
  ])
  const attempt = typeof of["attempt"] === "number" ? `attempt ${of["attempt"]}` : null
  const change = typeof of["from"] === "string" && typeof of["to"] === "string" ? `${of["from"]} → ${of["to"]}` : null
  const passed = typeof of["passed"] === "boolean" ? (of["passed"] ? "passed" : "failed") : null
  const words = firstOf(of, ["message", "item", "title", "summary", "reason", "prompt", "output_tail"])
  const tasks = Array.isArray(of["tasks"]) ? `${of["tasks"].length} tasks` : null
  const code = firstOf(of, ["key", "outcome", "judgment", "verdict", "code", "action", "status", "kind"])
  const who = firstOf(of, ["agent", "reviewer", "verifier", "generator", "by"])
  const parts = [about, attempt, code, change, passed, tasks, words, firstOf(of, ["evidence"]), who]
  return oneLine([...new Set(parts.filter((part) => part !== null && part !== ""))].join(" · "))
}

const firstOf = (of: Readonly<Record<string, unknown>>, keys: ReadonlyArray<string>): string | null => {
  for (const key of keys) {
    const value = of[key]
    if (typeof value === "string" && value.trim() !== "") return value
  }
  return null
}

const oneLine = (text: string): string => {
  // control characters and those that turn the direction of text around would spoil more than their own line
  const flat = text
    .slice(0, longest * 4)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
  return flat.length > longest ? `${flat.slice(0, longest - 1).toWellFormed()}…` : flat.toWellFormed()
}
