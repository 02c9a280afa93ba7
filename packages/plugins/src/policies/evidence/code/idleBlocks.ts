import { lineStarts } from "../../../text/lines.ts"
import { isScript } from "./families.ts"
import { timesIn } from "./timesIn.ts"

/** Code, and what is known of it. */
interface Read {
  /** Its comments blanked and its strings hidden. */
  readonly code: string
  /** The same with its strings. */
  readonly text: string
  readonly closers: Int32Array
  /** Whether a condition always holds, or never does; null: it depends. */
  readonly truthOf: (condition: string) => boolean | null
}

/**
 * Blocks in the body of a test that never run: under a condition that never holds, in a loop over nothing, in a function
 * of the body that nobody calls.
 */
export const idleBlocks = (read: Read, language: string): ReadonlyArray<Part> => {
  const body = { ...read, empty: emptyNames(read.code, read.text, language) }
  if (language === "python") return inPython(body)
  // tests in C are not looked into
  const under = language === "c" ? [] : underConditions(body, language)
  if (isScript(language)) return [...under, ...overNothing(body), ...uncalled(body)]
  return language === "go" ? [...under, ...overNothingInGo(body)] : under
}

/** The same of what stands under conditions alone, or in a loop that ends before it begins. */
export const blocksUnder = (read: Read, language: string): ReadonlyArray<Part> => {
  const body = { ...read, empty: new Set<string>() }
  return language === "python" ? inPython(body, true) : [...underConditions(body, language), ...overNoRange(body)]
}

const underConditions = (body: Body, language: string): ReadonlyArray<Part> => {
  if (/^(?:go|rust|swift)$/.test(language)) return conditional(body, withoutBrackets)
  return isScript(language) || /^(?:c|cpp|csharp|java|kotlin|php|scala)$/.test(language)
    ? conditional(body, withBrackets)
    : []
}

type Part = readonly [from: number, to: number]

interface Body extends Read {
  /** Variables that hold an empty list when the only loop over them begins. */
  readonly empty: ReadonlySet<string>
}

/** Nobody has more of them in a test. */
const maxNames = 50

const emptyLists: Readonly<Record<string, RegExp>> = {
  python: /^[ \t]*(\w+)\s*(?::[^=\n]*)?=\s*(?:\[\s*\]|\(\s*\)|\{\s*\})[ \t]*$/gm,
  go: /\b(?:var\s+)?(\w+)(?:\s*:?=\s*\[\](?:struct\s*\{[^{}]*\}|[\w.*[\]]+)\s*\{\s*\}|(?<=\bvar\s+\w+)[ \t]+\[\](?:struct\s*\{[^{}]*\}|[\w.*[\]]+)[ \t]*$)/gm
}

const emptyNames = (code: string, text: string, language: string): ReadonlySet<string> => {
  const form = isScript(language)
    ? /\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]*)?=\s*\[\s*\](?=\s*[;\n])/g
    : emptyLists[language]
  return new Set(
    form === undefined
      ? []
      : [...code.matchAll(form)]
          .slice(0, maxNames)
          .flatMap(([, name = ""]) => (timesIn(text, name) === 2 ? [name] : []))
  )
}

// --- brackets -----------------------------------------------------------------------------------------------------

/** Where the bracket closes that opens at a place. */
const closingOf = ({ closers, code }: Body, open: number): number => {
  const close = closers[open] ?? 0
  return close > open ? close : code.length
}

/** A block, or the one statement in its place. */
const blockAt = (body: Body, from: number): Part => {
  const { code } = body
  const start = from + (/^\s*/.exec(code.slice(from))?.[0].length ?? 0)
  if (code.charAt(start) === "{") return [start, closingOf(body, start) + 1]
  for (let at = start; at < code.length; at++) {
    const char = code.charAt(at)
    if (char === "(" || char === "[" || char === "{") at = closingOf(body, at)
    else if (/[;\n)\]}]/.test(char)) return [start, at]
  }
  return [start, code.length]
}

interface Guarded {
  readonly condition: string
  /** Where what it guards begins. */
  readonly from: number
}

