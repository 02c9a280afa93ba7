import type { LineRange } from "../../../port/index.ts"
import { truthOf } from "../../../text/conditions.ts"
import type { Placed } from "../asked/namedPlaces.ts"
import { saidOf } from "../asked/said.ts"
import { blocksUnder } from "../code/idleBlocks.ts"
import { resolved } from "../code/locals.ts"
import { closersOf, plainOf, rowOf } from "../code/plain.ts"
import { isTestFile } from "../tests/testCases.ts"

/**
 * The new constant under which all that is new in these lines never runs: `RETRY (line 3)`. Null: there is none, or the item
 * speaks of something that may be off. `fresh`: rows of the file that are new. Pure.
 */
export const switchedOffIn = (
  item: string,
  { lines, outline, path, tokens }: Placed & { readonly lines: ReadonlyArray<string> },
  fresh: ReadonlyArray<number>,
  { end, start }: LineRange
): string | null => {
  if (outline === null || isTestFile(path) || ofSwitches.test(saidOf(item))) return null
  const { language } = outline
  const plain = plainOf(lines, outline)
  const switches = fresh.flatMap((row) => {
    const found = switchIn(tokens[row] ?? "", language)
    return found !== null && isConstant(found.name, plain.text) ? [{ ...found, row }] : []
  })
  if (switches.length === 0) return null
  const values = new Map(switches.map(({ name, value }) => [name, value]))
  const blocks = blocksUnder(
    {
      code: plain.code,
      text: plain.text,
      closers: closersOf(plain.code),
      truthOf: (condition) => truthOf(resolved(condition, values), () => false)
    },
    language
  ).map(([from, to]) => ({ first: rowOf(plain, from), last: rowOf(plain, Math.max(from, to - 1)) }))
  const rows = fresh.filter(
    (row) =>
      row >= start - 1 &&
      row < end &&
      !switches.some((one) => one.row === row) &&
      !blocks.some(({ first, last }) => first === row && last > row)
  )
  const isOff = (row: number): boolean => blocks.some(({ first, last }) => row >= first && row <= last)
  const [first] = switches
  return first !== undefined && rows.length > 0 && rows.every(isOff) ? `${first.name} (line ${first.row + 1})` : null
}

const words = "export|public|private|protected|internal|static|pub|bool|boolean|Boolean|int|auto|inline|#"
const fixed = "const|final|val|readonly|constexpr|define"
const declared = new RegExp(
  String.raw`^(?:\d+ )?((?:(?:${words}|${fixed}|let|var) )*)([A-Za-z_$][\w$]*)(?: : \w+| bool)?(?: :)?( =)? (false|False|None|null|nil|0)(?: ;)?$`
)

/** The name that a line gives such a value for good; null: another may be given to it. */
const switchIn = (text: string, language: string): { readonly name: string; readonly value: string } | null => {
  const [, before = "", name, equals, value = ""] = declared.exec(text) ?? []
  if (name === undefined || (equals === undefined && !before.includes("define"))) return null
  const isFixed = new RegExp(`\\b(?:${fixed}${/^(?:rust|swift)$/.test(language) ? "|let" : ""})\\b`).test(before)
  return isFixed || /^(?:go|javascript|python|tsx|typescript)$/.test(language) ? { name, value } : null
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

const ofSwitches =
  /\b(?:behind|beta|config\w*|constants?|debug\w*|defaults?|dev|development|disabl\w*|dry[- ]?run|enabl\w*|experiment\w*|features?|flags?|gates?|gated|kill\w*|log|logs|logging|off|opt|options?|optional\w*|preview|rollout|settings?|switch\w*|toggl\w*|trac(?:e|es|ing)|verbos\w*)\b|フラグ|無効|有効|オプション|設定|定数|デバッグ|ログ/i
