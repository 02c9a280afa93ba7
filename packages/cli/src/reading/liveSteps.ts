import { type ShownStep, shownSteps, tasksOf } from "@proofline/kernel"
import { liveOutput } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import type { State } from "../project/state.ts"
import { stepLines } from "../render/steps.ts"

/** So often it is looked what agents do. */
export const lookEvery = "500 millis"

/** Bytes of the end of what an agent told. */
const endBytes = 16_384

/** By task: what the agent at work on it does now, as lines. */
export type StepNotes = ReadonlyMap<string, ReadonlyArray<string>>

/** What the agents of these runs tell of themselves that work on this machine. */
export const liveSteps = (stateDir: string, runs: ReadonlyArray<State>): Effect.Effect<StepNotes> =>
  Effect.map(
    Effect.forEach(
      runs.flatMap((state) =>
        tasksOf(state).flatMap(({ current, spec }) =>
          current?.outcome === null && !current.cancelled
            ? [{ run_id: state.run.run_id, task_id: spec.id, attempt: current.attempt, role: "work" as const }]
            : []
        )
      ),
      (call) =>
        Effect.map(
          liveOutput(stateDir, call, "steps", -endBytes),
          (piece) => [call.task_id, linesOf(piece === null ? [] : shownSteps(piece.text))] as const
        )
    ),
    (found) => new Map(found.filter(([, lines]) => lines.length > 0))
  )

const linesOf = (steps: ReadonlyArray<ShownStep>): ReadonlyArray<string> => stepLines(steps.map(({ step }) => step))
