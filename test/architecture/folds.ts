import { importsOf, type Source, type Token, tokensOf } from "./sources.ts"

/** A name that a fold uses, and the module that it comes from. */
export interface FoldImport {
  readonly path: string
  readonly name: string
  readonly from: string
}

/** Every imported name that is used where an event or a change is folded, directly or by a helper of the same file. */
export const importsOfFolds = ({ path, text }: Source): ReadonlyArray<FoldImport> => {
  const tokens = tokensOf(text).filter(({ kind }) => kind !== "comment")
  const helpers = declarationsOf(tokens)
  const imported = importedNames(text)
  const used = new Set<string>()
  const open = foldsOf(tokens)
  while (open.length > 0) {
    const [from, to] = open.pop() as Range
    for (let i = from; i < to; i++) {
      const name = tokens[i]?.text ?? ""
      if (tokens[i]?.kind !== "word" || tokens[i - 1]?.text === "." || used.has(name)) continue
      const helper = helpers.get(name)
      if (helper === undefined && !imported.has(name)) continue
      used.add(name)
      if (helper !== undefined) open.push(helper)
    }
  }
  return [...used].flatMap((name) => {
    const from = imported.get(name)
    return from === undefined ? [] : [{ path, name, from }]
  })
}

/** Indexes of tokens, the second one not included. */
type Range = readonly [from: number, to: number]

const depthOf = (token: Token | undefined): number => {
  if (token?.kind !== "sign") return 0
  if ("({[".includes(token.text)) return 1
  return ")}]".includes(token.text) ? -1 : 0
}

/** The end of an expression: a comma beside it, or the bracket around it. */
const endOf = (tokens: ReadonlyArray<Token>, from: number): number => {
  let depth = 0
  for (let i = from; i < tokens.length; i++) {
    depth += depthOf(tokens[i])
    if (depth < 0 || (depth === 0 && tokens[i]?.text === "," && tokens[i]?.kind === "sign")) return i
  }
  return tokens.length
}

/** The values of `evolve:` and `apply:`, and the second argument of `….follow(…)`. */
const foldsOf = (tokens: ReadonlyArray<Token>): Array<Range> =>
  tokens.flatMap((token, i): ReadonlyArray<Range> => {
    if (token.kind !== "word") return []
    if (["evolve", "apply"].includes(token.text) && tokens[i + 1]?.text === ":") return [[i + 2, endOf(tokens, i + 2)]]
    if (token.text !== "follow" || tokens[i - 1]?.text !== "." || tokens[i + 1]?.text !== "(") return []
    const second = endOf(tokens, i + 2) + 1
    return [[second, endOf(tokens, second)]]
  })

/** What stands at the outermost level of a module, by name. */
const declarationsOf = (tokens: ReadonlyArray<Token>): ReadonlyMap<string, Range> => {
  const begins: Array<readonly [name: string, at: number]> = []
  let depth = 0
  for (const [i, token] of tokens.entries()) {
    depth += depthOf(token)
    if (depth === 0 && (token.text === "const" || token.text === "function"))
      begins.push([tokens[i + 1]?.text ?? "", i])
  }
  return new Map(begins.map(([name, at], n) => [name, [at, begins[n + 1]?.[1] ?? tokens.length]]))
}

/** Values that a module imports by name, with where they come from. */
const importedNames = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/^import \{([^}]*)\} from "([^"]+)"/gm)].flatMap(([, names = "", from = ""]) =>
      names
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "" && !name.startsWith("type "))
        .map((name) => [name.split(" as ").at(-1)?.trim() ?? name, from] as const)
    )
  )

/** Whether a module folds anything. */
export const isFolding = ({ text }: Source): boolean =>
  importsOf(text).length > 0 && foldsOf(tokensOf(text).filter(({ kind }) => kind !== "comment")).length > 0
