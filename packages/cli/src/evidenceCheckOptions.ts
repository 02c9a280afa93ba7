import type { EvidenceOptions } from "./commands/evidence.ts"
import { quickFlags } from "./quick/quickFlags.ts"

const ofPart = { isPart: true, evidence: [], stdin: false, json: false }

/** Of `evidence`, for evidence and flags that stand for themselves; null: the command line is to read it. */
export const evidenceCheckOptions = ([check, ...args]: ReadonlyArray<string>): EvidenceOptions | null => {
  // not for people: a process of Proofline has started it
  if (check === "part" && process.connected) return { ...ofPart, cwd: args[1] }
  if (check !== "check") return null
  const isFlag = args.map((arg, i) => arg.startsWith("-") || args[i - 1] === "--cwd")
  const evidence = args.filter((_, i) => !isFlag[i])
  // without a colon it may be something else, such as the value of a flag
  if (evidence.some((text) => !text.includes(":"))) return null
  const flags = quickFlags(
    "evidence",
    args.filter((_, i) => isFlag[i]),
    { cwd: "text", stdin: "asked", json: "asked" }
  )
  return flags === null || (evidence.length === 0 && !flags.stdin) ? null : { evidence, ...flags }
}
