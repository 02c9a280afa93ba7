/**
 * Whether a text may hold statements of a kind that do nothing. Hardly any does, and to go through a tree for them takes as long as
 * to read it: what one of these patterns does not find in the text is not looked for in the tree. A text may be all of one line, so no
 * pattern goes far.
 */

const value = String.raw`(?:true|false|True|False|TRUE|FALSE|nil|None|null|undefined|NULL|NEVER|:(?=[\s;])|[\d"'])`

const neverRunning = new RegExp(
  [
    // a condition that begins with a value, or has one behind `&&` or `||`
    String.raw`(?<![\w$])(?:if|elif|elsif|elseif|unless|while|until|guard|for)\b[\s(!;]{0,20}(?:not\b)?[\s(!]{0,20}${value}`,
    String.raw`(?:&&|\|\||\band|\bor)\s*(?:!|not\s)?[\s(]{0,20}(?:true|false|True|False|TRUE|FALSE|0|1)(?!\w)`,
    String.raw`(?<!\w)(?:true|false|:)\s*(?:&&|\|\||<<)|(?<![\w$.])(?:true|false|null|undefined|0|1)\s*(?:&&|\?(?![.?:]))|(?<![\w.])[01]\s*(?:&&|\|\|)`,
    String.raw`(?:^|\n)[ \t]*\(?(?:not )?(?:True|False|None|0|1)\)?[ \t]+(?:and|or)\b`,
    String.raw`;\s*(?:false|0)\s*;`,
    // one that is written empty, compares what is written, or chooses among both
    String.raw`(?<![\w$])(?:if|elif|elseif|while)\b[\s(]{0,20}(?:\[\s*\]|\{\s*\}|\(\s*\)|\x60\x60|(?:array|dict|list|set|tuple)\(\s*\))\s*[:)]`,
    String.raw`(?:\[|\btest) [^\n$\x60]{1,80} (?:[=!]?=|-(?:eq|ne|[lg][te])) [\w"'.-]`,
    String.raw`\bswitch\b[\s(]{0,20}(?:true|false|\{)`,
    // a loop through nothing
    String.raw`\bfor(?:each)?\b[^\n]{0,200}?(?:\[\s*\]|\(\s*\)|\{\s*\}|""|''|range\(\s*0|vec!\[|\bempty(?:List|Set|Map)\b|\bNil\b)`,
    String.raw`TYPE_CHECKING|#[ \t]*(?:if|elif)[ \t]+(?:0|false)\b|\/\/f[ \t]`
  ].join("|")
)

export const mayNeverRun = (source: string): boolean => neverRunning.test(source)

