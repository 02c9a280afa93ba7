import { EventLog, type Recorded } from "@proofline/kernel"
import type { ContentOf } from "@proofline/plugins/policies/requirements"
import { Effect, Stream } from "effect"
import { requirementsData, requirementsDocument } from "../documents/requirements.ts"
import { commandFor, print, printDocument, wantsColor } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { makeRefusals } from "../render/refusals.ts"
import { requirementsText } from "../render/requirements.ts"
import { oneLine, type Style, styleFor } from "../render/style.ts"
import { readRecord } from "./requirementViews.ts"

/** The end of a requirements run: a document for scripts, a report for people. */
export const reportRequirements = Effect.fnUntraced(function* (run: string, paths: ProjectPaths, json: boolean) {
  const { ended_at, loop, started_at, state } = yield* readRecord(run, paths)
  if (json) return yield* printDocument(requirementsDocument, requirementsData(loop, state))
  const ids = loop.iterations.flatMap(({ loop_c_history_id }) => loop_c_history_id ?? [])
  const children = new Map(
    yield* Effect.forEach(ids, (id) => Effect.map(readRecord(id, paths), (child) => [id, child.state] as const))
  )
  const style = styleFor(wantsColor(process.stdout))
  const text = requirementsText({ loop, state, started_at, ended_at, children }, style)
  const refused = yield* refusalsOf([run, ...ids], style)
  const command = commandFor(paths)
  const next =
    state.run.status === "completed"
      ? `Everything of it with its evidence: ${command(`report ${run}`)}`
      : `Go on with: ${command(`resume ${run}`)}`
  return yield* print(`\n${[text, ...refused, next].join("\n")}\n`)
})

/** What agents claimed and what of it was refused, on both levels. */
const refusalsOf = Effect.fnUntraced(function* (runs: ReadonlyArray<string>, style: Style) {
  const log = yield* EventLog
  const refusals = makeRefusals()
  const answers: Array<string> = []
  for (const run of runs) {
    yield* Stream.runForEach(log.read(run), (event) =>
      Effect.sync(() => {
        refusals.add(event)
        if (event.event_type === "ANSWER_REFUSED") answers.push(answerLine(event, style))
      })
    )
  }
  const attempts = refusals.lines(style)
  return answers.length === 0
    ? attempts
    : [style.bold("Answers that were refused:"), ...answers, ...(attempts.length === 0 ? [""] : attempts)]
})

const answerLine = ({ content }: Recorded, style: Style): string => {
  const { by, iteration, problems, requirement_id, role } = content as unknown as ContentOf<"ANSWER_REFUSED">
  const source = role === "generate" ? `plan of iteration ${iteration}` : `opinion of requirement ${requirement_id}`
  return `  ${style.red("✘")} ${source} by ${by}: ${oneLine(problems.join(" "), 240)}`
}
