import type { LineRange } from "../../port/index.ts"
import { saidOf } from "./asked/said.ts"
import { isTestFile } from "./tests/testCases.ts"
import { type Commented, commentsOf } from "./work/comments.ts"

/**
 * A new comment in these lines that says that the real thing is missing, shortened: `In a real implementation, this would save
 * to a database`. Null: there is none, or the item asks for what stands in for something. Whatever is written beside such a
 * comment is not what was asked for. Pure.
 */
export const admissionIn = (
  item: string,
  now: Commented,
  before: Commented,
  { end, start }: LineRange
): string | null => {
  if (
    isTestFile(now.path) ||
    standsIn.test(saidOf(item)) ||
    /(?:^|[/_.-])(?:mock|fake|stub|demo|example)s?(?:[/_.-]|$)/i.test(now.path)
  )
    return null
  const found = commentsOf(now)
    .slice(start - 1, end)
    .map((text) => text.trim())
    .find((text) => admission.test(text))
  if (found === undefined || commentsOf(before).some((text) => text.trim() === found)) return null
  const said = found.replace(/^\W+/, "")
  return said.length > maxSaid ? `${said.slice(0, maxSaid)}…` : said
}

const maxSaid = 80
const standsIn = /\b(?:demo|dummy|example|fake|mock|placeholder|pretend|sample|simulat\w*|skeleton|stub|todo)s?\b/i

const things =
  "(?:api|call|connection|database|db|delay|download|latency|network|processing|request|response|save|server|service|upload|write)"
const admission = new RegExp(
  [
    String.raw`\bin a real(?:-world)? (?:api|app|application|database|implementation|project|scenario|service|system|world)\b`,
    String.raw`\b(?:actual|real) implementation (?:comes|goes|should|will|would)\b`,
    String.raw`\b(?:dummy|fake|mock|placeholder|stub(?:bed)?) implementation\b`,
    String.raw`\bimplementation (?:goes|comes) here\b`,
    String.raw`\bfor now,? (?:just |we(?:'ll)? |only |simply )*(?:assume|do nothing|hard-?code|pretend|return|simulate)`,
    String.raw`(?<!\b(?:can|may) (?:just |safely |simply )?)\bpretend(?:s|ed|ing)? (?:everything|it|that|to)\b`,
    String.raw`\bsimulat(?:e|es|ed|ing) (?:an? |the )?(?:\w+ )?${things}\b`,
    String.raw`\b(?:should|would) (?:normally|typically|usually) (?:be|call|connect|fetch|query|read|save|send|use|write)\b`,
    String.raw`\bTODO\b\W*(?:actually|really|implement (?:it|me|this)\b|replace (?:it |this )?with (?:an? |the )?(?:actual|real))`,
    String.raw`^\W*not (?:yet )?implemented(?: yet)?\W*$`
  ].join("|"),
  "i"
)
