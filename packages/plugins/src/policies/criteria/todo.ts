import { type Remark, remarksOf } from "./comments.ts"
import { at, type ChangedFile, type Finding } from "./file.ts"

/**
 * Marks of work that is left to do, in comments on changed lines. Programs speak of to-do lists, and of markers: a word
 * counts where it stands as a mark, in front of what is to be done, and not in quotes or within a sentence.
 */
export const todosIn = (file: ChangedFile): ReadonlyArray<Finding> => {
  // in prose the words are its subject
  if (isProse(file.path)) return []
  return (remarksOf(file) ?? []).flatMap((remark) =>
    file.isChanged(remark.row) && isMark(remark)
      ? [at(file.path, remark.row, file.lines[remark.row] ?? remark.text)]
      : []
  )
}

const isProse = (path: string): boolean => /\.(?:md|mdx|markdown|txt|rst|adoc|tex|html?|xhtml)$/i.test(path)

const isMark = ({ isLineComment, text }: Pick<Remark, "isLineComment" | "text">): boolean => {
  const said = unquoted(text)
  return (
    leading.test(said) ||
    within.test(said) ||
    tagged.test(said) ||
    (isLineComment && lower.test(said)) ||
    japanese.test(said)
  )
}

const unquoted = (text: string): string =>
  text.replace(/`[^`]*`|"[^"]*"|“[^”]*”|「[^」]*」|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu, '""')

/** What is spoken of when the word is a name: `TODO items are kept in order`. */
const subjects =
  '(?:s\\b|[\'’]s\\b|[ -](?:lists?|items?|apps?|applications?|comments?|markers?|marks?|entry|entries|tasks?|models?|components?|stores?|managers?|services?|api|apis|endpoints?|routes?|pages?|views?|cards?|boards?|controllers?|repository|repositories|schemas?|types?|tables?|titles?|texts?|ids?|objects?|records?|data|forms?|inputs?|buttons?|states?|reducers?|filters?|counts?|counters?|tags?|keywords?|words?|annotations?|notes?|files?|columns?|status|statuses|lines?|patterns?|collections?|resources?|dates?|fields?|elements?|sections?|blocks?|labels?|checks?|rules?|scanner|parser|tracker|cli|program|is|are|was|were|has|have|and|or|nor|in|of|as|vs)\\b|\\s*[,/|&+=]|"")'

const mark = "(?:TODO|FIXME|XXX|TBD|HACK)"
const notSubject = `(?![\\p{L}\\p{N}_/=.-]|${subjects})`

/** At its beginning: `TODO: …`, `FIXME(name) …`, `- [ ] TODO …`, `XXX`. */
const leading = new RegExp(
  `^[\\s\\-*•>!@~=.:[\\]()<{#]*${mark}(?:[!?:(\\])>}]|\\.{1,3}(?:\\s|$)|\\s*[-–—]\\s|${notSubject})`,
  "u"
)

/** After the end of a sentence, in brackets, or with its colon: `works for one (TODO)`, `empty. FIXME handle it`. */
const within = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:(?<=[.;:!?—–]\\s|\\s-\\s|[([{<])${mark}(?:[:)\\]}>]|\\([^)]*\\):?|${notSubject})|${mark}(?:\\([^)]*\\))?:(?=\\s|$)(?!\\s*(?:and|or|nor)\\b))`,
  "u"
)

const tagged = /^[\s*]*@(?:todo|fixme)\b/i

/** In lower case only with a colon and something to do. */
const lower =
  /^(?:todo|fixme|to-do)\s*(?:\([^)]*\))?\s*:\s*(?:implement|add|finish|write|complete|fix|fill|handle|remove|replace|support|make|move|clean|refactor|improve|validate|check|test|use|update|create|do|wire|hook)\b/i

const japanese =
  /未実装(?=です|だ|[\s)）」】\]。．.、:：!！]|$)|(?:後で|あとで|のちほど)(?:実装|書く|追加|対応)|^[\s*]*(?:要実装|実装予定)/
