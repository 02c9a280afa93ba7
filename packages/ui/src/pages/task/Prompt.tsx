import { useState } from "react"
import { ask, type Failure, failureOf } from "../../api/client.ts"
import { useApi } from "../../api/useApi.ts"
import { Printed } from "../../parts/code/Printed.tsx"
import { FailureNotice } from "../../parts/FailureNotice.tsx"

export interface AttemptRef {
  readonly runId: string
  readonly taskId: string
  readonly attempt: number
}

/** What the agent was asked, piece by piece. */
export const Prompt = ({ attempt, bytes, runId, taskId }: AttemptRef & { readonly bytes: number }) => {
  const params = { run: runId, task: taskId, attempt }
  const first = useApi((client) => client.tasks.prompt({ params, query: {} }), [runId, taskId, attempt])
  const [more, setMore] = useState<{ readonly text: string; readonly next: number } | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const next = more?.next ?? first.data?.next ?? 0
  const total = first.data?.total ?? bytes
  const goOn = (): void => {
    setBusy(true)
    setFailure(null)
    ask((client) => client.tasks.prompt({ params, query: { from: next } }))
      .then(
        (view) => setMore((before) => ({ text: (before?.text ?? "") + view.text, next: view.next })),
        (error: unknown) => setFailure(failureOf(error))
      )
      .finally(() => setBusy(false))
  }
  const error = failure ?? first.error
  return (
    <div className="task-prompt">
      {first.data === null ? (
        first.error === null ? (
          <p className="muted">Reading the prompt …</p>
        ) : null
      ) : (
        <Printed text={first.data.text + (more?.text ?? "")} label={`Prompt of attempt ${attempt}`} />
      )}
      {error === null ? null : <FailureNotice failure={error} title="The prompt cannot be shown." />}
      {first.data !== null && next < total ? (
        <button type="button" disabled={isBusy} onClick={goOn}>
          Show more ({sizeText(total - next)} left)
        </button>
      ) : null}
    </div>
  )
}

/** `840 bytes`, `12.4 KiB`, `3.1 MiB`. */
export const sizeText = (bytes: number): string => {
  if (bytes < 1_024) return `${bytes} bytes`
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}
