import * as evidence from "./commands/evidence.ts"
import { handle } from "./process/handle.ts"
import { runToEnd } from "./process/runToEnd.ts"

/** `proofline evidence check` without the command line, which takes longer than the first answer. */
export const start = (args: ReadonlyArray<string>, options: evidence.EvidenceOptions): void => {
  runToEnd(args, () =>
    handle(
      "evidence",
      options.json,
      async () => evidence,
      ({ checkEvidence }) => checkEvidence(options)
    )
  )
}
