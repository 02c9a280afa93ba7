import { argumentsSchema, type Declaration } from "@proofline/plugins/operations"
import { definitionsOf, descriptionOf, propertiesOf, requiredOf, typeText } from "./jsonTypes.ts"
import { code, type Page, page, prose, table } from "./markdown.ts"

const subjects: Readonly<Record<Declaration["subject"], string>> = {
  session: "an agent in its session",
  attempt: "an agent that Proofline has started, for its attempt",
  project: "the operator of the project"
}

/** Every argument but the token, which all have. */
const argumentsOf = (operation: Declaration): ReadonlyArray<ReadonlyArray<string>> => {
  const schema = argumentsSchema(operation)
  const required = requiredOf(schema)
  return propertiesOf(schema)
    .filter(([name]) => name !== "session_token")
    .map(([name, value]) => [
      code(name),
      code(typeText(value, definitionsOf(schema))),
      required.includes(name) ? "required" : "",
      prose(descriptionOf(value))
    ])
}

const sectionOf = (operation: Declaration): ReadonlyArray<string> => [
  `## ${operation.name}`,
  prose(operation.description),
  `For ${subjects[operation.subject]}; shown from \`${operation.level}\` on${operation.readOnly ? "; changes nothing" : ""}.`,
  table(["argument", "type", "", ""], argumentsOf(operation))
]

/** Every tool that agents and people may ask for over MCP, HTTP or `proofline call`. */
export const operationsPage = (operations: ReadonlyArray<Declaration>): Page =>
  page("tools", "MCP tools", [
    "Each is an MCP tool, `POST /api/v1/operations/NAME` of the [HTTP API](../http.md#operations), and `proofline call NAME` ([from a script](../mcp.md#from-a-script)). Each takes `session_token` too. How an agent works with them, and every refusal, is told in [pull mode](../pull-mode.md#tools). Plugins [add their own](../plugins.md#an-operation).",
    table(
      ["tool", "shown from", "for"],
      operations.map(({ level, name, subject }) => [`[\`${name}\`](#${name})`, code(level), subjects[subject]])
    ),
    ...operations.flatMap(sectionOf)
  ])
