/**
 * Whether a body does nothing but keep values that are written in it, and give one of them back: `const total = 0; return
 * total`. `text` is that of the body, without comments. Pure.
 */
export const givesFixedLocal = (text: string, language: string): boolean => {
  if (text.length > maxLength) return false
  const statements = statementsOf(text, language)
  const last = statements.at(-1)
  if (last === undefined || statements.length < 2) return false
  const names = new Set<string>()
  for (const statement of statements.slice(0, -1)) {
    const name = keptIn(statement, language)
    if (name === null || names.has(name)) return false
    names.add(name)
  }
  const given = language === "bash" ? [] : givenIn(last, language)
  return given.some((one) => names.has(one)) && given.every((one) => names.has(one) || isLiteral(one))
}

const maxLength = 400

const statementsOf = (text: string, language: string): ReadonlyArray<string> => {
  const inside = /^\s*\{([\s\S]*)\}\s*$/.exec(text)?.[1] ?? text
  // a bracket that goes on over several lines is no plain value
  return inside
    .split(language === "python" || language === "ruby" ? /\n|;/ : /;|\n/)
    .map((one) => one.trim())
    .filter((one) => one !== "" && !(language === "ruby" && /^(?:end|def\b.*)$/.test(one)))
}

/** The name that a value is kept under; null: something else is done. */
const keptIn = (statement: string, language: string): string | null => {
  const [, type, word = "", value] = kept.exec(statement) ?? []
  if (word !== "" && value !== undefined && isLiteral(value.trim())) {
    const isDeclared = type !== undefined || /^(?:const|let|var|val|final|auto|my|local)\b|:=|^\$/.test(statement)
    return isDeclared || language === "python" || language === "ruby" ? word : null
  }
  return bare[language]?.exec(statement)?.[1] ?? null
}

/** Names that begin with the empty value of their type. */
const bare: Readonly<Record<string, RegExp>> = {
  go: /^var\s+(\w+)\s+[\w.*[\]]+$/,
  cpp: /^(?:std::)?(?:vector|string|map|set|list|deque|unordered_map|unordered_set|optional)(?:<[\w:<>, ]*>)?\s+(\w+)$/
}

const kept =
  /^(?:(?:const|let|var|val|final|auto|my|local)\s+)*(?:mut\s+)?(?:([A-Za-z][\w.]*(?:<[\w<>, ?.]*>)?(?:\[\])?[*&]?)\s+)?\$?([A-Za-z_]\w*)\s*(?::\s*[\w.<>[\]|?, ]+)?\s*:?=(?!=)\s*(.+)$/

/** What is given back; none: the body ends otherwise. */
const givenIn = (statement: string, language: string): ReadonlyArray<string> => {
  const isExpression = /^(?:rust|ruby|scala|kotlin)$/.test(language)
  const said = /^return\b\s*(.*)$/.exec(statement)?.[1] ?? (isExpression ? statement : null)
  if (said === null || said === "") return []
  const inner = /^(?:Ok|Some|Just|Right|Optional\.of|Promise\.resolve|Result\.success)\((.*)\)$/.exec(said)?.[1] ?? said
  return inner.split(",").map((one) =>
    one
      .trim()
      .replace(/^[$&*]/, "")
      .replace(/\s+as\s+[\w.<>[\]]+$/, "")
  )
}

const isLiteral = (value: string): boolean => literal.test(value)

const literal = new RegExp(
  `^(?:${[
    String.raw`-?\d[\d_]*(?:\.\d+)?(?:_?[a-zA-Z]\w*)?`,
    String.raw`[rbuf]?"[^"\\\n$#{}]*"|[rbu]?'[^'\\\n]*'|\x60[^\x60$\\\n]*\x60`,
    "[Tt]rue|[Ff]alse|null|None|nil|undefined|NULL|nullptr|nullopt|default",
    String.raw`(?:\[\s*\]|\{\s*\}|\(\s*\))(?:\s+as\s+[\w.<>[\]]+)?`,
    String.raw`(?:new\s+)?(?:Map|Set|Array|Object|Date(?=\(0\))|ArrayList|HashMap|HashSet|LinkedList|List|Dictionary|StringBuilder|Vec|String|BTreeMap|dict|list|set|tuple|str|int|float|mutableListOf|mutableMapOf|listOf|mapOf|emptyList|emptyMap)(?:<[\w<>, ?.]*>)?(?:::new|\.of|\.empty)?(?:<[\w<>, ?.]*>)?\(\s*\)`,
    String.raw`vec!\[\s*\]|&?(?:map\[[\w.*[\]]+\])?\[?\]?[\w.*]*\{\s*\}|make\((?:map\[|\[\])[\w.*[\]]+\)`
  ].join("|")})$`
)
