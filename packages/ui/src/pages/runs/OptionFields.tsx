import { durationMs, isWhole, type RunOption, type RunOptions, usualText, wordsOf } from "@proofline/plugins/options"
import { Fragment, type ReactNode, useId } from "react"
import { named } from "../../parts/code/visible.ts"
import { Field } from "../../parts/Field.tsx"
import "./OptionFields.css"

type Ast = RunOption["schema"]["ast"]

/** How an option is written into a form. */
type Form = "agent" | "duration" | "lines" | "number" | "ticks" | "text" | "word" | "yes or no"

/** What names an agent: those of the project are offered. */
const agentKeys: ReadonlySet<string> = new Set(["agent", "planner", "reviewer"])

/** Of a list: what it is made of. */
const itemOf = (ast: Ast): Ast | undefined => (ast._tag === "Arrays" ? ast.rest[0] : undefined)

const formOf = (key: string, { schema: { ast }, unit }: RunOption): Form => {
  if (unit === "ms") return "duration"
  if (agentKeys.has(key)) return "agent"
  const item = itemOf(ast)
  if (item !== undefined) return wordsOf(item).length > 0 ? "ticks" : "lines"
  if (wordsOf(ast).length > 0) return "word"
  return ast._tag === "Boolean" ? "yes or no" : ast._tag === "Number" ? "number" : "text"
}

/** The lines of a field that have something in them. */
export const linesOf = (form: FormData, name: string): ReadonlyArray<string> =>
  String(form.get(name) ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const readIn = (key: string, option: RunOption, form: FormData): unknown => {
  const text = String(form.get(key) ?? "").trim()
  switch (formOf(key, option)) {
    case "ticks": {
      const ticked = form.getAll(key)
      return ticked.length === 0 ? undefined : ticked
    }
    case "lines": {
      const lines = linesOf(form, key)
      return lines.length === 0 ? undefined : lines
    }
    case "number":
      return text === "" ? undefined : Number(text)
    case "duration":
      return text === "" ? undefined : (durationMs(text, 0) ?? undefined)
    case "yes or no":
      return text === "" ? undefined : text === "yes"
    default:
      return text === "" ? undefined : text
  }
}

/** By key; none is there without a value. */
type SaidIn<O extends RunOptions> = { readonly [K in keyof O]?: O[K]["schema"]["Type"] }

/** What a form says of these options; what is left as it was is left out. */
export const saidIn = <O extends RunOptions>(options: O, form: FormData): SaidIn<O> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([key, option]) => {
      const value = readIn(key, option, form)
      return value === undefined ? [] : [[key, value]]
    })
  ) as SaidIn<O>

/** What is chosen most, and what bounds a run; all else is folded. */
const first: ReadonlySet<string> = new Set(["agent", "agent_command", "model", "reviewer", "workers", "max_retries"])
const budget: ReadonlySet<string> = new Set(["max_attempts", "max_duration", "max_tokens", "max_cost"])

interface OptionFieldsProps {
  readonly options: RunOptions
  readonly agents: ReadonlyArray<string>
  /** What is taken where nothing is said. */
  readonly unset: string
}

/** A field for every option, by what is declared of it. */
export const OptionFields = ({ agents, options, unset }: OptionFieldsProps) => {
  const names = useId()
  const fields = (is: (key: string) => boolean) =>
    Object.entries(options)
      .filter(([key]) => is(key))
      .map(([key, option]) => <OptionField key={key} name={key} option={option} unset={unset} agents={names} />)
  return (
    <>
      <datalist id={names}>
        {[...new Set(["auto", ...agents, "command", "none"])].map((name) => (
          <option key={name} value={name}>
            {named(name)}
          </option>
        ))}
      </datalist>
      {fields((key) => first.has(key))}
      <fieldset className="option-group">
        <legend>Budget</legend>
        <div className="option-fields">{fields((key) => budget.has(key))}</div>
      </fieldset>
      <More title="More options">
        <div className="option-fields">{fields((key) => !first.has(key) && !budget.has(key))}</div>
      </More>
    </>
  )
}

/** Fields that are folded at first. */
export const More = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <details
    className="option-more"
    // a field that the browser finds fault with can only be shown where it is seen
    onInvalidCapture={({ currentTarget }) => {
      currentTarget.open = true
    }}
  >
    <summary>{title}</summary>
    {children}
  </details>
)

interface OptionFieldProps {
  readonly name: string
  readonly option: RunOption
  readonly unset: string
  /** Id of the list of agents. */
  readonly agents: string
}

const OptionField = ({ agents, name, option, unset }: OptionFieldProps) => {
  const form = formOf(name, option)
  const title = option.title ?? titleOf(name)
  const about = <About text={option.description} usual={usualText(option)} />
  if (form === "ticks") {
    const item = itemOf(option.schema.ast)
    return (
      <fieldset className="field option-ticks">
        <legend>{title}</legend>
        {(item === undefined ? [] : wordsOf(item)).map((word) => (
          <label key={word} className="tick">
            <input type="checkbox" name={name} value={word} />
            <span>{word}</span>
          </label>
        ))}
        <p className="field-hint">{about}</p>
      </fieldset>
    )
  }
  return (
    <Field label={title} hint={about}>
      {(id, hint) => {
        const shared = { id, name, "aria-describedby": hint }
        switch (form) {
          case "word":
          case "yes or no":
            return (
              <select {...shared}>
                <option value="">{unset}</option>
                {(form === "word" ? wordsOf(option.schema.ast) : ["yes", "no"]).map((word) => (
                  <option key={word}>{word}</option>
                ))}
              </select>
            )
          case "lines":
            return <textarea {...shared} rows={2} placeholder="one a line" />
          case "number":
            return (
              <input
                {...shared}
                type="number"
                min={0}
                step={isWhole(option.schema.ast) ? 1 : "any"}
                placeholder={unset}
              />
            )
          case "duration":
            return (
              <input
                {...shared}
                pattern="\d+(\.\d+)?(ms|s|m|h)"
                title="A number and its unit: 500ms, 90s, 30m or 2h"
                placeholder={unset}
              />
            )
          case "agent":
            return <input {...shared} list={agents} autoComplete="off" placeholder={unset} />
          case "text":
            return <input {...shared} autoComplete="off" placeholder={unset} />
        }
      }}
    </Field>
  )
}

/** `max_waived` as people write it. */
const titleOf = (key: string): string => {
  const words = key.replaceAll("_", " ")
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Words in backticks are code. */
const About = ({ text, usual }: { readonly text: string; readonly usual: string }): ReactNode => {
  const parts = text.split("`")
  return (
    <>
      {parts.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
        <Fragment key={i}>{i % 2 === 1 ? <code>{part}</code> : part}</Fragment>
      ))}
      {usual === "" ? null : ` Usually ${usual}.`}
    </>
  )
}
