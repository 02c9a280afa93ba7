import { Chunking, type Json, type JsonSchema, PluginFault, plugin, Run, strict, Tasks } from "@proofline/kernel"
import { type Effect, Schema } from "effect"

export const Evidence = plugin("evidence", { state: null, after: [Run, Tasks, Chunking] })

/** What a fact says of the item it is cited for. `message`: why it does not show it, for the agent. */
export type KindVerdict = { readonly holds: true } | { readonly holds: false; readonly message: string }

/** A kind of evidence beside lines of files. Reported as `<scheme>:<reference>`. */
export interface EvidenceKindSig {
  /** Lower-case letters, digits and hyphens, a letter first. */
  readonly scheme: string
  /** What stands behind the scheme, for agents, such as `the address of a page that answers`. */
  readonly cites?: string
  /** What every fact must fit to hold. */
  readonly schema: JsonSchema
  /** Looks at what is cited, in the world. What it finds is recorded; that nothing is there is a fact too. */
  look(reference: string): Effect.Effect<Json>
  /** Judges a fact that fits the schema, by itself: pure. `item` is the text of the checklist item. */
  judge(fact: Json, item: string): KindVerdict
}

const kindFields = {
  scheme: "string",
  cites: "string?",
  schema: "schema",
  look: "function",
  judge: "function"
} as const

export const evidenceKinds = Evidence.point<EvidenceKindSig>()("evidenceKinds", {
  places: ["kind"],
  fields: kindFields,
  key: "scheme"
})
/** One of them, with the name of the plugin that declares it. */
export type EvidenceKind = ReturnType<typeof evidenceKinds>[number]

/** A kind of evidence with typed facts, to be offered to `evidenceKinds`. Throws a `PluginFault` for what cannot be one. */
export const evidenceKind = <S extends JsonSchema>(given: {
  readonly scheme: string
  readonly cites?: string
  readonly schema: S
  readonly look: (reference: string) => Effect.Effect<S["Type"]>
  readonly judge: (fact: S["Type"], item: string) => KindVerdict
}) => {
  strict("unknown", "evidenceKind()", given, kindFields)
  const { judge, look, ...declared } = given
  const { schema, scheme } = declared
  if (!/^[a-z][a-z0-9-]*$/.test(scheme)) {
    const problem = `"${scheme}" is no scheme: lower-case letters, digits and hyphens, a letter first`
    throw new PluginFault({ plugin: "unknown", where: "evidenceKind()", problem })
  }
  const decode = Schema.decodeUnknownSync<JsonSchema & S>(schema)
  return {
    ...declared,
    look: (_: unknown, reference: string): Effect.Effect<Json> => look(reference),
    judge: (_: unknown, fact: Json, item: string): KindVerdict => judge(decode(fact), item)
  }
}
