import type { LineRange } from "../../../port/index.ts"
import { splitLines } from "../../../text/lines.ts"
import { saidOf } from "../asked/said.ts"
import { isRowIn } from "../code/rowsIn.ts"
import { isAboutFile } from "./formatting.ts"

/** What of a file may be asked for that its words do not show: how lines end, what it begins and ends with, tabs, its mode. */
export const spacings = [
  "lf",
  "crlf",
  "bom",
  "no bom",
  "final newline",
  "no final newline",
  "tabs",
  "spaces",
  "executable",
  "not executable"
] as const
export type Spacing = (typeof spacings)[number]

/** A file at a moment. */
export interface Bytes {
  readonly text: string
  readonly executable?: true | undefined
}

/** Which of them an item asks for, and nothing else: `Convert a.bat to CRLF`. Files that it names must be this one. Pure. */
export const spacingsAskedFor = (item: string, path: string): ReadonlyArray<Spacing> => {
  const text = saidOf(item).replace(/[.。]$/, "")
  if (!asking.test(text) || more.test(text) || !isAboutFile(text.replaceAll("`", ""), path)) return []
  return kinds.flatMap(([about, into]) => (about.test(text) ? into(text) : []))
}

const asking =
  /^(?:add|append|change|commit|convert|drop|end|ensure|expand|fix|give|grant|indent|insert|make|mark|normali[sz]e|replace|re-?indent|remove|save|set|store|strip|switch|terminate|turn|unify|use|write|chmod)\b|(?:に|を).*(?:変換|統一|追加|削除|付与|する)/i
const more =
  /\b(?:and (?:add|use|implement|write|create|return|call|rename|test|run)|accept\w*|allow\w*|detect\w*|handl\w*|pars(?:e|er|ing)|support\w*|read(?:er|ing)?|when|whether|if|tokeni\w*|lexer)\b/i
const isTaking = /^(?:drop|fix|remove|strip)\b|\bwithout\b|削除|除去/i

/** To one of two, as the words say; both where they do not. */
const either =
  <A extends Spacing>(first: A, isFirst: RegExp, second: A, isSecond: RegExp) =>
  (text: string): ReadonlyArray<Spacing> => {
    const [is, isOther] = [isFirst.test(text), isSecond.test(text)]
    return is === isOther ? [first, second] : is ? [first] : [second]
  }

const kinds: ReadonlyArray<readonly [about: RegExp, into: (text: string) => ReadonlyArray<Spacing>]> = [
  [
    /\b(?:line[- ]?(?:end(?:ing|s|ings)?|terminators?)|eols?|crlf|lf|carriage returns?)\b|改行コード/i,
    either(
      "lf",
      /\b(?:to|into|use|using|with|as)\s+(?:unix|lf|\\n|posix)\b|\b(?:carriage returns?|crlf)\b(?=.*\b(?:to|with|by)\s+(?:lf|unix))|^(?:remove|strip|drop)\b|\blf (?:line|instead)/i,
      "crlf",
      /\b(?:to|into|use|using|with|as)\s+(?:windows|crlf|dos|\\r\\n)\b|\bcrlf (?:line|instead)/i
    )
  ],
  [/\b(?:bom|byte[- ]order[- ]marks?)\b/i, (text) => (isTaking.test(text) ? ["no bom"] : ["bom"])],
  [
    /\b(?:final|trailing|terminating|missing) (?:newline|line ?break|line end(?:ing)?|new line)\b|\b(?:newline|line ?break|new line)\b.*\b(?:end|eof)\b|\bend\b.*\b(?:in|with) (?:an? |one |a single )?(?:newline|line ?break|new line)\b|末尾.*改行/i,
    (text) => (/^(?:drop|remove|strip)\b|削除/i.test(text) ? ["no final newline"] : ["final newline"])
  ],
  [
    /\btabs?\b.*\b(?:spaces?|indent\w*)\b|\b(?:spaces?|indent\w*)\b.*\btabs?\b|\bindent\w*\b.*\bspaces\b|タブ.*(?:スペース|空白)|(?:スペース|空白).*タブ/i,
    either(
      "tabs",
      /\b(?:to|with|by|into|use|using)\s+(?:hard )?tabs?\b|(?:spaces?) (?:to|with|by|into) tabs?\b|タブに/i,
      "spaces",
      /\b(?:to|with|by|into|use|using)\s+(?:(?:\d|two|four|eight|soft)[- ])?spaces?\b|\btabs? (?:to|with|by|into) .*spaces?\b|(?:スペース|空白)に/i
    )
  ],
  [
    /\b(?:executable|chmod|file mode|permissions?|execut(?:e|ion) (?:bit|permission))\b|実行(?:可能|権限)/i,
    (text) =>
      /\bnot executable|\bnon-executable|-x\b|\b0?644\b|^(?:drop|remove|strip)\b/i.test(text)
        ? ["not executable"]
        : ["executable"]
  ]
]

/** What alone became of a file, each with the rows, from 0, that show it; none where it says something else. Pure. */
export const spacingOf = (before: Bytes, now: Bytes): ReadonlyMap<Spacing, ReadonlyArray<number>> => {
  const [old, young] = [splitLines(before.text), splitLines(now.text)]
  const found = new Map<Spacing, ReadonlyArray<number>>()
  if (old.length !== young.length || old.some((line, row) => inked(line) !== inked(young[row] ?? ""))) return found
  const rows = [...young.keys()]
  const differing = (part: (line: string) => string) =>
    rows.filter((row) => part(old[row] ?? "") !== part(young[row] ?? ""))
  const add = (kind: Spacing, all: ReadonlyArray<number>) => all.length > 0 && found.set(kind, all)
  const ends = differing((line) => /\r?\n$/.exec(line)?.[0] ?? "").filter(
    (row) => /\n$/.test(old[row] ?? "") && /\n$/.test(young[row] ?? "")
  )
  if (!now.text.includes("\r\n")) add("lf", ends)
  else if (!/(?<!\r)\n/.test(now.text)) add("crlf", ends)
  if (before.text.startsWith("\ufeff") !== now.text.startsWith("\ufeff"))
    add(now.text.startsWith("\ufeff") ? "bom" : "no bom", rows.slice(0, 1))
  if (before.text.endsWith("\n") !== now.text.endsWith("\n"))
    add(now.text.endsWith("\n") ? "final newline" : "no final newline", rows.slice(-1))
  const indented = differing((line) => line.replace(/\s+$/, ""))
  add(
    "tabs",
    indented.filter((row) => /^\ufeff?\t+ *\S/.test(young[row] ?? "") && /^\ufeff?\t* +\t*\S/.test(old[row] ?? ""))
  )
  add(
    "spaces",
    indented.filter((row) => !/\t/.test(young[row] ?? "") && /\t/.test(old[row] ?? ""))
  )
  if (before.executable !== now.executable) add(now.executable ? "executable" : "not executable", rows)
  return found
}

const inked = (line: string): string => line.replace(/[\s\ufeff]+/g, "")

/** What of that stands in these lines, by name. */
export const spacingIn = (
  found: ReadonlyMap<Spacing, ReadonlyArray<number>>,
  asked: ReadonlyArray<Spacing>,
  range: LineRange,
  sha256: (text: string) => string
): ReadonlyArray<string> =>
  asked.flatMap((kind) =>
    (found.get(kind) ?? []).flatMap((row) => (isRowIn(range, row) ? [`~${sha256(`${kind} ${row}`).slice(0, 8)}`] : []))
  )
