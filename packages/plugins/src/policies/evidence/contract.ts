import {
  anEffect,
  aText,
  type Base,
  Chunking,
  isRecord,
  type Json,
  type JsonSchema,
  type Misfit,
  orNull,
  PluginFault,
  plugin,
  Run,
  strict,
  Tasks,
  told,
  type WeakReason,
  yesOrNo
} from "@proofline/kernel"
import { type Effect, Schema } from "effect"

export const Evidence = plugin("evidence", { state: null, after: [Run, Tasks, Chunking] })

/** What a fact says of the item it is cited for. */
export type KindVerdict =
  | {
      readonly holds: true
      /** Why it shows too little all the same: it is refused, unless the user accepts all these reasons. */
      readonly weak?: ReadonlyArray<{ readonly reason: WeakReason; readonly message: string }>
      /**
       * Names what it shows, for a kind with a `path`: evidence all of whose names are also shown by other items that cite
       * this path is refused. Left out or empty: the reference as a whole.
       */
      readonly shows?: ReadonlyArray<string>
    }
  | {
      readonly holds: false
      /** Why it does not show it, for the agent. */
      readonly message: string
      /** Left out: `checklist_evidence_refuted`. */
      readonly key?: KindFailure
    }

/** The keys with which a kind refuses. */
export type KindFailure = (typeof kindFailures)[number]
const kindFailures = [
  "checklist_evidence_refuted",
  "checklist_evidence_format_invalid",
  "checklist_evidence_file_not_found",
  "checklist_evidence_empty_impl",
  "checklist_evidence_idle"
] as const

/** From where something is looked at. */
export interface LookContext {
  /** The project as the attempt sees it, absolute: a worktree where the task works in one. */
  readonly directory: string
  /** What was there before the run; null: nobody knows, or it is looked at outside of a run. */
  readonly base: Base | null
}

/** A kind of evidence beside lines of files. Reported as `<scheme>:<reference>`. */
export interface EvidenceKindSig {
  /** Lower-case letters, digits and hyphens, a letter first. */
  readonly scheme: string
  /** What stands behind the scheme, for agents, such as `the address of a page that answers`. */
  readonly cites?: string
  /** What every fact must fit to hold. */
  readonly schema: JsonSchema
  /** Looks at what is cited, in the world. What it finds is recorded; that nothing is there is a fact too. */
  look(reference: string, context: LookContext): Effect.Effect<Json>
  /** Judges a fact that fits the schema, by itself: pure. `item` is the text of the checklist item. */
  judge(fact: Json, item: string): KindVerdict
  /** Whether what was accepted still holds by what is found now. Left out: when it is the same. */
  same?(accepted: Json, now: Json): boolean
  /** The file of the project that a reference speaks of, relative to its root; null: none. Left out: it speaks of no file. */
  path?(reference: string): string | null
}

const kindFields = {
  scheme: "string",
  cites: "string?",
  schema: "schema",
  look: "function",
  judge: "function",
  same: "function?",
  path: "function?"
} as const

const kindVerdict: Misfit = (answer) => {
  const holds = isRecord(answer) ? answer["holds"] : undefined
  if (!isRecord(answer) || typeof holds !== "boolean")
    return `${told(answer)}, neither { holds: true } nor { holds: false, message }`
  if (holds) {
    const { shows = [], weak = [] } = answer
    const isList = Array.isArray(weak) && weak.every((one) => isRecord(one) && typeof one["message"] === "string")
    return isList && Array.isArray(shows) ? null : `${told(answer)}, whose \`weak\` or \`shows\` is no list of them`
  }
  if (typeof answer["message"] !== "string") return `${told(answer)}, which says in no \`message\` why it does not hold`
  const { key } = answer
  return key === undefined || kindFailures.includes(key as KindFailure)
    ? null
    : `${told(answer)}, whose \`key\` is none of ${kindFailures.join(", ")}`
}

export const evidenceKinds = Evidence.point<EvidenceKindSig>()("evidenceKinds", {
  places: ["kind"],
  fields: kindFields,
  key: "scheme",
  answers: { look: anEffect, judge: kindVerdict, same: yesOrNo, path: orNull(aText) }
})
/** One of them, with the name of the plugin that declares it. */
export type EvidenceKind = ReturnType<typeof evidenceKinds>[number]

/** A kind of evidence with typed facts, to be offered to `evidenceKinds`. Throws a `PluginFault` for what cannot be one. */
export const evidenceKind = <S extends JsonSchema>(given: {
  readonly scheme: string
  readonly cites?: string
  readonly schema: S
  readonly look: (reference: string, context: LookContext) => Effect.Effect<S["Type"]>
  readonly judge: (fact: S["Type"], item: string) => KindVerdict
  readonly same?: (accepted: S["Type"], now: S["Type"]) => boolean
  readonly path?: (reference: string) => string | null
}) => {
  strict("unknown", "evidenceKind()", given, kindFields)
  const { judge, look, path, same, ...declared } = given
  const { schema, scheme } = declared
  if (!/^[a-z][a-z0-9-]*$/.test(scheme)) {
    const problem = `"${scheme}" is no scheme: lower-case letters, digits and hyphens, a letter first`
    throw new PluginFault({ plugin: "unknown", where: "evidenceKind()", problem })
  }
  const decode = Schema.decodeUnknownSync<JsonSchema & S>(schema)
  return {
    ...declared,
    look: (_: unknown, reference: string, context: LookContext): Effect.Effect<Json> => look(reference, context),
    judge: (_: unknown, fact: Json, item: string): KindVerdict => judge(decode(fact), item),
    ...(same === undefined
      ? {}
      : { same: (_: unknown, accepted: Json, now: Json): boolean => same(decode(accepted), decode(now)) }),
    ...(path === undefined ? {} : { path: (_: unknown, reference: string): string | null => path(reference) })
  }
}

export { isOneOf, namedFiles } from "./asked/namedFiles.ts"
export { shownInLines } from "./shown.ts"
export { type FoundTest, testsIn } from "./tests/neverRuns.ts"
export { isTestFile } from "./tests/testCases.ts"
export { type TestsOfFile, testChanges } from "./tests/testChanges.ts"
