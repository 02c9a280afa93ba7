import { counted, type RunProof } from "@proofline/kernel"
import { itemCounts, proofText } from "@proofline/kernel/standing"
import { Progress } from "./Progress.tsx"

/** How much of what has to hold is shown, in the colours of the verdicts. */
export const ProofBar = ({ counts, reviewers, weak }: Omit<RunProof, "verdict">) => {
  const { items_total } = itemCounts(counts)
  return (
    <Progress
      label={`Of ${counted(items_total, "item")}: ${proofText({ counts, reviewers, weak })}`}
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
