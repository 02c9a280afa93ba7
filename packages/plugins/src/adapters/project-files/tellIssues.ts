/** Says in sentences what Effect finds wrong with the values of a file, each at its place. */
import type { SchemaAST, SchemaIssue } from "effect"
import { capital, closest, enumerate, pathTo, quoted, shortened } from "../../options/words.ts"
import { type Fault, isWhole, type Saying, sayingOf, sayingOfAst, wordsOf } from "./fileSchema.ts"
import type { Entry, MappingNode, Node } from "./Node.ts"
import { type Findings, refuse } from "./Problem.ts"

/** What hints are written in. */
export type Syntax = "yaml" | "json"

/** A file whose values are judged. */
export interface Judged {
  readonly findings: Findings
  readonly syntax: Syntax
  /** The value of a node. */
  readonly plainOf: (node: Node) => unknown
  /** Nodes that were refused, filled while it is told. */
  readonly refused: Set<Node>
  /** Of a schema that is not ours: what is expected where we have no words for it. */
  readonly expectedBy?: (issue: SchemaIssue.Issue) => string
}

/** A value, and how sentences speak of it. */
export interface Spot {
  readonly node: Node
  /** E.g. `` `name` of task "a" ``. */
  readonly name: string
  /** What may be done instead of giving it a value, e.g. `, or leave the key out`. */
  readonly otherwise: string
  /** Where it is given, keys below are named by their whole path. */
  readonly path?: string
}

const startOf = (node: Node, { at, of }: Fault): number => {
  const entry = node.kind === "mapping" ? node.entries.find(({ key }) => key === (at ?? of)) : undefined
  if (entry === undefined) return node.start
  return at === undefined ? entry.value.start : entry.keyStart
}

const tell = ({ name, node }: Spot, { findings, refused }: Judged, fault: Fault): void => {
  // what is wrong with a mapping as a whole says nothing against what it holds
  if (fault.at === undefined && fault.of === undefined) refused.add(node)
  refuse(findings, {
    code: fault.code,
    message: capital(fault.message),
    hint: fault.hint,
    start: startOf(node, fault),
    end: node.end,
    fault: fault.message.replace(name, "")
  })
}

/** What a node is, as part of a sentence. */
const described = (node: Node): string => {
  switch (node.kind) {
    case "text":
      return `the text ${quoted(node.value)}`
    case "number":
      return `the number ${shortened(node.source)}`
    case "boolean":
      return `the value ${node.value}`
    case "null":
      return "nothing"
    case "list":
      return "a list"
    case "mapping":
      return "a mapping"
    case "other":
      return "a value of another type"
  }
}

const anything = "a text, a number, true, false, null, a list or a mapping"

/** What a value must be. Of several kinds the first is named, for which the others are short or long forms. */
const typeOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "String":
      return "text"
    case "Number":
      return isWhole(ast) ? "a whole number" : "a number"
    case "Boolean":
      return "true or false"
    case "Arrays":
      return "a list"
    case "Objects":
      return "a mapping"
    case "Union": {
      const [first] = ast.types
      return first === undefined || first._tag === "Literal" ? expectsOf(ast) : typeOf(first)
    }
    default:
      return anything
  }
}

/** The value as part of a hint: "Write …". */
const expectsOf = (ast: SchemaAST.AST): string => {
  const { expects } = sayingOfAst(ast)
  if (expects !== undefined) return expects
  const words = wordsOf(ast)
  if (words.length > 0) return enumerate(words, "or")
  if (ast._tag !== "Union") return typeOf(ast)
  const [first, second] = ast.types
  const said = first === undefined ? "a value" : expectsOf(first)
  return second?._tag === "Null" ? `${said} or null` : said
}

const textHint = (node: Node, expects: string, syntax: Syntax): string => {
  switch (node.kind) {
    case "number":
      return `Put it in quotes: ${quoted(node.source)}.`
    case "boolean":
      return `Put it in quotes: "${node.value}".`
    case "mapping":
      return syntax === "yaml"
        ? "Put the text in quotes if its colon made it a mapping; otherwise write one text."
        : `Write ${expects} as one text.`
    default:
      return `Write ${expects} as one text.`
  }
}

