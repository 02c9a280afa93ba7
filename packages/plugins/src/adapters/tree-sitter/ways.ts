/** Whether all ways through a function end with one value that is written out. */
import type { Node } from "web-tree-sitter"
import { mayAct } from "./acting.ts"
import { askedBy, doneIn, isElse, isIf } from "./branches.ts"
import { type Captured, children, type Found } from "./captures.ts"
import { isFixed } from "./shape.ts"
import { isWritten } from "./written.ts"

/** Longer bodies do something. */
const maxBody = 800

/** The text of the value; null: there are several, or something is done on the way. */
export const onlyValue = (declared: Found, captured: Captured, language: string): string | null => {
  const { body, kind } = declared
  if (
    kind !== "function" ||
    body === null ||
    body.endIndex - body.startIndex > maxBody ||
    language === "bash" ||
    body.type === "lambda_literal"
  )
    return null
  const ways = new Ways(captured, language)
  const values = new Set<string>()
  const goesOn = ways.through(body, isValueOf(body, declared) || isGivenAtEnd.has(language), values)
  const [value] = values
  const [end, ...more] = ways.ends
  // one that the query knows is judged where it stands
  if (end === undefined || (more.length === 0 && ways.isKnown(end))) return null
  return goesOn === false && values.size === 1 && value !== undefined ? value : null
}

/** Where the last expression of a function is what it gives. */
const isGivenAtEnd = new Set(["rust", "ruby", "scala", "kotlin", "swift"])

/** `=> 1`, `= emptyList()` */
const isValueOf = (body: Node, { node }: Found): boolean =>
  !blocks.has(body.type) && (/arrow|lambda/.test(node.type) || body.previousSibling?.type === "=>")

class Ways {
  readonly captured: Captured
  readonly language: string
  /** What gives a value. */
  readonly ends: Array<Node> = []
  constructor(captured: Captured, language: string) {
    this.captured = captured
    this.language = language
  }

  /**
   * Whether what stands behind a node is reached, with the values that are given before; null: something is done. `isLast`: the
   * value of the node is that of the function.
   */
  through(node: Node, isLast: boolean, values: Set<string>): boolean | null {
    const { captured } = this
    if (captured.comments.has(node.id)) return true
    if (ending.has(node.type)) return this.given(node, values)
    if (blocks.has(node.type)) return this.inTurn(this.children(node), isLast, values)
    if (isIf(node) || guards.has(node.type)) return this.ofIf(node, isLast, values)
    if (tries.has(node.type)) return this.ofTry(node, isLast, values)
    if (choices.has(node.type)) return this.ofChoice(node, isLast, values)
    if (isElse(node)) return this.inTurn(this.children(node), isLast, values)
    if (isLast) return this.value(node, values)
    return captured.idle.has(node.id) ? true : null
  }

  /** The query knows it as a plain value. */
  isKnown(node: Node): boolean {
    return this.captured.constants.has(node.id) && isFixed(node, this.language)
  }

  private children(node: Node): ReadonlyArray<Node> {
    return children(node).filter(({ id }) => !this.captured.comments.has(id))
  }

  private inTurn(nodes: ReadonlyArray<Node>, isLast: boolean, values: Set<string>): boolean | null {
    for (const [i, node] of nodes.entries()) {
      const goesOn = this.through(node, isLast && i === nodes.length - 1, values)
      if (goesOn !== true) return goesOn
    }
    return true
  }

  /** All of them may be gone. */
  private inParallel(all: ReadonlyArray<ReadonlyArray<Node>>, isLast: boolean, values: Set<string>): boolean | null {
    const ends = all.map((nodes) => this.inTurn(nodes, isLast, values))
    return ends.includes(null) ? null : ends.includes(true)
  }

  private given(node: Node, values: Set<string>): boolean | null {
    if (!/^return\b/.test(node.text)) return null
    const inside = this.children(node)
    const only = inside.length === 1 && inside[0] !== undefined ? inside[0] : null
    // what all of it may be, and what one of several may
    if (only === null) return inside.length > 1 ? this.written(node, values) : null
    return splits(only) ? this.through(only, true, values) : this.written(node, values)
  }

  private value(node: Node, values: Set<string>): boolean | null {
    const inside = this.children(node)
    const [only] = inside
    if (wrapping.has(node.type) && inside.length === 1 && only !== undefined)
      return splits(only) || wrapping.has(only.type) ? this.through(only, true, values) : this.written(only, values)
    return this.written(node, values)
  }

  private written(node: Node, values: Set<string>): boolean | null {
    const said = node.text.replace(/^return\b\s*/, "").replace(/;$/, "")
    if (!(isWritten(said, this.language) || this.isKnown(node))) return null
    this.ends.push(node)
    values.add(said.replace(/\s+/g, " ").replace(/^\((.*)\)$/, "$1"))
    return false
  }

