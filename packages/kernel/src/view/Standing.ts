// How a run stands, said the same in every front-end. Nothing here loads Effect: `status` does not wait for that.
import { counted } from "../core/words.ts"
import type { RunProof } from "../modules/run/obligations.ts"
import type { RunState } from "../modules/run/state.ts"
import { isClosed, perVerdict, type Verdict, verdicts } from "../modules/run/verdicts.ts"
import type { TaskState } from "../modules/tasks/state.ts"
import type { ShownAs, ShownStatus, Stopped } from "./RunShapes.ts"

/** Why a run was stopped; null: it was not. */
export const stoppedOf = ({
  failed_by,
  message,
  status
}: Pick<RunState, "failed_by" | "message" | "status">): Stopped | null =>
  status === "failed" && failed_by === "budget" ? { by: "budget", message } : null

/** One that was stopped has not failed, whatever the event that ended it is called; `none`: it has not begun. */
export const shownStatus = (run: Pick<RunState, "failed_by" | "message" | "status">): ShownStatus | "none" =>
  stoppedOf(run) === null ? run.status : "stopped"

/** Of a run that has begun, or is about to. */
export const begunStatus = (run: Pick<RunState, "failed_by" | "message" | "status">): ShownStatus => {
  const status = shownStatus(run)
  return status === "none" ? "running" : status
}

/**
 * A task as whoever looks is shown it: nobody works on the tasks of a run that has ended, so that one which is not over
 * waits, for a resume.
 */
export const asItStands = <T extends Pick<TaskState, "status">>({ status }: Pick<RunState, "status">, task: T): T =>
  status !== "running" && (task.status === "in_progress" || task.status === "retrying")
    ? { ...task, status: "pending" }
    : task

/** Beside a status in a document; nothing where the run was not stopped. */
export const stoppedFields = (
  run: Pick<RunState, "failed_by" | "message" | "status">
): { readonly stopped?: Stopped } => {
  const stopped = stoppedOf(run)
  return stopped === null ? {} : { stopped }
}

/** What the summary of a run keeps of its end. */
interface Row<Status extends string = string> {
  readonly status: Status
  readonly stopped?: Stopped
  readonly proof?: RunProof
  readonly failed_checks?: Readonly<Record<string, number>>
}

/** What a run is shown as of which only the summary is read. */
export const shownRowStatus = <Status extends string>({ status, stopped }: Row<Status>): Status | "stopped" =>
  stopped === undefined ? status : "stopped"

/**
 * What a run has shown, as its summary knows it: what was recorded when it ended. Null: only its events say it, because it
 * goes on, was ended from outside, or is of a time when that was not recorded.
 */
export const rowProof = ({ failed_checks = {}, proof }: Pick<Row, "failed_checks" | "proof">): RunProof | null =>
  proof === undefined
    ? null
    : withFailedChecks(
        proof,
        Object.values(failed_checks).reduce((sum, count) => sum + count, 0)
      )

export const withFailedChecks = (proof: RunProof, count: number): RunProof =>
  count === 0 ? proof : { ...proof, checks_failed: count }

/** The same without the events, as far as it is known: what is not completed is not proven. */
export const rowVerdict = (row: Row): RunProof["verdict"] | null =>
  rowProof(row)?.verdict ?? (row.status === "completed" ? null : "unproven")

/** Everything required is proven, reviewed, waived within the allowance, or weak by the user's own word. */
export const isProven = ({ verdict }: Pick<RunProof, "verdict">): boolean => verdict !== "unproven"

/** The fields that every document about a run has. */
export const proofFields = ({ checks_failed = 0, counts, reviewers, verdict, weak }: RunProof): RunProof =>
  withFailedChecks({ verdict, counts, reviewers, weak }, checks_failed)

/** As people read it, e.g. `3 proven · 1 waived · 1 reviewed by gemini`; what there is none of is left out. */
export const proofText = ({ checks_failed = 0, counts, reviewers, weak }: Omit<RunProof, "verdict">): string =>
  [
    `${counts.proven} proven`,
    counts.weak === 0 ? "" : `${counts.weak} weak, as accepted (${weak.join(", ")})`,
    counts.waived === 0 ? "" : `${counts.waived} waived`,
    counts.reviewed === 0 ? "" : `${counts.reviewed} reviewed by ${reviewers.join(", ")}`,
    counts.unproven === 0 ? "" : `${counts.unproven} unproven`,
    counts.refuted === 0 ? "" : `${counts.refuted} refuted`,
    counts.stale === 0 ? "" : `${counts.stale} stale`,
    checks_failed === 0 ? "" : `${counted(checks_failed, "check")} failed`
  ]
    .filter((part) => part !== "")
    .join(" · ")

