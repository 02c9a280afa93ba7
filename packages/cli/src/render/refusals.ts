import {
  type CheckRun,
  enumerated,
  type Failure,
  failedChecks,
  firstOf,
  hasPassed,
  isFailedInWords,
  type KernelEvent,
  type Recorded,
  refusalMax
} from "@proofline/kernel"
import type { ContentOf } from "@proofline/plugins/policies/requirements"
import { lastWords } from "./lastWords.ts"
import { count, objection, refusedBecause } from "./lines.ts"
import { oneLine, type Style, withEnd } from "./style.ts"

/** What one attempt claimed and what of it was refused, from the events alone. */
export interface AttemptStory {
  readonly run_id: string
  readonly task_id: string
  readonly attempt: number
  /** Items that it reported as done; null: it reported none. */
  claimed: number | null
  readonly refused: Array<string>
  /** How it ended, where that was not well. */
  ended: string | null
  tail: string
}

/** Folds events of runs into the story of their attempts; feed it every event in order. */
export const makeRefusals = () => {
  const stories: Stories = new Map()
  const answers: Array<Recorded> = []
  return {
    add: (recorded: Recorded): void => {
      if (recorded.event_type === "ANSWER_REFUSED") answers.push(recorded)
      add(stories, recorded)
    },
    /** Every attempt, in order. */
    attempts: (): ReadonlyArray<AttemptStory> => [...stories.values()],
    /** The answers and attempts that were not accepted, in order; empty when there was none. */
    lines: (style: Style, isShown: (story: AttemptStory) => boolean = () => true): ReadonlyArray<string> => {
      const attempts = linesOf([...stories.values()].filter(isShown), style)
      return answers.length === 0
        ? attempts
        : [
            style.bold("Answers that were refused:"),
            ...answers.map((answer) => answerLine(answer, style)),
            ...(attempts.length === 0 ? [""] : attempts)
          ]
    }
  }
}

const answerLine = ({ content }: Recorded, style: Style): string => {
  const { by, iteration, problems, requirement_id, role } = content as unknown as ContentOf<"ANSWER_REFUSED">
  const source = role === "generate" ? `plan of iteration ${iteration}` : `opinion of requirement ${requirement_id}`
  return `  ${style.red("✘")} ${source} by ${by}: ${oneLine(problems.join(" "), 240)}`
}

/** By run, task and number of the attempt. */
type Stories = Map<string, AttemptStory>

const add = (stories: Stories, recorded: Recorded): void => {
  const storyOf = ({ attempt, task_id }: { readonly task_id: string; readonly attempt: number }): AttemptStory => {
    const key = `${recorded.stream} ${task_id} ${attempt}`
    const story = stories.get(key) ?? {
      ...{ run_id: recorded.stream, task_id, attempt },
      ...{ claimed: null, refused: [], ended: null, tail: "" }
    }
    stories.set(key, story)
    return story
  }
  const { content, type } = { type: recorded.event_type, content: recorded.content } as unknown as KernelEvent
  switch (type) {
    case "ATTEMPT_STARTED":
      storyOf(content)
      break
    case "CHECKLIST_REPORTED": {
      const story = storyOf(content)
      story.claimed = content.checklist?.filter((item) => item.status === "done").length ?? null
      if (story.ended === null) story.refused.push(...content.problems)
      break
    }
    case "CHECKLIST_ITEM_REJECTED":
      refuse(storyOf(content), content)
      break
    case "GATE_REFUSED":
      storyOf(content).refused.push(`${content.reason} (gate ${content.gate}): ${content.message}`)
      break
    case "VERIFICATION_RUN":
      for (const check of content.checks.filter((check) => !hasPassed(check)))
        storyOf(content).refused.push(checkRefusal(check))
      break
    case "QUALITY_JUDGMENT":
      if (content.judgment !== "PASS") {
        storyOf(content).refused.push(`review by ${content.reviewer}: ${content.judgment} ${objection(content)}`)
      }
      break
    case "ATTEMPT_OUTPUT_SUMMARIZED":
      storyOf(content).tail = content.output_tail
      break
    case "ATTEMPT_ENDED":
      if (content.outcome !== "COMPLETE") {
        const story = storyOf(content)
        story.ended = `${content.outcome}: ${content.error?.message ?? "its process is gone"}${lastWords(story.tail)}`
      }
      break
    default:
      break
  }
}

