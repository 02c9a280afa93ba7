import type { Composition } from "@proofline/kernel"
import { Evidence, type EvidenceKind, evidenceKinds } from "@proofline/plugins/policies/evidence"

/** Kinds of evidence beside lines of files; none where the policy that asks for them is exchanged. */
export const kindsOf = ({ initial, slotOf }: Composition): ReadonlyArray<EvidenceKind> =>
  slotOf.has(Evidence.name) ? evidenceKinds(initial.state) : []
