import type { AgentStep } from "@proofline/kernel"
import { Option, Predicate, Schema } from "effect"
import type { Preset } from "../../options/index.ts"

export type Fields = Readonly<Record<string, unknown>>

/** Of anything; none where it is no object. */
export const fields = (value: unknown): Fields => (Predicate.isObject(value) ? (value as Fields) : {})
const items = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fields) : [])
const text = (value: unknown): string => (typeof value === "string" ? value : "")
const texts = (...values: ReadonlyArray<unknown>): ReadonlyArray<string> => values.map(text).filter((one) => one !== "")

const said = (type: "text" | "thought", value: unknown): ReadonlyArray<AgentStep> =>
  text(value) === "" ? [] : [{ type, text: text(value) }]

/** Texts that come whole are paragraphs of their own. */
const paragraph = (type: "text" | "thought", value: unknown): ReadonlyArray<AgentStep> =>
  said(type, text(value) === "" ? "" : `${text(value)}\n`)

type ToolStatus = "running" | "done" | "failed"

const tool = (
  id: unknown,
  title: string,
  status: ToolStatus,
  files: ReadonlyArray<string> = []
): ReadonlyArray<AgentStep> => [{ type: "tool", id: text(id), title, status, files }]

/** What a tool works on, under the names that clients give it. */
const filesOf = (input: Fields): ReadonlyArray<string> =>
  texts(input["file_path"], input["filePath"], input["absolute_path"], input["notebook_path"], input["path"])

/** The name of a tool with what it is called for. */
const titleOf = (name: unknown, input: Fields): string => {
  const [what = ""] = texts(input["command"], input["pattern"], input["query"], input["url"], ...filesOf(input))
  return what === "" ? text(name) : `${text(name)}: ${what}`
}

const planStatus = (value: unknown) => (value === "completed" || value === "in_progress" ? value : "pending")

const plan = (entries: ReadonlyArray<{ readonly text: unknown; readonly status: unknown }>): AgentStep => ({
  type: "plan",
  entries: entries.map((entry) => ({ text: text(entry.text), status: planStatus(entry.status) }))
})

type ReadSteps = (event: Fields) => ReadonlyArray<AgentStep>

const claude: ReadSteps = ({ message, type }) =>
  items(fields(message)["content"]).flatMap((part): ReadonlyArray<AgentStep> => {
    if (type === "user") {
      const { is_error, tool_use_id } = part
      return part["type"] === "tool_result" ? tool(tool_use_id, "", is_error === true ? "failed" : "done") : []
    }
    if (type !== "assistant") return []
    const input = fields(part["input"])
    switch (part["type"]) {
      case "text":
        return paragraph("text", part["text"])
      case "thinking":
        return paragraph("thought", part["thinking"])
      case "tool_use":
        return part["name"] === "TodoWrite"
          ? [plan(items(input["todos"]).map(({ content, status }) => ({ text: content, status })))]
          : tool(part["id"], titleOf(part["name"], input), "running", filesOf(input))
      default:
        return []
    }
  })

const codex: ReadSteps = (event) => {
  const item = fields(event["item"])
  const isOver = event["type"] === "item.completed"
  const hasFailed = item["status"] === "failed" || item["status"] === "declined"
  const status: ToolStatus = isOver ? (hasFailed ? "failed" : "done") : "running"
  switch (item["type"]) {
    case "agent_message":
      return isOver ? paragraph("text", item["text"]) : []
    case "reasoning":
      return isOver ? paragraph("thought", item["text"]) : []
    case "command_execution":
      return tool(item["id"], text(item["command"]), status)
    case "file_change": {
      const files = items(item["changes"]).flatMap(({ path }) => texts(path))
      return tool(item["id"], `change ${files.join(", ")}`, status, files)
    }
    case "mcp_tool_call":
      return tool(item["id"], texts(item["server"], item["tool"]).join(" "), status)
    case "web_search":
      return tool(item["id"], `search: ${text(item["query"])}`, status)
    case "todo_list":
      return [
        plan(
          items(item["items"]).map((entry) => ({
            text: entry["text"],
            status: entry["completed"] === true ? "completed" : "pending"
          }))
        )
      ]
    default:
      return []
  }
}

const gemini: ReadSteps = (event) => {
  switch (event["type"]) {
    case "message":
      return event["role"] === "assistant" ? said("text", event["content"]) : []
    case "tool_use": {
      const input = fields(event["parameters"])
      return tool(event["tool_id"], titleOf(event["tool_name"], input), "running", filesOf(input))
    }
    case "tool_result":
      return tool(event["tool_id"], "", event["status"] === "success" ? "done" : "failed")
    default:
      return []
  }
}

const opencode: ReadSteps = (event) => {
  const part = fields(event["part"])
  switch (event["type"]) {
    case "text":
      return paragraph("text", part["text"])
    case "reasoning":
      return paragraph("thought", part["text"])
    case "tool_use": {
      const state = fields(part["state"])
      const input = fields(state["input"])
      const status = state["status"] === "completed" ? "done" : state["status"] === "error" ? "failed" : "running"
      return tool(part["callID"], titleOf(part["tool"], input), status, filesOf(input))
    }
    default:
      return []
  }
}

const acpStatus = (status: unknown): ToolStatus =>
  status === "completed" ? "done" : status === "failed" ? "failed" : "running"

/** What an update of the Agent Client Protocol tells of. */
export const stepsOfUpdate: ReadSteps = (update) => {
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      return said("text", fields(update["content"])["text"])
    case "agent_thought_chunk":
      return said("thought", fields(update["content"])["text"])
    case "tool_call":
    case "tool_call_update": {
      const files = items(update["locations"]).flatMap(({ path }) => texts(path))
      return tool(update["toolCallId"], text(update["title"]), acpStatus(update["status"]), files)
    }
    case "plan":
      return [plan(items(update["entries"]).map(({ content, status }) => ({ text: content, status })))]
    default:
      return []
  }
}

const readers: Readonly<Record<Preset, ReadSteps>> = { claude, codex, gemini, opencode }

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** What a client says in one line of its stream that it does; other lines are noise. */
export const stepsOfLine = (preset: Preset, line: string): ReadonlyArray<AgentStep> =>
  line.startsWith("{") ? Option.match(decode(line), { onNone: () => [], onSome: readers[preset] }) : []
