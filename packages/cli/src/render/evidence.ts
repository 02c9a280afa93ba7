import { type EvidenceVerdict, isNoStub } from "@proofline/plugins/policies/evidence"
import { oneLine, type Style } from "./style.ts"

/** `ok  path:1-2 (declaration)`, or `no  path:1-2: why`. */
export const verdictLine = (
  { declaration, evidence, message, ok, reason }: EvidenceVerdict,
  { dim, green, red }: Style
): string =>
  ok
    ? `${green("ok")}  ${flat(evidence)}${declaration === null ? "" : dim(` (${flat(declaration)})`)}`
    : `${red("no")}  ${flat(evidence)}: ${flat(
        inOrder(message, reason)
          .filter((part) => part !== null)
          .join(" ")
      )}`

/** What the lines hold comes before a sentence that speaks of stubs, where they hold none. */
const inOrder = (message: string | null, reason: string | null): ReadonlyArray<string | null> =>
  reason !== null && isNoStub(reason) ? [reason, message] : [message, reason]

/** On one line, and short enough to be read. */
const flat = (text: string): string => oneLine(text.replaceAll(/\s+/g, " "), 1_000)
