import { checkEnding } from "@proofline/kernel"
import type { Bisected } from "../documents/bisect.ts"
import { oneLine, type Style } from "./style.ts"

type Trial = Bisected["tried"][number]

/** A mark, where it was run, and how it ended. */
export const trialLine = ({ exit_code, problem, signal, timed_out, verdict, what }: Trial, style: Style): string => {
  const { dim, green, red } = style
  const mark = { good: green("✔"), bad: red("✘"), skip: dim("-") }[verdict]
  const ended = problem ?? checkEnding({ exit_code, signal, timed_out })
  return `${mark} ${oneLine(what, 100)} ${dim(`(${verdict === "skip" ? "skipped: " : ""}${oneLine(ended, 200)})`)}`
}

export const bisectText = (
  { agent, attempt, claim, command, files, notes, outcome, run_id, steps, task_id, trees, version }: Bisected,
  { bold, dim }: Style,
  commandOf: (words: string) => string
): string => {
  const who = agent === null ? "" : ` by ${agent}`
  const head =
    attempt === null
      ? `No attempt is known after which \`${oneLine(command, 100)}\` fails.`
      : `\`${oneLine(command, 100)}\` fails after attempt ${attempt} of ${task_id}${who} (version ${version} of ${run_id}).`
  return [
    "",
    bold(head),
    ...(claim === null || claim === "" ? [] : [`It ended ${outcome} and said: ${oneLine(claim, 300)}`]),
    ...notes,
    ...(steps.length === 0 ? [] : ["", steps.length === 1 ? "The step:" : "One of these steps:"]),
    ...steps.map(({ files, line, title }) => {
      const named = files.length === 0 ? "" : dim(` ${oneLine(files.join(", "), 100)}`)
      return `  ${String(line).padStart(4)} ${oneLine(title, 100)}${named}`
    }),
    ...(files.length === 0 ? [] : ["", "What changed:"]),
    ...files.slice(0, maxShown).map(({ added, by_attempt, path, removed }) => {
      const lines = added === null || removed === null ? "" : ` +${added} -${removed}`
      return `  ${path}${lines}${by_attempt === false ? dim(" (not while the attempt worked)") : ""}`
    }),
    ...(files.length > maxShown ? [`  and ${files.length - maxShown} more`] : []),
    "",
    "Look further:",
    ...(task_id === null ? [] : [`  ${commandOf(`show ${run_id} --task ${task_id}`)}`]),
    `  ${commandOf(`replay ${run_id} --until ${version}`)}`,
    ...(trees.good === null || trees.bad === null
      ? []
      : [`  git diff ${trees.good.slice(0, 12)} ${trees.bad.slice(0, 12)}`]),
    ""
  ].join("\n")
}

const maxShown = 30
