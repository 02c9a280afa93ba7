import type { Node, QueryMatch } from "web-tree-sitter"
import type { Aside, Declaration, Position, SourceOutline, Span } from "../../port/index.ts"
import { type Captured, children, collect, type Found } from "./captures.ts"
import { deadIn } from "./dead.ts"
import type { Loaded } from "./engine.ts"
import { givesFixedLocal } from "./fixedLocals.ts"
import { hidingsOf } from "./hidden.ts"
import { emptyBranchesIn } from "./idle.ts"
import { mayHaveEmptyBranch, mayNeverRun } from "./mayBeIdle.ts"
import { neverRunIn } from "./neverRun.ts"
import { withoutEffectIn } from "./noEffect.ts"
import { failsAlways, headOf, isFixed, isGivenBack, parametersOf, wordOf } from "./shape.ts"
import { mayBeEmpty, mayBeFixed, mayFail, type Surroundings, surroundingsOf } from "./surroundings.ts"
import { onlyValue } from "./ways.ts"
import { hasWayOut, isEnding, isHollow, isOpenTask, isRemark, maxHollow } from "./words.ts"

/**
 * The outline of a text from what the query of its language captures. The captures:
 *
 * - `@function`, `@type`, `@group`: a declaration, with `@name`, `@body` and `@scope` (what its name is qualified with)
 *   of the same match. Without a body it is never empty.
 * - `@wrapper`: a node that belongs to the declaration directly inside it: decorators, `export`, `const … =`.
 * - `@lead`: a node before the declaration, beside it, that belongs to it: attributes, decorators.
 * - `@exempt`: a declaration or its wrapper that needs nothing in its body. `@exempt.members`: nor do the functions in it.
 * - `@comment`, `@import`, `@string`: what they say; documentation strings are comments.
 * - `@nothing`: does nothing inside a body (`return null`). `@stub`: nor does it show anything when it is cited (`pass`).
 *   `@idle`: the same without saying anything (`let unused;`, a number as a statement).
 * - `@transparent`: does nothing when nothing inside it does anything (a block, a `try`).
 * - `@constant`: a plain value as the result: nothing when a comment in the body says that it stands in for the real one,
 *   and as all that a function with parameters does, unless its surroundings give it a reason.
 * - `@failure`: a statement that fails: nothing as all that a function does, unless its surroundings give it a reason.
 * - `@replaceable`: a declaration that a later one of its name in its block takes the place of. `@hoisted`: whatever is
 *   executed in between. `@kept`: it stays in use all the same (a decorator takes it). `@reopened`: a type that goes on
 *   where its name is opened again.
 * - `@rebinding`: a statement that gives `@name` another value. `@exported`: what is exported as `@name`.
 *   `@exported.whole`: all that is exported, anew.
 *
 * `(#unfinished? @capture)` holds when the text says that something is not done yet.
 */
export const outlineOf = (
  { predicates, rules }: Pick<Loaded, "predicates" | "rules">,
  matches: ReadonlyArray<QueryMatch>,
  root: Node
): Omit<SourceOutline, "neutralised"> => {
  const asked = collect(predicates, matches)
  const dead = idleIn(root, asked, rules.name)
  const captured = { ...asked, idle: new Map([...asked.idle, ...dead]) }
  const found = declarationsOf(captured, rules.name)
  return {
    language: rules.name,
    isIndented: rules.isIndented === true,
    isFreeForm: rules.isFreeForm === true,
    declarations: found,
    asides: [
      ...[...captured.comments.values()].map(asideOf("comment")),
      ...[...captured.imports.values()].map(asideOf("import")),
      ...[
        ...captured.stubs.values(),
        ...dead.values(),
        ...[...asked.idle.values()].filter((node) => !isUsedName(node, captured, rules.name))
      ].map(asideOf("nothing"))
    ].sort(byPlace),
    strings: captured.strings.map(spanOf).sort(byPlace),
    faults: captured.faults.map(spanOf)
  }
}

/** What does nothing by where it stands, or by what is in it. */
const idleIn = (root: Node, asked: Captured, language: string): ReadonlyMap<number, Node> => {
  const source = root.text
  const byId = (nodes: ReadonlyArray<Node>) => nodes.map((node) => [node.id, node] as const)
  const dead = new Map([
    ...deadIn(asked, root, language),
    ...byId(mayNeverRun(source) ? neverRunIn(root, asked, language) : []),
    ...byId(withoutEffectIn(root, source, language))
  ])
  const empty = mayHaveEmptyBranch(source, language) ? emptyBranchesIn(root, asked, dead, language) : []
  return new Map([...dead, ...byId(empty)])
}

