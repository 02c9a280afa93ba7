import { type FormEvent, useId, useState } from "react"
import { Notice } from "../parts/Notice.tsx"
import { signIn, useSession } from "./session.ts"
import { typedToken } from "./token.ts"

/** Asks for the token that `proofline serve` printed. */
export const SignIn = () => {
  const { was_refused } = useSession()
  const [typed, setTyped] = useState("")
  const [isEmpty, setEmpty] = useState(false)
  const field = useId()
  const explanation = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const token = typedToken(typed)
    if (token === null) setEmpty(true)
    else signIn(token)
  }
  return (
    <main className="sign-in" id="main">
      <form className="card stack" onSubmit={submit}>
        <h1>Proofline</h1>
        <p id={explanation} className="muted">
          This page shows the runs of a project to its operator alone. Open the address that{" "}
          <code>proofline serve</code> printed, or paste the token that stands in it.
        </p>
        {isEmpty ? (
          <Notice tone="bad" title="That is no token.">
            It is one word without blanks, or the whole address with <code>#token=</code> in it.
          </Notice>
        ) : was_refused ? (
          <Notice tone="bad" title="The server does not take this token.">
            Each start of <code>proofline serve</code> makes another one: use the one it printed last.
          </Notice>
        ) : null}
        <div className="field">
          <label htmlFor={field}>Token</label>
          <input
            id={field}
            type="password"
            autoComplete="off"
            spellCheck={false}
            aria-describedby={explanation}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value)
              setEmpty(false)
            }}
          />
        </div>
        <button type="submit" className="primary">
          Show the project
        </button>
      </form>
    </main>
  )
}
