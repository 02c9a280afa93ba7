import type { LineRange, SourceOutline } from "../../../port/index.ts"
import { truthOf } from "../../../text/conditions.ts"
import type { Placed } from "../asked/namedPlaces.ts"
import { saidOf } from "../asked/said.ts"
import { anyOf, choosing, off } from "../asked/words.ts"
import { isScript } from "../code/families.ts"
import { blocksUnder } from "../code/idleBlocks.ts"
import { resolved } from "../code/locals.ts"
import { onceFor } from "../code/once.ts"
import { closersOf, type Plain, plainOf, rowOf } from "../code/plain.ts"
import { rowsIn } from "../code/rowsIn.ts"
import { isTestFile } from "../tests/testCases.ts"

/**
 * Why all that is new in these lines never runs: a new constant is false for good (`RETRY (line 3) is false, and nothing changes
 * that`), or no value fits a condition (`x < 0 && x > 9`). Null: it may run, or the item speaks of something that may be off. `fresh`: rows of
 * the file that are new. Pure.
 */
export const switchedOffIn = (
  item: string,
  { lines, outline, path, tokens }: Placed & { readonly lines: ReadonlyArray<string> },
  fresh: ReadonlyArray<number>,
  { end, start }: LineRange
): string | null => {
  if (outline === null || isTestFile(path) || ofSwitches.test(saidOf(item))) return null
  const { never, off, switches } = offIn(fresh)({ lines, outline, path, tokens })
  if (off.length === 0) return null
  const rows = rowsIn(fresh, { start, end }).filter(
    (row) =>
      !switches.some((one) => row >= one.row && row <= one.last) &&
      !off.some(({ first, last }) => first === row && last > row)
  )
  const isIn = (blocks: ReadonlyArray<Block>, row: number): boolean =>
    blocks.some(({ first, last }) => row >= first && row <= last)
  if (rows.length === 0 || !rows.every((row) => isIn(off, row))) return null
  const [first] = switches
  if (first !== undefined && !rows.every((row) => isIn(never, row)))
    return `${first.name} (line ${first.row + 1}) is false, and nothing changes that`
  const block = never.find((one) => rows.some((row) => row >= one.first && row <= one.last))
  return block === undefined ? null : `no value fits the condition in line ${block.first + 1}`
}

/** What of a file never runs, whatever is asked of it; its new rows stand for it. */
const offIn = onceFor((fresh: ReadonlyArray<number>) => {
  let found: Off | undefined
  return (file: WithOutline): Off => {
    found ??= readOff(file, fresh)
    return found
  }
})

type WithOutline = Placed & { readonly lines: ReadonlyArray<string>; readonly outline: SourceOutline }

interface Off {
  /** Names that are false for good, with their rows. */
  readonly switches: ReadonlyArray<{ readonly name: string; readonly row: number; readonly last: number }>
  /** Blocks under a condition that no value fits, and with them those under such a name. */
  readonly never: ReadonlyArray<Block>
  readonly off: ReadonlyArray<Block>
}

interface Block {
  readonly first: number
  readonly last: number
}

const readOff = ({ lines, outline, tokens }: WithOutline, fresh: ReadonlyArray<number>): Off => {
  const { language } = outline
  const plain = plainOf(lines, outline)
  const isNew = new Set(fresh)
  const switches = [
    ...fresh.flatMap((row) => {
      // what is given to a function may come back otherwise
      const isLocal = (name: string) =>
        outline.declarations.some(({ end, kind, start }) => kind === "function" && start.row < row && end.row > row) &&
        !new RegExp(
          `\\b(?!(?:if|while)\\b)\\w+ ?\\([^(){};\\n]{0,200}(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$])`
        ).test(plain.text)
      const found = switchIn(tokens[row] ?? "", language, isLocal)
      return found !== null && isConstant(found.name, plain.text) ? [{ ...found, row, last: row }] : []
    }),
    ...(isScript(language) ? switchesInObjects(plain) : []).filter(({ row }) => isNew.has(row))
  ]
  const values = new Map(switches.map(({ name, value }) => [name, value]))
  const under = (truth: (condition: string) => boolean | null) => {
    const read = { code: plain.code, text: plain.text, closers: closersOf(plain.code), truthOf: truth }
    return [...blocksUnder(read, language), ...(/^(?:c|cpp)$/.test(language) ? partsOff(plain.text, truth) : [])].map(
      ([from, to]) => ({ first: rowOf(plain, from), last: rowOf(plain, Math.max(from, to - 1)) })
    )
  }
  const holds = (condition: string) => truthOf(condition, () => false)
  const never = under(holds)
  const off =
    switches.length === 0 ? never : under((condition) => holds(resolved(withMembers(condition, values), values)))
  return { switches, never, off }
}

