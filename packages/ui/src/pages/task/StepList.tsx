import { type AgentStep, shownSteps } from "@proofline/kernel"
import { visible } from "../../parts/code/visible.ts"
import { clockText, timeText } from "../../parts/when.ts"

/** What an agent did, as it told itself, in order. */
export const StepList = ({ text }: { readonly text: string }) => (
  <ol className="task-steps">
    {shownSteps(text).map(({ at, key, step }) => (
      <li key={key} className={`task-step task-step-${step.type}`}>
        <time className="muted" dateTime={at} title={timeText(at)}>
          {clockText(at)}
        </time>
        <Step step={step} />
      </li>
    ))}
  </ol>
)

const Step = ({ step }: { readonly step: AgentStep }) => {
  switch (step.type) {
    case "text":
      return <p className="task-said">{visible(step.text.trim())}</p>
    case "thought":
      return <p className="task-said muted">{visible(step.text.trim())}</p>
    case "tool":
      return (
        <p>
          <Mark of={step.status} /> <code>{visible(step.title)}</code>
          {step.files
            .filter((file) => !step.title.includes(file))
            .map((file) => (
              <span key={file} className="muted">
                {" "}
                {visible(file)}
              </span>
            ))}
        </p>
      )
    case "plan":
      return (
        <ul className="task-plan">
          {step.entries.map((entry) => (
            <li key={entry.text}>
              <Mark of={entry.status} /> {visible(entry.text)}
            </li>
          ))}
        </ul>
      )
    case "note":
      return <p className="muted">{visible(step.text)}</p>
    case "permission":
      return (
        <p>
          Asked whether it may: <code>{visible(step.title)}</code>, {answers[step.answer]}
        </p>
      )
  }
}

const answers = { allowed: "allowed", denied: "denied", not_answered: "not answered" } as const

const marks = {
  running: "…",
  done: "✓",
  failed: "✗",
  pending: "○",
  in_progress: "…",
  completed: "✓"
} as const

const words = {
  running: "running",
  done: "done",
  failed: "failed",
  pending: "not begun",
  in_progress: "begun",
  completed: "done"
} as const

const Mark = ({ of }: { readonly of: keyof typeof marks }) => (
  <>
    <span aria-hidden="true">{marks[of]}</span>
    <span className="visually-hidden">{words[of]}: </span>
  </>
)
