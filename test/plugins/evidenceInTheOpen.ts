import { evidence } from "@proofline/plugins/policies/evidence"
import { Effect } from "effect"
import { nowhere } from "./nowhere.ts"

/** The policy `evidence` where there is no project: only evidence of other kinds than lines can hold. */
export const evidenceInTheOpen = Effect.provide(evidence, nowhere)
