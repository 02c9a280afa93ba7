/** Whether a function is a stub by its shape: all it does is to fail or to give the same value back, whatever it is given. */
import type { Node } from "web-tree-sitter"
import type { Found } from "./captures.ts"

/** Longer statements are not looked into: they put something together. */
const maxLength = 400

/** `throw`, `raise`, a call of `panic`: the word or words that a failing statement begins with. */
const verb = /^(?:return\s+)?(?:[\w$]+(?:\.|::))*[\w$]+!?\s*/

/**
 * Whether a statement that fails does so by itself. It does not when it passes on an error it got (`throw err`), or when
 * what it says depends on a parameter, on its own object or on another value around it.
 */
export const failsAlways = (statement: Node, declared: Found): boolean => {
  const { text } = statement
  if (text.length > maxLength) return false
  const said = withoutStrings(text.replace(verb, ""))
  if (/(?:^|[^\w$])(?:this|self|super|cls)\b|[@$]\w/.test(said)) return false
  const parameters = new Set(wordsOf(headOf(declared)))
  return operandsOf(said).every((word) => !parameters.has(word) && !isValue(word))
}

/** Types and wrappings that change nothing of a value. */
const ofScripts = [
  /\bPromise\.resolve(?=\()/,
  /^(?:return\s+)?<[\w\s.$[\],|&<>]+>(?=\s*[[{("'`\dtf])/,
  /(?:\s+(?:as|satisfies)\s+[\w\s.$<>[\],|&]+?)+(?=\)*\s*;?\s*$)/
]
const seenAs: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  // what a literal is made of: `map[string]bool{`
  go: [/[&*]?(?:map)?\[[^\]]*\][\w.*[\]]*(?=\{)/g],
  javascript: ofScripts,
  typescript: ofScripts,
  tsx: ofScripts
}

/** Whether a value that is returned is written out: nothing of what is around it is in it. */
export const isFixed = ({ text }: Node, language: string): boolean => {
  const said = withoutStrings(seenAs[language]?.reduce((left, type) => left.replace(type, ""), text) ?? text)
  // names of types begin in upper case: `Task.FromResult(true)`
  const values = operandsOf(said).filter((word) => language !== "csharp" || isValue(word))
  return text.length <= maxLength && values.length === 0 && !/[@$]\w/.test(said)
}

/**
 * Whether a statement gives back a parameter as it is, or the object itself: also as the result that went well, beside no
 * error, copied, awaited or seen as another type.
 */
export const isGivenBack = (text: string, declared: Found, language: string): boolean => {
  if (text.length > maxLength) return false
  const said = text
    .replace(/\s+/g, " ")
    .replace(/^(?:return|yield)\b/, "")
    .replace(/;\s*$/, "")
    .trim()
  if (language === "bash")
    return /^(?:echo|printf (?:["']?%s(?:\\n)?["']? )?)\s*(?:-n )?"?\$\{?(?:\d|[@*])\}?"?$/.test(said)
  const [, word] = givenBack.exec(said) ?? []
  if (word === undefined) return false
  // a method that names what it is given as unused means to give back its object
  if (itself.has(word)) return parametersOf(declared, language)?.used !== false
  return new Set(wordsOf(behindName(declared))).has(word)
}

const itself = new Set(["this", "self"])

const givenBack = new RegExp(
  "^=? ?\\(?(?:await )?" +
    // as the result that went well
    "(?:(?:Ok|Some|Right|Just|Success|Promise\\.resolve|Future\\.successful|Task\\.FromResult|Optional\\.of|std::move|Box::new)\\( ?)?" +
    "[&*]?(?:mut )?([A-Za-z_$][\\w$]*)!?" +
    // as it is, or copied
    "(?:\\.(?:clone|copy|dup|to_string|to_owned|into|toString|slice)\\(\\))?" +
    "(?: (?:as|satisfies) [^;{}]{1,80})?" +
    " ?\\){0,2}" +
    "(?: ?, ?(?:nil|null|None|true))?$"
)

/** The text of a declaration before its body. */
export const headOf = ({ body, node }: Found): string =>
  body === null ? node.text : node.text.slice(0, Math.max(0, body.startIndex - node.startIndex))

/** What stands between its name and its body. */
const behindName = (declared: Found): string => {
  const head = headOf(declared)
  const name = simpleName(declared)
  if (name === "") return head
  // a pattern of its own for each name takes longer to make than all of them to look for
  for (let at = head.indexOf(name); at !== -1; at = head.indexOf(name, at + 1)) {
    const end = at + name.length
    if (!isOfWord(head.charAt(at - 1)) && !isOfWord(head.charAt(end))) return head.slice(end)
  }
  return head
}

const isOfWord = (char: string): boolean => /[\w$]/.test(char)

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/[A-Za-z_$][\w$]*/g) ?? []

/** Names that are neither called, nor a part of another, nor the name of an argument, nor behind `new`. */
const operandsOf = (code: string): ReadonlyArray<string> =>
  [
    ...code.matchAll(
      /(?<![\w$:\\>?-])(?<!(?<!\.\.)\.)(?<!\bnew\s+)([A-Za-z_$][\w$]*)(?![\w$]*(?:\s*[(!{<]|::|\s*[:=](?!=)))/g
    )
  ].flatMap(([, word = ""]) => (keywords.has(word) ? [] : [word]))

const keywords = new Set(
  "new throw raise from if unless return try await nil null None undefined true false True False string String str".split(
    " "
  )
)

/** By custom a value begins in lower case; types and constants do not. */
const isValue = (word: string): boolean => /^_*[a-z$]/.test(word)

/** Strings are left out, but for what is put into them: `${…}`, `#{…}`, `{…}`, `\(…)`, `$name`. What is longer is a value. */
const withoutStrings = (text: string): string =>
  text.replace(
    // with what some languages write before them: r"…"
    /(?:(?<![\w$])[bfruBFRU]{1,2}(?=["'`]))?(["'`])((?:\\(?!\()[\s\S]|(?!\1)[\s\S])*)\1/g,
    (_, __, said: string) =>
      ` ${[...said.matchAll(interpolated)].map(([all]) => all.replace(/^[$#\\]?[{(]?|[})]$/g, " ")).join(" ")} ${/[$#]\{|\\\(/.test(said.replace(interpolated, "")) ? "value" : ""} `
  )

const interpolated = /[$#]?\{[^{}"']*\}|\\\([^()]*\)|\$[A-Za-z_]\w*/g

/** The last part of a name: of a method its own. */
export const simpleName = ({ name }: Found): string => /[\w$]+[?!]?$/.exec(name ?? "")?.[0] ?? ""

/**
 * Its parameters; null: it has none. Its own object is not one. `used`: one of them is not named as unused, or in C, C++
 * and Go without a name; in Go its object has one.
 */
export const parametersOf = (declared: Found, language: string): { readonly used: boolean } | null => {
  const head = headOf(declared)
  if (/^func\s*\(\s*\*?\w+\s*\)/.test(head)) return { used: false }
  const parts = listIn(behindName(declared), language)
    .replace(/<[^<>]*>|\[[^[\]]*\]/g, "")
    .split(",")
    .filter((part) => wordsOf(part).some((word) => !own.has(word)))
  if (parts.length === 0) return null
  const isNamed =
    language === "go"
      ? /^\s*\w+\s+\S/
      : language === "c" || language === "cpp"
        ? /[\w>\]][\s*&]+[a-z_]\w*\s*(?:=[\s\S]*)?$/
        : language === "swift"
          ? // `_ text: String`: by its label it has no name for others
            /(?:^|\s)(?!_)\w+\s*:/
          : /^\W*(?:mut\s+)?(?!_)\w/
  return { used: parts.some((part) => isNamed.test(part)) }
}

/** What stands between the brackets behind a name; Ruby may leave these out, an arrow function of one parameter too. */
const listIn = (text: string, language: string): string =>
  /\(([^()]*(?:\([^()]*\)[^()]*)*)\)/.exec(text)?.[1] ??
  (language === "ruby" ? /^[ \t]+([^\n;]*)/ : /^\s*=?\s*([\w$]+)\s*=>/).exec(text)?.[1] ??
  ""

/** A pattern for a name as a whole word. */
export const wordOf = (name: string): string => `(?<![\\w$])${escaped(name)}(?![\\w$])`

/** A text, as a pattern of nothing but itself. */
export const escaped = (text: string): string => text.replace(/[^\w]/g, "\\$&")

const own = new Set(["self", "this", "cls", "mut", "void"])
