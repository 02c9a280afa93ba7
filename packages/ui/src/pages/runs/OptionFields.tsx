import { useState } from "react"
import { named } from "../../parts/code/visible.ts"
import { Field } from "../../parts/Field.tsx"

/** What somebody wrote into a field of a form; left out where it is empty. */
export const textOf = <Name extends string>(form: FormData, name: Name): { readonly [K in Name]?: string } => {
  const value = form.get(name)
  return typeof value === "string" && value.trim() !== ""
    ? ({ [name]: value.trim() } as { readonly [K in Name]?: string })
    : {}
}

/** The same for a whole number; the field takes nothing else. */
export const wholeOf = <Name extends string>(form: FormData, name: Name): { readonly [K in Name]?: number } => {
  const value = textOf(form, name)[name]
  return value === undefined ? {} : ({ [name]: Number(value) } as { readonly [K in Name]?: number })
}

/** Left out where the box is not ticked: then it is as the file and proofline.yaml say. */
export const tickedOf = <Name extends string>(form: FormData, name: Name): { readonly [K in Name]?: true } =>
  form.get(name) === null ? {} : ({ [name]: true } as { readonly [K in Name]?: true })

/** What runs are started and taken up again with alike. */
export const OptionFields = ({ agents, unset }: { readonly agents: ReadonlyArray<string>; readonly unset: string }) => {
  const [agent, setAgent] = useState("")
  return (
    <>
      <Field label="Agent" hint="Who does the work.">
        {(id, hint) => (
          <select
            id={id}
            name="agent"
            aria-describedby={hint}
            value={agent}
            onChange={(event) => setAgent(event.target.value)}
          >
            <option value="">{unset}</option>
            {[...new Set(["auto", ...agents.filter((name) => name !== "command"), "command"])].map((name) => (
              <option key={name} value={name}>
                {named(name)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {agent === "command" ? (
        <Field label="Agent command" hint="Run by the shell in the project; the prompt comes on stdin.">
          {(id, hint) => <input id={id} name="agent_command" className="mono" required aria-describedby={hint} />}
        </Field>
      ) : null}
      <Field label="Reviewer" hint="Who judges `validation`; `none`: nobody.">
        {(id, hint) => (
          <select id={id} name="reviewer" aria-describedby={hint}>
            <option value="">{unset}</option>
            {[...new Set([...agents.filter((name) => name !== "command"), "none"])].map((name) => (
              <option key={name} value={name}>
                {named(name)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Workers" hint="Attempts at the same time.">
        {(id, hint) => (
          <input id={id} name="workers" type="number" min={1} step={1} placeholder={unset} aria-describedby={hint} />
        )}
      </Field>
      <Field label="Retries" hint="Of a task, at most.">
        {(id, hint) => (
          <input
            id={id}
            name="max_retries"
            type="number"
            min={0}
            step={1}
            placeholder={unset}
            aria-describedby={hint}
          />
        )}
      </Field>
    </>
  )
}
