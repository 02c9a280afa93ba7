import { anyOf, forgiving } from "../../asked/words.ts"
import { depthOf, type InertRule, type NewRows, nextRow, rowAt, shown } from "./newRows.ts"

/** What fails is forgotten in all that is new, where an item asks to do something about it, or for something else. */
export const thrownAway: InertRule = (code) => {
  const isAsked = asking.test(code.item) && !ofForgetting.test(code.item)
  const isElse = !isAsked && ofOthers.test(code.item) && !ofForgetting.test(code.item) && !ofTrouble.test(code.item)
  const rows = code.rows.filter(code.isNew)
  if (rows.length === 0) return null
  const hollow = isAsked ? hollowTries(code) : []
  const fates = rows.map((row) => {
    const fate = fateOf(code, row, isAsked, isElse)
    const isTried = hollow.some(([from, to]) => row > from && row < to)
    return fate === "other" && isTried && !ending.test(rowAt(code, row)) ? "lost" : fate
  })
  const first = rows[fates.indexOf("lost")]
  if (first === undefined || fates.includes("other")) return null
  return `What fails there is only thrown away or passed on: ${shown(rowAt(code, first))}. Do something about it.`
}

const failing = String.raw`\b(?:errors?|failures?|exceptions?|\w+(?:Error|Exception)|fail(?:s|ed|ing)?|panics?)\b`
const asking = new RegExp(
  String.raw`^(?:handle|report|log|surface|propagate|check|wrap|return|show|deal with|treat|notify|alert|tell)\b.*${failing}|^(?:stop|abort|exit|fail)\b.*\b(?:when|if|on)\b.*${failing}|${failing}.*\b(?:handled|reported|logged|shown|propagated)\b|\b(?:error|exception|failure)[- ]handling\b|\bhandling (?:of|for) .*${failing}`,
  "i"
)
/** There is to be something that was not there. */
const ofOthers =
  /^(?:add|allow|attach|build|cache|calculate|change|count|create|display|enable|expose|extend|filter|format|generate|group|implement|include|increase|introduce|limit|load|log|move|paginate|print|provide|read|record|reduce|reject|remember|render|replace|restrict|return|round|save|send|show|sort|speed up|split|store|throttle|track|translate|update|validate|write)\b/i
/** Of what may go wrong, or is not everywhere: to go on may be all that is asked. */
const ofTrouble = anyOf(
  [
    String.raw`absen\w*|avoid\w*|abort\w*|broken|bugs?|can't|cannot|compat\w*|corrupt\w*|crash\w*|defensive\w*|fallback|fall back|fix\w*|guard\w*|hang\w*|invalid|issues?|malformed|missing|only if|polyfill\w*|prevent\w*|protect\w*|resilien\w*|robust\w*|safe\w*|sandbox\w*|skip\w*|stable|support\w*|unavailable|unsupported|when possible|where possible|without|work ?arounds?|works?|wrong|if \w+ (?:can|is)|try|tries`,
    failing.replaceAll("\\b", "")
  ],
  "修正|エラー|例外|失敗"
)
/** What catches everything. */
const catchAll =
  /^(?:\}\s*)?(?:catch\s*(?:\{|$|\(\s*(?:\.\.\.|_|\$?[a-z]\w*|(?:final )?(?:[\w.]*\.)?\\?(?:BaseException|Exception|Throwable|Error|RuntimeException)\b[\s$\w]*|\w+\s*:\s*(?:any|unknown|Exception|Throwable))\s*\))|rescue(?:\s*=>\s*\w+|\s+(?:Standard|)Error\b.*|\s+Exception\b.*)?$|except(?:\s+(?:Base)?Exception(?:\s+as \w+)?)?\s*:)/
const ofForgetting = anyOf(
  [
    forgiving,
    String.raw`discard\w*|errcheck|gracefully|go(?:es)? on|keeps? (?:on|going|running)|lint\w*|quiet\w*|silen\w*|suppress\w*|swallow\w*|unchecked`
  ],
  "無視"
)

/** What only ends something may fail. */
const ending =
  /\w*(?:close|flush|remove|unlink|clean|rollback|stop|kill|dispose|shutdown|release|unlock|disconnect|cancel|delete|destroy)\w*["']?\s*[(!?]/i

type Fate = "lost" | "neutral" | "other"

const fateOf = (code: NewRows, row: number, isAsked: boolean, isElse: boolean): Fate => {
  const text = rowAt(code, row)
  const below = nextRow(code, row)
  const next = rowAt(code, rowAt(code, below) === "{" ? nextRow(code, below) : below)
  if (passing.test(text) && handler.test(rowAt(code, rowBefore(code, row)))) return passedOn(code, row)
  if (handler.test(text) && passing.test(next)) return passedOn(code, nextRow(code, row))
  if (code.language === "go" && /^err :?= /.test(text) && next === "_ = err") return isAsked ? "lost" : "other"
  if (neutral.test(text) || head.test(text)) return "neutral"
  // in these the case is what is new
  if (/^(?:_ ->|case) /.test(text) && nothing.test(text) && handler.test(rowAt(code, rowBefore(code, row))))
    return (isAsked || isElse) && /^(?:end|\})/.test(next) ? "lost" : "other"
  if (isElse && catchAll.test(text) && (nothing.test(next) || /\{\s*\}\s*\}?$/.test(text))) return "lost"
  if (!isAsked || ending.test(text)) return "other"
  if (/^_ = \w+;?$/.test(text)) return "lost"
  if (handler.test(text) && nothing.test(next)) return "lost"
  if (handler.test(text) && /\{\s*\}\s*\}?$/.test(text)) return "lost"
  const forms = byLanguage[code.language] ?? byEnding.find(([path]) => path.test(code.path))?.[1] ?? []
  if (forms.some((form) => form.test(text))) return isTold(text) ? "other" : "lost"
  return code.language === "go" && /\berr != nil \{$/.test(text) && /^(?:_ = err|\})$/.test(next) ? "lost" : "other"
}