/** A declaration with the nodes that belong to it, and where in the text all that is. */
interface Placed {
  readonly declared: Found
  readonly outer: Node
  /** Where it begins: `outer`, or the first of what leads to it. */
  readonly first: Node
  readonly start: number
  readonly end: number
}

const declarationsOf = (captured: Captured, language: string): ReadonlyArray<Declaration> => {
  const found = [...captured.declarations.values()]
    .map((declared): Placed => {
      const outer = wrapped(declared.node, captured)
      const first = ledBy(outer, captured)
      return { declared, outer, first, start: first.startIndex, end: outer.endIndex }
    })
    .sort((a, b) => a.start - b.start || b.end - a.end || a.declared.node.startIndex - b.declared.node.startIndex)
  const judge = makeJudge(captured, found, language)
  const hidings = hidingsOf(captured, found)
  const open: Array<number> = []
  const endOf = (index: number): number => found[index]?.end ?? 0
  return found.map(({ declared, end, first, outer }, index) => {
    while (open.length > 0 && endOf(open.at(-1) ?? 0) < end) open.pop()
    const parent = open.at(-1) ?? null
    open.push(index)
    const inOpenType = parent !== null && captured.exemptMembers.has(found[parent]?.declared.node.id ?? -1)
    const isExempt =
      (inOpenType || isExemptNode(declared.node, outer, captured)) &&
      // complete by its head, and yet something is said to be missing
      !(declared.kind === "type" && isRemarked(judge, declared))
    return {
      start: positionOf(first.startPosition),
      end: positionOf(outer.endPosition),
      name: declared.name,
      kind: declared.kind,
      bodyStart: declared.body === null ? positionOf(outer.endPosition) : positionOf(declared.body.startPosition),
      parent,
      hidden: hidings[index] ?? null,
      empty: isExempt ? null : declared.kind === "group" ? vacancyOf(captured, declared) : emptinessOf(judge, declared)
    }
  })
}

const isExemptNode = (node: Node, outer: Node, { exempt }: Captured): boolean => {
  for (let at: Node | null = node; at !== null; at = at.parent) {
    if (exempt.has(at.id)) return true
    if (at.id === outer.id) return false
  }
  return false
}

const wrapped = (node: Node, { wrappers }: Captured): Node => {
  let outer = node
  for (let at = node.parent; at !== null && wrappers.has(at.id); at = at.parent) outer = at
  return outer
}

const ledBy = (outer: Node, { comments, leads }: Captured): Node => {
  if (leads.size === 0) return outer
  let first = outer
  for (let at = outer.previousNamedSibling; at !== null; at = at.previousNamedSibling) {
    if (leads.has(at.id)) first = at
    else if (!comments.has(at.id)) break
  }
  return first
}

/** What declarations are judged by. */
interface Judge {
  readonly captured: Captured
  readonly language: string
  /** What may give a function a reason to do nothing; null: nothing does. */
  readonly around: Surroundings | null
  /** Declarations by the outermost node that belongs to them. */
  readonly inner: ReadonlyMap<number, ReadonlyArray<Placed>>
  /** What was found out so far, by the node of the declaration. */
  readonly known: Map<number, string | null>
  /** Where comments say that something stands in for the real thing. */
  readonly remarks: ReadonlyArray<number>
  readonly openWork: OpenWork
}

const makeJudge = (captured: Captured, found: ReadonlyArray<Placed>, language: string): Judge => {
  const alone: Judge = {
    captured,
    language,
    around: null,
    inner: Map.groupBy(found, ({ outer }) => outer.id),
    known: new Map(),
    remarks: remarksOf(captured.comments),
    openWork: openWorkOf(captured.comments)
  }
  const all = found.map(({ declared }) => declared)
  const doesSomething = (one: Found): boolean => one.body !== null && emptinessOf(alone, one) === null
  return { ...alone, around: surroundingsOf({ all, captured, language, doesSomething }), known: new Map() }
}

/** A namespace or module is empty when there is nothing in it; what is in it stands for itself. */
const vacancyOf = ({ comments, imports }: Captured, { body }: Found): string | null =>
  body !== null && children(body).every(({ id }) => comments.has(id) || imports.has(id)) ? "holds nothing" : null

