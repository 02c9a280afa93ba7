import { instructionTexts } from "@proofline/plugins/policies/sessions"
import { parseAst } from "rolldown/parseAst"
import type { Source } from "./eventTypes.ts"
import { code, type Page, page, prose, table } from "./markdown.ts"

/** What is said with a code somewhere in the sources. `…` stands for what is filled in. */
export interface Said {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly path: string
}

/** A node of the syntax tree: whatever has a type. */
type Node = { readonly type: string } & Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"

const childrenOf = (node: Node): ReadonlyArray<Node> =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))

const isCode = (text: string): boolean => /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(text)

/** Texts that have a name, in the order of the source. */
type Named = ReadonlyArray<{ readonly name: string; readonly start: number; readonly text: string }>

/** The text of a literal, a template, a name, or of texts that are put together; null: it is made elsewhere. */
const textOf = (node: unknown, named: Named = []): string | null => {
  if (!isNode(node)) return null
  if (node.type === "Identifier") {
    const before = named.filter(({ name, start }) => name === node["name"] && start < Number(node["start"]))
    return before.at(-1)?.text ?? null
  }
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : null
  if (node.type === "TemplateLiteral") {
    const quasis = node["quasis"] as ReadonlyArray<{ readonly value: { readonly cooked: string } }>
    return quasis.map(({ value }) => value.cooked).join("…")
  }
  if (node.type === "BinaryExpression" && node["operator"] === "+") {
    const [left, right] = [textOf(node["left"], named) ?? "…", textOf(node["right"], named) ?? "…"]
    return left === "…" && right === "…" ? null : left + right
  }
  if (node.type === "ConditionalExpression") {
    const [a, b] = [textOf(node["consequent"], named), textOf(node["alternate"], named)]
    return a === null || b === null || a === b ? (a ?? b) : `${a} / ${b}`
  }
  if (node.type === "ArrowFunctionExpression") return textOf(node["body"], named)
  if (node.type === "CallExpression") return instructionOf(node)
  return null
}

/** What stands for a field, as in other texts. */
const filledUp = (text: string): string => text.replace(/\{\w+\}/g, "…")

/** The sentence of a contract that is asked for by its key; null: it is another call. */
const instructionOf = (node: Node): string | null => {
  const callee = node["callee"]
  if (!isNode(callee) || callee["name"] !== "instructed") return null
  const [, key] = node["arguments"] as ReadonlyArray<unknown>
  const keys = textOf(key)?.split(" / ") ?? []
  const texts = keys.flatMap((one) => (isInstruction(one) ? [filledUp(instructionTexts[one])] : []))
  return texts.length === 0 ? null : texts.join(" / ")
}

const isInstruction = (key: string): key is keyof typeof instructionTexts => Object.hasOwn(instructionTexts, key)

/** The value of each key of an object that is written out. */
const fieldsOf = (node: Node): ReadonlyMap<string, unknown> =>
  new Map(
    (node["properties"] as ReadonlyArray<Node>).flatMap((property) => {
      const key = property["key"]
      return property.type === "Property" && isNode(key)
        ? [[String(key["name"] ?? key["value"]), property["value"]] as const]
        : []
    })
  )

/** Functions that are called with a code, a message and what to do. */
const calls = /^(?:reject\w*|refused?|refusal|fault|finding|problem|failed|unreadable|ActivityFailure)$/

const codesOf = (node: unknown): ReadonlyArray<string> => {
  const text = textOf(node)
  return text === null ? [] : text.split(" / ").filter(isCode)
}