/** What is wrong with a report is told where it was read already. */
const refuse = (story: AttemptStory, failure: Failure): void => {
  const why = refusedBecause(failure)
  if (story.refused.some((told) => why.includes(told)) && why !== failure.message) return
  story.refused.push(`${failure.key}: ${failure.item === null ? "" : `${failure.item}: `}${why}`)
}

const checkRefusal = (check: CheckRun): string =>
  isFailedInWords(check)
    ? failedChecks([check], [])
    : `check \`${check.command}\` did not pass${lastWords(check.output_tail, check.failed_tests)}`

/** In which attempt a refusal was told in full, while each attempt of its task after that has met it again; null: it is new. */
export const makeToldIn = () => {
  const known = new Map<string, { attempt: number; before: Map<string, number>; now: Map<string, number> }>()
  return (task: string, attempt: number, refusal: string): number | null => {
    const last = known.get(task)
    const one =
      last?.attempt === attempt ? last : { attempt, before: last?.now ?? new Map<string, number>(), now: new Map() }
    known.set(task, one)
    const at = one.before.get(refusal) ?? null
    one.now.set(refusal, at ?? attempt)
    return at
  }
}

/** Refusals that were told of earlier attempts. */
export const sameText = (attempts: ReadonlyArray<number>): string => {
  const different = [...new Set(attempts)].toSorted((a, b) => a - b)
  return `the same ${attempts.length} refusals as in attempt${different.length === 1 ? "" : "s"} ${enumerated(different.map(String), 3)}`
}

const linesOf = (stories: ReadonlyArray<AttemptStory>, style: Style): ReadonlyArray<string> => {
  const bad = stories.filter((story) => story.refused.length > 0 || story.ended !== null)
  if (bad.length === 0) return []
  const toldIn = makeToldIn()
  return [
    style.bold("Claimed and refused:"),
    ...alike(bad).flatMap(({ last, story }) => [
      `  ${story.task_id}, ${last === story.attempt ? `attempt ${last}` : `attempts ${story.attempt} to ${last}`}${story.claimed === null ? "" : `: claimed ${count(story.claimed, "item")} done`}${story.ended === null ? "" : `: ${withEnd(story.ended, 400)}`}`,
      ...firstOf(withoutSame(story, toldIn)).map((reason) => `      ${style.red("✘")} ${withEnd(reason, refusalMax)}`)
    ]),
    ""
  ]
}

/** What was refused of it; what was told of an attempt before it stands in one line. */
const withoutSame = (
  { attempt, refused, run_id, task_id }: AttemptStory,
  toldIn: ReturnType<typeof makeToldIn>
): ReadonlyArray<string> => {
  const told = refused.map((reason) => ({ reason, at: toldIn(`${run_id} ${task_id}`, attempt, reason) }))
  const same = told.flatMap(({ at }) => at ?? [])
  return same.length < 2
    ? refused
    : [...told.flatMap(({ at, reason }) => (at === null ? [reason] : [])), sameText(same)]
}

/** Stories one after the other that tell the same of one task are told once. */
const alike = (
  stories: ReadonlyArray<AttemptStory>
): ReadonlyArray<{ readonly story: AttemptStory; readonly last: number }> => {
  const told: Array<{ readonly story: AttemptStory; last: number }> = []
  for (const story of stories) {
    const before = told.findLast((one) => one.story.run_id === story.run_id && one.story.task_id === story.task_id)
    if (before?.last === story.attempt - 1 && toldOf(before.story) === toldOf(story)) before.last = story.attempt
    else told.push({ story, last: story.attempt })
  }
  return told
}

const toldOf = ({ claimed, ended, refused, tail }: AttemptStory): string =>
  JSON.stringify([claimed, refused, ended, ended === null ? "" : tail])
