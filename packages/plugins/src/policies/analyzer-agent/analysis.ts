import {
  type Analysis,
  type AnalysisRequest,
  type PlannedSubtask,
  SplitCriterion,
  type SplitFinding
} from "@proofline/kernel"
import { placesOf } from "../../text/places.ts"
import type { AnsweredPart, PlanAnswer } from "./answer.ts"
import { nearestPart } from "./contract.ts"

type Asked = Pick<AnalysisRequest, "checklist" | "prompt">

/** The analysis that an answer amounts to: every item of the checklist in one part, every criterion that was judged once. */
export const analysisOf = (asked: Asked, answer: PlanAnswer): Analysis => {
  const subtasks = withWholeChecklist(
    answer.parts.map((part) => plannedOf(asked, part)),
    asked.checklist
  )
  return {
    is_decomposable: answer.is_decomposable,
    decomposition_reason: answer.decomposition_reason.trim(),
    criteria: SplitCriterion.literals.flatMap((criterion) => findingOf(criterion, asked.prompt, answer, subtasks)),
    subtasks
  }
}

// --- parts --------------------------------------------------------------------------------------------------------

const plannedOf = (asked: Asked, part: AnsweredPart): PlannedSubtask => {
  const prompt = part.prompt.trim()
  return {
    title: titleOf(part.title ?? "", prompt),
    prompt,
    dependencies: unique(part.dependencies).sort((a, b) => a - b),
    acceptance_criteria: unique(part.acceptance_criteria.map(inOneLine).filter((criterion) => criterion !== "")),
    checklist: (part.checklist ?? []).map((number) => number - 1).sort((a, b) => a - b),
    paths: unique((part.paths ?? []).map(relativePath).filter((path) => isNamed(asked, path))),
    changes_files: part.type !== "review" && part.type !== "research"
  }
}

const unique = <A>(values: ReadonlyArray<A>): Array<A> => [...new Set(values)]

const inOneLine = (text: string): string => text.trim().replace(/\s+/g, " ")

const maxCriterion = 300
const maxTitle = 72

const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`

const titleOf = (title: string, prompt: string): string => {
  const first = prompt.split("\n").find((line) => line.trim() !== "") ?? ""
  return shortened(inOneLine(title) || inOneLine(first).replace(/^(?:#+|[-*+]|\d+[.)])\s+/, ""), maxTitle)
}

const relativePath = (path: string): string =>
  path
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "")

/** Only files that the user speaks of: what an agent adds to them nobody asked for, and nobody may miss. */
const isNamed = ({ checklist, prompt }: Asked, path: string): boolean => {
  if (path.startsWith("/") || path.split("/").includes("..")) return false
  return [prompt, ...checklist].some((text) => {
    for (const at of placesOf(text, path)) {
      const before = text.slice(0, at).replace(/\.\/$/, "")
      const after = text.slice(at + path.length)
      if (!/[A-Za-z0-9_\-./]$/.test(before) && !/^(?:[A-Za-z0-9_\-/]|\.[A-Za-z0-9])/.test(after)) return true
    }
    return false
  })
}

const withWholeChecklist = (
  parts: ReadonlyArray<PlannedSubtask>,
  checklist: ReadonlyArray<string>
): ReadonlyArray<PlannedSubtask> => {
  if (parts.length === 0) return parts
  const taken = new Set(parts.flatMap((part) => part.checklist))
  const texts = parts.map(({ acceptance_criteria, paths, prompt, title }) =>
    [title, prompt, ...acceptance_criteria, ...paths].join("\n")
  )
  const added = checklist.flatMap((item, index) => {
    if (taken.has(index)) return []
    const nearest = nearestPart(item, texts)
    return [{ index, part: nearest ?? parts.length - 1, isAboutIt: nearest !== null }]
  })
  return parts.map((part, at) => {
    const own = added.filter((one) => one.part === at)
    const hasItems = part.checklist.length > 0 || own.some(({ isAboutIt }) => isAboutIt)
    return {
      ...part,
      // a part that nothing is said about is judged by the items about it, or else by what it was asked
      acceptance_criteria:
        part.acceptance_criteria.length > 0 || hasItems
          ? part.acceptance_criteria
          : [shortened(inOneLine(part.prompt), maxCriterion)],
      checklist: [...part.checklist, ...own.map(({ index }) => index)].sort((a, b) => a - b)
    }
  })
}

// --- criteria -----------------------------------------------------------------------------------------------------

/** Empty: nobody has judged it. */
const findingOf = (
  criterion: SplitCriterion,
  prompt: string,
  { criteria }: PlanAnswer,
  subtasks: ReadonlyArray<PlannedSubtask>
): ReadonlyArray<SplitFinding> => {
  const said = criteria.find((finding) => finding.criterion === criterion)
  const { met, words } = said ?? shownBy(subtasks, prompt)[criterion]
  // that a plan does not show it says nothing of the task
  if (said === undefined && !met) return []
  // the words of the task, not those of the agent
  return [{ criterion, met, words: unique(words.filter((word) => word.trim() !== "" && prompt.includes(word))) }]
}

/** What a plan shows by itself of the criteria that its maker says nothing about. */
const shownBy = (
  parts: ReadonlyArray<PlannedSubtask>,
  prompt: string
): Readonly<Record<SplitCriterion, Pick<SplitFinding, "met" | "words">>> => {
  const paths = unique(parts.flatMap((part) => part.paths))
  // every part in the user's own words: they were listed
  const listed = parts.flatMap(({ prompt: own, title }) => [own, title].find((text) => prompt.includes(text)) ?? [])
  const isListed = parts.length > 1 && unique(listed).length === parts.length
  return {
    multiple_files: { met: paths.length > 1, words: paths },
    independent_parts: {
      met: parts.filter(({ dependencies }) => dependencies.length === 0).length > 1,
      words: []
    },
    explicit_enumeration: { met: isListed, words: isListed ? listed : [] },
    large_scope: { met: parts.length >= largeScope, words: [] }
  }
}

/** Source of the figure: task chunking §2.2. */
const largeScope = 5
