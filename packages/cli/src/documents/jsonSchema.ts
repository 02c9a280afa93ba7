/** The published JSON Schemas of what is printed, made of the schemas that it is written by. */
import { type Composition, eventSchemaOf, type JsonSchemaDocument, jsonSchemaOf } from "@proofline/kernel"
import { Schema } from "effect"
import { aProblem, type Document } from "../base/Document.ts"
import { Refused } from "./refused.ts"

/** Of what a command prints with `--json`: the document, or the problems of input that was refused. */
export const outputSchema = ({ data, description, examples, kinds, name, title }: Document): JsonSchemaDocument => {
  const document = Schema.Struct({
    schemaVersion: Schema.Literal(1),
    kind: Schema.Literals([...kinds]),
    data: data === Refused ? data : Schema.Union([data, Refused])
  })
  return published(`${name}.output`, title, description, jsonSchemaOf(document), [
    ...examples.map((example) => ({ schemaVersion: 1, kind: kinds[0], data: example })),
    { schemaVersion: 1, kind: kinds[0], data: { problems: [aProblem] } }
  ])
}

/** Of a line of `proofline events`. */
export const eventSchema = (composition: Pick<Composition, "events">): JsonSchemaDocument => {
  const { description, examples, ...schema } = eventSchemaOf(composition)
  return published(
    "event",
    "Proofline event",
    "One line of what `proofline events RUN` prints: an event of a run, in the order of `version`.",
    schema,
    examples as ReadonlyArray<unknown>
  )
}

/** A schema with what says whose it is. */
export const published = (
  name: string,
  title: string,
  description: string,
  schema: JsonSchemaDocument,
  examples?: ReadonlyArray<unknown>
): JsonSchemaDocument => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: `https://proofline.dev/schema/${name}.json`,
  title,
  description,
  ...schema,
  ...(examples === undefined ? {} : { examples })
})
