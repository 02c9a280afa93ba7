/** Code that never runs: under a condition that depends on nothing, in a loop through nothing, switched off for the compiler. */
import type { Node } from "web-tree-sitter"
import { truthOf } from "../../text/conditions.ts"
import { mayAct } from "./acting.ts"
import { doneIn, ifTypes, walkOf, walkTypes } from "./branches.ts"
import { type Captured, children } from "./captures.ts"

export const neverRunIn = (
  root: Node,
  { comments }: Pick<Captured, "comments">,
  language: string
): ReadonlyArray<Node> => [
  ...root
    .descendantsOfType(asking)
    .flatMap((node) => (node?.isNamed === true ? deadPartsOf(node, comments, language) : [])),
  ...(/^(?:csharp|swift)$/.test(language) ? switchedOff(root, comments) : [])
]

const loops =
  "while_statement while_expression while until while_modifier until_modifier do_statement do_while_statement do_while_expression repeat_while_statement"
const isLoop = new Set([...loops.split(" "), ...walkTypes])
const asking: Array<string> = [
  ...new Set([
    ...ifTypes,
    ...isLoop,
    "list",
    "redirected_statement",
    "expression_statement",
    "expression_switch_statement",
    "jsx_expression",
    "preproc_if",
    "preproc_elif",
    "switch_statement"
  ])
].filter((type) => !/^(?:conditional|ternary)/.test(type))

type Nodes = ReadonlyArray<Node>

const deadPartsOf = (node: Node, comments: Captured["comments"], language: string): Nodes => {
  if (node.type === "list") return neverReaches(node) ? [node] : []
  if (node.type === "expression_statement") return neverGoesOn(node, language) ? [node] : []
  if (node.type === "jsx_expression") return neverShows(node, language)
  if (node.type.endsWith("switch_statement")) return neverChosen(node, language)
  if (node.type === "redirected_statement") return isUnread(node) ? [node] : []
  if (node.type.startsWith("preproc") && !/^(?:0|false)$/.test(conditionsOf(node)[0]?.text ?? "")) return []
  const walk = language !== "bash" && walkTypes.includes(node.type) ? walkOf(node) : null
  if (walk !== null) return !nothing.test(walk.over.text) ? [] : alternativeOf(node) === null ? [node] : walk.body
  const conditions = conditionsOf(node)
  const truth = truthOfAll(conditions, node, language)
  // what Swift asks of its compiler is read as `true`
  if (truth === null || (truth && language === "swift") || isApart(node, conditions)) return []
  const done = doneIn(node, comments)
  if (isOnce.has(node.type)) return truth || done.some(({ namedChildCount }) => namedChildCount > 0) ? [] : [node]
  const isOther = (one: Node): boolean =>
    /^(?:else|elif|elsif|preproc_el)/.test(one.type) || one.id === alternativeOf(node)?.id
  // where the grammar has no name for it, it stands behind `else`
  const word = node.children.find((child) => child?.type === "else" || child?.text === "else")?.startIndex
  const [others, own] = [
    done.filter((one) => isOther(one) || one.startIndex > (word ?? Number.POSITIVE_INFINITY)),
    done
  ]
  if (truth) return isLoop.has(node.type) ? [] : others
  const isWhole = others.length === 0 && !mayActBefore(node, conditions, language)
  return isWhole ? [node] : own.filter((one) => !others.includes(one))
}

/** The end of a macro (`} while (0)`) is no head of what stands further below. */
const isApart = (node: Node, conditions: Nodes): boolean => {
  const last = conditions.at(-1)
  const body = node.childForFieldName("body")
  return (
    last !== undefined &&
    body !== null &&
    !node.type.startsWith("do") &&
    body.startPosition.row > last.endPosition.row + 1
  )
}

const alternativeOf = (node: Node): Node | null => node.childForFieldName("alternative")

const conditionsOf = (node: Node): Nodes => {
  const named = node.childrenForFieldName("condition").filter((one): one is Node => one?.isNamed === true)
  if (named.length > 0) return named
  // `for false {}` of Go, `elif false` of Bash
  const [first] = children(node)
  return first !== undefined && /^(?:for_statement|elif_clause)$/.test(node.type) && !/clause$/.test(first.type)
    ? [first]
    : []
}

