/**
 * Variables of a test that hold a literal from beginning to end: what is asserted of them always holds. Whatever could give
 * them another value, or be another variable of the same name, leaves them out. `code` has its strings hidden.
 */
export const literalsOf = (code: string, text: string, language: string): ReadonlyMap<string, string> => {
  const form = forms[language]
  if (form === undefined) return new Map()
  const depth = /^[{\s]*\n([ \t]*)\S/.exec(code)?.[1] ?? /^([ \t]*)/.exec(code)?.[1] ?? ""
  const found: Array<readonly [string, string]> = []
  for (const { 0: all, 1: indent = "", 2: name = "", 3: value = "", index } of [...code.matchAll(form)].slice(
    0,
    maxLocals
  )) {
    if (indent !== depth || !changesNowhere(name, text, language)) continue
    const end = index + all.length
    const said = text.slice(end - value.length, end)
    if (literal.test(said)) found.push([name, said])
  }
  return new Map(found)
}

/**
 * Variables of a test that are another one from beginning to end: `want := got`. Values of Go may be copies, so neither may be
 * changed by way of a part or a method.
 */
export const aliasesOf = (code: string, text: string, language: string): ReadonlyMap<string, string> => {
  const form = forms[language] ?? typed[language]
  if (form === undefined) return new Map()
  const found = new Map<string, string>()
  for (const [, , name = "", value = ""] of [...code.matchAll(form)].slice(0, maxLocals)) {
    const other = value.trim()
    if (name === other || !/^[A-Za-z_$][\w$]*$/.test(other) || literal.test(other)) continue
    const isWhole = (one: string) => language !== "go" || !new RegExp(`(?<![\\w.])${one}\\s*(?:\\.|\\[|\\()`).test(code)
    if (![name, other].every((one) => changesNowhere(one, text, language) && isWhole(one))) continue
    found.set(name, found.get(other) ?? other)
  }
  return found
}

/** Nobody has more of them in a test. */
const maxLocals = 30

const script =
  /^([ \t]*)(?:const|let|var)[ \t]+([\w$]+)[ \t]*(?::[ \t]*\w+[ \t]*)?=[ \t]*([^\s;,][^;\n]*)(?=[ \t]*(?:;|$))/gm
const forms: Readonly<Record<string, RegExp>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  python: /^([ \t]*)([A-Za-z_]\w*)[ \t]*(?::[ \t]*\w+[ \t]*)?=[ \t]*([^\s=;][^;\n]*)(?=[ \t]*(?:;|$))/gm,
  go: /^([ \t]*)(?:var[ \t]+|const[ \t]+)?([A-Za-z_]\w*)[ \t]*(?:\w+[ \t]*)?:?=[ \t]*([^\s=;][^;\n]*)(?=[ \t]*(?:;|$))/gm
}

const ofTypes =
  /^([ \t]*)(?:final[ \t]+|val[ \t]+|var[ \t]+)*(?:[A-Za-z][\w.<>[\]?]*[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*([^\s=;][^;\n]*)(?=[ \t]*(?:;|$))/gm
const typed: Readonly<Record<string, RegExp>> = { java: ofTypes, kotlin: ofTypes, csharp: ofTypes, ruby: ofTypes }

const literal =
  /^(?:-?\d+(?:\.\d+)?|true|false|True|False|None|null|nil|undefined|"[^"\n\\$]*"|'[^'\n\\$]*'|`[^`\\$]*`)$/

const changesNowhere = (name: string, text: string, language: string): boolean => {
  const it = `(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$])`
  const assignments = text.match(
    new RegExp(`${it}\\s*(?::?\\s*\\w+\\s*)?(?:<<|>>>?|\\*\\*|//|&&|\\|\\||\\?\\?|[-+*/%&|^:@])?=(?![=>])`, "g")
  )
  if ((assignments?.length ?? 0) !== 1) return false
  const others = [
    `(?:\\+\\+|--)\\s*${it}|${it}\\s*(?:\\+\\+|--)|&\\s*${it}`,
    // one of several that are given a value, a parameter
    `${it}\\s*[,\\]})][^=;()]{0,200}=(?!=)|[,[{(*][ \\t]*${it}[^=\\n]{0,200}(?:=(?!=)|\\)\\s*[{:])`,
    `${it}\\s*=>`,
    `\\b(?:const|let|var)\\s+${it}\\s+(?:of|in)\\b|\\b(?:catch|function\\b[\\s\\w$]*|func)\\s*\\([^()]*${it}`,
    ...(language === "python"
      ? [`\\b(?:for|as|del|global|nonlocal|import|case|lambda)\\b[^\\n=]{0,200}${it}|\\bdef\\s+\\w+\\s*\\([^)]*${it}`]
      : [])
  ]
  return !others.some((other) => new RegExp(other).test(text))
}

/** An expression with such variables replaced by what they hold. */
export const resolved = (expression: string, literals: ReadonlyMap<string, string>): string =>
  literals.size === 0
    ? expression
    : expression.replace(
        /"[^"\n]*"|'[^'\n]*'|`[^`]*`|(?<![\w$.])[A-Za-z_$][\w$]*(?![\w$]|\s*[.([:=](?!=))/g,
        (word) => literals.get(word) ?? word
      )

/** An expression of Python without the built-in functions that it calls, which answer the same for the same literals. */
export const withoutBuiltIns = (expression: string): string =>
  expression
    .replace(
      /(?<=["'])\.(?:upper|lower|strip|lstrip|rstrip|split|join|replace|startswith|endswith|title|capitalize|count|find|index|format|encode|isdigit|isalpha)\s*(?=\()/g,
      ", "
    )
    .replace(
      /(?<![\w.])(?:len|str|int|float|bool|abs|min|max|sum|repr|ord|chr|round|sorted|list|tuple|any|all|isinstance)\s*(?=\()/g,
      ""
    )
    .replace(/(?<=,\s*)(?:str|int|float|bool|list|tuple)(?=\s*\))/g, "0")
