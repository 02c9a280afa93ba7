import { type InertRule, mayBeOff, type NewRows, nextRow, rowAt, shown } from "./newRows.ts"

/** What an item asks to limit, to repeat or to keep, by a word of it and by the names it is set with. */
interface Topic {
  readonly asked: RegExp
  /** With the values by which there is none of it. */
  readonly set: RegExp
  readonly none: RegExp
}

/** All that is new sets what an item asks for to nothing: `timeout: 0`, `retries = 0`, `fail_under = 0`. */
export const setToNothing: InertRule = (code) => {
  if (!asking.test(code.item) || mayBeOff(code.item) || ofOther.test(code.item)) return null
  const first = topics
    .filter(({ asked }) => asked.test(code.item))
    .map((topic) => firstOfNone(code, topic))
    .find((row) => row !== null)
  return first == null
    ? null
    : `What is set there is none of what the item asks for: ${shown(rowAt(code, first))}. Give it a value that does something.`
}

/** The cited row that sets it to nothing, where no new one sets it to something. */
const firstOfNone = (code: NewRows, topic: Topic): number | null => {
  const first = code.rows.find((row) => valuesIn(code, row, topic).includes("none"))
  return first === undefined || code.fresh.some((row) => valuesIn(code, row, topic).includes("some")) ? null : first
}

const asking =
  /^(?:abort|add|animate|apply|cache|cancel|configure|debounce|define|delay|enforce|give|implement|introduce|keep|limit|pause|put|require|retain|retry|run|set|show|sleep|throttle|use|wait)\b/i
const ofOther = /\b(?:arguments?|columns?|counters?|fields?|fix\w*|no|null|param\w*|support\w*)\b/i

const none = String.raw`(?:0(?:\.0+)?(?:m?s|px|em|%)?|null|None|nil|undefined|Infinity|(?:Duration|TimeSpan)(?:\.|::)(?:ZERO|Zero|zero)|~|-1|""|''|\{\s*\}|\[\s*\])`
const nothing = new RegExp(`^${none}$`)
const topics: ReadonlyArray<Topic> = [
  { asked: /\btime-?outs?\b/i, set: /[\w.-]*(?:time[-_]?out|deadline|max[-_]time)[\w-]*/gi, none: nothing },
  {
    asked: /\bretr(?:y|ies|ied)\b/i,
    set: /[\w.-]*(?:retries|retry[-_]?(?:count|limit|max)|max[-_]?retr(?:y|ies)|max[-_]?(?:attempts|tries)|backoffLimit)[\w-]*/gi,
    none: /^(?:0|1|-1|null|None|nil)$/
  },
  {
    asked: /\blimit(?:s|ed)?\b|\bquota\b/i,
    set: /[\w.-]*(?:[lL]imit|LIMIT|[qQ]uota|maximum|max[-_]|MAX_|max(?=[A-Z]))\w*|\b(?:resources|cpus|memory)\b/g,
    none: new RegExp(`^(?:${none}|unlimited)$`)
  },
  {
    asked: /\bcach(?:e|es|ed|ing)\b/i,
    set: /[\w.-]*(?:ttl|max[-_]?age|expir\w*)[\w-]*/gi,
    none: /^(?:0|null|None|nil)$/
  },
  { asked: /\b(?:keep|retain|retention)\b/i, set: /[\w.-]*(?:retention|retain|keep)[\w-]*/gi, none: /^0$/ },
  {
    asked: /\bcoverage\b/i,
    set: /\b(?:fail[-_]under|\w*[tT]hresholds?|lines|branches|functions|statements|minimum\w*)\b/g,
    none: /^(?:0(?:\.0+)?%?|\{\s*\})$/
  },
  {
    asked: /\b(?:animat\w*|transitions?)\b/i,
    set: /\b(?:animation|transition)[\w-]*/g,
    none: /^(?:none|(?:[a-z]+ )?0m?s)$/
  },
  {
    asked: /\b(?:borders?|outlines?|shadows?)\b/i,
    set: /(?<=^|[{;]\s*)(?:border|outline|box-shadow|text-shadow)(?=\s*:)/g,
    none: /^none$/
  },
  {
    asked: /\b(?:back-?off|debounc\w*|delay\w*|pause\w*|sleep\w*|throttl\w*|wait)\b/i,
    set: /\b(?:sleep|delay|backoff|debounce|throttle|from_(?:secs|millis))\w*/gi,
    none: /^0(?:\.0+)?(?:m?s)?$/
  }
]

type Amount = "none" | "some" | "heading"

/** How often a row sets it, and to what. What a function is given by default is for its callers to say. */
const valuesIn = (code: NewRows, row: number, { none, set }: Topic): ReadonlyArray<Amount> => {
  const text = rowAt(code, row)
  return [...text.matchAll(set)].map(({ 0: name, index }): Amount => {
    if (code.outline !== null && (heads.test(text) || isState(name))) return "some"
    const behind = text.slice(index + name.length)
    const [, sign = "", said = ""] =
      /^["']?\s*(:=|=>|[:=(]|\s)\s*(\{\s*\}|\[\s*\]|"[^"]*"|'[^']*'|[a-z]+ 0m?s|[^\s,;(){}[\]]+|$|[{[(])/.exec(
        behind
      ) ?? []
    // of a constant all that counts is what it stands for
    if (sign === "") return code.outline !== null && isConstant(code, name) ? "heading" : "some"
    if (/^[{[]$/.test(said)) return "heading"
    if (said === "") return isEmptyBelow(code, row) ? "none" : sign === ":" || sign === "=" ? "heading" : "some"
    return none.test(said.replace(/^(["'])(.+)\1$/, "$2")) ? "none" : "some"
  })
}

const isConstant = ({ texts }: NewRows, name: string): boolean =>
  /^[A-Z][A-Z\d_]+$/.test(name) || texts.some((text) => new RegExp(`\\bconst\\b[^=]*\\b${name}\\b\\s*=`).test(text))

/** What an object counts as it goes, and no setting of it. */
const isState = (name: string): boolean => /^(?:self|this)\.\w*(?:[rR]etries|[cC]ount\w*)$/.test(name)

const heads = /\b(?:def|fn|func|function|fun)\b|=>\s*\{?$|\)\s*\{$/

/** Of YAML a name with nothing below, of an environment one without a value. */
const isEmptyBelow = (code: NewRows, row: number): boolean => {
  const [text = "", next] = [code.texts[row], code.texts[nextRow(code, row)]]
  const depth = (of: string): number => of.length - of.trimStart().length
  if (/(?:^|\/)\.env(?:\.(?!example|sample|template)\w+)?$/.test(code.path)) return /=$/.test(text.trim())
  return (
    /\.ya?ml$/.test(code.path) &&
    /:$/.test(text.trim()) &&
    (next === undefined ||
      depth(next) < depth(text) ||
      (depth(next) === depth(text) && !next.trimStart().startsWith("-")))
  )
}
