import type { CheckRun, KernelEvent, Recorded } from "@proofline/kernel"
import { checkEnd, count, isFailed, objection } from "./lines.ts"
import { oneLine, plain, type Style } from "./style.ts"

/** What one attempt claimed and what of it was refused, from the events alone. */
interface AttemptStory {
  readonly task: string
  readonly attempt: number
  claimed: number | null
  refused: Array<string>
  ended: string | null
  tail: string
}

/** Folds events of a run into the story of its attempts; feed it every event in order. */
export const makeRefusals = () => {
  const stories: Stories = new Map()
  return {
    add: (recorded: Recorded): void => {
      add(stories, { type: recorded.event_type, content: recorded.content } as unknown as KernelEvent)
    },
    /** The attempts that were not accepted, in order; empty when there was none. */
    lines: (style: Style): ReadonlyArray<string> => linesOf([...stories.values()], style)
  }
}

/** By task and number of the attempt. */
type Stories = Map<string, AttemptStory>

const storyIn = (
  stories: Stories,
  { attempt, task_id }: { readonly task_id: string; readonly attempt: number }
): AttemptStory => {
  const key = `${task_id}/${attempt}`
  const story = stories.get(key) ?? { task: task_id, attempt, claimed: null, refused: [], ended: null, tail: "" }
  stories.set(key, story)
  return story
}

const add = (stories: Stories, { content, type }: KernelEvent): void => {
  switch (type) {
    case "CHECKLIST_REPORTED":
      storyIn(stories, content).claimed = content.checklist?.filter((item) => item.status === "done").length ?? null
      if (storyIn(stories, content).ended === null) storyIn(stories, content).refused.push(...content.problems)
      break
    case "CHECKLIST_ITEM_REJECTED":
      storyIn(stories, content).refused.push(
        `${content.key}: ${content.item === null ? "" : `${content.item}: `}${content.message}`
      )
      break
    case "GATE_REFUSED":
      storyIn(stories, content).refused.push(`${content.reason} (gate ${content.gate}): ${content.message}`)
      break
    case "VERIFICATION_RUN":
      for (const check of content.checks.filter(isFailed)) storyIn(stories, content).refused.push(checkRefusal(check))
      break
    case "QUALITY_JUDGMENT":
      if (content.judgment !== "PASS") {
        storyIn(stories, content).refused.push(
          `review by ${content.reviewer}: ${content.judgment} ${objection(content)}`
        )
      }
      break
    case "ATTEMPT_OUTPUT_SUMMARIZED":
      storyIn(stories, content).tail = content.output_tail
      break
    case "ATTEMPT_ENDED":
      if (content.outcome !== "COMPLETE")
        storyIn(stories, content).ended =
          `${content.outcome}: ${content.error?.message ?? "its process is gone"}${lastWords(storyIn(stories, content).tail)}`
      break
    default:
      break
  }
}

const checkRefusal = (check: CheckRun): string =>
  check.exit_code === 0 && !check.timed_out
    ? `check \`${check.command}\` passed, but it is ${checkEnd(check)}`
    : `check \`${check.command}\` did not pass${lastWords(check.output_tail)}`

const linesOf = (stories: ReadonlyArray<AttemptStory>, style: Style): ReadonlyArray<string> => {
  const bad = stories.filter((story) => story.refused.length > 0 || story.ended !== null)
  if (bad.length === 0) return []
  return [
    style.bold("Claimed and refused:"),
    ...bad.flatMap((story) => [
      `  ${story.task}, attempt ${story.attempt}${story.claimed === null ? "" : `: claimed ${count(story.claimed, "item")} done`}${story.ended === null ? "" : `: ${oneLine(story.ended, 160)}`}`,
      ...story.refused.map((reason) => `      ${style.red("✘")} ${oneLine(reason, 240)}`)
    ]),
    ""
  ]
}

/** The last line that says something, of what was printed. */
const lastWords = (output: string): string => {
  const last = plain(output)
    .split("\n")
    .findLast((line) => line.trim() !== "")
  return last === undefined ? "" : `; it last printed: ${last.trim()}`
}
