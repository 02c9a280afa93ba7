import type { Analysis, AnalysisRequest, PlannedSubtask, SplitFinding } from "@proofline/kernel"
import { fittingPart, nearestPart } from "../analyzer-agent/contract.ts"
import { acceptance, findings, onlyInforms, stated } from "./describe.ts"
import { place } from "./enumeration.ts"
import { fit, type Joined, orderOf } from "./fit.ts"
import { wishOf } from "./labels.ts"
import { dependenciesOf, wordsOf } from "./order.ts"
import { askedFor, type Part, type Reading, readPrompt } from "./parts.ts"
import { filesIn, isJapanese, phrase } from "./text.ts"

type Asked = Pick<AnalysisRequest, "checklist" | "max_subtasks" | "min_subtasks" | "prompt">

/** Characters of the longest prompt that the rules read. */
const longest = 50_000
/** More parts than these are no plan. */
const most = 200

const agentCan = "`--analyzer agent` lets an agent read it."

/**
 * Whether and how a prompt splits into subtasks, by the plain words of the user alone: lists, numbers, headings,
 * enumerations of requests, order words. What is in doubt is not split. Pure, never fails.
 */
export const analyze = ({ checklist, max_subtasks, min_subtasks, prompt }: Asked): Analysis => {
  const whole = (decomposition_reason: string, criteria = findings(prompt, "", [], [])): Analysis => {
    return { is_decomposable: false, decomposition_reason, criteria, subtasks: [] }
  }
  if (prompt.length > longest)
    return whole(`The rules read no more than ${longest} characters, so the task is not split. ${agentCan}`)
  const reading = readPrompt(prompt)
  const { parts, shown } = reading
  if (parts.length > most)
    return whole(`The rules plan no more than ${most} parts, so the task is not split. ${agentCan}`)
  const needs = dependenciesOf(parts)
  const criteria = findings(prompt, shown, parts, needs)
  const problem = reasonAgainst(reading, Math.max(2, min_subtasks), max_subtasks)
  if (problem !== null) return whole(problem, criteria)
  reading.context.push(...breathsOf(prompt, parts))
  const joined = fit(parts, needs, max_subtasks)
  const given = assigned(joined, checklist)
  return {
    is_decomposable: true,
    decomposition_reason: reasonFor(joined.length, parts.length, criteria),
    criteria,
    subtasks: joined.map((part, i) => subtask(reading, part, checklist, given[i] ?? []))
  }
}

/**
 * Lines in which the user enumerates requests, and only the last says where: `add f, add g and fix h in src/a.ts`. It may
 * be meant for all of them, so that each is told the line.
 */
const breathsOf = (prompt: string, parts: ReadonlyArray<Part>): ReadonlyArray<string> => {
  const groups = Map.groupBy(parts, ({ group }) => group)
  const lines = prompt.split("\n").map((line) => line.trim())
  return [...groups.values()].flatMap((some) => {
    const last = some.at(-1)
    const others = some.slice(0, -1)
    const isAlone = last !== undefined && isPlaced(last) && others.length > 0 && !others.some(isPlaced)
    // `first …, then …`: each says its own
    if (some.some(({ marker }) => marker !== null && marker !== "also")) return []
    return isAlone ? lines.filter((line) => some.every(({ own }) => line.includes(own))).slice(0, 1) : []
  })
}

const isPlaced = (part: Part): boolean => place.test(phrase(askedFor(part)).masked)

/** Why the task is not split; null: it is. */
const reasonAgainst = (prompt: ReturnType<typeof readPrompt>, least: number, greatest: number): string | null => {
  const { parts, shown, unowned } = prompt
  const wish = wishOf(shown)
  if (wish !== null) return `The task is run in one piece because it says so: ${JSON.stringify(wish)}.`
  if (unowned !== null && parts.length > 0)
    return `The task is not split because this would belong to no part: ${JSON.stringify(unowned)}. ${agentCan}`
  if (parts.length < 2) return `The words name only one piece of work plainly, so the task is not split. ${agentCan}`
  if (parts.length < least)
    return `${parts.length} parts are named, fewer than the ${least} that make splitting worth while (min_subtasks).`
  return greatest < least
    ? `At most ${greatest} parts are allowed (max_subtasks), fewer than the least of ${least}.`
    : null
}

const reasonFor = (parts: number, found: number, criteria: ReadonlyArray<SplitFinding>): string => {
  const met = criteria.filter((finding) => finding.met).map(({ criterion }) => criterion.replaceAll("_", " "))
  return `The task names ${parts} parts${found > parts ? `, joined from ${found}` : ""}: ${met.join(", ")}.`
}

const promptOf = (part: Part): string =>
  [part.under === "" ? askedFor(part) : `${part.under}: ${askedFor(part)}`, ...part.details].join("\n")

const titleOf = (part: Part): string => {
  const [line = ""] = promptOf(part).split("\n")
  const characters = [...line]
  return characters.length <= 72 ? line : `${characters.slice(0, 71).join("").trimEnd()}…`
}

const subtask = (
  reading: Reading,
  { needs, parts }: Joined,
  items: ReadonlyArray<string>,
  checklist: ReadonlyArray<number>
): PlannedSubtask => {
  const own = parts.map(promptOf).join("\n")
  const [first] = parts.map(titleOf)
  const words = isJapanese(own) ? { context: "背景", limits: "制約" } : { context: "Context", limits: "Limits" }
  // an agent is shown the whole task beside its part
  const background = reading.context.join("\n").slice(0, 3_000).trim()
  const rules = [...new Set(reading.limits)]
  return {
    title: parts.length === 1 ? (first ?? "") : `${first} (+${parts.length - 1})`,
    prompt: [
      own,
      ...(background === "" ? [] : [`${words.context}: ${background}`]),
      ...(rules.length === 0 ? [] : [`${words.limits}:\n${rules.map((rule) => `- ${rule}`).join("\n")}`])
    ].join("\n\n"),
    dependencies: needs.map((need) => need + 1),
    acceptance_criteria: criteriaOf(
      parts,
      checklist.flatMap((index) => items[index] ?? [])
    ),
    checklist,
    paths: filesIn(own),
    changes_files: !parts.every(onlyInforms)
  }
}

/** Where an item says what must be true of a part, words of ours for the same would have to be shown by the same lines. */
const criteriaOf = (parts: ReadonlyArray<Part>, carried: ReadonlyArray<string>): ReadonlyArray<string> => {
  const texts = parts.map(wordsOf)
  const said = new Set(carried.map((item) => nearestPart(item, texts)))
  return [...new Set(parts.flatMap((part, at) => (said.has(at) ? stated(part) : acceptance(part))))]
}

/** By part: the items of the task's checklist that it proves. What fits none is for the part that runs last. */
const assigned = (joined: ReadonlyArray<Joined>, checklist: ReadonlyArray<string>): ReadonlyArray<Array<number>> => {
  const order = orderOf(joined.map(({ needs }) => needs))
  const texts = order.map((at) => joined[at]?.parts.map(wordsOf).join("\n") ?? "")
  const given = joined.map((): Array<number> => [])
  for (const [i, item] of checklist.entries()) given[order[fittingPart(item, texts)] ?? 0]?.push(i)
  return given
}
