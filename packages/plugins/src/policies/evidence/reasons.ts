import type { KindFact, LineFact, ProofConfig, WeakReason } from "@proofline/kernel"
import { Result } from "effect"
import { isOneOf } from "./asked/namedFiles.ts"
import { toShowRemoval } from "./asked/removals.ts"
import type { EvidenceKind, KindVerdict } from "./contract.ts"
import { type KindCitation, kindReceiptOf } from "./kinds.ts"
import type { Cited, Showing } from "./shown.ts"
import { cameWith } from "./work/brought.ts"

/** A reason that speaks against evidence that holds, in words. */
export interface Reason {
  readonly reason: WeakReason
  readonly message: string
}

/** What evidence of a kind shows of a file; null: it speaks of none, or does not hold. */
export const kindCited = (cited: KindCitation, evidence: string, item: string, fact: KindFact): Showing | null => {
  const path = cited.kind.path?.(cited.reference) ?? null
  const shown = path === null ? null : Result.getOrNull(kindReceiptOf(cited, evidence, item, fact))
  return path === null || shown === null ? null : { path, shows: showsOf(cited.kind, shown.verdict), whole: true }
}

const showsOf = ({ scheme }: EvidenceKind, { shows = [] }: Holding): ReadonlyArray<string> =>
  shows.length === 0 ? [`${scheme}:`] : shows

type Holding = Extract<KindVerdict, { readonly holds: true }>

/** What is judged beside the lines themselves. */
export interface Circumstances {
  /** What it asks for may have been there before. */
  readonly existing: boolean
  /** What is cited for all other items. */
  readonly others: ReadonlyArray<Cited>
}

/** Why lines that hold show too little of the work; none: nothing speaks against them. Says what would do. */
export const reasonsOf = (fact: LineFact, { existing, others }: Circumstances): ReadonlyArray<Reason> => {
  const { path, proof } = fact
  if (proof === undefined || path === null) return []
  const changed = existing ? [] : changeReasons(fact, proof, others)
  return [
    ...changed,
    ...(proof.ignored
      ? [
          {
            reason: "ignored",
            message: "Git ignores this file, so nobody else will have it. Cite a file that git keeps."
          } as const
        ]
      : []),
    ...(isNamed(path, proof.named)
      ? []
      : [
          {
            reason: "elsewhere",
            message: `The item names ${proof.named.join(", ")}, and these lines are not there. Cite the lines that were written there.`
          } as const
        ]),
    ...(existing || proof.apart === undefined
      ? []
      : [
          {
            reason: "elsewhere",
            message: `The item names ${proof.apart.map((name) => `${name}()`).join(", ")}, where nothing was changed, and these lines have nothing to do with it. Cite what was done there.`
          } as const
        ]),
    ...ofNames(path, proof),
    ...(proof.prose === true ? [prose("These lines are")] : []),
    ...(fact.hidden === undefined ? [] : [{ reason: "hidden", message: `${fact.hidden} ${toShowHidden}` } as const]),
    ...(proof.never_runs === null
      ? []
      : [{ reason: "test_never_runs", message: `${proof.never_runs} Cite a test that runs and can fail.` } as const])
  ]
}

const ofNames = (
  path: string,
  { lacks = [], left, still = [] }: NonNullable<LineFact["proof"]>
): ReadonlyArray<Reason> => [
  ...(left === undefined ? [] : [goesOn(left)]),
  ...(lacks.length === 0 ? [] : [missing(path, lacks)]),
  ...(still.length === 0
    ? []
    : [
        {
          reason: "still_there",
          message: `The item asks that ${still.join(", ")} be gone, and ${path} still has it where it was. Remove it, or report \`cannot\` with the reason why it must stay.`
        } as const
      ])
]

/** What is to be gone stands elsewhere. */
const goesOn = (left: string): Reason => ({
  reason: "still_there",
  message: `The item asks that something be gone, and ${left}. Remove it there too, or report \`cannot\` with the reason why it must stay.`
})

const missing = (path: string, names: ReadonlyArray<string>): Reason => ({
  reason: "name_missing",
  message: `The item asks for ${names.join(", ")}, and what is cited of ${path} is neither in it nor names it. Cite where it is written; where it has another name, report \`cannot\` with that as the reason.`
})

/** What would do instead. */
export const toShowHidden = "Remove what takes its place, or cite that."

const isNamed = (path: string, named: ReadonlyArray<string>): boolean => named.length === 0 || isOneOf(path, named)

const prose = (subject: string): Reason => ({
  reason: "prose",
  message: `${subject} text for people, or a copy or data that no program is made of, and the item asks for code. Cite the code. Where a text is what is asked for, the user can name its file in the item or in the instruction.`
})

