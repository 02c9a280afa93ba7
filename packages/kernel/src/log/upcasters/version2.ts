import type { Schema } from "effect"

// What version 1 did not know: strict evidence, ablation, messages of the project, the state before the run, the
// declaration around a range, weakness. Everything in words and literals of its own, so that it never changes.

type Json = Schema.Json
type Fields = Readonly<Record<string, Json>>

const config = (value: Json | undefined): Json =>
  value === null || value === undefined
    ? null
    : { ...(value as Fields), evidence: { strict: false, ablation: false }, messages: {} }

const receipt = (value: Json | undefined): Json => {
  if (value === null || value === undefined) return null
  const fields = value as Fields
  return {
    ...fields,
    covers: { start: fields["start"] ?? 0, end: fields["end"] ?? 0, sha256: fields["sha256"] ?? null },
    declaration: null
  }
}

export const runStarted = (content: Json): Json => {
  const fields = content as Fields
  return { ...fields, config: config(fields["config"]), base: null }
}

export const runResumed = (content: Json): Json => {
  const fields = content as Fields
  return { ...fields, config: config(fields["config"]) }
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

export const verificationRun = (content: Json): Json => {
  const fields = content as Fields
  const checks = (fields["checks"] as ReadonlyArray<Fields>).map((check) => ({ ...check, ablation: null }))
  return { ...fields, checks }
}