/** A run in a few words, e.g. `completed · 3 proven · 1 waived`. */
export const standingText = (status: string, proof: Omit<RunProof, "verdict">): string =>
  `${status} · ${proofText(proof)}`

/** What is known of a run or a task when it is named in one word. */
interface Known {
  readonly status: ShownAs["word"]
  /** Null: it is not known. */
  readonly verdict: Verdict | null
  /** A person is asked something. */
  readonly waits: boolean
  readonly reviewers: ReadonlyArray<string>
  readonly weak: ReadonlyArray<string>
}

const ended: ReadonlySet<string> = new Set(["incomplete", "failed", "stopped", "cancelled", "skipped"])

/** What a run or a task is shown as: what waits first, what is completed by its verdict, all else by its status. */
export const shownAs = ({ reviewers, status, verdict, waits, weak }: Known): ShownAs => {
  if (waits) return { word: "waiting", text: "waiting for you" }
  const said = status.replaceAll("_", " ")
  if (status !== "completed" || verdict === null) {
    const text = ended.has(status) ? `${said}, ${verdict === "refuted" ? verdict : "unproven"}` : said
    return { word: status, text }
  }
  switch (verdict) {
    case "proven":
    case "waived":
      return { word: verdict, text: verdict }
    case "reviewed":
      return { word: verdict, text: reviewers.length === 0 ? verdict : `reviewed by ${reviewers.join(", ")}` }
    case "weak":
      return { word: verdict, text: `weak, by your word${weak.length === 0 ? "" : ` (${weak.join(", ")})`}` }
    default:
      return { word: verdict, text: `completed, ${verdict}` }
  }
}

/** How many of what has to hold count as done, and how many there are. */
export const closedOf = (counts: RunProof["counts"]): { readonly total: number; readonly closed: number } => {
  const sumOf = (some: ReadonlyArray<Verdict>): number => some.reduce((sum, verdict) => sum + counts[verdict], 0)
  return { total: sumOf(verdicts), closed: sumOf(verdicts.filter(isClosed)) }
}

interface Items {
  readonly items_total: number
  readonly items_closed: number
}

/**
 * The items that were asked for, as far as a summary knows them. Of a run that has ended they are those of its proof, where that
 * counts nothing else; those of checklists that were completed otherwise.
 */
export const rowItems = ({ items_closed, items_total, proof }: Pick<Row, "proof"> & Items): Items => {
  const asked = { items_total, items_closed }
  if (proof === undefined) return asked
  return allItems(closedOf(proof.counts).total === items_total ? noItems : asked, proof)
}

const noItems: Items = { items_total: 0, items_closed: 0 }

/** Where a run that has ended was asked for no items, all that had to hold takes their place. */
export const allItems = (asked: Items, { counts }: RunProof): Items => {
  const { closed, total } = closedOf(counts)
  return asked.items_total === 0 ? { items_total: total, items_closed: closed } : asked
}

const worstFirst = ["unproven", "weak", "reviewed", "proven"] as const

/** What several runs have shown together. */
export const proofOfAll = (all: ReadonlyArray<RunProof>): RunProof =>
  withFailedChecks(
    {
      verdict: worstFirst.find((verdict) => all.some((one) => one.verdict === verdict)) ?? "unproven",
      counts: perVerdict((verdict) => all.reduce((sum, { counts }) => sum + counts[verdict], 0)),
      reviewers: [...new Set(all.flatMap(({ reviewers }) => reviewers))],
      weak: [...new Set(all.flatMap(({ weak }) => weak))]
    },
    all.reduce((sum, { checks_failed = 0 }) => sum + checks_failed, 0)
  )

/** The same without what does not hold any more: `lost` are the verdicts that it had, `stale` of it is there and changed. */
export const withoutLost = (proof: RunProof, lost: ReadonlyArray<Verdict>, stale: number): RunProof => {
  const left = (verdict: Verdict): number =>
    Math.max(0, proof.counts[verdict] - lost.filter((one) => one === verdict).length)
  const counts = { ...perVerdict(left), stale: proof.counts.stale + stale }
  return { ...proof, counts }
}
