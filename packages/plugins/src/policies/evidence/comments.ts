import type { LineRange, SourceOutline } from "../../port/index.ts"
import { languageOf } from "../../text/languages.ts"
import { scan } from "../../text/scan.ts"

/**
 * Whether the text of an item asks for comments or documentation of code, and for nothing else. Only what is plainly so
 * counts: an item that asks for code, also beside its documentation, is never shown by a comment. Pure.
 */
export const asksForComments = (item: string): boolean => {
  const text = item.normalize("NFKC").trim()
  if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(text)) return inJapanese(text)
  const [first = "", ...more] = text.split(/[.;:]\s+|,\s+|\s+(?:and|then|plus)\s+/i)
  if (/\bso that (?:it|they) (?!says?|explains?|describes?|mentions?|tells?|names?|lists?)/i.test(text)) return false
  if (/\b(?:implement(?:s|ed|ing)?|refactor\w*|tests?)\b|\b(?:after|before|by|while) \w+ing\b/i.test(text)) return false
  return [first, ...more.filter((clause) => work.test(clause))].every(isOfComments)
}

const strong = `(?:doc-?strings?|(?:js|ts|go|rust|java|k|php|yar)-?docs?|doxygen|doc(?:umentation)? comments?)`
export const noun = `(?:${strong}|comments?)`
/** What is written of code that is named, or of a product. */
const broad = `(?:${noun}|documentation|docs)`
const editing =
  "extend|expand|enhance|update|correct|improve|complete|fix|revise|rewrite|reword|rephrase|clarify|shorten|amend|adjust|adapt|refresh|translate|polish|change|edit"
const adding = "add|write|put|insert|give|provide|create"
const saying = "document|describe|explain|annotate|state|say|note|mention|clarify"
const says = "(?:say|mention|state|describe|explain|tell|name|list|note)s?"
/** The noun is what is written, and not a part of another one. */
const ends = String.raw`(?=$|[.,;:)]|\s+(?:to|for|of|in|on|that|which|above|before|at|about|describing|explaining|with)\b)`
/** Words between a verb and what it is about. */
export const between = String.raw`(?:(?!(?:with|and|to|for|that|in|from|of|on|by|which)\b)[\w-]+ ){0,4}?`

const work =
  /^(?:(?:and|then|also|please|finally)\s+)*(?:add|create|build|make|write|fix|handle|support|return(?!\s+(?:values?|types?|codes?)\b)|throw|raise|rename|extract|move|validate|reject|ensure|change|replace|expose|store|send|update|use|call|let)\b|^(?:(?:and|then|also|please|finally)\s+)*(?:count|skip|log|cache|sort|check|parse|read|load|save|remove|delete|drop|set|get|show|print|run|convert|compute|calculate|allow|enable|disable|refuse|accept|filter|merge|split|retry|close|open|stop|start|limit|round|trim|escape|register|emit|fetch|render|display|hide|keep|avoid|optimi[sz]e|speed|implement|replace|rewrite)\s+(?!(?:of|values?|types?|codes?|names?|parameters?|arguments?|results?|order|keys?|modes?|flags?|options?|functions?|methods?|class(?:es)?|(?:doc-?)?(?:strings?|comments?)|(?:js|go|ts|rust|java)docs?|the (?:doc|comment|documentation)\w*)\b)\S/i

/** Of a product that has comments of its own. */
const ofProduct =
  /\b(?:students?|courses?|attachments?|reviews?|diffs?|posts?|blogs?|articles?|users?|threads?|tickets?|issues?|repl(?:y|ies)|apis?|endpoints?|routes?|tables?|models?|forms?|pages?|databases?|moderat\w+|feature|system|service|section|button|parser|lexer|token\w*)\b/i

export const ofCode =
  /\([^()\s]{0,60}\)|\b(?:functions?|methods?|class|module|constants?|regular expressions?|regex|loops?|algorithm|code|branch|condition)\b/i