const numberHint = (node: Node, expects: string): string =>
  node.kind === "text" && node.value.trim() !== "" && Number.isFinite(Number(node.value))
    ? `Write it without quotes: ${shortened(node.value.trim())}.`
    : `Write ${expects}.`

const mappingHint = (expects: string, saying: Saying, syntax: Syntax): string => {
  if (saying.names === true) return `Write ${expects}.`
  return `Write ${expects}, ${syntax === "yaml" ? "as lines of `key: value`" : "in braces"}.`
}

/** How a value of another type is repaired. */
const typeHint = (ast: SchemaAST.AST, node: Node, syntax: Syntax): string => {
  const expects = expectsOf(ast)
  switch (ast._tag) {
    case "String":
      return textHint(node, expects, syntax)
    case "Number":
      return numberHint(node, expects)
    case "Arrays":
      return syntax === "yaml"
        ? `Write ${expects}, each on a line that begins with \`- \`.`
        : `Write ${expects}, in square brackets.`
    case "Objects":
      return mappingHint(expects, sayingOfAst(ast), syntax)
    case "Union": {
      const [first] = ast.types
      return first === undefined || first._tag === "Literal" ? `Write ${expects}.` : typeHint(first, node, syntax)
    }
    case "Boolean":
      return `Write ${expects}.`
    default:
      return ""
  }
}

const meantBy = ({ meant }: Saying, node: Node): string | undefined => {
  const written = node.kind === "text" ? node.value.trim().toLowerCase() : ""
  return meant !== undefined && Object.hasOwn(meant, written) ? meant[written] : undefined
}

/** What is wrong with a value that none of the types of its place allows. */
const typeFault = (ast: SchemaAST.AST, { name, node, otherwise }: Spot, syntax: Syntax): Fault => {
  const saying = sayingOfAst(ast)
  const expects = expectsOf(ast)
  if (node.kind === "null") {
    const hint = `Write ${expects}${otherwise}.`
    return saying.empty?.(name) ?? { code: "blank_value", message: `${name} has no content.`, hint }
  }
  const meant = meantBy(saying, node)
  const words = wordsOf(ast)
  if (words.length > 0 && node.kind === "text") {
    const near = closest(node.value, words)
    const hint = near === undefined ? `Write ${expects}.` : `Did you mean \`${near}\`? Allowed is ${expects}.`
    return { code: "value_not_allowed", message: `${name} cannot be ${quoted(node.value)}.`, hint: meant ?? hint }
  }
  const message = `${name} must be ${typeOf(ast)}, not ${described(node)}.`
  return { code: "wrong_type", message, hint: meant ?? typeHint(ast, node, syntax) }
}

const tellType = (ast: SchemaAST.AST, spot: Spot, judged: Judged): void => {
  const { node } = spot
  // one that could not be read was told where it was found
  if (node.kind === "other" && node.told) judged.refused.add(node)
  else tell(spot, judged, typeFault(ast, spot, judged.syntax))
}

/** Tells a value of the right type that a check refuses. */
const tellCheck = (check: SchemaAST.Check<never>, ast: SchemaAST.AST, spot: Spot, judged: Judged): void => {
  const { name, node, otherwise } = spot
  const { fault: why } = sayingOf(check.annotations)
  if (why === undefined && node.kind === "number") {
    const message = `${name} cannot be ${shortened(node.source)}.`
    tell(spot, judged, { code: "number_not_allowed", message, hint: `Write ${expectsOf(ast)}.` })
  }
  const found = why?.(judged.plainOf(node) as never, name)
  const hint = `Write ${expectsOf(ast)}${otherwise}.`
  if (found !== undefined) tell(spot, judged, found.code === "blank_value" ? { ...found, hint } : found)
}

/** What is wrong with a value, as a schema that is not ours says it. */
const tellUnsaid = (expected: string, spot: Spot, judged: Judged): void => {
  const { name, node, otherwise } = spot
  const message = `${name} cannot be ${described(node)}: ${expected}.`
  tell(spot, judged, { code: "value_not_allowed", message, hint: `Write another value${otherwise}.` })
}

const unknownKeyHint = (key: string, names: ReadonlyArray<string>, saying: Saying, syntax: Syntax): string => {
  const { misplaced = {}, synonyms = {} } = saying
  if (Object.hasOwn(misplaced, key)) return misplaced[key] ?? ""
  if (key === "<<" && syntax === "yaml") return "Write the keys out: merging is not part of YAML 1.2."
  const suggestion = names.find((name) => synonyms[name]?.includes(key)) ?? closest(key, names)
  return suggestion === undefined ? `Remove it; known keys are ${enumerate(names)}.` : `Did you mean \`${suggestion}\`?`
}

