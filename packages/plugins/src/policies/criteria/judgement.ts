import {
  type CommandOf,
  isLineFact,
  isWaivedByPerson,
  type RecordJudgment,
  type ReviewCheck,
  type SubtaskState,
  type TaskState
} from "@proofline/kernel"
import type { Finding } from "./file.ts"

/** The built-in criteria. */
const criterionIds = [
  "expected_files",
  "no_omission_markers",
  "no_todo_left",
  "syntax_parses",
  "evidence_present"
] as const
type CriterionId = (typeof criterionIds)[number]

/** What speaks against an attempt, by criterion, and what could not be looked at. */
export interface Seen {
  readonly findings: Readonly<Record<CriterionId, ReadonlyArray<Finding>>>
  /** Files whose lines were judged. */
  readonly judged: number
  /** Files of which nobody can tell what was changed in them. */
  readonly unknown: ReadonlyArray<string>
}

const stated: Readonly<Record<CriterionId, { readonly criterion: string; readonly repair: string }>> = {
  expected_files: {
    criterion: "every file that was named exists",
    repair: "Create each of these files with the content that was asked for, at exactly this path:"
  },
  no_omission_markers: {
    criterion: "no changed line stands in place of something that was left out",
    repair: "Write out what these lines stand for, completely, and remove them:"
  },
  no_todo_left: {
    criterion: "no changed comment marks work that is left to do",
    repair: "Do what these comments announce, then remove the marks:"
  },
  syntax_parses: {
    criterion: "what was changed can be parsed",
    repair: "Repair the syntax here, and have the language's own tool read the file:"
  },
  evidence_present: {
    criterion: "something was changed, or evidence is cited that holds",
    repair: "Do the work, or cite in the report where it is done (`path:line`):"
  }
}

type Judged = Pick<CommandOf<typeof RecordJudgment>, "judgment" | "checks" | "modification_prompt">

/** The judgement that follows from what was seen. */
export const judgementOf = (seen: Seen): Judged => {
  const checks = criterionIds.map((id) => checkOf(id, seen))
  const failed = criterionIds.filter((id) => seen.findings[id].length > 0)
  return {
    judgment: failed.length === 0 ? "PASS" : "REJECT",
    checks,
    modification_prompt:
      failed.length === 0
        ? null
        : `The work does not meet ${failed.length} of the ${criterionIds.length} built-in criteria. They were judged on the lines that were changed since the run began. Repair every point, and leave the rest as it is.\n\n${failed
            .map((id) => section(id, seen.findings[id]))
            .join("\n\n")}`
  }
}

const checkOf = (id: CriterionId, seen: Seen): ReviewCheck => {
  const findings = seen.findings[id]
  const criterion = `${id}: ${stated[id].criterion}`
  if (findings.length > 0) return { criterion, passed: false, details: `${listed(findings, maxInDetails).join("; ")}` }
  return isByLines[id]
    ? { criterion, passed: true, details: detailsOf(seen) }
    : { criterion, passed: true, details: "Nothing speaks against it." }
}

const isByLines: Readonly<Record<CriterionId, boolean>> = {
  expected_files: false,
  no_omission_markers: true,
  no_todo_left: true,
  syntax_parses: true,
  evidence_present: false
}

const detailsOf = ({ judged, unknown }: Seen): string =>
  `${judged === 1 ? "1 changed file was" : `${judged} changed files were`} looked at.${
    unknown.length === 0
      ? ""
      : ` Not judged, as nobody can tell what was changed in them: ${unknown.slice(0, maxInDetails).join(", ")}${unknown.length > maxInDetails ? ", …" : ""}.`
  }`

const maxInDetails = 10
const maxInPrompt = 30

const section = (id: CriterionId, findings: ReadonlyArray<Finding>): string =>
  `${id}. ${stated[id].repair}\n${listed(findings, maxInPrompt)
    .map((one) => `- ${one}`)
    .join("\n")}`

const listed = (findings: ReadonlyArray<Finding>, max: number): ReadonlyArray<string> => [
  ...findings
    .slice(0, max)
    .map(({ line, path, text }) => (path === "" ? text : `${path}${line === null ? "" : `:${line}`}: ${text}`)),
  ...(findings.length > max ? [`and ${findings.length - max} more`] : [])
]

// --- evidence -----------------------------------------------------------------------------------------------------

/** What speaks against there being anything to show for the work. */
export const missingWork = (
  task: TaskState,
  subtaskState: SubtaskState | null,
  wasChanged: boolean,
  isDone: boolean
): ReadonlyArray<Finding> => {
  const { current, spec } = task
  if (subtaskState === null ? isQuestion(spec.instruction) : !subtaskState.changes_files) return []
  // a person wants none of it done
  if (task.items.length > 0 && task.items.every(isWaivedByPerson)) return []
  // what an attempt did that a crash took, nobody has seen
  const wasSeen = current?.files_modified != null && task.lost_count === 0
  // evidence of another kind that does not hold was refused before
  const isCited = current?.facts?.some((fact) => !isLineFact(fact) || fact.outcome === "ok") === true
  if (isCited || isDone || (!wasSeen && !wasChanged)) return []
  const text = wasChanged
    ? "what was changed holds nothing but blanks, comments and functions in which nothing is done"
    : "no file of the project was changed by this part, and the report cites no evidence that holds"
  return [{ path: "", line: null, text }]
}

/** Nobody has said of a task in one piece whether it is only to find something out. */
const isQuestion = (prompt: string): boolean =>
  /^\s*(?:please\s+|can you\s+|could you\s+)?(?:what|why|how|where|which|who|when|is|are|does|do|explain|describe|summari[sz]e|list|find|show|tell|check|review|analy[sz]e|investigate|report|count|compare|inspect|look|read|verify|run|audit|research|evaluate|assess|identify)\b/i.test(
    prompt
  ) ||
  /[?？]\s*$|(?:教えて|説明して|調べ|調査|確認して|一覧に|レビューして|ですか|ますか)[^。]{0,12}[。]?\s*$/.test(prompt)