const isOfComments = (clause: string): boolean => {
  const text = clause.trim()
  if (forms.some((form) => form.test(text))) return true
  if (ofProduct.test(spoken(text))) return false
  const names = codeNamesIn(text)
  return (
    ((ofCode.test(text) || names.length > 0) && weak.some((form) => form.test(text))) ||
    names.some((name) => named.some((form) => form.test(text.replaceAll(name, "NAME"))))
  )
}

/** Whether a text speaks of a product that has comments of its own. */
export const isOfProduct = (text: string): boolean => ofProduct.test(spoken(text)) || ofProductInJapanese.test(text)

/** With the words of names by themselves: `BlogPost`. */
const spoken = (text: string): string => `${text} ${text.replace(/(?<=[a-z\d])(?=[A-Z])|_/g, " ")}`

/** Names that can be nothing but code: `name()`, of several words, or between backticks; and files of programs. */
export const codeNamesIn = (text: string): ReadonlyArray<string> =>
  [...new Set(Array.from(text.slice(0, maxItem).matchAll(codeName), ([name]) => name))].toSorted(
    (a, b) => b.length - a.length
  )

/** Nobody asks for one comment in more characters. */
const maxItem = 1_000

const codeName =
  /`[\w$.:#]+(?:\([^()\s]{0,60}\))?`|(?<![\w/.-])[\w$.:#]+\([^()\s]{0,60}\)|(?<![\w/.-])[\w/.-]+\.(?!(?:md|rst|txt|adoc)\b)[a-z]{1,5}\b|(?<![\w/.-])(?:[A-Z]?[a-z\d]+(?:[A-Z][a-z\d]*)+|[A-Za-z\d]+(?:_[A-Za-z\d]+)+)(?:\.\w+)*(?![\w/(])/g

const forms = [
  new RegExp(`^(?:${adding}|${editing}) (?:\\S+\\(\\) )?${between}${strong}${ends}`, "i"),
  new RegExp(
    `^(?:document|describe|explain|annotate|state|say|note|mention)\\b.*\\b(?:in|with|by|as|using) ${between}(?:\\S+\\(\\) )?${strong}${ends}`,
    "i"
  ),
  new RegExp(
    `^document (?:the |every |each |all )?(?:\\S+\\([^()\\s]{0,60}\\)|(?:\\w+ ){0,3}(?:functions?|methods?|class(?:es)?|modules?|constants?|parameters?|exports?))(?:$|,|\\.| (?:of|for|in) | (?:with|using) ${between}${noun}${ends})`,
    "i"
  ),
  /^(?:add|put|insert|update|correct|fix) (?:(?:a|an|the|missing|our) ){0,2}(?:licen[cs]e|copyright|spdx) headers? (?:to|in|of|on) (?:every |all |each |the )*(?:(?:source )?files?|\S+\.[a-z]{1,4})$/i,
  new RegExp(
    `^(?:correct|fix) ${between}(?:typos?|spelling|grammar|wording|mistakes?) (?:in|of) ${between}(?:\\S+\\(\\) )?${strong}${ends}`,
    "i"
  ),
  new RegExp(`^(?:the|each|every) ${strong} (?:of|for|on|above|in) (?:\\S+ ){1,5}?${says}\\b`, "i"),
  new RegExp(`^(?:\\S+ ){1,5}?(?:has|have|gets?|carr(?:y|ies)) ${between}${strong}${ends}`, "i")
]

const weak = [
  new RegExp(
    `^(?:document|describe|explain|annotate|state|say|note|mention|clarify)\\b.*\\b(?:in|with|by|as|using) ${between}${noun}${ends}`,
    "i"
  ),
  new RegExp(
    `^(?:add|write|put|insert|update|correct|improve|give) ${between}comments? (?:that (?:says?|explains?|describes?)|(?:to|for|above|before|in|on|at) (?:the )?(?:\\S+\\(\\)|(?:\\w+ )?(?:function|method|class|module|constant)))`,
    "i"
  ),
  /^comment (?:\S+\(\)|(?:the|every|each|all) (?:\w+ )?(?:functions?|methods?|class(?:es)?|modules?|constants?))(?:$|,|\.| in )/i
]

/** Of code that is named, for which `NAME` stands. */
const named = [
  new RegExp(
    `^(?:${saying})\\b.*\\b(?:in|with|by|as|using) ${between}${broad} (?:of|for|on|above|to) (?:the )?(?:\\w+ )?NAME\\b`,
    "i"
  ),
  new RegExp(
    `^(?:${editing}) (?:the|its) (?:\\w+ )?(?:comment|documentation|docs) (?:of|for|on|above|in) (?:the )?(?:\\w+ )?NAME(?!\\w)`,
    "i"
  ),
  new RegExp(`^(?:${adding}) ${between}(?:documentation|docs) (?:of|for|on|to) (?:the )?(?:\\w+ )?NAME(?!\\w)`, "i"),
  new RegExp(
    `^document (?:the )?(?:\\w+ )?NAME(?:$|,|\\.| (?:of|for|in) | (?:with|using) ${between}${noun}${ends})`,
    "i"
  ),
  /^document that (?:the )?(?:\w+ )?NAME\b/i,
  new RegExp(`^(?:the )?(?:comment|documentation) (?:of|for|on|above) (?:the )?(?:\\w+ )?NAME ${says}\\b`, "i")
]

const inJapanese = (text: string): boolean => !ofProductInJapanese.test(text) && (writing.test(text) || ofNamed(text))

const ofProductInJapanese =
  /実装|を返す|返すように|テスト|リファクタ|修正し|機能|できる|可能|投稿|記事|ユーザ|画面|フォーム|エンドポイント|API|変更し|作成し|追加し/
const writing =
  /(?:コメント|ドキュメント文字列|ドックストリング|docstring|JSDoc|TSDoc|GoDoc|rustdoc|javadoc)(?:コメント)?(?:を|で|に|として)[^。、]{0,12}(?:追加|書|付|つけ|記述|記載|更新|説明|明記|加え)/i

/** Of code that is named, and of what is written of it. */
const ofNamed = (text: string): boolean =>
  !ofProduct.test(spoken(text)) &&
  codeNamesIn(text).some((name) =>
    /NAME(?:という)?(?:関数|メソッド|クラス|型|構造体|定数|変数)?の(?:説明|ドキュメント|コメント|doc|docstring|JSDoc|TSDoc|GoDoc|rustdoc|javadoc)(?:文|コメント)?(?:を|に|へ|で)[^。]{0,60}(?:追加|追記|拡張|拡充|補足|充実|更新|改善|見直|訂正|書|記述|記載|明記|説明|加え|付)/i.test(
      text.replaceAll(name, "NAME")
    )
  )

/**
 * The rows of some comments that stand at the code which the item names: in a declaration of that name, or
 * right before it. Where the file declares none of the names they may stand anywhere, if it speaks of one at all. Pure.
 */
export const commentsAt = (
  item: string,
  { lines, outline, path }: Commented,
  comments: ReadonlyMap<number, string>
): ReadonlyMap<number, string> => {
  const names = codeNamesIn(item.normalize("NFKC"))
    .filter((name) => !/[\w-]\.[a-z]{1,5}$/.test(name) || name.endsWith("`"))
    .map(
      (name) =>
        name
          .replace(/\(.*|`/g, "")
          .split(/[.:#]+/)
          .at(-1) ?? ""
    )
  if (names.length === 0 || outline === null) return comments
  const declared = outline.declarations.filter(({ name }) => name !== null && names.includes(name))
  if (declared.length === 0) {
    const isKnown = lines.some((line) => (line.match(/[\w$]+/g) ?? []).some((word) => names.includes(word)))
    return isKnown ? comments : new Map()
  }
  const texts = commentsOf({ path, lines, outline })
  const isBefore = (row: number): boolean => texts[row] !== "" || /^\s*(?:$|[@#[])/.test(lines[row] ?? "")
  const isAt = (row: number): boolean =>
    declared.some(({ end, start }) => {
      if (row >= start.row) return row <= end.row
      for (let at = row; at < start.row; at++) if (!isBefore(at)) return false
      return true
    })
  return new Map([...comments].filter(([row]) => isAt(row)))
}

/** What a version of a file is read with. */
export interface Commented {
  readonly path: string
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
}

/**
 * Rows, from 0, whose comments say something that the file did not say before, with what they say. No work are: signs
 * without words, marks of open work, instructions to tools, code that was made a comment, what repeats names, and what
 * stands there a second time.
 */
export const newComments = (now: Commented, before: Commented): ReadonlyMap<number, string> => {
  const said = new Set(
    [...commentsOf(before), ...before.lines, ...linesWithout(now)]
      .map((text) => lettersOf(text))
      .filter((text) => text !== "")
  )
  const names = new Set((now.outline?.declarations ?? []).flatMap(({ name }) => wordsOf(name ?? "")))
  const found = new Map<number, string>()
  for (const [row, text] of commentsOf(now).entries()) {
    const letters = lettersOf(text)
    if (letters === "" || said.has(letters) || !saysSomething(text, names)) continue
    said.add(letters)
    found.set(row, letters)
  }
  return found
}

/** Comments that say something new and stand in these lines. */
export const commentsIn = (
  comments: ReadonlyMap<number, string>,
  { end, start }: LineRange,
  sha256: (text: string) => string
): ReadonlyArray<string> =>
  [...comments].flatMap(([row, text]) => (row >= start - 1 && row < end ? [`#${sha256(text).slice(0, 8)}`] : []))

/** Lines that hold something beside comments. */
const linesWithout = (file: Commented): ReadonlyArray<string> => {
  const comments = commentsOf(file)
  return file.lines.filter((_, row) => (comments[row] ?? "") === "")
}

/** What is said in comments, row by row. */
export const commentsOf = ({ lines, outline, path }: Commented): ReadonlyArray<string> => {
  if (outline === null) {
    const language = languageOf(path, lines)
    if (language.name === "unknown" || language.name === "prose") return lines.map(() => "")
    const { comments } = scan(lines.join("").replaceAll("\r", " "), language)
    return lines.map((_, row) => comments.get(row) ?? "")
  }
  const texts = lines.map(() => "")
  for (const { end, kind, start } of outline.asides) {
    if (kind !== "comment") continue
    for (let row = start.row; row <= end.row; row++) {
      const line = lines[row] ?? ""
      const part = line.slice(row === start.row ? start.column : 0, row === end.row ? end.column : line.length)
      texts[row] = `${texts[row] ?? ""} ${part}`
    }
  }
  return texts
}

const lettersOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .toLowerCase()
    .match(/\p{L}{2,}/gu) ?? []

const saysSomething = (text: string, names: ReadonlySet<string>): boolean => {
  if (open.test(text) || instruction.test(text)) return false
  if ((text.match(/[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/gu) ?? []).length >= 6) return !/実装済み|完了/.test(text)
  return new Set(wordsOf(text).filter((word) => !names.has(word) && !filler.has(word))).size >= 2
}

const open = /\b(?:TODO|FIXME|TBD|XXX|HACK|STUB|PLACEHOLDER)\b|not (?:yet )?implemented/i
const instruction =
  /eslint|biome-|prettier-|@ts-|istanbul|noqa|nolint|pylint|mypy|type:\s*ignore|pragma|\/\/go:|#region|#!|rubocop/i
/** Says nothing of what it is about. */
const filler: ReadonlySet<string> = new Set(
  "the this that an is are was be been it its of to in and or for with function method class module file code implemented implements implementation done complete completed works working finished documented documentation comment comments docstring added here now see above below new".split(
    " "
  )
)
