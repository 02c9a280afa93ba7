import { Result } from "effect"
import type { Verified } from "../requirements/contract.ts"
import { referencesIn } from "./references.ts"
import { parseVerificationResult } from "./verification.ts"

/** What somebody said of one requirement; with `problems` nothing that counts. */
export interface Read extends Pick<Verified, "evidence" | "met" | "problems"> {
  /** Every place in the evidence. */
  readonly cited: ReadonlyArray<string>
}

export const opinionIn = (text: string, requirement_id: string): Read => {
  const parsed = parseVerificationResult(text, [requirement_id])
  if (Result.isFailure(parsed)) return unreadable(...parsed.failure)
  const evidence = parsed.success.requirement_status[0]?.evidence ?? ""
  const cited = referencesIn(evidence)
  return cited.length > maxCited
    ? unreadable(`The evidence cites ${cited.length} places; at most ${maxCited} are looked at.`)
    : { met: parsed.success.all_requirements_met, evidence, cited, problems: [] }
}

const unreadable = (...problems: ReadonlyArray<string>): Read => ({ met: false, evidence: "", cited: [], problems })

const maxCited = 100