// a comment ends in one way only: else a text could be taken apart in more ways than anybody can try
const space = String.raw`(?:\s|\/\/[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/|#[^\n]*(?:\n|$)|;|continue\b|\(\s*\))*`
const condition = String.raw`\((?:[^()]|\((?:[^()]|\([^()]{0,100}\)){0,200}\)){0,300}\)`
const inBraces = new RegExp(
  [
    String.raw`(?<![\w$])(?:if|for|foreach|else|elseif|guard)\b[^{}]{0,400}?\{${space}\}`,
    String.raw`(?<![\w$])(?:if|for|foreach)\s*${condition}\s*(?:;|\(\s*\)|continue\b|Unit\b)|\belse\s*;`
  ].join("|")
)
const byLanguage: Readonly<Record<string, RegExp>> = {
  python: /(?:^[ \t]*|:[ \t]*)(?:pass|continue|\.\.\.)[ \t]*(?:#[^\n]*)?$/m,
  ruby: /\b(?:if|unless|elsif|else|for|do|then)\b[^\n]{0,300}\n(?:[ \t]*(?:#[^\n]*|nil|next)?\n)*[ \t]*(?:else|elsif|end)\b|\bthen\s+end\b/,
  bash: /\b(?:then|do|else)\b(?:\s|#[^\n]*(?:\n|$)|;|:|true\b|continue\b)*\b(?:fi|done|else|elif)\b/,
  php: new RegExp(`${inBraces.source}|:${space}(?:else|elseif|endif|endfor|endforeach)\\b`)
}

export const mayHaveEmptyBranch = (source: string, language: string): boolean =>
  (byLanguage[language] ?? inBraces).test(source)

/** What of statements without effect a text may hold. */
export interface Effectless {
  /** A name given its own value, what always holds asserted, a comparison that nobody takes. */
  readonly statements: boolean
  /** A handler that fails with what it got. */
  readonly handlers: boolean
  /** Names that are given a value and read nowhere. */
  readonly unread: ReadonlySet<string>
}

const ofItself = /(?<![\w.$@])(\$?[A-Za-z_]\w*)\s*=\s*\1\s*(?:;|$)/m
const asserted =
  /(?:\bassert\w*(?:\.ok|\.isTrue)?|\bconsole\.assert|\b(?:Debug|Trace)\.Assert|\bprecondition)!?[\s(]{1,20}(?:!|not\s)?[\s(]{0,20}(?:true|True|[\d"'])/
const compared = /^[ \t]*(?:typeof\b|!|not\b|[\w$."'[\]>()-]+[ \t]*(?:[=!]==?|[<>]=?|\b(?:is|in|not)\b))[^\n]*$/m
const passedOn =
  /(?:\bcatch\b[^\n{]{0,200}(?:\n[ \t]*(?=\{))?\{?|\bexcept\b[^\n]{0,200}?:)[ \t]*(?:(?:\/\/|#)[^\n]*)?(?:\n[ \t]*(?:(?:\/\/|#)[^\n]*)?)*(?:raise|throw)\b/

/** Where a comparison that nobody takes is known to do nothing: operators mean there what they say. */
export const takesNothing: ReadonlySet<string> = new Set(["python", "javascript", "typescript", "tsx", "c", "php"])

const ofScripts = String.raw`(?:const|let|var)\s+([\w$]+)(?:\s*:\s*\w+)?`
/** How a function gives a name of its own a value, up to the sign for that. */
const locals: Readonly<Record<string, string>> = {
  javascript: ofScripts,
  typescript: ofScripts,
  tsx: ofScripts,
  python: String.raw`([A-Za-z]\w*)(?:\s*:\s*\w+)?`,
  java: String.raw`(?:final\s+)?(?:var|int|long|double|boolean|String)\s+(\w+)`,
  csharp: String.raw`(?:const\s+)?(?:var|int|long|double|bool|string)\s+(\w+)`
}
const patterns = (make: (local: string, language: string) => RegExp): Readonly<Record<string, RegExp>> =>
  Object.fromEntries(Object.entries(locals).map(([language, local]) => [language, make(local, language)]))

/** A statement that does that, with the name and the value. */
export const localIn = patterns((local) => new RegExp(String.raw`^${local}\s*=(?!=)\s*([\s\S]+)$`))
/** Where a text does. */
const localsIn = patterns(
  (local, language) =>
    new RegExp(
      String.raw`${language === "python" ? String.raw`^[ \t]+` : String.raw`(?<![\w$.])`}${local}\s*=(?!=)`,
      "gm"
    )
)

export const effectlessIn = (source: string, language: string): Effectless => ({
  statements: ofItself.test(source) || asserted.test(source) || (takesNothing.has(language) && compared.test(source)),
  handlers: passedOn.test(source),
  unread: neverRead(source, localsIn[language])
})

/** What is said only where it is given its value, be it several times. */
const neverRead = (source: string, form: RegExp | undefined): ReadonlySet<string> => {
  const given = new Map<string, number>()
  for (const [, name = ""] of form === undefined ? [] : source.matchAll(form))
    given.set(name, (given.get(name) ?? 0) + 1)
  if (given.size === 0) return new Set()
  const said = new Map<string, number>()
  for (const [word] of source.matchAll(/[\w$]+/g)) if (given.has(word)) said.set(word, (said.get(word) ?? 0) + 1)
  return new Set([...given].flatMap(([name, times]) => (said.get(name) === times ? [name] : [])))
}
