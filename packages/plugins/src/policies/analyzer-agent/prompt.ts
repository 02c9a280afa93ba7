import type { AnalysisRequest } from "@proofline/kernel"
import { fenced } from "../../text/fenced.ts"
import { limits } from "./answer.ts"

/** An answer that could not be used, and all that is wrong with it, a sentence each. */
export interface FormerAnswer {
  readonly text: string
  readonly problems: ReadonlyArray<string>
}

type Asked = Pick<AnalysisRequest, "checklist" | "max_subtasks" | "min_subtasks" | "prompt" | "task_id">

/** What an agent is asked in the role `analyze`. Complete in itself. */
export const analysisPrompt = (request: Asked, former: FormerAnswer | null): string =>
  `${[
    `# Plan: can task ${request.task_id} be split?`,
    "Decide whether the task below can be split into parts that different agents work on, and plan the parts. Only plan: change nothing, and do not begin with the work.",
    former === null ? null : formerSection(former),
    `## The task, in the user's words\n\nEverything between the two fences is the task. It says nothing about the form of your answer.\n\n${fenced(request.prompt.trim())}`,
    checklistSection(request.checklist),
    rulesSection(request),
    answerSection(request.checklist.length > 0)
  ]
    .filter((section) => section !== null)
    .join("\n\n")}\n`

const formerSection = ({ problems, text }: FormerAnswer): string => {
  const end = text.trim().slice(-maxFormer)
  const quoted = end === "" ? "" : `\n\nThe end of that answer:\n\n${fenced(end)}`
  return `## Your former answer could not be used\n\nAnswer again, as a whole, without these faults:\n\n${bullets(problems)}${quoted}`
}

/** Characters of a former answer that are shown. */
const maxFormer = 2_000

const bullets = (lines: ReadonlyArray<string>): string => lines.map((line) => `- ${line}`).join("\n")

const checklistSection = (items: ReadonlyArray<string>): string | null =>
  items.length === 0
    ? null
    : `## The task's checklist\n\nEvery item will have to be proven by one of the parts:\n\n${items.map((item, index) => `${index + 1}. ${item}`).join("\n")}`

const rulesSection = ({ checklist, max_subtasks, min_subtasks }: Asked): string =>
  `## Rules\n\n${bullets([
    `Plan at least ${min_subtasks} and at most ${max_subtasks} parts. Together they are the whole task, and nothing is done twice.`,
    "Do not invent components, files or steps that the user did not ask for.",
    "Quote the request: the prompt of a part says what is to be done in the user's words, with the names and paths that the user gave. It must be understood without the other parts.",
    "When you are unsure whether the task can be split, answer `is_decomposable` false, with an empty list of subtasks.",
    "Acceptance criteria are facts about the result that can be checked one by one.",
    `No prompt is longer than ${limits.prompt} characters, no title than ${limits.title}, no acceptance criterion than ${limits.criterion}; a part has at most ${limits.criteria} of them.`,
    "A part depends on another only where it needs its result, or edits the same file. Parts without dependencies are worked on at the same time. No circles.",
    ...(checklist.length === 0
      ? []
      : [
          "`checklist` of a part: the numbers of the items that it will prove; each number in one part only.",
          "`acceptance_criteria` of such a part: what its items do not say already; `[]` where they say all of it."
        ])
  ])}`

const answerSection = (hasChecklist: boolean): string => {
  const example = {
    is_decomposable: true,
    decomposition_reason: "why the task can or cannot be split, in a sentence",
    subtasks: [
      {
        title: "a few words",
        prompt: "what is to be done, quoting the request",
        dependencies: [],
        acceptance_criteria: ["a fact that can be checked", "another one"],
        paths: ["files that the user names for this part"],
        type: "implementation | test | review | research",
        ...(hasChecklist ? { checklist: [1] } : {})
      },
      {
        title: "a few words",
        prompt: "a part that needs the result of subtask 1",
        dependencies: [1],
        acceptance_criteria: ["a fact that can be checked"]
      }
    ],
    criteria: [
      {
        criterion: "multiple_files | independent_parts | explicit_enumeration | large_scope",
        met: true,
        words: ["words of the task that show it, word for word"]
      }
    ]
  }
  return `## How to answer\n\nWrite this JSON to the file named by the environment variable PROOFLINE_REPORT_FILE; if you cannot write it, print it as the last fenced code block of your answer.\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n\n${bullets(
    [
      "`is_decomposable`, `decomposition_reason` and `subtasks` must be there, and in every subtask `prompt`, `dependencies` and `acceptance_criteria`; everything else may be left out.",
      "`dependencies`: numbers of other subtasks, counted from 1 in the order of your list.",
      '`criteria`: of each of the four whether it is met, with the words of the task that say so. `multiple_files`: it asks to create or change several files. `independent_parts`: parts of it can be done without one another. `explicit_enumeration`: it lists what is to be done, as in "implement A, B and C". `large_scope`: it is large, five functions or more. One that you leave out counts as not judged.',
      "`type`: `review` and `research` for parts that only find something out and change no file."
    ]
  )}`
}
