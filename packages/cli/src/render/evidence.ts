import type { EvidenceVerdict } from "@proofline/plugins/policies/evidence"
import { oneLine, type Style } from "./style.ts"

/** `ok  path:1-2 (declaration)`, or `no  path:1-2: why`. */
export const verdictLine = (
  { declaration, evidence, message, ok, reason }: EvidenceVerdict,
  { dim, green, red }: Style
): string =>
  ok
    ? `${green("ok")}  ${flat(evidence)}${declaration === null ? "" : dim(` (${flat(declaration)})`)}`
    : `${red("no")}  ${flat(evidence)}: ${flat([message, reason].filter((part) => part !== null).join(" "))}`

/** On one line, and short enough to be read. */
const flat = (text: string): string => oneLine(text.replaceAll(/\s+/g, " "), 1_000)