const truthOfAll = (conditions: Nodes, node: Node, language: string): boolean | null => {
  const truths = conditions.map((condition) => truthOfOne(condition, language))
  const truth = truths.includes(false) ? false : truths.length > 0 && truths.every((one) => one === true) ? true : null
  return truth !== null && /^un(?:less|til)/.test(node.type) ? !truth : truth
}

const truthOfOne = (condition: Node, language: string): boolean | null => {
  const text = condition.text.replace(/\b(?:TRUE|FALSE)\b/g, (word) => word.toLowerCase())
  if (language === "bash") return truthOfCommand(text)
  if (empty[language]?.test(text) === true) return false
  // in Ruby zero is true
  if (language === "ruby" && /\d/.test(text)) return null
  if (language === "python" && /^(?:\w+\.)?TYPE_CHECKING$/.test(text)) return isInFunction(condition) ? false : null
  return truthOf(text, () => false)
}

const noText = /^\(\s*(?:""|''|``)\s*\)$/
/** What is written empty, where that is as good as false. */
const empty: Readonly<Record<string, RegExp>> = {
  javascript: noText,
  php: /^\(\s*(?:""|''|\[\s*\]|array\(\s*\))\s*\)$/,
  python: /^(?:""|''|\[\s*\]|\{\s*\}|\(\s*\)|(?:dict|list|set|tuple)\(\s*\))$/,
  tsx: noText,
  typescript: noText
}

