import { hostname } from "node:os"
import { checkEnding, Engine, failedChecks, hasPassed, isFailedInWords, Worker } from "@proofline/kernel"
import type { Question } from "@proofline/plugins/policies/oversight"
import { type AnyRun, isEndAwaited, type PhasesState, runIn } from "@proofline/plugins/policies/sessions"
import { Effect, Schedule } from "effect"
import { oneLine, plain } from "../render/style.ts"

/** The run once it has ended, where the answer led to its end: what is to be done before is done here, for nobody else may be there. */
export const endedBy = Effect.fnUntraced(function* (run: string, answered: AnyRun) {
  if (!isEndAwaited(answered)) return answered
  const { load } = yield* Engine
  const worker = yield* Worker
  const ended = Effect.map(load(run), runIn).pipe(
    Effect.repeat({ until: (state) => !isEndAwaited(state), schedule: Schedule.spaced("50 millis") })
  )
  const works = worker.run({ workerId: `answer:${process.pid}`, host: hostname(), slots: 1, labels: [`run:${run}`] })
  return yield* Effect.raceFirst(ended, works)
})

/** What a person decides on: what failed, what the agent said last, the question, and where each answer leads. */
export const questionText = (
  phases: PhasesState | null,
  { answers, expected, other_leads_to, question }: Question
): string => {
  const failed = (phases?.verification?.checks ?? []).filter((check) => !hasPassed(check))
  return [
    ...failed.flatMap((check) => [
      isFailedInWords(check) ? plain(failedChecks([check], [])) : `\`${plain(check.command)}\` ${checkEnding(check)}:`,
      ...plain(check.output_tail)
        .trimEnd()
        .split("\n")
        .slice(-15)
        .map((line) => `    ${line}`)
    ]),
    ...(phases?.last == null
      ? []
      : [`Handed in last, in ${phases.last.phase}: ${oneLine(JSON.stringify(phases.last.payload), 600)}`]),
    "",
    `The agent was told: ${question.trim()}`,
    "",
    ...answers.map(({ answer, leads_to }) => `  ${answer.join(" or ")}: ${leads_to}`),
    ...(other_leads_to === null ? [] : [`  ${answers.length === 0 ? "any text" : "anything else"}: ${other_leads_to}`]),
    `Answer with \`proofline answer ${expected["answer"] ?? "…"}\`; --comment tells the agent more.`,
    ""
  ].join("\n")
}