/** Rows of the heads of those whose handlers are all empty, and of the first handler: what is tried stands between them. */
const hollowTries = (code: NewRows): ReadonlyArray<readonly [from: number, to: number]> =>
  code.texts.flatMap((text, from) => {
    if (!/^\s*(?:try|do|begin)\s*[{:]?\s*$/.test(text)) return []
    const depth = depthOf(text)
    const next = (row: number): number =>
      code.texts.findIndex((one, at) => at > row && !/^[\s}]*$/.test(one) && depthOf(one) <= depth)
    const first = next(from)
    let at = first
    while (at !== -1 && handler.test(rowAt(code, at))) {
      const below = rowAt(code, nextRow(code, at))
      if (!nothing.test(below) && !/\{\s*\}$/.test(rowAt(code, at))) return []
      at = next(at)
    }
    return at === first ? [] : [[from, first] as const]
  })

const rowBefore = ({ texts }: NewRows, row: number): number =>
  texts.findLastIndex((text, at) => at < row && text.trim() !== "")

/** What is passed on is kept from the handlers below. */
const passedOn = (code: NewRows, row: number): Fate => {
  const below = nextRow(code, row)
  const next = rowAt(code, below) === "}" ? nextRow(code, below) : below
  return handler.test(rowAt(code, next)) ? "other" : "lost"
}

/** What failed is given to somebody, and only whether that worked is not asked. */
const isTold = (text: string): boolean =>
  /\(.*\b(?:cause|err|error|ex?|exc|exception|failure)\b(?!\s*\()/.test(
    text.replace(dropped, "").replace(/"[^"]*"|'[^']*'|\|[\w, ]*\|.*/g, "")
  )

const handler = /^(?:\}\s*)?(?:catch|rescue|except)\b/
const passing = /^(?:raise|throw)(?:\s+(?:\$?\w+))?;?$/
const nothing = /^(?:end|nil|pass)\b|^\}|^_ = \w+;?$|^_ -> :ok$|^case _ ?: ?\w+ =>(?: \(\))?$/
const head =
  /^(?:(?:pub|public|private|protected|static|async|export|override|suspend|final|def|func|fun|fn|function) )*[\w<>[\],.?]*(?: ?\w+)\([^()]*\)(?:\s*(?:throws|->|:)\s*[\w<>,.[\]? ()]+)?\s*(?:\{|=>\s*\{|:)$/
const neutral =
  /^(?:(?:\}\s*)?(?:try|do|begin|finally|else)\b\s*[:{]?(?:\s*do)?|(?:let|var|val) [\w$]+(?:: [\w<>[\]., ]+)?;?|(?:(?:let|var|val|auto) )?\$?[\w$]+(?:: [\w<>[\]., ]+)? = (?:\[\]|\{\}|null|None|nil|undefined|""|''|0|false);?|err :?= .*|[{}()\];,]*|end|pass)$/

const dropped = /\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|null|undefined)\s*\)/
const byLanguage: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  javascript: [dropped],
  typescript: [dropped],
  tsx: [dropped],
  python: [/^with (?:contextlib\.)?suppress\(/],
  go: [/^_(?:, _)* = \w.*\)$/, /^_ = err$/],
  rust: [/^let _ = .*;$/, /\)\.ok\(\);$/, /^if let Err\(_\w*\) = .*\{\s*\}$/],
  ruby: [/\brescue nil$/],
  php: [/^@\w[\w\\>$:-]*\(.*\);$/],
  swift: [/^(?:_ = )?try\? /],
  kotlin: [/^runCatching \{[^{}]*\}$/, /\.onFailure \{\s*\}$/],
  scala: [/^Try\((?:[^()]|\([^()]*\))*\)$/, /\bcase _ ?: ?\w+ =>\s*(?:\(\)\s*)?\}?$/],
  bash: [/\|\|\s*(?:true|:)$/, /^trap (?:''|"") ERR\b/, /^set \+e$/]
}
const byEnding: ReadonlyArray<readonly [path: RegExp, forms: ReadonlyArray<RegExp>]> = [
  [/\.dart$/, [/\.catchError\(\s*\(\w*(?:,\s*\w+)?\)\s*(?:\{\s*\}|=>\s*null)\s*\)/]],
  [/\.lua$/, [/^pcall\((?:[^()]|\([^()]*\))*\)$/]],
  [/\.psm?1$/, [/-(?:ErrorAction|EA) (?:SilentlyContinue|Ignore)\b/i]]
]