/** Texts by code, each with what to do under the same key and `_next`; `__` tells those of one code apart. */
const pairedIn = (fields: ReadonlyMap<string, unknown>, path: string): ReadonlyArray<Said> => {
  const keys = [...fields.keys()]
  const isPaired =
    keys.length > 0 && keys.every((key) => fields.has(`${key}_next`) || fields.has(key.replace(/_next$/, "")))
  const textAt = (key: string): string => filledUp(textOf(fields.get(key)) ?? "")
  return isPaired && keys.some((key) => key.endsWith("_next"))
    ? keys
        .filter((key) => !key.endsWith("_next"))
        .map((key) => ({ code: key.split("__")[0] ?? key, message: textAt(key), hint: textAt(`${key}_next`), path }))
    : []
}

const saidAt = (node: Node, path: string, named: Named): ReadonlyArray<Said> => {
  if (node.type === "ObjectExpression") {
    const fields = fieldsOf(node)
    const paired = pairedIn(fields, path)
    if (paired.length > 0) return paired
    const message = fields.get("message") ?? fields.get("detail")
    if (message === undefined) return []
    const hint = textOf(fields.get("hint") ?? fields.get("next_step") ?? fields.get("fix"), named) ?? ""
    const said = textOf(message, named) ?? ""
    return codesOf(fields.get("code") ?? fields.get("error")).map((one) => ({ code: one, message: said, hint, path }))
  }
  if (node.type !== "CallExpression") return []
  const callee = node["callee"]
  const [first, second, third] = node["arguments"] as ReadonlyArray<unknown>
  if (!isNode(callee) || callee.type !== "Identifier" || !calls.test(String(callee["name"]))) return []
  const [message, hint] = [second, third].map((one) => textOf(one, named) ?? "")
  return codesOf(first).map((one) => ({ code: one, message: message ?? "", hint: hint ?? "", path }))
}

const everyNode = (node: Node): ReadonlyArray<Node> => [node, ...childrenOf(node).flatMap(everyNode)]

const namedIn = (nodes: ReadonlyArray<Node>): Named =>
  nodes.flatMap((node) => {
    const id = node["id"]
    if (node.type !== "VariableDeclarator" || !isNode(id)) return []
    const text = textOf(node["init"])
    return text === null ? [] : [{ name: String(id["name"]), start: Number(node["start"]), text }]
  })

/** Every code that is said in a source, in the order of the text. */
export const saidIn = ({ path, text }: Source): ReadonlyArray<Said> => {
  const nodes = everyNode(parseAst(text, { lang: "ts" }) as unknown as Node)
  const named = namedIn(nodes)
  return nodes.flatMap((node) => saidAt(node, path, named))
}

/** Words of the same form that are no codes of refusals: criteria of a split, and limits of a budget. */
const others: ReadonlySet<string> = new Set([
  ...["explicit_enumeration", "independent_parts", "large_scope", "multiple_files"],
  ...["max_attempts", "max_calls", "max_tokens"]
])

/** Keys of refused evidence, which have a page of their own. */
const isEvidence = (one: string): boolean =>
  one.startsWith("checklist_") && one !== "checklist_empty" && one !== "checklist_missing"

