// Draws the states of the built-in phase contracts: docs/pull-mode-states.md.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type ContractResult, parseContract } from "@proofline/plugins/adapters/project-files"
import { placeholders } from "@proofline/plugins/policies/evidence"
import { compileNotation, type PhaseContract } from "@proofline/plugins/policies/sessions"

type Transition = PhaseContract["start"][number]
type Condition = NonNullable<Transition["when"]>

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Of lists of names one is enough; of payloads every field counts. */
const conditionText = (condition: Condition): string =>
  [
    ...Object.entries(condition.payload ?? {}).map(([field, wanted]) => `${field} = ${[wanted].flat().join(" or ")}`),
    ...(condition.empty ?? []).map((field) => `no ${field}`),
    ...(condition.filled ?? []).map((field) => `${field} given`),
    ...(condition.flags === undefined ? [] : [`flag ${condition.flags.join(" or ")}`]),
    ...(condition.intent === undefined ? [] : [`intent ${condition.intent.join(" or ")}`]),
    ...(condition.gate === undefined ? [] : [`gate ${condition.gate.join(" or ")}`]),
    ...(condition.outcome === undefined ? [] : [condition.outcome]),
    ...(condition.tasks === undefined ? [] : [`tasks ${condition.tasks}`]),
    ...(condition.reached === undefined ? [] : [`limit of ${condition.reached.join(" or ")}`])
  ].join(", ")

const labelOf = ({ count, reset, unless, when }: Transition): string =>
  [
    ...(when === undefined ? [] : [conditionText(when)]),
    ...(unless === undefined ? [] : [`not (${conditionText(unless)})`]),
    ...(count === undefined ? [] : [`counts ${count}`]),
    ...(reset === undefined || reset.length === 0 ? [] : [`resets ${reset.join(", ")}`])
  ].join(", ")

const arrow = (from: string, transition: Transition): string => {
  const label = labelOf(transition)
  return `  ${from} --> ${transition.to}${label === "" ? "" : `: ${label}`}`
}

const notes: Readonly<Record<string, string>> = {
  plan: "registers tasks",
  tasks: "one report per task",
  complete: "no task open",
  verify: "commands are run",
  person: "a person answers"
}

/** A contract as a Mermaid state diagram, its phases and transitions in their order. */
export const stateDiagram = ({ phases, start }: PhaseContract): string =>
  [
    "stateDiagram-v2",
    ...Object.entries(phases).flatMap(([name, { kind }]) => {
      const note = notes[kind]
      return note === undefined ? [] : [`  ${name}: ${name} (${note})`]
    }),
    ...start.map((transition) => arrow("[*]", transition)),
    ...Object.entries(phases).flatMap(([name, { kind, transitions }]) =>
      kind === "end" || kind === "stop"
        ? [`  ${name} --> [*]`]
        : transitions.map((transition) => arrow(name, transition))
    )
  ].join("\n")

const table = (heading: string, rows: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [`| ${heading} |`, "|---|---|", ...rows.map(([a, b]) => `| \`${a}\` | ${b} |`), ""]

const section = (title: string, contract: PhaseContract): ReadonlyArray<string> => [
  `## ${title}`,
  "",
  "```mermaid",
  stateDiagram(contract),
  "```",
  "",
  ...table(
    "limit | reached at",
    Object.entries(contract.limits).map(([name, limit]) => [name, String(limit)])
  ),
  ...table("flag | what it does", Object.entries(contract.flags))
]

/** The page of the documentation: both built-in contracts. */
export const statesPage = (contracts: { readonly default: PhaseContract; readonly full: PhaseContract }): string =>
  [
    "# The states of pull mode",
    "",
    "<!-- Generated from the phase contracts in packages/cli/templates by `npm run docs:states -w proofline`. -->",
    "",
    "From each phase the first arrow whose condition holds is taken, in the order of `transitions` in the contract.",
    "",
    ...section("The contract `default`", contracts.default),
    ...section("The contract `full`", contracts.full)
  ]
    .join("\n")
    .trimEnd()
    .concat("\n")

/** One of the built-in contracts, read as a project's own is. */
export const readTemplate = (name: "default" | "full", lang: "en" | "ja" = "en"): ContractResult => {
  const file = `${lang === "en" ? "" : `${lang}/`}phase_contract${name === "default" ? "" : `.${name}`}.yml`
  const text = readFileSync(here(`templates/${file}`), "utf8")
  return parseContract(text, file, { placeholders, bases: {}, compile: compileNotation })
}

const drawn = (name: "default" | "full"): PhaseContract => {
  const { merged, problems } = readTemplate(name)
  if (merged === null)
    throw new Error(problems.map(({ file, line, message }) => `${file}:${line} ${message}`).join("\n"))
  return merged
}

if (import.meta.main) {
  writeFileSync(here("../../docs/pull-mode-states.md"), statesPage({ default: drawn("default"), full: drawn("full") }))
}
