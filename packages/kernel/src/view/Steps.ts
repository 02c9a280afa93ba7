import { Option, Schema } from "effect"
import { type AgentStep, TimedStep } from "../port/Agent.ts"

/** A step as it is shown, with the moment of its first line. */
export interface ShownStep {
  readonly key: string
  readonly at: string
  readonly step: AgentStep
}

const decode = Schema.decodeUnknownOption(TimedStep)

/**
 * The steps of lines that an agent told. A tool is one step, at its first line, with its latest state; of a plan the latest
 * one is shown. What is no step, such as half a line, is left out.
 */
export const shownSteps = (text: string): ReadonlyArray<ShownStep> => {
  const steps = new Map<string, ShownStep>()
  text.split("\n").forEach((line, index) => {
    const { at, step } = Option.getOrUndefined(decode(line)) ?? {}
    if (at === undefined || step === undefined) return
    if (step.type === "plan") steps.delete("plan")
    const key =
      step.type === "plan" ? "plan" : step.type === "tool" && step.id !== "" ? `tool ${step.id}` : `line ${index}`
    const before = steps.get(key)
    steps.set(key, { key, at: before?.at ?? at, step: before === undefined ? step : later(before.step, step) })
  })
  return [...steps.values()]
}

/** A newer state of a tool says only what is new. */
const later = (before: AgentStep, step: AgentStep): AgentStep =>
  before.type === "tool" && step.type === "tool"
    ? {
        ...step,
        title: step.title === "" ? before.title : step.title,
        files: step.files.length === 0 ? before.files : step.files
      }
    : step
