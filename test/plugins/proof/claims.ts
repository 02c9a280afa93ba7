import { fixturesIn, type Part } from "../fixtures.ts"
import { type Files, placed, runOf } from "./sessions.ts"

/**
 * What one item is shown by, as it stands in a fixture: what becomes of it and its words behind `%%`, then files, each behind
 * `--`, line by line behind a blank, `+` where the line is new and `-` where it is gone. New lines of the first file are cited, from
 * the first to the last, unless a line behind `@` says otherwise.
 */
export interface Claim {
  readonly item: string
  /** `accepted`, or the reason why it is refused. */
  readonly outcome: string
  readonly evidence: string
  readonly before: Files
  readonly after: Files
}

const claimOf = ({ head, text }: Part): Claim => {
  const [, outcome = "", item = ""] = /^(\S+): (.*)$/.exec(head) ?? []
  const [front = "", ...files] = text.split(/^-- /m)
  const before: Record<string, string> = {}
  const after: Record<string, string | null> = {}
  let evidence = /^@ (.*)$/m.exec(front)?.[1] ?? null
  for (const file of files) {
    const [path = "", ...lines] = file.replace(/\n+$/, "").split("\n")
    const said = (signs: string) => lines.filter((line) => signs.includes(line.charAt(0))).map((line) => line.slice(1))
    const [old, now] = [said(" -"), said(" +")]
    if (old.length > 0) before[path] = `${old.join("\n")}\n`
    after[path] = now.length > 0 ? `${now.join("\n")}\n` : null
    const signs = lines.map((line) => line.charAt(0)).filter((sign) => " +".includes(sign))
    const [first, last] = [signs.indexOf("+") + 1, signs.lastIndexOf("+") + 1]
    evidence ??= first === last ? `${path}:${first}` : `${path}:${first}-${last}`
  }
  return { item, outcome, evidence: evidence ?? "", before, after }
}

/** All of them, by the name of their fixture. */
export const claims = fixturesIn(new URL("fixtures/claims/", import.meta.url)).map(
  ([name, parts]) => [name, parts.map(claimOf)] as const
)

/** What became of each, in words: it, and why. */
export const judgedClaims = (all: ReadonlyArray<Claim>) =>
  runOf(
    all.map(({ after, before, evidence, item }, i) =>
      placed(`p${i}`, {
        name: "The work",
        before: { "kept.txt": "kept\n", ...before },
        after,
        items: [[item, evidence]]
      })
    )
  )

/** `checklist_evidence_empty_impl` is called `empty`, `checklist_evidence_idle` `idle`. */
export const outcomeOf = (refused: ReadonlyArray<string>): string =>
  refused.length === 0
    ? "accepted"
    : refused.map((one) => one.replace(/^checklist_evidence_(\w+?)(?:_impl)?$/, "$1")).join(",")
