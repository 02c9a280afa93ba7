/** Statements that do nothing, whatever the language: branches and loops in which nothing is done. */
import type { Node } from "web-tree-sitter"
import { mayAct } from "./acting.ts"
import { askedBy, doneIn, ifTypes, isElse, isIf, type Walk, walkOf, walkTypes } from "./branches.ts"
import { type Captured, children } from "./captures.ts"

/** `known`: what never runs. */
export const emptyBranchesIn = (
  root: Node,
  { comments }: Pick<Captured, "comments">,
  known: ReadonlyMap<number, Node>,
  language: string
): ReadonlyArray<Node> => {
  const isEmpty = (node: Node, inLoop: boolean): boolean => {
    if (comments.has(node.id) || known.has(node.id) || isPass.has(node.type) || node.text === "...") return true
    if (inLoop && isContinue.test(node.text)) return true
    if (isNoCommand(node) || (node.type === "expression_statement" && node.text === ";")) return true
    if (isIf(node)) return isEmptyIf(node, inLoop)
    const walk = isWalk.has(node.type) ? walkOf(node) : null
    if (walk !== null) return walk.body.every((child) => isEmpty(child, true)) && mayGoThrough(walk, language)
    return (isBlock.has(node.type) || isElse(node)) && children(node).every((child) => isEmpty(child, inLoop))
  }
  const isEmptyIf = (node: Node, inLoop: boolean): boolean =>
    doneIn(node, comments).every((child) => isEmpty(child, inLoop)) &&
    askedBy(node).every((asked) => isAsking(asked, language))
  return root
    .descendantsOfType([...statements])
    .filter((node): node is Node => node?.isNamed === true && isWhole(node) && isEmpty(node, false))
}

/** A statement, not a value or a branch of another; what it does is there, and not up to the preprocessor. */
const isWhole = ({ hasError, parent, text, type }: Node): boolean =>
  !/^(?:conditional|ternary|el)/.test(type) &&
  !(parent?.hasError ?? hasError) &&
  !text.endsWith(")") &&
  !/^[ \t]*#[ \t]*(?:if|el)/m.test(text)

const isWalk = new Set(walkTypes)
const statements = new Set([...ifTypes, ...walkTypes])

const isPass = new Set(["pass_statement", "empty_statement", "unit_expression", "unit"])

const isBlock = new Set(
  "block statement_block compound_statement statements statement_list colon_block then do do_group body_statement indented_block expression_statement".split(
    " "
  )
)

const isContinue = /^(?:continue|next)\s*;?$/

/** A command that does nothing. */
const isNoCommand = ({ text, type }: Node): boolean => type === "command" && /^(?::|true)$/.test(text)

/** A condition that may not act; a command does. */
const isAsking = (asked: Node, language: string): boolean =>
  (language !== "bash" || asked.type === "test_command") && !mayAct(asked, language)

/**
 * To go through a list does nothing. What is given out once is used up by it, which may be what is wanted: what is called,
 * what is a part of another, what is named as such a thing, and where nothing is named of what comes.
 */
const mayGoThrough = ({ name, over }: Walk, language: string): boolean =>
  /^\$?[A-Za-z]/.test(name) && !usedUp.test(over.text) && isPlain(over, language)

const isPlain = (over: Node, language: string): boolean =>
  /^[$&]?\w+$/.test(over.text) || (/^[[("'{\d]/.test(over.text) && !mayAct(over, language))

const usedUp =
  /(?:iter|iterator|gen|generator|stream|reader|cursor|chan|channel|ch|rx|recv|receiver|pipe|socket|conn|events?|chunks?|body|response|lines|output|stdin|stdout|stderr|file|fh|fp|f|it|queue|tasks?|pending|jobs?|futures?)$/i