/** What is said where the sentence is that of a system, is made from parts, or stands apart from its code. */
export const inWords: Readonly<Record<string, string>> = {
  accept_unknown: "A reason that is to be accepted is none that is known.",
  agent_credentials: "The provider of the agent refuses its login or key.",
  agent_network: "The provider of the agent cannot be reached.",
  agent_overloaded: "The provider of the agent is overloaded, or takes no more requests for now.",
  agent_quota: "The provider of the agent has no quota or credit left for it.",
  already_completed: "The task is completed already.",
  archive_damaged: "An archive is cut off, or not as it was written; the line is named.",
  argument_unknown: "An operation does not take the argument; the nearest one and all that it takes are named.",
  attempt_lost: "The attempt ended with the process that drove it.",
  dependency_failed: "A task on which this one depends has failed.",
  dependency_not_completed: "A task of an earlier iteration that is depended on was not completed.",
  duration_invalid: "A time has no unit, or is none.",
  events_damaged: "A file of events has a line that is cut off, changed or none; it is named.",
  field_empty: "A field that must say something is empty.",
  field_invalid: "A field does not fit what is expected there.",
  field_missing: "A field that is expected is not there.",
  field_out_of_range: "A number is below or above its limits, which are named.",
  generator_invalid: "The name of a generator has other signs than lower-case letters, digits and -.",
  head_missing: "The head of a change is not in this clone.",
  iterations_used_up: "Requirements are unmet, and no iteration is left; a resume grants as many again.",
  json_syntax: "The file is no JSON; the place is named.",
  log_locked: "Another process keeps the log locked.",
  notes_unreadable: "The git notes of the commit cannot be read.",
  plan_invalid: "The plan of a split does not hold together; the task is run in one piece.",
  plugin_conflict: "Two plugins own the same name.",
  remote_failed: "Git cannot push to the remote, or fetch from it; its own words follow.",
  request_too_large: "A request holds more than it may.",
  review_failed: "The reviewer failed or ran out of time each time that it was asked.",
  review_unread: "The answer of the reviewer cannot be read.",
  run_elsewhere: "The run goes on in another log, or lies in an archive; where is named.",
  validator_broken: "The validator of a plugin's phase failed by itself.",
  yaml_syntax: "The file is no YAML; the place is named.",
  base_missing: "The base of a change is not in this clone.",
  blob_damaged: "A blob is not what its name says, or cannot be read.",
  checkout_bundle_damaged: "A bundle with the work of a run is not what its name says.",
  checkout_bundle_missing: "A bundle with the work of a run is not in the store of blobs.",
  checkout_remote_failed: "Git cannot get the history from the remote; its own words follow.",
  checks_failed: "Commands of the attempt did not pass; each is named with its exit code and the end of its output.",
  missing_lines: "A ticked box cites lines that the file does not have.",
  not_requirements: "The file is one of tasks.",
  not_tasks: "The file is one of requirements.",
  notation_invalid: "The notation of a field of a payload cannot be read; what is expected there is named.",
  run_cut: "The end of a run is lost; what is left of it can be read.",
  run_not_forked: "A run of this kind cannot be forked, or not now; the sentence says why.",
  verifier_invalid: "The name of a verifier has other signs than lower-case letters, digits and -.",
  workplace_git_failed: "Git failed in a checkout of a worker; its own words follow.",
  workplace_name: "A file has a name that git cannot hold.",
  yaml_too_deep: "The file is nested too deeply."
}

const hasWords = (text: string): boolean => /[a-z]/i.test(text)

/** The best that is said with a code: what says most, of several the first. */
const best = (texts: ReadonlyArray<string>): string => {
  const told = texts.filter(hasWords)
  return told.find((text) => !text.startsWith("…")) ?? told[0] ?? ""
}

/** Every stable code with what is said beside it. */
export const errorsPage = (sources: ReadonlyArray<Source>): Page => {
  const said = sources.flatMap(saidIn).filter((one) => !others.has(one.code) && !isEvidence(one.code))
  const codes = [...new Set([...said.map((one) => one.code), ...Object.keys(inWords)])].toSorted()
  return page("errors", "Error codes", [
    `The ${codes.length} codes with which Proofline refuses, warns or gives up, each with what it says and what to do then. Codes are stable, sentences may change; \`…\` stands for what is filled in. In documents of \`--json\` they are \`problems[].code\`, over HTTP \`code\`, over MCP \`error\`. Why evidence is refused has keys of its own ([evidence](../evidence.md)), and so have payloads of [pull mode](../pull-mode.md#refusals).`,
    table(
      ["code", "what is said", "what to do"],
      codes.map((one) => {
        const own = said.filter(({ code: other }) => other === one)
        const message = best(own.map((each) => each.message)) || (inWords[one] ?? "")
        const beside = own.filter((each) => each.message === message)
        return [code(one), prose(message), prose(best([...beside, ...own].map(({ hint }) => hint)))]
      })
    )
  ])
}
