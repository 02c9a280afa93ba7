import { type ReactNode, useId } from "react"

/** A field with its label and a line about it; `children` draws it with the ids that join them. */
export const Field = ({
  children,
  hint,
  label
}: {
  readonly label: string
  readonly hint?: ReactNode
  readonly children: (id: string, hintId: string | undefined) => ReactNode
}) => {
  const id = useId()
  const hintId = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id, hint === undefined ? undefined : hintId)}
      {hint === undefined ? null : (
        <p id={hintId} className="field-hint">
          {hint}
        </p>
      )}
    </div>
  )
}
