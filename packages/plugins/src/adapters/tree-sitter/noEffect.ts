/** Statements without effect: a name given its own value, what always holds asserted, a comparison nobody takes, a name nobody reads. */
import type { Node } from "web-tree-sitter"
import { truthOf } from "../../text/conditions.ts"
import { mayAct } from "./acting.ts"
import { children } from "./captures.ts"
import { effectlessIn, localIn, takesNothing } from "./mayBeIdle.ts"
import { isWritten } from "./written.ts"

export const withoutEffectIn = (root: Node, source: string, language: string): ReadonlyArray<Node> => {
  const may = effectlessIn(source, language)
  const types = [
    ...(may.statements || (may.unread.size > 0 && language === "python") ? statements : []),
    ...(may.handlers ? handlers : []),
    ...(may.unread.size > 0 ? isLocal : [])
  ]
  if (types.length === 0) return []
  return root
    .descendantsOfType(types)
    .filter(
      (node): node is Node =>
        node?.isNamed === true &&
        isWithoutEffect(node, language, may.unread) &&
        node.parent?.hasError === false &&
        functionAround(node) !== null
    )
}

const isWithoutEffect = (node: Node, language: string, unread: ReadonlySet<string>): boolean => {
  if (node.endIndex - node.startIndex > maxLength) return false
  if (node.type === "assert_statement") return alwaysHolds(children(node)[0])
  if (handlers.has(node.type)) return onlyPassesOn(node)
  if (isLocal.has(node.type)) return isUnread(node, language, unread)
  // most statements call something
  if (node.text.includes("(") && !asserting.test(node.text.replace(/;$/, ""))) return false
  const [said, ...more] = node.type === "expression_statement" ? children(node) : [node]
  if (said === undefined || more.length > 0) return false
  return isOfItself(said) || assertsNothing(said) || isUntaken(said, language) || isUnread(said, language, unread)
}

/** Longer statements put something together. */
const maxLength = 200

const handlers = new Set(["except_clause", "catch_clause", "catch_block"])
const isLocal = new Set([
  "lexical_declaration",
  "variable_declaration",
  "local_variable_declaration",
  "local_declaration_statement"
])
const statements = ["expression_statement", "assignment", "assignment_statement", "assert_statement"]

/** In a class `x = x` takes the name from outside. */
const functionAround = (node: Node): Node | null => {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (/^(?:function|method|func_|constructor|arrow|lambda|local_function|singleton_method)/.test(at.type)) return at
    if (/^class|_(?:class|body_declaration)$/.test(at.type)) return null
  }
  return null
}

/** A value that is written out, kept under a name that nothing in the file reads. */
const isUnread = (node: Node, language: string, unread: ReadonlySet<string>): boolean => {
  if (unread.size === 0) return false
  const [, name, value = ""] = localIn[language]?.exec(node.text) ?? []
  if (name === undefined || name.startsWith("_") || !unread.has(name) || !isWritten(value, language)) return false
  return !unseen.test(functionAround(node)?.text ?? "")
}

/** What reads names that nobody sees. */
const unseen = /\b(?:eval|exec|locals|vars|globals|nonlocal|global|format_map|debugger)\b/

const isOfItself = (node: Node): boolean => {
  if (!/^assignment/.test(node.type)) return false
  const left = node.childForFieldName("left") ?? node.childForFieldName("target")
  const right = node.childForFieldName("right") ?? node.childForFieldName("result")
  return (
    left !== null && /^\$?[A-Za-z_]\w*$/.test(left.text) && left.text === right?.text && !/[-+*/|&]=|:=/.test(node.text)
  )
}

/** `assert(true)` */
const assertsNothing = (node: Node): boolean => {
  const [, said] = asserting.exec(node.text) ?? []
  return said !== undefined && truthOf(said, () => false) === true
}

const asserting =
  /^(?:console\.assert|assert(?:\.ok|\.isTrue)?|(?:Debug|Trace)\.Assert|(?:debug_)?assert!|precondition)\s*\(\s*([^(),]+?)\s*(?:,\s*(["'])[^"']*\2\s*)?\)$/

const alwaysHolds = (condition: Node | undefined): boolean =>
  condition !== undefined && truthOf(condition.text, () => false) === true

/** A comparison or a question about a value; where operators may be made anew, or the last one is the value, that is not known. */
const isUntaken = (node: Node, language: string): boolean =>
  takesNothing.has(language) &&
  (untaken.has(node.type) || (/^(?:binary|unary)/.test(node.type) && comparing.test(node.text))) &&
  node.parent?.type === "expression_statement" &&
  !/\byield\b/.test(node.text) &&
  !mayAct(node, language)

const untaken = new Set(["comparison_operator", "not_operator"])
const comparing = /^(?:!|typeof\b)\s*[\w$.]+$|^[\w$.>-]+\s*(?:===?|!==?|<=?|>=?)\s*(?:[\w$.>-]+|"[^"]*"|'[^']*')$/

/** The only handler, and all it does is to fail with what it got. */
const onlyPassesOn = (handler: Node): boolean => {
  const tried = handler.parent
  if (
    tried === null ||
    children(tried).some((one) => one.id !== handler.id && /catch|except|finally|else|ensure/.test(one.type))
  )
    return false
  const head = /^(?:catch\s*(?:\(\s*(?:(\w+)\s*:|[^)]*?(\$?\w+)\s*\)))?|except\b[^:\n]*?(?:\bas\s+(\w+))?\s*:)/
  const name = head
    .exec(handler.text)
    ?.slice(1)
    .find((one) => one !== undefined)
  const body = children(handler).at(-1)
  const done = /^\{?\s*(?:raise|throw)(?:\s+(\$?\w+))?\s*;?\s*\}?$/.exec(body?.text ?? "")
  return done !== null && (done[1] === undefined || done[1] === name || (done[1] === "error" && name === undefined))
}
