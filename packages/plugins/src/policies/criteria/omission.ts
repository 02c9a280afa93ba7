import type { Span } from "../../port/index.ts"
import { commentsOf, type Remark, remarksOf } from "./comments.ts"
import { at, type ChangedFile, type Finding } from "./file.ts"

/** Text on changed lines that stands in place of what was left out: `// ... rest of the code`, `[rest of file]`, `(省略)`. */
export const omissionsIn = (file: ChangedFile): ReadonlyArray<Finding> => {
  const remarks = remarksOf(file)
  const rows = new Set([
    ...(remarks ?? []).filter((remark) => standsIn(remark)).map(({ row }) => row),
    ...(remarks === null ? omittedInProse(file) : omittedInCode(file))
  ])
  return [...rows]
    .sort((a, b) => a - b)
    .flatMap((row) => (file.isChanged(row) ? [at(file.path, row, file.lines[row] ?? "")] : []))
}

// --- comments -----------------------------------------------------------------------------------------------------

const standsIn = ({
  isAlone,
  isDocumentation,
  isHeld,
  isInRun,
  isWhole,
  text
}: Omit<Remark, "row" | "isLineComment">): boolean => {
  // a comment of several lines may show an example
  if (!isWhole || (isDocumentation && isInRun)) return false
  const said = text.trim()
  if (isDots(said)) return isHeld || (isAlone && !isInRun)
  return isOmitted(said) || (isAlone && isOmittedAlone(said))
}

const isDots = (text: string): boolean => /^[[({<]*\s*(?:\.{3,}|…+)\s*[\])}>]*$/.test(text)

const dots = "(?:\\.{3,}|…)"
const thing =
  "(?:code|implementations?|files?|functions?|methods?|class(?:es)?|logic|contents?|imports?|tests?|test cases|modules?|components?|handlers?|routes?|fields|properties|props|styles?|rules|config(?:uration)?|body|script|page|sections?|lines|definitions?|declarations?|cases|types|exports|markup|html|css|jsx|template|program|document|setup|endpoints|helpers|hooks|variables|constants|stuff|parts?|steps|queries|schema)"
const few = (count: number) => `(?:[\\w.\\-/']+ ){0,${count}}?`
const restOf = `(?:all )?(?:the )?(?:rest|remainder) of (?:the |this |your |its |my |our )?${few(3)}${thing}`
const kept = `(?:the |your |all |my |our )?(?:the )?(?:remaining|existing|unchanged) ${few(2)}${thing}`
const same = `(?:the |your |all )?(?:previous|original|other|same|current|additional|more) ${few(2)}${thing}`
const behind =
  "(?: (?:goes |would go |is |are )?(?:here|unchanged|omitted|elided|not shown|as before|the same|as is)| follows?| continues?| (?:remains?|stays?)(?: (?:here|the same|unchanged|as is|intact|as before))?)(?: for (?:brevity|clarity|simplicity))?"
const words =
  "(?:the )?rest(?: (?:is |remains |stays )?(?:unchanged|omitted|the same))?|unchanged|no changes?|omitted|snip(?:ped)?|truncated|etc\\.?|and so on|(?:same )?as (?:before|above)|(?:omitted|unchanged) for brevity"
