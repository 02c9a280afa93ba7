import { Result } from "effect"
import type { Verified } from "../requirements/contract.ts"
import { referencesIn } from "./references.ts"
import { parseVerificationResult } from "./verification.ts"

/** What somebody said of one requirement; with `problems` nothing that counts. */
export interface Read extends Pick<Verified, "evidence" | "met" | "problems"> {
  /** Every place in the evidence. */
  readonly cited: ReadonlyArray<string>
}

/** What `text` says of one requirement; it may speak of the `others` of the file as well. */
export const opinionIn = (text: string, requirement_id: string, others: ReadonlyArray<string>): Read => {
  const parsed = parseVerificationResult(text, [requirement_id], others)
  if (Result.isFailure(parsed)) return unreadable(...parsed.failure)
  const own = parsed.success.requirement_status.find((status) => status.requirement_id === requirement_id)
  const evidence = own?.evidence ?? ""
  const cited = referencesIn(evidence)
  return cited.length > maxCited
    ? unreadable(`The evidence cites ${cited.length} places; at most ${maxCited} are looked at.`)
    : { met: own?.met === true, evidence, cited, problems: [] }
}

const unreadable = (...problems: ReadonlyArray<string>): Read => ({ met: false, evidence: "", cited: [], problems })

const maxCited = 100