  private ofIf(node: Node, isLast: boolean, values: Set<string>): boolean | null {
    if (askedBy(node).some((asked) => mayAct(asked, this.language))) return null
    const done = doneIn(node, this.captured.comments).filter(({ id }) => !this.captured.idle.has(id))
    // what Python and PHP ask in turn stands side by side
    const hasElse =
      /^(?:conditional|ternary)/.test(node.type) ||
      done.some(isElse) ||
      node.childForFieldName("alternative") !== null ||
      node.children.some((child) => child?.type === "else")
    const goesOn = this.inParallel(
      done.map((one) => [one]),
      isLast && hasElse,
      values
    )
    return goesOn === null ? null : goesOn || !hasElse || guards.has(node.type)
  }

  private ofTry(node: Node, isLast: boolean, values: Set<string>): boolean | null {
    const parts = this.children(node)
    const isHandler = ({ type }: Node): boolean => /catch|except|rescue|finally|ensure/.test(type)
    if (parts.some((part) => isElse(part))) return null
    const [ends, tried] = [
      parts.filter(({ type }) => /finally|ensure/.test(type)),
      parts.filter((part) => !isHandler(part))
    ]
    const handled = parts.filter((part) => isHandler(part) && !ends.includes(part)).map((part) => this.behindHead(part))
    const after = this.inTurn(
      ends.flatMap((part) => this.behindHead(part)),
      false,
      values
    )
    return after === true ? this.inParallel([tried, ...handled], isLast, values) : null
  }

  /** Of a handler only what is done in it. */
  private behindHead(part: Node): ReadonlyArray<Node> {
    return this.children(part)
      .slice(-1)
      .filter(({ type }) => blocks.has(type) || choices.has(type))
  }

  private ofChoice(node: Node, isLast: boolean, values: Set<string>): boolean | null {
    const found = armsOf(node)
    const [first] = found
    if (first === undefined) return null
    const subject = children(node).filter(({ endIndex, id }) => endIndex <= first.startIndex && id !== first.id)
    if (subject.some((asked) => mayAct(asked, this.language))) return null
    const asks = found.flatMap((arm) => arm.descendantsOfType(["guard", "if_clause", "when_clause"]))
    if (asks.some((guard) => guard !== null && mayAct(guard, this.language))) return null
    const done = found.map((arm) => this.children(arm).filter((child) => !isPattern(arm, child)))
    const isWhole = isGivenAtEnd.has(this.language) || /_expression$/.test(node.type) || found.some(isDefault)
    const goesOn = this.inParallel(
      done.filter((nodes) => nodes.length > 0),
      isLast || /^(?:switch_expression|match_expression)$/.test(node.type),
      values
    )
    return goesOn === null ? null : goesOn || !isWhole
  }
}

const named = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const ending = named("return_statement return_expression control_transfer_statement jump_expression return")
const blocks = named(
  "block statement_block compound_statement statements statement_list body_statement function_body then do indented_block parenthesized_statements expression_statement colon_block"
)
const wrapping = named("parenthesized_expression argument_list expression_list")
const guards = named("guard_statement")
const tries = named("try_statement try_expression begin do_statement")
const choices = named(
  "switch_statement switch_expression match_statement match_expression when_expression case case_match expression_switch_statement case_block indented_cases"
)

/** A value that is one of several. */
const splits = (node: Node): boolean =>
  isIf(node) ||
  choices.has(node.type) ||
  tries.has(node.type) ||
  (wrapping.has(node.type) && children(node).some(splits))

const arms = named(
  "switch_case switch_default case_clause expression_case default_case switch_block_statement_group switch_rule case_statement default_statement switch_section switch_expression_arm match_conditional_expression match_default_expression match_arm switch_entry when_entry when in_clause else"
)
const armsOf = (node: Node): ReadonlyArray<Node> =>
  children(node).flatMap((child) =>
    arms.has(child.type) ? [child] : /body|block|cases|compound/.test(child.type) ? armsOf(child) : []
  )

const isDefault = ({ text, type }: Node): boolean =>
  /default|^else$/.test(type) || /^(?:default\b|case\s+_|_|else\b)/.test(text)

/** What an arm is for, not what it does. */
const isPattern = (arm: Node, child: Node): boolean =>
  /pattern|label|^guard$|if_clause|when_clause|discard|default_keyword|condition_list/.test(child.type) ||
  ["pattern", "condition", "guard"].some((field) => arm.childForFieldName(field)?.id === child.id) ||
  (arm.type !== "match_arm" && arm.childrenForFieldName("value").some((one) => one?.id === child.id))