const nameOf = (key: string, owner: string | null): string => {
  // a key may hold anything, and a sentence stays on its line
  const name = /\p{Cc}/u.test(key) ? quoted(key) : `\`${key}\``
  return owner === null ? name : `${name} of ${owner}`
}

/** A mapping whose keys are judged. */
interface Owner {
  readonly ast: SchemaAST.Objects
  readonly saying: Saying
  readonly spot: Spot
  readonly node: MappingNode
  /** In sentences about its keys; null: not at all. */
  readonly name: string | null
  readonly path: string | undefined
}

const ownerOf = (ast: SchemaAST.Objects, spot: Spot, node: MappingNode, judged: Judged): Owner => {
  const saying = sayingOfAst(ast)
  const value = judged.plainOf(node) as { readonly [key: string]: unknown }
  const path = saying.path ?? spot.path
  const name = saying.owner === undefined ? spot.name : saying.owner(value, spot.name)
  return { ast, saying, spot, node, path, name }
}

/** A key that is not known, or a name that is none. */
const tellUnknownKey = (entry: Entry, owner: Owner, judged: Judged): void => {
  const { ast, name, path, saying, spot } = owner
  const [named] = ast.indexSignatures
  if (named !== undefined) {
    const { keyEnd: end, keyStart: start, key } = entry
    const node: Node = { kind: "text", value: key, start, end }
    for (const check of named.parameter.checks ?? []) {
      tellCheck(
        check as SchemaAST.Check<never>,
        named.parameter,
        { node, name: `a name in ${spot.name}`, otherwise: "" },
        {
          ...judged,
          plainOf: () => key
        }
      )
    }
    return
  }
  const names = ast.propertySignatures.map((property) => String(property.name))
  refuse(judged.findings, {
    code: "unknown_key",
    message:
      path === undefined
        ? `The key ${quoted(entry.key)} is not known${name === null ? "" : ` in ${name}`}.`
        : `The key ${quoted(pathTo(path, entry.key))} is not known.`,
    fault: entry.key,
    hint: () => unknownKeyHint(entry.key, names, saying, judged.syntax),
    start: entry.keyStart,
    end: entry.keyEnd
  })
}

const tellMissingKey = (key: string, { ast, name, spot }: Owner, judged: Judged): void => {
  const type = ast.propertySignatures.find((property) => property.name === key)?.type
  const owner = name ?? "the file"
  refuse(judged.findings, {
    code: "missing_key",
    message: capital(`${owner} has no \`${key}\`.`),
    fault: ` has no \`${key}\`.`,
    hint: `Add \`${key}:\` with ${type === undefined ? "a value" : expectsOf(type)}.`,
    start: spot.node.start,
    end: spot.node.end
  })
}

/** What is below a key of a mapping. */
const spotOfKey = (entry: Entry, { ast, name, path, saying, spot }: Owner): Spot => {
  const type = ast.propertySignatures.find((property) => property.name === entry.key)?.type
  const otherwise = type?.context?.isOptional === true ? ", or leave the key out" : ""
  if (path !== undefined) {
    const below = pathTo(path, entry.key)
    return { node: entry.value, name: nameOf(below, null), otherwise, path: below }
  }
  const called = saying.called?.(entry.key) ?? nameOf(entry.key, saying.names === true ? spot.name : name)
  return { node: entry.value, name: called, otherwise }
}

const tellInMapping = (issues: ReadonlyArray<SchemaIssue.Issue>, owner: Owner, judged: Judged): void => {
  const entries = new Map(owner.node.entries.map((entry) => [entry.key, entry]))
  for (const issue of issues) {
    const key = issue._tag === "Pointer" ? String(issue.path[0]) : undefined
    const entry = key === undefined ? undefined : entries.get(key)
    if (issue._tag !== "Pointer" || key === undefined) tellIssue(issue, owner.ast, owner.spot, judged)
    else if (entry === undefined) tellMissingKey(key, owner, judged)
    else if (issue.issue._tag === "UnexpectedKey") tellUnknownKey(entry, owner, judged)
    else tellIssue(issue.issue, owner.ast, spotOfKey(entry, owner), judged)
  }
}

