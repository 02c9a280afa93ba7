/** The sentence of `checklist_evidence_stale`. */
export const staleMessage =
  "Evidence '{evidence}' was accepted and does not hold any more: {why} Restore what it shows, or cite where it is shown now."
