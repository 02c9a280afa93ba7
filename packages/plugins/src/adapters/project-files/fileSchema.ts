/**
 * What schemas of files are made of. A file's schema decodes it and becomes the published JSON Schema; what sentences
 * need beside it stands in the annotation `saying`. Keys have their title, description, examples and default from `key`.
 */
import { Schema } from "effect"
import {
  type Fault,
  list,
  optional,
  required,
  rule,
  type Saying,
  sayingOfAst,
  text,
  textLike
} from "../../options/values.ts"
import { quoted } from "../../options/words.ts"

export * from "../../options/values.ts"

const atLeastOne = (empty: Saying["empty"]) =>
  Schema.isMinLength(1, { saying: { fault: (_: never, name: string) => empty?.(name) } })

/** A list of at least one item. */
export const fullList = <S extends Schema.Constraint>(
  item: S,
  expects: string,
  empty: (name: string) => Fault,
  saying: Saying = {}
) => list(item, expects, { empty, ...saying }).check(atLeastOne(empty))

/** A list; a single item stands for a list of one. */
export const listOrOne = <S extends Schema.Constraint>(item: S, expects: string) =>
  Schema.Union([item, Schema.Array(item)]).annotate({ saying: { expects } })

/** The same, but not an empty list. */
export const fullListOrOne = <S extends Schema.Constraint>(item: S, expects: string, empty: (name: string) => Fault) =>
  Schema.Union([item, Schema.Array(item).check(atLeastOne(empty))]).annotate({ saying: { expects, empty } })

export const mapping = <F extends Schema.Struct.Fields>(fields: F, expects: string, saying: Saying = {}) =>
  Schema.Struct(fields).annotate({ saying: { expects, ...saying } })

/** A mapping whose keys are names that the user chooses. */
export const byName = <K extends Schema.Record.Key, V extends Schema.Constraint>(
  name: K,
  value: V,
  expects: string,
  saying: Saying = {}
) => Schema.Record(name, value).annotate({ saying: { expects, names: true, ...saying } })

/** Something that is read where it is used; `json` is what may be written. */
export const asWritten = (json: Readonly<Record<string, unknown>>) => Schema.Any.check(rule(() => undefined, json))

/** What may also be left blank. */
export const orBlank = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).annotate({ saying: sayingOfAst(schema.ast) })

/** A text, or a mapping that says more. */
export const textOr = <T extends Schema.Constraint, M extends Schema.Constraint>(short: T, long: M) =>
  Schema.Union([short, long]).annotate({ saying: { orText: true } })

const knownVersion = 1

/** Keys that every file of ours may have: the version of its format, and where an editor finds its schema. */
export const headerFields = {
  $schema: optional(text("the address of a JSON Schema"), {
    title: "Schema",
    description: "Address of this schema, for editors."
  }),
  schema_version: optional(
    Schema.Int.annotate({ saying: { expects: "a whole number from 1 to 1000000" } }).check(
      rule<number>(
        (version) =>
          version === knownVersion
            ? undefined
            : {
                code: "schema_version_unknown",
                message: `the file is written for version ${version} of its format, which is not known here.`,
                hint: `Write ${knownVersion}, or install a newer Proofline.`
              },
        { const: knownVersion }
      )
    ),
    { title: "Version of the format", description: "Version of the format of this file.", default: knownVersion }
  )
}

const idPattern = /^(?!\.{1,2}$)[\p{L}\p{M}\p{N}_.-]{1,100}$/u

export const isId = (text: string): boolean => idPattern.test(text)

/** The id of a task or requirement: it becomes part of file names and of other ids. */
export const shortId = textLike("a short id of letters, digits, `_`, `.` and `-`", idPattern, (id, name) => ({
  code: "id_invalid",
  message: `${name} cannot be ${quoted(id)}.`,
  hint: "Use letters, digits, `_`, `.` and `-` only, at most 100."
}))

/** Of a task or a requirement, its own id. */
export const ownId = (...examples: ReadonlyArray<string>) =>
  required(shortId, {
    title: "Id",
    description: "Letters, digits, `_`, `.` and `-`, at most 100; unique in the file.",
    examples
  })

/** Of a task or a requirement: how people call it. */
export const shortTitle = (...examples: ReadonlyArray<string>) => ({
  title: "Name",
  description: "A short title.",
  examples
})

export const command = text("a shell command").annotate({
  identifier: "command",
  title: "Shell command",
  description: "A shell command, run in the project's directory. Exit code 0: it holds.",
  examples: ["npm test"]
})