/** The same for evidence of a kind, beside what the kind itself says. */
export const kindReasonsOf = (
  { kind, reference }: KindCitation,
  { lacks = [], left, named = [], prose: isProse, remains = [] }: KindFact,
  verdict: Holding,
  { existing, others }: Circumstances
): ReadonlyArray<Reason> => {
  const path = kind.path?.(reference) ?? null
  const said = (verdict.weak ?? []).filter(({ reason }) => !existing || !ofChange.has(reason))
  const isChanged = said.every(({ reason }) => !ofChange.has(reason))
  return [
    ...said,
    ...(path === null || existing || !isChanged ? [] : notAlone(path, showsOf(kind, verdict), others)),
    ...(path === null || isNamed(path, named)
      ? []
      : [
          {
            reason: "elsewhere",
            message: `The item names ${named.join(", ")}, and this is another file. Cite what was done there.`
          } as const
        ]),
    ...(path === null || lacks.length === 0 ? [] : [missing(path, lacks)]),
    ...(left === undefined ? [] : [goesOn(left)]),
    ...(remains.length === 0
      ? []
      : [
          {
            reason: "still_there",
            message: `The item asks that ${remains.join(", ")} be deleted too, and ${remains.length === 1 ? "it is" : "they are"} still there. Delete what is left, or report \`cannot\` with the reason why it must stay.`
          } as const
        ]),
    ...(isProse === true ? [prose("This file is")] : [])
  ]
}

/** Reasons that say that nothing was changed; what may have been there before needs no change. */
const ofChange: ReadonlySet<WeakReason> = new Set(["untouched", "cosmetic"] as const)

const changeReasons = (
  fact: LineFact,
  { brought, change, places }: NonNullable<LineFact["proof"]>,
  others: ReadonlyArray<Cited>
): ReadonlyArray<Reason> => {
  if (brought !== undefined) return [{ reason: "untouched", message: `${cameWith(brought)} ${since}` }]
  if (change === null) return [unknown(fact.detail)]
  if (!change.touched || change.lines.length === 0) {
    const reason = change.touched ? cosmetic : untouched
    return [places === undefined || fact.path === null ? reason : ofRemoval(reason, fact.path, places)]
  }
  return fact.path === null ? [] : notAlone(fact.path, change.lines, others.filter(isNoFrameOf(change.lines)))
}

/**
 * Lines say more than the file that they are in: a `file:` that shows more than they do takes nothing from them. The
 * `file:` itself still needs something that no other item cites, so what is shown stays distinct.
 */
const isNoFrameOf =
  (lines: ReadonlyArray<string>) =>
  ({ shows, whole }: Cited): boolean =>
    !whole || shows.length <= lines.length || lines.some((name) => !shows.includes(name))

const notAlone = (path: string, shows: ReadonlyArray<string>, others: ReadonlyArray<Cited>): ReadonlyArray<Reason> => {
  const same = others.filter((other) => other.path === path)
  const taken = new Set(same.flatMap((other) => other.shows))
  return shows.some((name) => !taken.has(name)) ? [] : [notItsOwn(shows, same)]
}

const since =
  "If the work was done before the run began, its user can say since when: `--base <commit>`. What was true before is `skipped`, with that as the reason."

/** Nothing stands there any more. */
const removed = "Lines that were only removed are shown by both the line before their place and the line behind it."

const unknown = (why: string): Reason => ({
  reason: "untouched",
  message: `Nobody can tell whether these lines were changed since the run began. ${why === "" ? since : why}`
})
const untouched: Reason = {
  reason: "untouched",
  message: `None of these lines was changed since the run began. Cite lines that were written for this item. ${since} ${removed}`
}
const cosmetic: Reason = {
  reason: "cosmetic",
  message:
    "Only blanks, line ends, comments, the spelling of code or lines that do nothing were changed here since the run began, or what was there before was moved or copied as it is. Cite lines that do what the item asks for."
}

/** Where something was to be taken out, the lines that show it are told. */
const ofRemoval = ({ reason }: Reason, path: string, places: ReadonlyArray<string>): Reason => ({
  reason,
  message: `${reason === "untouched" ? "None of these lines was changed since the run began." : "Nothing but blanks, line ends or comments was changed here since the run began."} ${toShowRemoval(path, places)}`
})

const notItsOwn = (lines: ReadonlyArray<string>, others: ReadonlyArray<Cited>): Reason => {
  const own = new Set(lines)
  const sharing = others.filter(({ shows }) => shows.some((name) => own.has(name)))
  const [first] = sharing
  const more = sharing.length > 1 ? ` and ${sharing.length - 1} more` : ""
  const where = first === undefined || first.task_id === null ? "" : ` of task ${first.task_id}`
  // what is reported for another task, or was before, is not this one's to change
  const toDo = sharing.some(({ task_id }) => task_id === null)
    ? "cite less for the others, or the lines that show this item alone."
    : "cite the lines that show this item alone. Where nothing was left to do for it, it is `skipped`, with that as the reason."
  if (lines.every((name) => name.endsWith(":"))) {
    return {
      reason: "not_its_own",
      message: `It is cited for '${first?.item ?? ""}'${where}${more} too. Each item needs evidence of its own: cite what shows this item alone.`
    }
  }
  return {
    reason: "not_its_own",
    message: `Every line of it that was changed is cited for '${first?.item ?? ""}'${where}${more} too. Each item needs a changed line that is cited for no other one: ${toDo}`
  }
}

/** Reasons that the user has not accepted. */
export const unaccepted = (reasons: ReadonlyArray<Reason>, { accept }: ProofConfig): ReadonlyArray<Reason> =>
  reasons.filter(({ reason }) => !accept.includes(reason))
