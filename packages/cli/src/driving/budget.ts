import {
  type AnyCommand,
  type Budget,
  type CommandOf,
  Engine,
  EventLog,
  ExhaustBudget,
  type Recorded
} from "@proofline/kernel"
import { Duration, Effect, Option, Stream } from "effect"
import { stateOf } from "../project/state.ts"
import { oneLine } from "../render/style.ts"

/** Under which budget a run begins, or goes on, with this command. */
export const budgetOf = Effect.fnUntraced(function* (run: string, command: AnyCommand | null) {
  const { config = null } = (command ?? {}) as { readonly config?: { readonly budget: Budget } | null }
  return (config ?? stateOf(yield* (yield* Engine).load(run)).run.config).budget
})

/** What drives a run, ended when the time of the run is over; null: it has all the time it needs. */
export const within = <A, E, R, B, E2, R2>(
  limitMs: number | null,
  driving: Effect.Effect<A, E, R>,
  otherwise: (command: CommandOf<typeof ExhaustBudget>) => Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E | E2, R | R2> =>
  limitMs === null
    ? driving
    : Effect.flatMap(
        Effect.timeoutOption(driving, limitMs),
        (ended): Effect.Effect<A | B, E2, R2> =>
          Option.isSome(ended)
            ? Effect.succeed(ended.value)
            : otherwise({
                _tag: ExhaustBudget.name,
                message: `The budget is used up: ${Duration.format(Duration.millis(limitMs))} are over (max_duration).`
              })
      )

/** What was done in the one call of an agent that a step is, in a sentence: the last call in any of these runs. */
export const lastStep = Effect.fnUntraced(function* (runs: ReadonlyArray<string>) {
  const log = yield* EventLog
  const calls = yield* Effect.forEach(runs, (run) =>
    log.read(run).pipe(
      Stream.filter(({ event_type }) => event_type === "AGENT_CALLED"),
      Stream.runLast
    )
  )
  const [last] = calls.flatMap(Option.toArray).toSorted((a, b) => b.position - a.position)
  return last === undefined ? "One step was made." : stepText(last)
})

const stepText = ({ content }: Pick<Recorded, "content">): string => {
  const { agent, attempt, role, task_id } = content as {
    readonly agent: string
    readonly role: string
    readonly task_id: string
    readonly attempt: number
  }
  const done: Readonly<Record<string, string>> = {
    work: `worked on task ${task_id}, attempt ${attempt}`,
    review: `reviewed attempt ${attempt} of task ${task_id}`,
    analyze: `planned how to split task ${task_id}`,
    generate: "was asked for tasks",
    verify: `was asked whether requirement ${task_id} is met`
  }
  return `One step was made: agent ${agent} ${oneLine(done[role] ?? role, 120)}.`
}
