import type { AgentStep } from "@proofline/kernel"

/** So many lines are shown of an agent that works. */
const maxLines = 2

const marks = { running: "…", done: "✓", failed: "✗" } as const
const answers = { allowed: "allowed", denied: "denied", not_answered: "not answered" } as const

/** What an agent did last, one line a step: what it says, its tools with the files they name, how far its plan is. */
export const stepLines = (steps: ReadonlyArray<AgentStep>): ReadonlyArray<string> =>
  steps
    .map(stepLine)
    .filter((line) => line !== "")
    .slice(-maxLines)

const stepLine = (step: AgentStep): string => {
  switch (step.type) {
    case "text":
      return lastLine(step.text)
    case "thought":
      return `(${lastLine(step.text)})`
    case "tool": {
      const files = step.files.filter((file) => !step.title.includes(file))
      return `${marks[step.status]} ${step.title}${files.length === 0 ? "" : `  ${files.join(", ")}`}`
    }
    case "plan": {
      const done = step.entries.filter(({ status }) => status === "completed").length
      const now = step.entries.find(({ status }) => status === "in_progress")
      return `plan ${done}/${step.entries.length}${now === undefined ? "" : `: ${now.text}`}`
    }
    case "note":
      return lastLine(step.text)
    case "permission":
      return `may it: ${step.title}? ${answers[step.answer]}`
  }
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? ""