const itemOf = (n: number, list: string): string => `item ${n} of ${list}`

const tellInList = (issues: ReadonlyArray<SchemaIssue.Issue>, ast: SchemaAST.AST, spot: Spot, judged: Judged): void => {
  const { itemName = itemOf } = sayingOfAst(ast)
  for (const issue of issues) {
    const index = issue._tag === "Pointer" ? Number(issue.path[0]) : undefined
    const node = index === undefined || spot.node.kind !== "list" ? undefined : spot.node.items[index]
    if (issue._tag !== "Pointer" || index === undefined || node === undefined) tellIssue(issue, ast, spot, judged)
    else {
      const name = itemName(index + 1, spot.name)
      tellIssue(issue.issue, ast, { node, name, otherwise: ", or remove the item" }, judged)
    }
  }
}

/** The keys of a mapping in which a text may stand as well, when its colon may have made the mapping of a text. */
const keysOfUnquoted = (ast: SchemaAST.Union, node: Node): ReadonlyArray<string> | undefined => {
  if (sayingOfAst(ast).orText !== true || node.kind !== "mapping" || node.entries.length !== 1) return undefined
  const long = ast.types.find((type) => type._tag === "Objects")
  const keys = (long?.propertySignatures ?? []).map(({ name }) => String(name))
  const key = node.entries[0]?.key ?? ""
  const synonyms = long === undefined ? [] : Object.values(sayingOfAst(long).synonyms ?? {}).flat()
  return keys.includes(key) || synonyms.includes(key) || closest(key, keys) !== undefined ? undefined : keys
}

const tellUnion = (issue: SchemaIssue.AnyOf, spot: Spot, judged: Judged): void => {
  const ast = issue.ast as SchemaAST.Union
  const keys = keysOfUnquoted(ast, spot.node)
  if (keys !== undefined) {
    tell(spot, judged, {
      code: "unquoted_colon",
      message: `${spot.name} is read as a mapping, because its text holds a colon.`,
      hint: `Put the whole text in quotes, or write a mapping of ${enumerate(keys)}.`
    })
  } else if (issue.issues.length === 0) tellType(ast, spot, judged)
  else for (const inner of issue.issues) tellIssue(inner, ast, spot, judged)
}

const tellComposite = ({ ast, issues }: SchemaIssue.Composite, spot: Spot, judged: Judged): void => {
  const { node } = spot
  if (ast._tag === "Arrays") tellInList(issues, ast, spot, judged)
  else if (ast._tag === "Objects" && node.kind === "mapping") {
    tellInMapping(issues, ownerOf(ast, spot, node, judged), judged)
    // checks of the whole are not run when a part is refused, but what they say holds all the same
    if (issues.some(({ _tag }) => _tag === "Filter")) return
    for (const check of ast.checks ?? []) tellCheck(check as SchemaAST.Check<never>, ast, spot, judged)
  } else for (const inner of issues) tellIssue(inner, ast, spot, judged)
}

/** Whether it can be said in our words: of a schema that is not ours not everything can. */
const isSaid = (issue: SchemaIssue.Issue): boolean =>
  issue._tag === "Filter"
    ? sayingOf(issue.filter.annotations).fault !== undefined
    : issue._tag === "InvalidType" && typeOf(issue.ast) !== anything

/** `ast`: of what the issue belongs to, where it does not say so itself. */
export const tellIssue = (issue: SchemaIssue.Issue, ast: SchemaAST.AST, spot: Spot, judged: Judged): void => {
  if (issue._tag === "Composite") tellComposite(issue, spot, judged)
  else if (issue._tag === "AnyOf") tellUnion(issue, spot, judged)
  else if (issue._tag === "Encoding" || issue._tag === "Pointer") tellIssue(issue.issue, ast, spot, judged)
  else if (judged.expectedBy !== undefined && !isSaid(issue)) tellUnsaid(judged.expectedBy(issue), spot, judged)
  else if (issue._tag === "InvalidType") tellType(issue.ast, spot, judged)
  else if (issue._tag === "Filter") tellCheck(issue.filter as SchemaAST.Check<never>, ast, spot, judged)
  else tellType(ast, spot, judged)
}
