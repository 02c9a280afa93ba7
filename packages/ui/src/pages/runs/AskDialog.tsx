import type { FormEvent, ReactNode } from "react"
import type { Action } from "../../api/useAction.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { FailureNotice } from "../../parts/FailureNotice.tsx"

interface AskDialogProps {
  readonly title: string
  readonly action: Action
  /** What is said when it was not done. */
  readonly failed: string
  /** Of the button that does it. */
  readonly className: "primary" | "danger"
  readonly text: string
  /** On the button that leaves all as it is. */
  readonly stay: string
  readonly onClose: () => void
  readonly onSubmit: (form: FormData) => void
  /** It cannot be done, or not yet. */
  readonly isOff?: boolean
  readonly children: ReactNode
}

/** Says what will happen, and does it when it is asked for. */
export const AskDialog = (props: AskDialogProps) => {
  const { action, children, className, failed, isOff = false, onClose, onSubmit, stay, text, title } = props
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget))
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {children}
        {action.failure === null ? null : <FailureNotice failure={action.failure} title={failed} />}
        <div className="row dialog-buttons">
          <button type="button" onClick={onClose}>
            {stay}
          </button>
          <button type="submit" className={className} disabled={isOff || action.isBusy}>
            {text}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
