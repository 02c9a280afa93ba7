import { useEffect, useId, useState } from "react"
import { CopyButton } from "../../parts/CopyButton.tsx"
import { Empty, Notice } from "../../parts/Notice.tsx"
import { useTitle } from "../../parts/title.ts"
import { type Answer, curlOf, type Endpoint, endpointsOf, fits, type OpenApi, type Schemas, typeOf } from "./openapi.ts"
import { SchemaTree } from "./SchemaTree.tsx"
import "./ReferencePage.css"

const readDocument = async (signal: AbortSignal): Promise<OpenApi> => {
  const answer = await fetch("openapi.json", { signal })
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  return (await answer.json()) as OpenApi
}

/** The reference of the HTTP API, made from the document that programs read too. */
export const ReferencePage = () => {
  useTitle("API")
  const [api, setApi] = useState<OpenApi | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [text, setText] = useState("")
  const field = useId()
  useEffect(() => {
    const controller = new AbortController()
    readDocument(controller.signal).then(setApi, (error: unknown) => {
      if (!controller.signal.aborted) setFault(error instanceof Error ? error.message : String(error))
    })
    return () => controller.abort()
  }, [])
  if (api === null) {
    return (
      <div className="ref stack">
        <h1>API</h1>
        {fault === null ? (
          <p className="muted">Reading the reference …</p>
        ) : (
          <Notice tone="bad" title="The reference could not be read.">
            <code>/openapi.json</code> did not answer as it should ({fault}). Reload the page when the server is there.
          </Notice>
        )}
      </div>
    )
  }
  const schemas = api.components?.schemas ?? {}
  const shown = endpointsOf(api).filter((endpoint) => fits(endpoint, text))
  const groups = [...new Set(shown.map(({ group }) => group))]
  return (
    <div className="ref stack">
      <h1>API</h1>
      <p className="ref-intro muted">
        {api.info?.description ?? ""} Every request shows the operator's token, and operations take an agent's too, as{" "}
        <code>Authorization: Bearer …</code>. Problems are <code>application/problem+json</code> with a stable{" "}
        <code>code</code> and a <code>hint</code>. For programs: <a href="openapi.json">openapi.json</a>.
      </p>
      <div className="field ref-search">
        <label htmlFor={field}>Search</label>
        <input
          id={field}
          type="search"
          placeholder="Path, method or parameter"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <p className="visually-hidden" role="status">
        {shown.length} endpoints
      </p>
      {shown.length === 0 ? <Empty title="No endpoint fits." /> : null}
      {groups.map((group) => (
        <section key={group} className="ref-group" aria-labelledby={`ref-${group}`}>
          <h2 id={`ref-${group}`}>{group}</h2>
          {shown
            .filter((endpoint) => endpoint.group === group)
            .map((endpoint) => (
              <EndpointCard key={endpoint.id} endpoint={endpoint} schemas={schemas} />
            ))}
        </section>
      ))}
    </div>
  )
}

const EndpointCard = ({ endpoint, schemas }: { readonly endpoint: Endpoint; readonly schemas: Schemas }) => {
  const [isOpen, setOpen] = useState(false)
  const { description, method, path, summary } = endpoint
  const details = useId()
  return (
    <article className="card ref-endpoint">
      <h3>
        <button
          type="button"
          className="ref-head"
          aria-expanded={isOpen}
          aria-controls={details}
          onClick={() => setOpen(!isOpen)}
        >
          <span className={`ref-method ref-${method.toLowerCase()}`}>{method}</span>
          <code className="ref-path">{path}</code>
          <span className="muted ref-summary">{summary === "" ? description : summary}</span>
        </button>
      </h3>
      <div id={details} hidden={!isOpen}>
        {isOpen ? <Details endpoint={endpoint} schemas={schemas} /> : null}
      </div>
    </article>
  )
}

const Details = ({ endpoint, schemas }: { readonly endpoint: Endpoint; readonly schemas: Schemas }) => {
  const { answers, body, description, parameters, problems, summary } = endpoint
  const curl = curlOf(endpoint, location.origin, schemas)
  return (
    <div className="ref-details">
      {description === "" || summary === "" ? null : <p>{description}</p>}
      <div className="ref-curl">
        <code>{curl}</code>
        <CopyButton text={curl} label="the curl line" />
      </div>
      {parameters.length === 0 ? null : (
        <>
          <h4>Parameters</h4>
          <ul className="ref-fields">
            {parameters.map((parameter) => (
              <li key={`${parameter.in} ${parameter.name}`} className="ref-field">
                <code className="ref-leaf">{parameter.name}</code>
                <span className="ref-type mono">{typeOf(parameter.schema ?? {}, schemas)}</span>
                <span className="muted">
                  in the {parameter.in}
                  {parameter.required === true ? "" : ", optional"}
                </span>
                {parameter.description === undefined ? null : (
                  <p className="muted ref-about">{parameter.description}</p>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {body === null ? null : (
        <>
          <h4>
            Body <span className="muted">{body.mediaType}</span>
          </h4>
          {body.schema === null ? null : <SchemaTree schema={body.schema} schemas={schemas} />}
        </>
      )}
      {answers.map((answer) => (
        <AnswerPart key={answer.status} answer={answer} schemas={schemas} />
      ))}
      {problems.length === 0 ? null : (
        <>
          <h4>Problems</h4>
          <ul className="ref-problems">
            {problems.map((problem) => (
              <li key={problem.status}>
                <ProblemPart answer={problem} schemas={schemas} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

const AnswerPart = ({ answer, schemas }: { readonly answer: Answer; readonly schemas: Schemas }) => {
  const { description, payload, status } = answer
  return (
    <>
      <h4>
        Answer {status} <span className="muted">{payload?.mediaType ?? "without a body"}</span>
      </h4>
      {description === "" || description === "Success" ? null : <p className="muted">{description}</p>}
      {payload?.schema == null ? null : <SchemaTree schema={payload.schema} schemas={schemas} />}
    </>
  )
}

const ProblemPart = ({ answer, schemas }: { readonly answer: Answer; readonly schemas: Schemas }) => {
  const [isOpen, setOpen] = useState(false)
  const { description, payload, status } = answer
  return (
    <>
      <button type="button" className="ref-open" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
        <code>{status}</code>
        <span className="muted">{description}</span>
      </button>
      {isOpen && payload?.schema != null ? <SchemaTree schema={payload.schema} schemas={schemas} /> : null}
    </>
  )
}