/** Parts of a file in C that its compiler leaves out, up to their `#else` or end. */
const partsOff = (
  text: string,
  truth: (condition: string) => boolean | null
): ReadonlyArray<readonly [from: number, to: number]> =>
  [...text.matchAll(/^[ \t]*#[ \t]*if[ \t]+([^\n]*)\n/gm)].flatMap(({ 0: head, 1: condition = "", index }) => {
    if (truth(condition) !== false) return []
    let depth = 0
    for (const found of text.slice(index + head.length).matchAll(/^[ \t]*#[ \t]*(if|el|endif)\w*/gm)) {
      if (found[1] === "if") depth++
      else if (depth === 0) return [[index, index + head.length + found.index] as const]
      else if (found[1] === "endif") depth--
    }
    return []
  })

/** A value that is false, in an object of the file that nobody changes or hands on: `features.retries`. */
const switchesInObjects = (plain: Plain) =>
  [
    ...plain.text.matchAll(/(?<=^|\n)[ \t]*const\s+([A-Za-z_$][\w$]*)\s*=\s*(?:Object\.freeze\(\s*)?\{([^{}()]*)\}/g)
  ].flatMap(({ 0: all, 1: object = "", 2: members = "", index }) => {
    const it = `(?<![\\w$.])${object.replaceAll("$", "\\$")}(?![\\w$])`
    const rest = plain.text.slice(0, index) + plain.text.slice(index + all.length)
    const isGiven = new RegExp(
      `${it}(?!\\s*\\.\\s*[A-Za-z_$][\\w$]*(?![\\w$]|\\s*(?:\\(|[-+*/|&?]{0,2}=(?!=)|\\+\\+|--)))`
    ).test(rest)
    const at = {
      row: rowOf(plain, index + (/^\s*/.exec(all)?.[0].length ?? 0)),
      last: rowOf(plain, index + all.length - 1)
    }
    return isGiven
      ? []
      : [...members.matchAll(/(?<=^|,)\s*["']?([A-Za-z_$][\w$]*)["']?\s*:\s*(false|null|undefined|0)\s*(?=,|$)/g)].map(
          ([, member = "", value = ""]) => ({ name: `${object}.${member}`, value, ...at })
        )
  })

const withMembers = (condition: string, values: ReadonlyMap<string, string>): string =>
  condition.replace(
    /(?<![\w$.])[A-Za-z_$][\w$]*\.[A-Za-z_$][\w$]*(?![\w$]|\s*[.(])/g,
    (name) => values.get(name) ?? name
  )

const words = "export|public|private|protected|internal|static|pub|bool|boolean|Boolean|int|auto|inline|#"
const fixed = "const|final|val|readonly|constexpr|define"
const declared = new RegExp(
  String.raw`^(?:\d+ )?((?:(?:${words}|${fixed}|let|var) )*)([A-Za-z_$][\w$]*)(?: : \w+| bool)?(?: :)?( =)? (false|False|None|null|nil|0)(?: ;)?$`
)

/** The name that a line gives such a value for good; null: another may be given to it. */
const switchIn = (
  text: string,
  language: string,
  isLocal: (name: string) => boolean
): { readonly name: string; readonly value: string } | null => {
  const [, before = "", name, equals, value = ""] = declared.exec(text) ?? []
  if (name === undefined || (equals === undefined && !before.includes("define"))) return null
  const isFixed = new RegExp(`\\b(?:${fixed}${/^(?:rust|swift)$/.test(language) ? "|let" : ""})\\b`).test(before)
  return isFixed || /^(?:go|javascript|python|tsx|typescript)$/.test(language) || isLocal(name) ? { name, value } : null
}

/** Nothing in the text gives it another value, or has its name too. */
const isConstant = (name: string, text: string): boolean => {
  const it = `(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`
  const given = text.match(new RegExp(`${it}\\s*(?::\\s*\\w+\\s*)?[-+*/%&|^?:]{0,2}=(?![=>])`, "g"))?.length ?? 0
  const isDefined = new RegExp(`#\\s*define\\s+${it}`).test(text)
  if (given !== (isDefined ? 0 : 1)) return false
  return ![
    `(?:\\+\\+|--)\\s*${it}|${it}\\s*(?:\\+\\+|--)|(?<!&)&\\s*${it}`,
    `\\b(?:as|case|del|for|global|import|lambda|nonlocal)\\b[^\\n=]{0,200}${it}`,
    `\\b(?:catch|def|fn|func|function)\\b[^\\n(){}]{0,100}\\([^(){}]{0,400}${it}`,
    `${it}[^\\n(){}]{0,200}\\)?\\s*=>|${it}\\s*[,\\]}][^=;()]{0,200}=(?!=)`
  ].some((form) => new RegExp(form).test(text))
}

const ofSwitches = anyOf(
  [
    off,
    choosing,
    String.raw`behind|beta|config\w*|constants?|debug\w*|dev|development|dry[- ]?run|enabl\w*|experiment\w*|features?|flags?|gates?|gated|hidden|hide|kill\w*|launch\w*|log|logs|logging|negative\w*|preview|rollout|switch\w*|toggl\w*|(?:below|less than) (?:0|zero)|trac(?:e|es|ing)|verbos\w*`
  ],
  "フラグ|無効|有効|オプション|設定|定数|デバッグ|ログ"
)
