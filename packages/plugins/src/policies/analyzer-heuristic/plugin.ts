import {
  type Analysis,
  type AnalysisRequest,
  defineAnalyzer,
  type PlannedSubtask,
  type Plugin,
  type SplitFinding
} from "@proofline/kernel"
import { Effect } from "effect"
import { assign } from "./checklist.ts"
import { acceptance, findings, onlyInforms } from "./criteria.ts"
import { coarse, fit, type Joined, orderOf } from "./fit.ts"
import { dependenciesOf, wordsOf } from "./order.ts"
import { type Draft, type Reading, readPrompt } from "./parts.ts"
import { wishOf } from "./roles.ts"
import { filesIn } from "./text.ts"

/** More parts than these are first taken together evenly, so that a huge prompt takes no longer than its length. */
const most = 120

/**
 * Whether and how a prompt splits into subtasks, by its words alone. Pure, never fails; takes time in proportion to the
 * length of the prompt. What is not named by the user becomes no part, and what is in doubt is not split.
 */
export const analyze = ({
  checklist,
  max_subtasks,
  min_subtasks,
  prompt
}: Pick<AnalysisRequest, "checklist" | "max_subtasks" | "min_subtasks" | "prompt">): Analysis => {
  const reading = readPrompt(prompt)
  const units = coarse(reading.drafts, most)
  const drafts = units.map(together)
  const needs = dependenciesOf(drafts)
  const criteria = findings(prompt, reading.shown, drafts, needs)
  const least = Math.max(2, min_subtasks)
  const wish = wishOf(reading.shown)
  const single = (decomposition_reason: string): Analysis => ({
    is_decomposable: false,
    decomposition_reason,
    criteria,
    subtasks: []
  })
  if (wish !== null) return single(`The task is run in one piece because it says so: ${JSON.stringify(wish)}.`)
  if (reading.unowned !== null && drafts.length > 1)
    return single(`The task is not split because this would belong to no part: ${JSON.stringify(reading.unowned)}.`)
  if (drafts.length < 2) return single("Only one piece of work is named, so the task is not split.")
  if (drafts.length < least)
    return single(
      `${drafts.length} parts are named, fewer than the ${least} that make splitting worth while (min_subtasks).`
    )
  if (max_subtasks < least)
    return single(`At most ${max_subtasks} parts are allowed (max_subtasks), fewer than the least of ${least}.`)
  const parts = fit(
    units.map((unit, i) => ({
      drafts: unit,
      needs: needs[i] ?? new Set(),
      files: new Set(unit.flatMap((draft) => filesIn(wordsOf(draft))))
    })),
    max_subtasks
  )
  const contents = parts.map(({ drafts: own }) => own.map((draft) => `${draft.under}\n${wordsOf(draft)}`).join("\n"))
  const given = assign(contents, checklist, orderOf(parts.map((part) => part.needs)).at(-1) ?? 0)
  return {
    is_decomposable: true,
    decomposition_reason: reasonOf(parts.length, drafts.length, criteria),
    criteria,
    subtasks: parts.map((part, i) => subtask(reading, part, given[i] ?? []))
  }
}

/** Several drafts in the place of one, for what is decided about all of them. */
const together = (drafts: ReadonlyArray<Draft>): Draft => {
  const [first, ...rest] = drafts
  if (first === undefined || rest.length === 0) return first as Draft
  return { ...first, points: [...first.points, ...rest.map(({ say }) => say)] }
}

const names: Readonly<Record<SplitFinding["criterion"], string>> = {
  multiple_files: "several files",
  independent_parts: "independent parts",
  explicit_enumeration: "an explicit enumeration",
  large_scope: "a large scope"
}

const reasonOf = (parts: number, found: number, criteria: ReadonlyArray<SplitFinding>): string => {
  const met = criteria.filter((finding) => finding.met).map(({ criterion }) => names[criterion])
  const joined = found > parts ? `, joined from ${found}` : ""
  return `The task names ${parts} parts${joined}: ${met.join(", ")}.`
}

const title = (draft: Draft): string => {
  const line = (draft.under === "" ? draft.say : `${draft.under}: ${draft.say}`).split("\n")[0] ?? ""
  const units = [...line]
  return units.length <= 72 ? line : `${units.slice(0, 71).join("").trimEnd()}…`
}

const subtask = (
  { context, limits }: Reading,
  { drafts, needs }: Joined,
  checklist: ReadonlyArray<number>
): PlannedSubtask => {
  const japanese = drafts[0]?.japanese === true
  const own = drafts
    .map(({ details, points, say, under }) =>
      [under === "" ? say : `${under}: ${say}`, ...points.map((point) => `- ${point}`), ...details].join("\n")
    )
    .join("\n")
  const background = shortened(context)
  const prompt = [
    own,
    ...(background.length > 0 ? [`${japanese ? "背景" : "Context"}: ${background.join(" ")}`] : []),
    ...(limits.length > 0
      ? [`${japanese ? "制約" : "Limits"}:\n${limits.map((limit) => `- ${limit}`).join("\n")}`]
      : [])
  ].join("\n\n")
  const [first] = drafts
  return {
    title:
      drafts.length === 1 && first !== undefined
        ? title(first)
        : `${first === undefined ? "" : title(first)} (+${drafts.length - 1})`,
    prompt,
    dependencies: [...needs].map((i) => i + 1).sort((one, other) => one - other),
    acceptance_criteria: [...new Set(drafts.flatMap(acceptance))],
    checklist,
    paths: filesIn(own),
    changes_files: !drafts.every(onlyInforms)
  }
}

/** As much of the background as helps. */
const shortened = (context: ReadonlyArray<string>): ReadonlyArray<string> => {
  let length = 0
  return context.filter((sentence) => {
    length += sentence.length
    return length <= 1_500
  })
}

/** Plans by the words of the task alone, without any model. */
export const analyzerHeuristic: Plugin = defineAnalyzer("heuristic", "1", (request) =>
  Effect.sync(() => analyze(request))
)
