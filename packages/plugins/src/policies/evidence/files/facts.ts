/** Evidence that speaks of a file as a whole: `file:<path>` and `absent:<path>`. What is recorded of it, and what that shows. */
import { Result, Schema } from "effect"
import { saidOf } from "../asked/said.ts"
import type { KindVerdict } from "../contract.ts"
import { emptyKey } from "../fault.ts"
import { parsePath } from "../reference.ts"
import { cameWith } from "../work/brought.ts"
import { asksForFormatting } from "../work/formatting.ts"
import { spacings, spacingsAskedFor } from "../work/spacing.ts"
import { asksForSpelling } from "../work/spelling.ts"

/** What became of a file since the run began; `unknown`: nobody can tell. */
const FileChange = Schema.Literals(["new", "changed", "cosmetic", "none", "unknown"])
export type FileChange = typeof FileChange.Type

export const FileFact = Schema.Struct({
  /** `ok`: there is such a file. */
  outcome: Schema.Literals(["ok", "format_invalid", "file_not_found", "empty"]),
  /** In words, for people; empty when there is nothing to add. */
  detail: Schema.String,
  /** What is new in it does nothing for the item, and is no stub; left out: it is one, or nobody asked. */
  idle: Schema.optionalKey(Schema.Literal(true)),
  /** Of its exact content; null when there is none. */
  sha256: Schema.NullOr(Schema.String),
  bytes: Schema.NullOr(Schema.Int),
  /** What it is to the run; null: nobody asked. */
  proof: Schema.NullOr(
    Schema.Struct({
      change: FileChange,
      /** Names of the lines that hold something new, as those of cited lines; empty: the content as a whole. */
      lines: Schema.Array(Schema.String),
      /** Git ignores it. */
      ignored: Schema.Boolean,
      /** Why it is tests that never run or cannot fail, in words; null: it is none. */
      never_runs: Schema.NullOr(Schema.String),
      /** Its path, where all that became of it is that it is laid out otherwise; left out: it is not, or nobody asked. */
      laid_out: Schema.optionalKey(Schema.String),
      /** All that became of it is that its code is written otherwise; left out: it is not, or nobody asked. */
      respelled: Schema.optionalKey(Schema.Boolean),
      /** What became of it came with this commit, which was there before the run; left out: it did not, or nobody asked. */
      brought: Schema.optionalKey(Schema.String),
      /** What became of its line ends, tabs, mode and the like, and of nothing else; left out: nothing did, or nobody asked. */
      spacing: Schema.optionalKey(
        Schema.Struct({ path: Schema.String, kinds: Schema.Array(Schema.Literals(spacings)) })
      )
    })
  )
})
export type FileFact = typeof FileFact.Type

export const AbsentFact = Schema.Struct({
  outcome: Schema.Literals(["gone", "there", "format_invalid", "refused"]),
  /** In words, for people; empty when there is nothing to add. */
  detail: Schema.String,
  /** What was there before the run; null: nobody asked. */
  before: Schema.NullOr(Schema.Literals(["there", "absent", "unknown"])),
  /** It went with this commit, which was there before the run; left out: it did not, or nobody asked. */
  brought: Schema.optionalKey(Schema.String)
})
export type AbsentFact = typeof AbsentFact.Type

/** The path of a reference; null: it names none. */
export const pathOf = (reference: string): string | null => Result.getOrNull(parsePath(reference))

const since =
  "If the work was done before the run began, its user can say since when: `--base <commit>`. What was true before is `skipped`, with that as the reason."

type Weak = NonNullable<Extract<KindVerdict, { readonly holds: true }>["weak"]>

export const judgeFile = (fact: FileFact, item: string): KindVerdict => {
  const { detail, outcome, proof } = fact
  switch (outcome) {
    case "format_invalid":
      return { holds: false, key: "checklist_evidence_format_invalid", message: detail }
    case "file_not_found":
      return { holds: false, key: "checklist_evidence_file_not_found", message: detail }
    case "empty":
      return { holds: false, key: emptyKey(fact), message: detail }
    case "ok":
      return proof === null
        ? { holds: true }
        : { holds: true, weak: weaknessOf(proof, item, detail), shows: proof.lines }
  }
}

