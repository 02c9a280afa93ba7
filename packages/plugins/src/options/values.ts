/**
 * What people may write as a value, wherever they write it. A schema decodes it and becomes a JSON Schema; what sentences
 * need beside it stands in the annotation `saying`.
 */
import { Schema, type SchemaAST } from "effect"
import { enumerate, quoted } from "./words.ts"

/** What is wrong with a value, in words. */
export interface Fault {
  readonly code: string
  readonly message: string
  readonly hint: string
  /** Of a mapping: it is shown at this key; empty: at the mapping. */
  readonly at?: string
  /** Of a mapping: it is shown at the value of this key. */
  readonly of?: string
}

/** What sentences about a value need to know. */
export interface Saying {
  /** The value as part of a hint: "Write …". Default: what its type says. */
  readonly expects?: string
  /** By the value in lower case: what to do instead of other values that people write. */
  readonly meant?: Readonly<Record<string, string>>
  /** Of a check: what is wrong; undefined: nothing. The value of a mapping is as it is written, not yet decoded. */
  readonly fault?: (value: never, name: string) => Fault | undefined
  /** Of a list: what is wrong when it is left empty. */
  readonly empty?: (name: string) => Fault
  /** Of a list: how its items are called, counted from 1. */
  readonly itemName?: (n: number, list: string) => string
  /** Of a mapping: how sentences about its keys call it; null: not at all. */
  readonly owner?: (value: { readonly [key: string]: unknown }, name: string) => string | null
  /** Of a mapping: keys below are named by their whole path, which begins with this. */
  readonly path?: string
  /** Of a mapping: what people write instead of a key, by the key that is meant. */
  readonly synonyms?: { readonly [key: string]: ReadonlyArray<string> }
  /** Of a mapping: keys that belong to another place, each with the hint that says where. */
  readonly misplaced?: Readonly<Record<string, string>>
  /** Of a mapping by name: how sentences call what stands under a name. */
  readonly called?: (name: string) => string
  /** Of a mapping: its keys are names that the user chooses. */
  readonly names?: true
  /** Of a text, or a mapping that says more: a colon may have made a mapping of the text. */
  readonly orText?: true
}

/** What is said of a value, or of a check. */
export const sayingOf = (annotations: Schema.Annotations.Annotations | undefined): Saying =>
  (annotations?.["saying"] ?? {}) as Saying

/** What is said of the values of a schema, and of all its checks. */
export const sayingOfAst = (ast: SchemaAST.AST): Saying =>
  Object.assign(
    {},
    sayingOf(ast.annotations),
    ...(ast.checks ?? []).map((check) => sayingOf(check.annotations))
  ) as Saying

/** Whether numbers of it are whole ones. */
export const isWhole = (ast: SchemaAST.AST): boolean => sayingOfAst(ast).expects?.startsWith("a whole") ?? false

/** The words of which a value is one; none: it is something else. */
export const wordsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Union" ? ast.types.flatMap((type) => (type._tag === "Literal" ? [String(type.literal)] : [])) : []

/** A check that says what is wrong. `json`: the same for a JSON Schema. */
export const rule = <A>(
  fault: (value: A, name: string) => Fault | undefined,
  json: Readonly<Record<string, unknown>>
): SchemaAST.Filter<A> =>
  Schema.makeFilter(
    (value: A) => {
      const found = fault(value, "It")
      return found === undefined || `${found.message} ${found.hint}`.trim()
    },
    { saying: { fault }, toJsonSchema: () => json }
  )

/** What is wrong with any text; what may be done about a blank one is known where it stands. */
const textFault = (value: string, name: string): Fault | undefined => {
  if (value.trim() === "") return { code: "blank_value", message: `${name} has no content.`, hint: "" }
  if (!value.includes("\0")) return undefined
  const message = `${name} holds the character U+0000, which no program can be given.`
  return { code: "control_character", message, hint: "Remove it." }
}

const sound = rule(textFault, { pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$" })

/** Text with at least one character that is not a blank. */
export const text = (expects: string) => Schema.String.annotate({ saying: { expects } }).check(sound)

/** Text of a form; `why` says what is wrong with another one. */
export const textLike = (
  expects: string,
  pattern: Pick<RegExp, "source" | "test">,
  why: (value: string, name: string) => Fault
) =>
  Schema.String.annotate({ saying: { expects } }).check(
    rule<string>((value, name) => textFault(value, name) ?? (pattern.test(value) ? undefined : why(value, name)), {
      pattern: pattern.source
    })
  )

export const trueOrFalse = Schema.Boolean

/** One of several words. */
export const oneOf = <const A extends ReadonlyArray<string>>(words: A, meant: Readonly<Record<string, string>> = {}) =>
  Schema.Literals(words).annotate({ saying: { meant, expects: enumerate(words, "or") } })

/** Numbers within bounds. */
export const wholeNumber = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({
    saying: { expects: `a whole number from ${minimum} to ${maximum}` }
  })
export const number = (minimum: number, maximum: number) =>
  Schema.Finite.check(Schema.isBetween({ minimum, maximum })).annotate({
    saying: { expects: `a number from ${minimum} to ${maximum}` }
  })

export const list = <S extends Schema.Constraint>(item: S, expects: string, saying: Saying = {}) =>
  Schema.Array(item).annotate({ saying: { expects, ...saying } })

/** What people are told of a key, in the published schema. */
export interface About {
  readonly title?: string
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
  readonly default?: unknown
}

/** The schema of a key with other words about it. */
export const about = <S extends Schema.Constraint>(schema: S, words: About): S =>
  // every schema can be annotated; what comes back is of its own type
  (schema as unknown as Schema.Top).annotateKey({ ...words }) as unknown as S

/** A key that must be there. */
export const required = <S extends Schema.Constraint>(schema: S, words: About = {}): S => about(schema, words)
/** A key that may be left out. */
export const optional = <S extends Schema.Constraint>(schema: S, words: About = {}): Schema.optionalKey<S> =>
  about(Schema.optionalKey(schema), words)

/** The name of something that plugins bring, e.g. an analyzer. */
export const pluginName = (what: string, examples: string) =>
  textLike(`the name of ${/^[aeiou]/.test(what) ? "an" : "a"} ${what}`, /^[a-z0-9-]{1,100}$/, (value, name) => ({
    code: `${what}_invalid`,
    message: `${name} cannot be ${quoted(value)}.`,
    hint: `Use lower-case letters, digits and \`-\` only, at most 100, e.g. ${examples}.`
  }))

/** The keys of an object that have a value. */
export const given = <A extends object>(values: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
