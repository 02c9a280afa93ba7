import { layer } from "@proofline/plugins/adapters/tree-sitter"
import { type SourceOutline, Syntax } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { declarationsOf, type Finding, findingOf } from "../../../packages/plugins/src/policies/evidence/code/range.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"

export const syntax = Effect.runSync(Effect.provide(Syntax, layer()))

/** Grammars that are read once for all tests of a file: reading one takes longer than most tests. */
export const grammars = Layer.succeed(Syntax, syntax)

/** A line, or the first and the last one. */
type Lines = number | readonly [number, number]

/** The outline of a text, read with the grammar of its language; fails when there is none. */
export const outlined = async (path: string, text: string): Promise<SourceOutline> => {
  const outline = await Effect.runPromise(syntax.outline(path, text))
  if (outline === null) throw new Error(`${path} is of no known language.`)
  return outline
}

/** What lines hold of a text with this outline. */
export const findingIn = (path: string, text: string, outline: SourceOutline, range: Lines): Finding => {
  const [start, end] = typeof range === "number" ? [range, range] : range
  return findingOf(path, splitLines(text), outline, { start, end })
}

/** What the lines hold. */
export const judged = async (path: string, text: string, range: Lines): Promise<Finding> =>
  findingIn(path, text, await outlined(path, text), range)

/** By the full name of every declaration that has one: why it is empty, or null. */
export const verdictsIn = (text: string, outline: SourceOutline): Readonly<Record<string, string | null>> => {
  const named = outline.declarations.filter(({ name }) => name !== null)
  return Object.fromEntries(
    declarationsOf(splitLines(text), outline).map(({ name }, i) => [name, named[i]?.empty ?? null])
  )
}

/** The same of a text. */
export const verdicts = async (path: string, text: string): Promise<Readonly<Record<string, string | null>>> =>
  verdictsIn(text, await outlined(path, text))