const weaknessOf = (
  { brought, change, ignored, laid_out, never_runs, respelled, spacing }: NonNullable<FileFact["proof"]>,
  item: string,
  detail: string
): Weak => [
  ...(isSpacing(spacing, item) ||
  (change === "cosmetic" &&
    ((laid_out !== undefined && asksForFormatting(item, laid_out)) || (respelled === true && asksForSpelling(item))))
    ? []
    : brought !== undefined
      ? [broughtBy(brought)]
      : withCause(ofChange[change], detail)),
  ...(ignored
    ? ([
        {
          reason: "ignored",
          message: "Git ignores this file, so nobody else will have it. Cite a file that git keeps."
        }
      ] as const)
    : []),
  ...(never_runs === null
    ? []
    : ([{ reason: "test_never_runs", message: `${never_runs} Cite a test that runs and can fail.` }] as const))
]

const isSpacing = (spacing: NonNullable<FileFact["proof"]>["spacing"], item: string): boolean =>
  spacing !== undefined && spacingsAskedFor(item, spacing.path).some((kind) => spacing.kinds.includes(kind))

const ofChange: Readonly<Record<FileChange, Weak>> = {
  new: [],
  changed: [],
  cosmetic: [
    {
      reason: "cosmetic",
      message:
        "Only blanks, line ends, comments, the spelling of code or lines that do nothing are new in this file since the run began, or what was there before was moved or copied as it is. Cite what does what the item asks for."
    }
  ],
  none: [
    {
      reason: "untouched",
      message: `This file is what it was when the run began. Cite a file that was made or changed for this item. ${since}`
    }
  ],
  unknown: [
    { reason: "untouched", message: `Nobody can tell whether this file was changed since the run began. ${since}` }
  ]
}

/** Why nobody can tell is told in the place of what would do else. */
const withCause = (reasons: Weak, detail: string): Weak =>
  detail === "" ? reasons : reasons.map(({ message, reason }) => ({ reason, message: message.replace(since, detail) }))

const broughtBy = (commit: string): Weak[number] => ({ reason: "untouched", message: `${cameWith(commit)} ${since}` })

export const judgeAbsent = ({ before, brought, detail, outcome }: AbsentFact, item: string): KindVerdict => {
  switch (outcome) {
    case "format_invalid":
      return { holds: false, key: "checklist_evidence_format_invalid", message: detail }
    case "there":
    case "refused":
      return { holds: false, message: detail }
    case "gone":
      return {
        holds: true,
        weak:
          before === null
            ? []
            : [
                ...(brought === undefined ? withCause(wasThere[before], detail) : [broughtBy(brought)]),
                ...(asksToStay(item) ? [stays] : [])
              ]
      }
  }
}

/** It asks to write something, or for tests that hold, and speaks of nothing that goes. Pure. */
const asksToStay = (item: string): boolean => {
  const text = saidOf(item)
  return (
    /^(?:(?:add|create|document|implement|write)\b|(?:enable|fix|re-?enable|repair|unskip)\b[^.;]*\b(?:specs?|tests?)\b)/i.test(
      text
    ) &&
    !/\b(?:clean\w*|conflict\w*|convert\w*|dead|delet\w*|drop\w*|duplicat\w*|extract\w*|from|get rid|gone|inlin\w*|instead|into|legacy|merg\w*|migrat\w*|mov\w*|no longer|obsolete|old|redundant|remov\w*|renam\w*|replac\w*|split\w*|stale|stop\w*|unused|without)\b/i.test(
      text
    )
  )
}

const stays = {
  reason: "elsewhere",
  message:
    "The item asks for something that is there afterwards, and this shows only that a file is gone. Cite what was done."
} as const

const wasThere: Readonly<Record<NonNullable<AbsentFact["before"]>, Weak>> = {
  there: [],
  absent: [
    {
      reason: "untouched",
      message: `Nothing of this name was there when the run began, so nothing was removed. Cite what was removed for this item. ${since}`
    }
  ],
  unknown: [
    {
      reason: "untouched",
      message: `Nobody can tell whether something of this name was there when the run began. ${since}`
    }
  ]
}

/** It has the content that was accepted. */
export const sameFile = (accepted: FileFact, now: FileFact): boolean =>
  accepted.sha256 !== null && accepted.sha256 === now.sha256

/** Nothing is there, as it was accepted. */
export const sameAbsence = (accepted: AbsentFact, now: AbsentFact): boolean =>
  accepted.outcome === "gone" && now.outcome === "gone"
