/** A name that a statement gives a value: `const a = "…"`, `private static final int A = 1`, `A <- 1`, `a := map[string]int{}`. */
interface Binding {
  readonly name: string
  /** As it stands there, without what ends the statement. */
  readonly value: string
  /** What stands before the name; empty: nothing. */
  readonly words: string
}

/** Null: the statement is none. */
export const bindingIn = (statement: string): Binding | null => {
  const { name, value, words = "" } = binding.exec(statement.trim().slice(0, maxLength))?.groups ?? {}
  return name === undefined || value === undefined ? null : { name, value, words: words.trim() }
}

/** Of a longer one the value is more than is looked at. */
const maxLength = 2_000

const binding = new RegExp(
  String.raw`^(?<words>(?:(?:export|public|private|protected|internal|static|final|const|val|let|var|local|my|our|readonly|pub(?:\([^()]*\))?|char|auto|string|str|bool|int|long|double|[A-Z][\w.<>]*)\s+)*)` +
    String.raw`\*?[$@]?(?<name>[\p{L}_][\w$]*)\s*(?::\s*[^=]+?|map\[[^=]+?)?\s*(?:<-|:?=)(?![=>])\s*(?<value>.+?)\s*;?$`,
  "u"
)
