import type { Schema } from "effect"
import { type TasksView, taskOf } from "./state.ts"

// Steps of the schema versions of this module's events, in words and literals of their own, so that they never change.

type Json = Schema.Json
type Fields = Readonly<Record<string, Json>>

/** Values or keys that may be left out were added: what was written before means the same. */
export const widened = (content: Json): Json => content

// Version 2: the declaration around a range, weakness, ablation.

const receipt = (value: Json | undefined): Json => {
  if (value === null || value === undefined) return null
  const fields = value as Fields
  return {
    ...fields,
    covers: { start: fields["start"] ?? 0, end: fields["end"] ?? 0, sha256: fields["sha256"] ?? null },
    declaration: null
  }
}

export const evidenceChecked = (content: Json): Json => {
  const fields = content as Fields
  const facts = (fields["facts"] as ReadonlyArray<Fields>).map((fact) => ({
    ...fact,
    declaration: null,
    untouched: null,
    receipt: receipt(fact["receipt"])
  }))
  return { ...fields, facts }
}

export const itemAccepted = (content: Json): Json => {
  const fields = content as Fields
  return { ...fields, receipt: receipt(fields["receipt"]), weak: [] }
}

// Version 3 of both says what kind of receipt it is.

const ofLines = (value: Json | undefined): Json =>
  value === null || value === undefined ? null : { kind: "lines", ...(value as Fields) }

export const evidenceOfKinds = (content: Json): Json => {
  const fields = content as Fields
  const facts = (fields["facts"] as ReadonlyArray<Fields>).map((fact) => ({
    ...fact,
    receipt: ofLines(fact["receipt"])
  }))
  return { ...fields, facts }
}

export const itemOfKind = (content: Json): Json => {
  const fields = content as Fields
  return { ...fields, receipt: ofLines(fields["receipt"]) }
}

export const verificationRun = (content: Json): Json => {
  const fields = content as Fields
  const checks = (fields["checks"] as ReadonlyArray<Fields>).map((check) => ({ ...check, ablation: null }))
  return { ...fields, checks }
}

// Splitting tasks, and the files that changed during an attempt.

export const taskRegistered = (content: Json): Json => ({ ...(content as Fields), chunk: "no" })

export const attemptEnded = (content: Json): Json => ({ ...(content as Fields), files_modified: null })

// Version 3 of ATTEMPT_ENDED says who worked.

export const withAgent = (content: Json, state: TasksView): Json => {
  const fields = content as Fields
  return { ...fields, agent: taskOf(state, String(fields["task_id"]))?.current?.agent ?? null }
}

// Version 3 of VERIFICATION_RUN says what follows for items.

export const judged = (content: Json): Json => {
  const fields = content as Fields
  const checks = fields["checks"] as ReadonlyArray<Fields>
  return { ...fields, items: checks.flatMap(judgedItem) }
}

const judgedItem = (check: Fields): ReadonlyArray<Json> => {
  const verdict = (check["ablation"] as Fields | null)?.["verdict"] ?? null
  const isGreen = check["exit_code"] === 0 && check["timed_out"] === false
  if (check["item_index"] === null || (isGreen && (verdict === null || verdict === "load_bearing"))) return []
  return [{ index: check["item_index"] as number, verdict: isGreen && verdict === "unproven" ? "unproven" : "refuted" }]
}