const end = `\\s*(?:${dots}|[.:!])?$`

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})${end}`, "i")

const omitted: ReadonlyArray<RegExp> = [
  whole(`${dots}\\s*(?:(?:${restOf}|${kept}|${same})(?:${behind}| below| above| etc\\.?)?|${words})`),
  new RegExp(`^(?:${restOf}|${kept})(?:${behind}| below| above)?\\s*${dots}$`, "i"),
  whole(`(?:${restOf}|${kept})${behind}`),
  /\b(?:omitted|elided|left out|snipped|abbreviated|truncated) for (?:brevity|space|clarity|conciseness)\b/i,
  /(?:以下|此处|这里)(?:省略|略)(?![可す時场场でもがしさ])|[（(［[【<]\s*(?:以下|中|後|前)?(?:省略|略)\s*[)）］\]】>]|^(?:中略|後略|以下略|以下同様)[。.…]*$/,
  /残りの(?:コード|実装|処理|部分|関数|メソッド|テスト)(?:は|を)?(?:省略|そのまま|同じ|同様|変更なし|変わらず|ここに|続く)/,
  /既存の?(?:コード|実装|処理|関数|メソッド)(?:は|が)?(?:そのまま|省略|ここに|続く|変更なし)/,
  /^(?:\.{3,}|…+)\s*(?:省略|残り|既存|以下|変更なし|同じ|同様)|(?:其余|剩余)(?:的)?(?:代码|部分|实现).{0,4}(?:不变|省略|相同|保持)/
]

/** What says the same only where nothing else stands on the line. */
const omittedAlone: ReadonlyArray<RegExp> = [
  whole(
    `(?:the )?(?:rest|remainder) of (?:the |this |your |its )?${few(2)}(?:code|file|implementation|function|class|method|component|module|script|program|logic)`
  ),
  whole(`(?:the |your )?(?:existing|remaining) ${few(1)}(?:code|implementation|logic)`),
  whole(
    "(?:the )?(?:code|implementation|details|body|contents?|imports|rest|methods|functions) (?:is |are )?(?:omitted|elided|snipped|not shown)(?: here| for simplicity)?"
  ),
  whole(
    "(?:(?:put|add|insert|write|place) )?(?:(?:your|the|more|actual|real) )?(?:code|logic|implementation) (?:goes )?here"
  ),
  whole("省略|…+省略"),
  /^ここに(?:コード|実装|処理)を?(?:書|追加|記述|実装)/
]

const isOmitted = (text: string): boolean => omitted.some((pattern) => pattern.test(inner(text)) || pattern.test(text))

const isOmittedAlone = (text: string): boolean => omittedAlone.some((pattern) => pattern.test(inner(text)))

/** Without the brackets around it. */
const inner = (text: string): string =>
  /^[[({<].*[\])}>]$/.test(text) ? text.replace(/^[[({<\s]+|[\])}>\s]+$/g, "") : text

// --- outside of comments ------------------------------------------------------------------------------------------

const omittedInCode = (file: ChangedFile): ReadonlyArray<number> => {
  const { lines, outline } = file
  const quiet = rowsBeginningIn([...(outline?.strings ?? []), ...(commentsOf(file) ?? [])], lines)
  return lines.flatMap((line, row) => {
    const text = line.trim()
    if (text === "" || quiet.has(row)) return []
    const isOut = isDots(text) ? isMeaningless(file, row, text) : isSpelledOut(text)
    return isOut ? [row] : []
  })
}

/** Text that cannot be code: dots in front of words that say what is missing, or such words in brackets. */
const isSpelledOut = (text: string): boolean => {
  if (/[;=]/.test(text)) return false
  const hasDots = /^(?:\.{3}|…)\s*\S+\s/.test(text) || /^…/.test(text)
  const isBracketed = /^[[({<].*\s.*[\])}>]$/.test(text)
  return (
    ((hasDots || isBracketed) && (isOmitted(text) || (isBracketed && isOmittedAlone(text)))) ||
    /^[（(［[【]?\s*(?:以下省略|以下略|中略|後略|省略)\s*[)）］\]】]?[。.…]*$/.test(text)
  )
}

/** Whether dots alone on a line mean nothing in the language. */
const isMeaningless = ({ lines, outline, path }: ChangedFile, row: number, text: string): boolean => {
  if (outline === null) return /\.(?:css|scss|less|sql|toml|dart|proto)$/i.test(path)
  if (outline.faults.some(({ end, start }) => start.row <= row && row <= end.row))
    return text !== "..." || outline.language !== "python"
  // between tags it is text; elsewhere no language knows the sign
  if (text.includes("…")) return !lines.some((line) => line.includes("</"))
  return outline.language === "bash"
}

/** Rows whose first character that is no blank lies in one of the spans. */
const rowsBeginningIn = (spans: ReadonlyArray<Span>, lines: ReadonlyArray<string>): ReadonlySet<number> => {
  const rows = new Set<number>()
  for (const { end, start } of spans) {
    for (let row = start.row; row <= end.row; row++) {
      const line = lines[row] ?? ""
      const first = line.length - line.trimStart().length
      const isAfterStart = row > start.row || first >= start.column
      const isBeforeEnd = row < end.row || first < end.column
      if (isAfterStart && isBeforeEnd) rows.add(row)
    }
  }
  return rows
}

/** In prose only unmistakable omission markers count; fenced code is an example. */
const omittedInProse = ({ lines }: ChangedFile): ReadonlyArray<number> => {
  const rows: Array<number> = []
  let fence = ""
  for (const [row, line] of lines.entries()) {
    const text = line.trim()
    const opened = /^(?:`{3,}|~{3,})/.exec(text)?.[0] ?? ""
    if (fence !== "") {
      if (opened.startsWith(fence) && text === opened) fence = ""
      continue
    }
    if (opened !== "") fence = opened
    else if (isSpelledOut(text.replace(/^<!--\s*(.*?)\s*-->$/, "[$1]"))) rows.push(row)
  }
  return rows
}
