import { type AgentStep, TimedStep } from "@proofline/kernel"
import { Schema } from "effect"
import { boundedOutput } from "../node-process/output.ts"

/** As much as is kept of what an agent prints, bytes. */
const MAX_STEPS_BYTES = 8 * 1024 * 1024
/** Text comes in pieces of a few words. It is told by lines, or when there is so much of it; characters. */
const MAX_HELD = 400
/** Of a title, an entry of a plan or a path; characters. */
const MAX_LABEL = 500

/** What an agent tells of itself while it works. */
export interface Steps {
  readonly tell: (step: AgentStep) => void
  /** All of it, `TimedStep`s, one a line. Nothing is told afterwards. */
  readonly end: () => Uint8Array
}

/** Told where the session of the attempt before cannot be had. */
export const sessionLost: AgentStep = {
  type: "note",
  text: "The session of the attempt before could not be taken up again: it began a new one."
}

/** Told where a client cannot be offered the server of its attempt. */
export const noServer = (why: string): AgentStep => ({
  type: "note",
  text: `It has no server of Proofline in this attempt, because ${why}: it reports by its file.`
})

const encode = Schema.encodeSync(TimedStep)

/** `now` gives the time in ms; `stepped` hears each step that is kept, and how many there are with it. */
export const makeSteps = (
  push: (chunk: Uint8Array) => void,
  now: () => number,
  stepped: (step: AgentStep, count: number) => void = () => {}
): Steps => {
  const all = boundedOutput(MAX_STEPS_BYTES)
  let count = 0
  let held: { readonly type: "text" | "thought"; text: string } | null = null
  const write = (step: AgentStep): void => {
    const line = Buffer.from(`${encode({ at: new Date(now()).toISOString(), step: shortened(step) })}\n`)
    all.push(line)
    push(line)
    stepped(step, ++count)
  }
  const release = (): void => {
    if (held !== null && held.text.trim() !== "") write(held)
    held = null
  }
  return {
    tell: (step) => {
      if (step.type !== "text" && step.type !== "thought") {
        release()
        return write(step)
      }
      if (held !== null && held.type !== step.type) release()
      held = { type: step.type, text: (held?.text ?? "") + step.text }
      if (held.text.length > MAX_HELD || held.text.endsWith("\n")) release()
    },
    end: () => {
      release()
      return all.bytes()
    }
  }
}

const short = (text: string): string => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL)}…` : text)

const shortened = (step: AgentStep): AgentStep => {
  switch (step.type) {
    case "tool":
      return { ...step, title: short(step.title), files: step.files.slice(0, 100).map(short) }
    case "permission":
      return { ...step, title: short(step.title) }
    case "plan":
      return { ...step, entries: step.entries.slice(0, 100).map((entry) => ({ ...entry, text: short(entry.text) })) }
    default:
      return step
  }
}