/** Says in words why a declaration counts as empty, or null. */
const emptinessOf = (judge: Judge, declared: Found): string | null => {
  const { body, kind, node } = declared
  if (body === null) return null
  const before = judge.known.get(node.id)
  if (before !== undefined) return before
  // a body that holds its own function is not asked again
  judge.known.set(node.id, null)
  const seen: Seen = new Set()
  const result = isNothing(judge, body, declared, seen)
    ? isQuietOnPurpose(judge, declared, seen)
      ? null
      : reasonOf(kind, seen)
    : oneValueOf(judge, declared)
  judge.known.set(node.id, result)
  return result
}

/** `pass`, or documentation by itself: Python has no empty body. */
const isBarePass = ({ language }: Judge, { body }: Found): boolean =>
  language === "python" && /^(?:("""|'''|["'])(?:(?!\1)[\s\S])*\1)?\s*(?:pass)?$/.test(body?.text.trim() ?? "")

/** It does nothing, or gives nothing back, because of what it belongs to. */
const isQuietOnPurpose = (judge: Judge, declared: Found, seen: Seen): boolean =>
  declared.kind === "function" &&
  ([...seen].every((one) => one === "return") || isBarePass(judge, declared)) &&
  mayBeEmpty(judge.around, declared) &&
  !isRemarked(judge, declared)

/** A comment in it says that something stands in for the real thing, or one right before it or behind its end a task. */
const isRemarked = ({ captured, openWork, remarks }: Judge, { node }: Found): boolean => {
  if (remarks.length === 0 && openWork.last.size === 0) return false
  const outer = wrapped(node, captured)
  return (
    remarks.some((at) => at >= node.startIndex && at < node.endIndex) ||
    [node, outer, ledBy(outer, captured)].some(({ startPosition: { row } }) => openWork.alone.has(row - 1)) ||
    [node, outer].some(({ endPosition: { column, row } }) => (openWork.last.get(row) ?? -1) >= column)
  )
}

/** Comments that begin with a mark of open work. */
interface OpenWork {
  /** The last rows of those that stand on lines of their own. */
  readonly alone: ReadonlySet<number>
  /** Where the last one of a row begins. */
  readonly last: ReadonlyMap<number, number>
}

const openWorkOf = (comments: Captured["comments"]): OpenWork => {
  const found = [...comments.values()].filter(({ text }) => isOpenTask(text))
  const alone = new Set(found.filter(isAlone).map(({ endPosition }) => endPosition.row))
  // what is said in comments of one line each goes on in the next
  if (alone.size > 0)
    for (const comment of [...comments.values()].sort((a, b) => a.startIndex - b.startIndex))
      if (alone.has(comment.startPosition.row - 1) && /^(?:\/\/|#|--)/.test(comment.text) && isAlone(comment))
        alone.add(comment.endPosition.row)
  return {
    alone,
    last: new Map(
      found.map(({ startPosition: { column, row } }) => [row, column] as const).sort(([, a], [, b]) => a - b)
    )
  }
}

/** It stands on a line of its own. */
const isAlone = ({ previousSibling, startPosition }: Node): boolean =>
  (previousSibling?.endPosition.row ?? -1) < startPosition.row

/** Whether a node in the body of a declaration does nothing; what it is instead is added to `seen`. */
const isNothing = (judge: Judge, node: Node, declared: Found, seen: Seen): boolean => {
  const { captured, inner } = judge
  const direct = directlyNothing(judge, node, declared)
  if (direct !== null) {
    if (direct !== "import") seen.add(direct)
    return true
  }
  const members = inner.get(node.id)
  if (members !== undefined && node.id !== declared.body?.id) {
    seen.add("declaration")
    return members.every(({ declared: one }) => one.body !== null && emptinessOf(judge, one) !== null)
  }
  if (!captured.transparent.has(node.id)) return isHollowStatement(node, seen)
  const inside = children(node)
  if (isLoading(judge, node, inside, declared)) return false
  return (
    inside.every((child) => isNothing(judge, child, declared, seen)) ||
    endsInStub(captured, node, inside, declared, seen) ||
    isFixedByLocals(judge, node, declared, seen)
  )
}

/** All ways through it give the same value, and nothing around it is a reason for that. */
const oneValueOf = (judge: Judge, declared: Found): string | null => {
  const { around, captured, language } = judge
  if (onlyValue(declared, captured, language) === null) return null
  if (isRemarked(judge, declared)) return reasonOf(declared.kind, new Set(["constant"]))
  const isMeant =
    parametersOf(declared, language)?.used !== true || mayBeFixed(around, declared) || mayBeEmpty(around, declared)
  return isMeant ? null : reasonOf(declared.kind, new Set(["fixed"]))
}

/** A function of Python that only imports loads a module for what that does: `def ready(self): import shop.signals`. */
const isLoading = (
  { captured: { comments, imports }, language }: Judge,
  block: Node,
  inside: ReadonlyArray<Node>,
  { body, kind }: Found
): boolean =>
  language === "python" &&
  kind === "function" &&
  body !== null &&
  isWholeBody(block, body) &&
  inside.some(({ id, text }) => imports.has(id) && /^(?:from\s+\.|import\s+\w+\.\w)/.test(text)) &&
  inside.every(({ id }) => imports.has(id) || comments.has(id))

/** A constant that goes by way of a name. */
const isFixedByLocals = (judge: Judge, block: Node, declared: Found, seen: Seen): boolean => {
  const { around, captured, language } = judge
  if (declared.kind !== "function" || declared.body === null || !isWholeBody(block, declared.body)) return false
  const isMarked = isRemarked(judge, declared)
  // its text is taken apart only where that can matter
  if (!isMarked && parametersOf(declared, language)?.used !== true) return false
  if (!givesFixedLocal(withoutComments(captured.comments, block), language)) return false
  if (!isMarked && mayBeFixed(around, declared)) return false
  seen.add(isMarked ? "constant" : "fixed")
  return true
}

/** What the query alone says of a node that does nothing; null: it says nothing of it. */
const directlyNothing = (judge: Judge, node: Node, declared: Found): Exclude<Direct, "declaration"> | null => {
  const { id } = node
  const { comments, constants, failures, idle, imports, nothing, stubs } = judge.captured
  if (comments.has(id)) return "comment"
  if (imports.has(id)) return "import"
  if (stubs.has(id)) return "stub"
  if (idle.has(id)) return isSwitchedOff(node, declared) ? null : "idle"
  if (nothing.has(id)) return "return"
  if (failures.has(id))
    return isAllOf(declared, node) && failsAlways(node, declared) && !mayFail(judge.around, declared) ? "failure" : null
  if (
    isAllOf(declared, node) &&
    isRemarked(judge, declared) &&
    isGivenBack(withoutComments(comments, node), declared, judge.language)
  )
    return "given"
  if (!constants.has(id)) return null
  // a remark may stand before the block, behind the head
  if (isRemarked(judge, declared)) return "constant"
  return isAllOf(declared, node) &&
    isFixed(node, judge.language) &&
    parametersOf(declared, judge.language)?.used === true &&
    !mayBeFixed(judge.around, declared)
    ? "fixed"
    : null
}

/** `#if 0` in a callback of C that gives nothing back: what it did is known, and it does nothing now. */
const isSwitchedOff = ({ type }: Node, declared: Found): boolean =>
  type === "preproc_if" && /\bvoid\b[^(*]*\(/.test(headOf(declared))

/** The node is a statement of the body itself, not of a block in it. */
const isAllOf = ({ body, kind }: Found, node: Node): boolean =>
  kind === "function" &&
  body !== null &&
  (node.id === body.id || (node.parent !== null && isWholeBody(node.parent, body)))

const isHollowStatement = (node: Node, seen: Seen): boolean => {
  if (node.endIndex - node.startIndex > maxHollow || isDeclaring.test(node.type) || !isHollow(node.text)) return false
  seen.add("stub")
  return true
}

/** Whatever is done before, the function always ends by saying that it is not done. */
const endsInStub = (
  { comments, stubs }: Captured,
  block: Node,
  inside: ReadonlyArray<Node>,
  { body }: Found,
  seen: Seen
): boolean => {
  if (body === null || !isWholeBody(block, body)) return false
  const last = inside.findLast(({ id }) => !comments.has(id))
  if (last === undefined || !stubs.has(last.id) || !isEnding(last.text)) return false
  if (hasWayOut(withoutComments(comments, block))) return false
  seen.add("stub")
  return true
}

const withoutComments = (comments: Captured["comments"], node: Node): string =>
  [...comments.values()]
    .filter(({ startIndex }) => startIndex >= node.startIndex && startIndex < node.endIndex)
    .toSorted((a, b) => b.startIndex - a.startIndex)
    .reduce(
      (text, { endIndex, startIndex }) =>
        text.slice(0, startIndex - node.startIndex) + text.slice(endIndex - node.startIndex),
      node.text
    )

/** The block is all of the body, or the body but for its brackets. */
const isWholeBody = (block: Node, body: Node): boolean =>
  block.id === body.id || (block.parent?.id === body.id && body.namedChildCount === 1 && isBlock.test(block.type))

/** Also what holds an expression that is a statement. */
const isBlock = /block|body|statements|statement_list|suite|compound_statement|^expression_statement$/

/** Statements that hold others or make something: what they say is not all they do. */
const isDeclaring = /declar|assign|definition|^(?:if|for|while|switch|match|try|with|class|function|method)\b|_clause$/

/** A name that is declared without a value and used beside it: it is a part of what is done there. */
const isUsedName = (node: Node, { comments }: Captured, language: string): boolean => {
  const names = declaredIn(node.text, language)
  const { parent } = node
  if (names.length === 0 || parent === null) return false
  if (parent.endIndex - parent.startIndex > maxScope) return true
  const around = withoutComments(comments, parent)
  return names.some((name) => around.split(new RegExp(wordOf(name))).length > 2)
}

/** Whoever writes more in one block uses what is declared in it. */
const maxScope = 20_000

/** The names of a declaration without a value; none when a statement is something else. */
const declaredIn = (statement: string, language: string): ReadonlyArray<string> => {
  const declared = /^(?:let|var|val|local|declare|typeset)\s+(?:mut\s+|-\w+\s+)*([^;=]*)/.exec(statement)?.[1]
  const typed = declared ?? (/^\w[\w\s*<>[\],.:?]*[\s*]\w+[\s\]\w[,*]*;?$/.test(statement) ? statement : null)
  if (typed === null || /^(?:if|while|void)\b/.test(statement)) return []
  // in Go the type is behind the names, elsewhere before them or behind a colon
  if (language === "go") return /^\w+(?:\s*,\s*\w+)*/.exec(typed)?.[0].split(/\s*,\s*/) ?? []
  if (language === "bash") return typed.trim().split(/\s+/)
  return (typed.split(":")[0] ?? "")
    .split(",")
    .flatMap((part) => /([\w$]+)[\s;]*$/.exec(part.replace(/\[[^\]]*\]/g, ""))?.[1] ?? [])
}

type Direct =
  | "comment"
  | "import"
  | "stub"
  | "idle"
  | "return"
  | "constant"
  | "given"
  | "fixed"
  | "failure"
  | "declaration"

type Seen = Set<Exclude<Direct, "import">>

/** What to do where the shape of a stub is right. */
const wayOut = "if that is right, cite a test that shows it"

const reasonOf = (kind: Declaration["kind"], seen: Seen): string => {
  if (kind === "type") return "has no members"
  if (seen.has("stub")) return "only says that it is not implemented"
  if (seen.has("failure")) return `only fails, whatever it is given; ${wayOut}`
  if (seen.has("fixed")) return `always returns the same value, whatever it is given; ${wayOut}`
  if (seen.has("given")) return "only gives back what it is given, and a comment says that it is not done"
  if (seen.has("constant")) return "only returns a fixed value in place of the real one"
  if (seen.has("return")) return "only returns without a value"
  if (seen.has("idle")) return "only holds statements that do nothing"
  if (seen.has("declaration")) return "only declares what is empty itself"
  return seen.has("comment") ? "holds only comments" : "has an empty body"
}

/** Where comments stand that say that something else stands in for the real thing. */
const remarksOf = (comments: ReadonlyMap<number, Node>): ReadonlyArray<number> =>
  [...comments.values()].flatMap((comment) => (isRemark(comment.text) ? [comment.startIndex] : []))

const positionOf = ({ column, row }: Position): Position => ({ row, column })

const spanOf = (node: Node): Span => ({ start: positionOf(node.startPosition), end: positionOf(node.endPosition) })

const asideOf =
  (kind: Aside["kind"]) =>
  (node: Node): Aside => ({ ...spanOf(node), kind })

const byPlace = (a: Span, b: Span): number => a.start.row - b.start.row || a.start.column - b.start.column
