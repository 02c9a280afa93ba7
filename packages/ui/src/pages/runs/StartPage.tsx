import type { AboutView, InputFile, StartRequest } from "@proofline/plugins/frontends/http/api"
import { promptOptions, startOptions } from "@proofline/plugins/options"
import { type FormEvent, useState } from "react"
import { Link, useLocation } from "wouter"
import { useRevision } from "../../api/live.ts"
import { useProject } from "../../api/project.tsx"
import { useAction } from "../../api/useAction.ts"
import { useApi } from "../../api/useApi.ts"
import { named, visible } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { Field } from "../../parts/Field.tsx"
import { Empty } from "../../parts/Notice.tsx"
import { useTitle } from "../../parts/title.ts"
import { to } from "../../route.ts"
import { linesOf, OptionFields, saidIn } from "./OptionFields.tsx"
import "./StartPage.css"

/** Starts a run from a file of the project, or from a prompt. */
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
      ) : (
        <StartForm inputs={inputs.data.inputs} about={about} />
      )}
    </div>
  )
}

/** What is run: a file, or what is typed. */
type Kind = InputFile["kind"] | "prompt"

const requestOf = (form: FormData, kind: Kind): StartRequest => {
  if (kind !== "prompt") return { file: String(form.get("input")), ...saidIn(startOptions, form) }
  const [checks, checklist] = [linesOf(form, "checks"), linesOf(form, "checklist")]
  return {
    prompt: String(form.get("prompt")),
    ...(checks.length === 0 ? {} : { checks }),
    ...(checklist.length === 0 ? {} : { checklist }),
    ...saidIn(promptOptions, form)
  }
}

const willHappen: Readonly<Record<Kind, string>> = {
  tasks: "Each task of the file is worked on until it is proven or has failed.",
  requirements: "Tasks are made of the requirements, worked on and verified, again and again, until every one is met.",
  prompt: "It is split into subtasks where that helps; each is worked on until all of it holds."
}

const StartForm = ({
  about: { agents, root },
  inputs
}: {
  readonly inputs: ReadonlyArray<InputFile>
  readonly about: AboutView
}) => {
  const [, navigate] = useLocation()
  const start = useAction()
  const [file, setFile] = useState<string | null>(inputs[0]?.path ?? null)
  const kind: Kind = file === null ? "prompt" : (inputs.find(({ path }) => path === file)?.kind ?? "tasks")
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const payload = requestOf(new FormData(event.currentTarget), kind)
    start.run(
      (client) => client.runs.start({ payload }),
      ({ run_id }) => navigate(to.run(run_id))
    )
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Inputs
        inputs={inputs}
        chosen={file}
        onChoose={(path) => {
          setFile(path)
          start.clear()
        }}
      />
      {kind === "prompt" ? <Prompt /> : null}
      <fieldset className="card start-options">
        <legend>How</legend>
        <p className="muted start-about">
          What is left as it is, is as {kind === "prompt" ? "" : "the file and "}
          <code>proofline.yaml</code> {kind === "prompt" ? "says" : "say"}.
        </p>
        <OptionFields
          key={kind}
          options={kind === "prompt" ? promptOptions : kind === "tasks" ? startOptions : requirementsOptions}
          agents={agents}
          unset="as configured"
        />
      </fieldset>
      {start.failure === null ? null : <FailureNotice failure={start.failure} title="The run was not started." />}
      <p className="start-then">
        {willHappen[kind]} Agents begin at once, and change files in <code>{visible(root)}</code>. It ends by itself, or
        when a budget is used up; you can cancel it at any time, and resume it later.
      </p>
      <div className="row">
        <button type="submit" className="primary" disabled={start.isBusy}>
          {start.isBusy ? "Starting …" : "Start the run"}
        </button>
        <span className="muted" role="status">
          {start.isBusy ? "It is checked, and the run begins." : ""}
        </span>
      </div>
    </form>
  )
}

const { from: _, only: __, ...requirementsOptions } = startOptions

const Inputs = ({
  chosen,
  inputs,
  onChoose
}: {
  /** Null: a prompt. */
  readonly chosen: string | null
  readonly inputs: ReadonlyArray<InputFile>
  readonly onChoose: (path: string | null) => void
}) => (
  <fieldset className="card start-files">
    <legend>What is to be run</legend>
    {inputs.map((input) => (
      <label key={input.path} className="start-file">
        <input
          type="radio"
          name="input"
          value={input.path}
          checked={chosen === input.path}
          onChange={() => onChoose(input.path)}
        />
        <span className="mono start-path">{named(input.path)}</span>
        <span className="muted">{input.kind}</span>
      </label>
    ))}
    <label className="start-file">
      <input type="radio" name="input" value="" checked={chosen === null} onChange={() => onChoose(null)} />
      <span>A prompt</span>
      <span className="muted">one large task, in words</span>
    </label>
    {inputs.length > 0 ? null : (
      <p className="muted">
        A tasks or requirements file (.yaml) in the project directory, or one folder below, appears here.{" "}
        <code>proofline init</code> writes one to begin with.
      </p>
    )}
  </fieldset>
)

const Prompt = () => (
  <fieldset className="card start-prompt">
    <legend>The task</legend>
    <Field label="What is to be done">
      {(id) => <textarea id={id} name="prompt" rows={6} required maxLength={20_000} />}
    </Field>
    <Field label="What must be true in the end" hint="One a line: each needs evidence.">
      {(id, hint) => <textarea id={id} name="checklist" rows={3} aria-describedby={hint} />}
    </Field>
    <Field label="Commands that must pass" hint="One a line: each has to exit with 0 when all is done.">
      {(id, hint) => <textarea id={id} name="checks" rows={2} className="mono" aria-describedby={hint} />}
    </Field>
  </fieldset>
)