/** `if (…) …`, `while (…) …` */
const withBrackets = (body: Body): ReadonlyArray<Guarded> =>
  [...body.code.matchAll(/(?<![\w$.])(?:if|while)\s*\(/g)].map(({ 0: head, index }) => {
    const open = index + head.length - 1
    const close = closingOf(body, open)
    return { condition: body.text.slice(open + 1, close), from: close + 1 }
  })

/** `if … {`, `if x := f(); … {` */
const withoutBrackets = ({ code, text }: Body): ReadonlyArray<Guarded> =>
  [...code.matchAll(/(?<![\w.])(?:if|while|for)\b([^{}\n]{0,400})\{/g)].map(({ 0: head, index }) => {
    const open = index + head.length - 1
    const said = text.slice(index, open).replace(/^\w+/, "")
    const isLoop = head.startsWith("for")
    return { condition: isLoop && said.includes(";") ? "" : (said.split(";").at(-1) ?? ""), from: open }
  })

const conditional = (body: Body, guarded: (body: Body) => ReadonlyArray<Guarded>): ReadonlyArray<Part> =>
  guarded(body).flatMap(({ condition, from }) => {
    const truth = body.truthOf(condition)
    if (truth === null) return []
    const block = blockAt(body, from)
    if (!truth) return [block]
    const otherwise = /^\s*else\b(?!\s*if\b)/.exec(body.code.slice(block[1]))?.[0]
    return otherwise === undefined ? [] : [blockAt(body, block[1] + otherwise.length)]
  })

// --- loops over nothing -------------------------------------------------------------------------------------------

const overNothing = (body: Body): ReadonlyArray<Part> => {
  const { code, empty } = body
  const isNothing = (one: string) => /^\[\s*\]$/.test(one) || empty.has(one)
  return [
    ...[...code.matchAll(/\bfor\s*(?:await\s*)?\(\s*(?:const|let|var)\b[^;()]*?\b(?:of|in)\s+(\[\s*\]|[\w$]+)\s*\)/g)],
    ...[...code.matchAll(/(?<![\w$.)\]])(\[\s*\]|[\w$]+)\s*\.\s*(?:forEach|map|flatMap|some|every|filter)\s*(?=\()/g)]
  ].flatMap(({ 0: head, 1: over = "", index }) =>
    isNothing(over) ? [[index, blockAt(body, index + head.length)[1]] as const] : []
  )
}

/** `for (let i = 0; i < 0; i++)`, `for _ in 0..0` */
const overNoRange = (body: Body): ReadonlyArray<Part> =>
  [
    ...body.code.matchAll(
      /\bfor\b\s*(?:(\()\s*)?(?:\w+ +){0,2}\$?(\w+)\s*(?::?=\s*(\d+)\s*;\s*\$?\2\s*<\s*(\d+)\s*;|in\s+(\d+)\s*\.\.<?\s*(\d+)\s*(?=\{))/g
    )
  ].flatMap(({ 0: head, 1: open, 3: first, 4: end, 5: from = first, 6: to = end, index }) => {
    if (Number(from) < Number(to) || from === undefined) return []
    const close =
      open === undefined ? body.code.indexOf("{", index) : closingOf(body, body.code.indexOf("(", index)) + 1
    return close < index + head.length ? [] : [[index, blockAt(body, close)[1]] as const]
  })

const overNothingInGo = (body: Body): ReadonlyArray<Part> =>
  [
    ...body.code.matchAll(
      /\bfor\s+[\w ,:=]{0,200}\brange\s+(?:(\w+)|(?:\[\]|map\[\w+\])(?:struct\s*\{[^{}]*\}|[\w.*[\]]+)\s*\{\s*\})\s*(?=\{)/g
    )
  ].flatMap(({ 0: head, 1: name, index }) =>
    name === undefined || body.empty.has(name) ? [[index, blockAt(body, index + head.length)[1]] as const] : []
  )

// --- functions that nobody calls ----------------------------------------------------------------------------------

const uncalled = (body: Body): ReadonlyArray<Part> => {
  const { code, text } = body
  return [
    ...code.matchAll(
      /(?<![\w$.])(?:async\s+)?function\s*\*?\s*([\w$]+)\s*(?=\()|\b(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function\s*\*?\s*(?=\()|(?=\([^()]*\)\s*(?::[^=\n]*)?=>)|(?=[\w$]+\s*=>))/g
    )
  ]
    .slice(0, maxNames)
    .flatMap(({ 0: head, 1: declared, 2: held, index }) => {
      const name = declared ?? held ?? ""
      if (timesIn(text, name) !== 1 || (declared !== undefined && !beginsStatement(code, index))) return []
      const open = code.indexOf("(", index + head.length - 1)
      const arrow = /^[\w$]+\s*=>/.exec(code.slice(index + head.length))
      const from = arrow === null ? closingOf(body, open) + 1 : index + head.length
      const given = /^[^{};\n]*?=>\s*(?!\{)(?=\S)/.exec(code.slice(from, from + 300))
      if (given !== null) return [[index, endOfExpression(body, from + given[0].length)] as const]
      const block = code.indexOf("{", from)
      return block === -1 ? [] : [[index, closingOf(body, block) + 1] as const]
    })
}

/** What a function without a block gives back may go on in the next lines. */
const endOfExpression = (body: Body, from: number): number => {
  const { code } = body
  for (let at = from; at < code.length; at++) {
    const char = code.charAt(at)
    if (char === "(" || char === "[" || char === "{") at = closingOf(body, at)
    else if (/[;)\]}]/.test(char)) return at
    else if (
      char === "\n" &&
      !/^\s*[.?:&|+*/=]/.test(code.slice(at, at + 400)) &&
      !/[=&|?:+,]\s*$/.test(code.slice(from, at))
    )
      return at
  }
  return code.length
}

/** A function in an argument has its name for traces alone. */
const beginsStatement = (code: string, at: number): boolean =>
  !/[(,=:?&|[+\-!]/.test(code.slice(0, at).trimEnd().slice(-1))

// --- Python -------------------------------------------------------------------------------------------------------

const inPython = ({ code, empty, text, truthOf }: Body, isOfConditions = false): ReadonlyArray<Part> => {
  const rows = code.split("\n")
  const starts = lineStarts(code)
  const depthOf = (row: number) => (rows[row] ?? "").length - (rows[row] ?? "").trimStart().length
  const isBlank = (row: number) => (rows[row] ?? "").trim() === ""
  const endOf = (head: number): number => {
    let row = head + 1
    while (row < rows.length && (isBlank(row) || depthOf(row) > depthOf(head))) row++
    return starts[row] ?? code.length
  }
  return rows.flatMap((row, at): ReadonlyArray<Part> => {
    const from = starts[at] ?? 0
    const guard = /^\s*(?:if|elif|while)\b(.*)$/.exec(row)
    if (guard !== null) {
      const colon = topLevelColon(row)
      const said = text.slice(from, from + colon).replace(/^\s*\w+/, "")
      return colon !== -1 && truthOf(said) === false ? [[from + colon + 1, endOf(at)]] : []
    }
    if (isOfConditions) return []
    const loop =
      /^\s*(?:async\s+)?for\b.*\bin\s+(\[\s*\]|\(\s*\)|\{\s*\}|""|range\(\s*0\s*\)|(?:set|list|dict|tuple)\(\s*\)|\w+)\s*:/.exec(
        row
      )
    if (loop !== null) {
      const over = loop[1] ?? ""
      return /^\w+$/.test(over) && !empty.has(over) ? [] : [[from + loop[0].length, endOf(at)]]
    }
    const held = /^\s*(\w+)\s*=\s*lambda\b/.exec(row)?.[1]
    if (held !== undefined && timesIn(text, held) === 1) return [[from, endOf(at)]]
    const inner = /^\s*(?:async\s+)?def\s+(\w+)\s*\(\s*(?!(?:self|cls)\b)/.exec(row)?.[1]
    if (inner === undefined || inner.startsWith("__") || timesIn(text, inner) !== 1) return []
    const before = rows.slice(0, at).findLast((one) => one.trim() !== "") ?? ""
    const around = rows
      .slice(0, at)
      .findLast((one) => one.trim() !== "" && one.length - one.trimStart().length < depthOf(at))
    const isElsewhere = /^\s*@/.test(before) || /^\s*\)$/.test(before) || /^\s*class\b/.test(around ?? "")
    return isElsewhere ? [] : [[from, endOf(at)]]
  })
}

const topLevelColon = (row: string): number => {
  if (row.includes("lambda")) return -1
  let depth = 0
  for (let at = 0; at < row.length; at++) {
    const char = row.charAt(at)
    if (/[([{]/.test(char)) depth++
    else if (/[)\]}]/.test(char)) depth--
    else if (char === ":" && depth === 0) return at
  }
  return -1
}
