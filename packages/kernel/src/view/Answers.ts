/** What a person may answer and where it leads, in the same words on the terminal, over HTTP and MCP, and on the page. */
import type { PersonAnswer } from "../modules/tasks/schemas.ts"
import type { PermissionAnswer } from "../port/Agent.ts"

/** About what an agent asks leave for. */
export const permissionAnswers: Readonly<Record<PermissionAnswer, string>> = {
  allow: "The agent may do this, only this time.",
  always: "It may do this and everything of its kind, for as long as it works.",
  deny: "It may not, and goes on without it."
}

/** About an item that an agent cannot do. */
export const itemAnswers: Readonly<Record<PersonAnswer, string>> = {
  waive: "It is not needed: it counts as waived, by you.",
  continue: "It can be done, as you say: another attempt is told, and no retry is used up.",
  give_up: "The task fails, with this as the reason."
}

/** What becomes of a run that has ended when something that it asks is answered. `isResumed`: whoever takes the answer resumes it. */
export const afterAnswer = (isResumed: boolean): string =>
  isResumed
    ? "The run has ended. With your answer it is taken up again, and agents begin at once, unless something else is still asked of it."
    : "The run has ended. It goes on with your answer when it is resumed."

/** What follows the phase of a session run in which a person is asked. */
export interface PhaseThen {
  readonly phase: string
  readonly kind: string
}

/** Where an answer leads; null: the contract says nothing of what follows. */
export const answerLeadsTo = (then: PhaseThen | null): string => {
  if (then === null) return "Refused: the phase contract names nothing that follows."
  const { kind, phase } = then
  switch (kind) {
    case "end":
      return `The run ends (${phase}).`
    case "stop":
      return `The work is given up: the run ends (${phase}).`
    case "person":
      return `You are asked again (${phase}).`
    case "verify":
      return `The work is verified (${phase}).`
    default:
      return `The agent reads it and goes on with ${phase}.`
  }
}
