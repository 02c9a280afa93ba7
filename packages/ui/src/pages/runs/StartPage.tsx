import type { InputFile, StartRequest } from "@proofline/plugins/frontends/http/api"
import { type FormEvent, useState } from "react"
import { Link, useLocation } from "wouter"
import { useRevision } from "../../api/live.ts"
import { useProject } from "../../api/project.tsx"
import { useAction } from "../../api/useAction.ts"
import { useApi } from "../../api/useApi.ts"
import { named } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Field, Tick } from "../../parts/Field.tsx"
import { Empty } from "../../parts/Notice.tsx"
import { useTitle } from "../../parts/title.ts"
import { to } from "../../route.ts"
import { OptionFields, textOf, tickedOf, wholeOf } from "./OptionFields.tsx"
import "./StartPage.css"

/** Starts a run from a file of the project. */
export const StartPage = () => {
  useTitle("Start a run")
  const { about } = useProject()
  const inputs = useApi((client) => client.inputs(), [], { again: useRevision() })
  return (
    <div className="start stack">
      <h1>Start a run</h1>
      {about === null || inputs.data === null ? (
        inputs.error === null ? (
          <p className="muted">Looking for files that can be run …</p>
        ) : (
          <FailureNotice failure={inputs.error} title="The files of the project could not be read." />
        )
      ) : !about.can_start ? (
        <Empty title="Nothing can be started from this page.">
          <p>
            It belongs to one run, and ends with it. <code>proofline serve</code> opens a page that starts runs; on a
            terminal it is <code>proofline run tasks.yaml</code>. What runs already is under{" "}
            <Link href={to.runs}>Runs</Link>.
          </p>
        </Empty>
      ) : inputs.data.inputs.length === 0 ? (
        <Empty title="The project has no file that can be run.">
          <p>
            A tasks or requirements file (.yaml) in the project directory, or one folder below, appears here.{" "}
            <code>proofline init</code> writes one to begin with.
          </p>
        </Empty>
      ) : (
        <StartForm inputs={inputs.data.inputs} agents={about.agents} />
      )}
    </div>
  )
}

const requestOf = (form: FormData, isTasks: boolean): StartRequest => ({
  file: String(form.get("file")),
  ...textOf(form, "agent"),
  ...textOf(form, "agent_command"),
  ...textOf(form, "reviewer"),
  ...wholeOf(form, "workers"),
  ...wholeOf(form, "max_retries"),
  ...tickedOf(form, "fail_fast"),
  ...tickedOf(form, "chunk"),
  ...(isTasks ? { ...textOf(form, "from"), ...textOf(form, "only") } : {})
})

const StartForm = ({
  agents,
  inputs
}: {
  readonly inputs: ReadonlyArray<InputFile>
  readonly agents: ReadonlyArray<string>
}) => {
  const [, navigate] = useLocation()
  const start = useAction()
  const [file, setFile] = useState(inputs[0]?.path ?? "")
  const isTasks = inputs.find(({ path }) => path === file)?.kind !== "requirements"
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const payload = requestOf(new FormData(event.currentTarget), isTasks)
    start.run(
      (client) => client.runs.start({ payload }),
      ({ run_id }) => navigate(to.run(run_id))
    )
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Files
        inputs={inputs}
        chosen={file}
        onChoose={(path) => {
          setFile(path)
          start.clear()
        }}
      />
      <fieldset className="card start-options">
        <legend>How</legend>
        <p className="muted start-about">
          What is left as it is, is as the file and <code>proofline.yaml</code> say.
        </p>
        <OptionFields agents={agents} unset="as configured" />
        {isTasks ? (
          <>
            <Field label="Begin with task" hint="What it depends on is taken as completed.">
              {(id, hint) => <input id={id} name="from" placeholder="id of a task" aria-describedby={hint} />}
            </Field>
            <Field label="Only task" hint="This one alone.">
              {(id, hint) => <input id={id} name="only" placeholder="id of a task" aria-describedby={hint} />}
            </Field>
          </>
        ) : null}
        <Tick name="fail_fast">Stop at the first task that fails</Tick>
        <Tick name="chunk">Large tasks may be split into subtasks</Tick>
      </fieldset>
      {start.failure === null ? null : <FailureNotice failure={start.failure} title="The run was not started." />}
      <div className="row">
        <button type="submit" className="primary" disabled={start.isBusy}>
          {start.isBusy ? "Starting …" : "Start the run"}
        </button>
        <span className="muted" role="status">
          {start.isBusy ? "The file is checked, and the run begins." : ""}
        </span>
      </div>
    </form>
  )
}

const Files = ({
  chosen,
  inputs,
  onChoose
}: {
  readonly inputs: ReadonlyArray<InputFile>
  readonly chosen: string
  readonly onChoose: (path: string) => void
}) => (
  <fieldset className="card start-files">
    <legend>What is to be run</legend>
    {inputs.map((input) => (
      <label key={input.path} className="start-file">
        <input
          type="radio"
          name="file"
          value={input.path}
          checked={chosen === input.path}
          onChange={() => onChoose(input.path)}
        />
        <span className="mono start-path">{named(input.path)}</span>
        <span className="muted">{input.kind}</span>
      </label>
    ))}
  </fieldset>
)