/** `false`, `! :`, `[ 1 -eq 2 ]`, `test a = b` */
const truthOfCommand = (text: string): boolean | null => {
  if (/^(?:!\s*)?(?:true|false|:)$/.test(text)) return truthOf(text.replace(":", "true"), () => false)
  const [, left = "", sign = "", right = ""] = comparing.exec(text) ?? []
  const written = (word: string) => (/^["'\d-]/.test(word) ? word : `"${word}"`)
  return left === "" ? null : truthOf(`${written(left)} ${signs[sign] ?? sign} ${written(right)}`, () => false)
}
const word = String.raw`("[\w ./-]*"|'[\w ./-]*'|[\w./-]+)`
const comparing = new RegExp(String.raw`^(?:\[\[?|test)\s+${word}\s+(-\w\w|==?|!=)\s+${word}(?:\s+\]\]?)?$`)
const signs: Readonly<Record<string, string>> = {
  "=": "==",
  "-eq": "==",
  "-ne": "!=",
  "-lt": "<",
  "-le": "<=",
  "-gt": ">",
  "-ge": ">="
}

const isInFunction = (node: Node): boolean => {
  for (let at = node.parent; at !== null; at = at.parent) if (at.type === "function_definition") return true
  return false
}

const isOnce = new Set(["do_statement", "do_while_statement", "do_while_expression", "repeat_while_statement"])

/** What is done before the condition is known, or to know it. */
const mayActBefore = (node: Node, conditions: Nodes, language: string): boolean =>
  [...conditions, ...node.childrenForFieldName("initializer")].some(
    (one) =>
      one?.isNamed === true && language !== "bash" && empty[language]?.test(one.text) !== true && mayAct(one, language)
  ) ||
  (/modifier$/.test(node.type) && /^begin\b/.test(node.text))

/** What a loop through it finds nothing in. */
const nothing =
  /^(?:\[\s*\]|\(\s*\)|\{\s*\}|""|''|range\(\s*0\s*\)|(?:set|list|dict|tuple)\(\s*\)|(?:map\[\w+\])?\[\][\w.*]+\{\s*\}|array\(\s*\)|vec!\[\s*\]|empty(?:List|Set|Map)(?:<\w+>)?\(\s*\)|Nil)$/

/** `switch (false) { case true: … }`. What stands behind another case may be come to from there. */
const neverChosen = (node: Node, language: string): Nodes => {
  const [head, said = language === "go" ? "true" : ""] =
    /^switch\s*\(?\s*(true|false)?(?:\s+as\s+\w+)?\s*\)?\s*\{/.exec(node.text) ?? []
  const cases = children(node.childForFieldName("body") ?? node).filter(({ text }) => /^(?:case|default)\b/.test(text))
  const last = cases.at(-1)?.text ?? ""
  const own = last.startsWith("default") ? cases.slice(0, -1) : cases
  const isNever = ({ text }: Node): boolean => /^case\s+(true|false)\s*:/.exec(text)?.[1] === String(said === "false")
  if (head === undefined || said === "" || own.length === 0 || !own.every(isNever)) return []
  return own === cases || /^default\s*:\s*(?:break\s*;?)?$/.test(last) ? [node] : own
}

/** `false && save`, `true || save` */
const neverReaches = (list: Node): boolean => {
  let first: Node = list
  const operators = new Set<string>()
  while (first.type === "list") {
    for (const child of first.children) if (child?.isNamed === false) operators.add(child.type)
    const [left] = children(first)
    if (left === undefined) return false
    first = left
  }
  const truth = truthOfCommand(first.text)
  return truth !== null && operators.size === 1 && operators.has(truth ? "||" : "&&")
}

/** `false && save()`, `True or save()` as a statement. */
const neverGoesOn = (statement: Node, language: string): boolean => {
  const [only, ...more] = children(statement)
  const left = only?.childForFieldName("left") ?? null
  const operator = only?.childForFieldName("operator")?.text ?? ""
  if (more.length > 0 || left === null || !/^(?:&&|\|\||and|or)$/.test(operator)) return false
  return truthOfOne(left, language) === /^(?:\|\||or)$/.test(operator)
}

/** `{false && <Total />}`, `{false ? <Total /> : null}` in what is shown. */
const neverShows = (shown: Node, language: string): Nodes => {
  if (neverGoesOn(shown, language)) return [shown]
  const [only, ...more] = children(shown)
  const condition = only?.type === "ternary_expression" ? only.childForFieldName("condition") : null
  const truth = condition === null || more.length > 0 ? null : truthOfOne(condition, language)
  if (only === undefined || truth === null) return []
  const off = only.childForFieldName(truth ? "alternative" : "consequence")
  const other = only.childForFieldName(truth ? "consequence" : "alternative")
  return other !== null && /^(?:null|undefined|false)$/.test(other.text) ? [shown] : off === null ? [] : [off]
}

/** `: <<'END'`, in which nothing is executed: a comment of many lines. */
const isUnread = (node: Node): boolean => {
  const [command, ...given] = children(node)
  return (
    command !== undefined &&
    /^(?::|true)$/.test(command.text) &&
    given.length > 0 &&
    given.every(
      (one) =>
        one.type === "heredoc_redirect" &&
        one.descendantsOfType(["command_substitution", "process_substitution", "file_redirect", "pipeline", "list"])
          .length === 0 &&
        !one.text.includes("¤")
    )
  )
}

/** Lines for the compiler are read as comments where they may stand anywhere (see the patches of these languages). */
const switchedOff = (root: Node, comments: Captured["comments"]): Nodes => {
  const lines = [...comments.values()]
    .filter(({ text }) => /^\/\/(?:f|lif|lse|lseif|ndif)\b/.test(text))
    .sort((a, b) => a.startIndex - b.startIndex)
  return lines.flatMap((line, i) => {
    const [, condition] = /^\/\/f\s+(.+?)\s*$/.exec(line.text) ?? []
    if (condition === undefined || !(/^NEVER\w*$/.test(condition) || truthOf(condition, () => false) === false))
      return []
    let depth = 0
    const end = lines.slice(i + 1).find(({ text }) => {
      if (depth === 0 && !text.startsWith("//f ")) return true
      if (text.startsWith("//f ")) depth++
      else if (text.startsWith("//ndif")) depth--
      return false
    })
    // around whole types it tells which file is built
    return end === undefined || !isInBody(line) ? [] : nodesBetween(root, line.endIndex, end.startIndex, comments)
  })
}

const isInBody = (node: Node): boolean => {
  for (let at = node.parent; at !== null; at = at.parent)
    if (/^(?:function_|method_|constructor_|local_function|accessor_)/.test(at.type)) return true
  return false
}

/** The largest nodes that lie between two places. */
const nodesBetween = (node: Node, from: number, to: number, comments: Captured["comments"]): Nodes =>
  children(node).flatMap((child) => {
    if (child.endIndex <= from || child.startIndex >= to || comments.has(child.id)) return []
    return child.startIndex >= from && child.endIndex <= to ? [child] : nodesBetween(child, from, to, comments)
  })
