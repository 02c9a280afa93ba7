import type { RunProof } from "@proofline/kernel"
import { closedOf, proofText } from "@proofline/kernel/standing"
import { Progress } from "./Progress.tsx"

/** How much of what has to hold is shown, in the colours of the verdicts. */
export const ProofBar = (proof: Omit<RunProof, "verdict">) => {
  const { counts } = proof
  return (
    <Progress
      label={`Of ${closedOf(counts).total} that must hold: ${proofText(proof)}`}
      segments={[
        { tone: "good", count: counts.proven + counts.reviewed },
        { tone: "warn", count: counts.weak + counts.stale },
        { tone: "other", count: counts.waived },
        { tone: "bad", count: counts.refuted },
        { tone: "open", count: counts.unproven }
      ]}
    />
  )
}
