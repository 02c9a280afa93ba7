import { Redacted } from "effect"

const KEY_OMITTED = "[key]"

/** What is shorter keeps no secret: local servers are asked with `none` or `ollama`. */
const shortestKey = 8

/** Takes the key out of a text, as it is and as it is written in JSON, in URLs and in base64. */
export const makeRedact = (key: Redacted.Redacted | null): ((text: string) => string) => {
  const literal = key === null ? "" : Redacted.value(key)
  if (literal.length < shortestKey) return (text) => text
  const base64 = Buffer.from(literal).toString("base64").replace(/=+$/, "")
  const forms = [...new Set([literal, JSON.stringify(literal).slice(1, -1), encodeURIComponent(literal), base64])]
  return (text) => forms.reduce((left, form) => left.replaceAll(form, KEY_OMITTED), text)
}
