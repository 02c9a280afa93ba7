/**
 * requirements.yaml:
 *
 *     name: text
 *     context?: text                                       what whoever works on it has to know of the project
 *     requirements:                                        at least one
 *       - id: text                                         letters, digits, _ . -, at most 100
 *         name?: text                                      a short title
 *         description?: text                               this or `name`, or both
 *         acceptance_criteria: [criterion | {criterion, check?, verify?}]     at least one
 *         priority?: required | optional                   required when left out
 *     constraints?: [text]
 *     generation?: {generator?, tasks?: [path]}            `files` when there are tasks, else `agent`
 *     verification?: {verifier?, trust_agent?}             `agent`, and nobody is believed
 *     defaults?: {agent, reviewer, workers, …}             as in tasks.yaml
 *
 * Everywhere but for `requirements` a single text stands for a list of one.
 */
import { Requirement, type RequirementDefinition } from "../../policies/requirements/contract.ts"
import { readDocument, type Source } from "./document.ts"
import { headerFields } from "./header.ts"
import { shortId } from "./ids.ts"
import { tellOtherKind } from "./kind.ts"
import type { MappingNode, Node } from "./Node.ts"
import { listProblems, type Problem, refuse, warn } from "./Problem.ts"
import type { Position } from "./positions.ts"
import { type RunDefaults, runDefaultsOf, runFields, runSynonyms } from "./runDefaults.ts"
import {
  type Located,
  list,
  listOrOne,
  located,
  mapped,
  mapping,
  maxValues,
  nonEmpty,
  oneOf,
  optional,
  type Read,
  type Reading,
  refined,
  required,
  type Shape,
  type Subject,
  text,
  textOr,
  trimmed,
  trueOrFalse,
  under
} from "./shape.ts"
import { quoted } from "./words.ts"

/** A requirements.yaml that holds together. */
export interface RequirementsDocument {
  /** Paths of `generation.tasks` are as they are written: relative to the file. */
  readonly definition: RequirementDefinition
  readonly defaults: RunDefaults
  /** Where it names a generator and a verifier; null: nowhere. */
  readonly at: { readonly generator: Position | null; readonly verifier: Position | null }
}

export interface RequirementsResult {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
  /** Null exactly when there are problems. */
  readonly requirements: RequirementsDocument | null
}

interface Criterion {
  readonly criterion: string
  readonly check: string | null
  readonly verify: string | null
}

const criterion: Shape<Criterion> = textOr(
  mapped(trimmed("what must hold"), (value): Criterion => ({ criterion: value, check: null, verify: null })),
  {
    fields: {
      criterion: required(trimmed("what must hold")),
      check: optional(text("a shell command")),
      verify: optional(trimmed("how to find out"))
    },
    expects: "what must hold",
    synonyms: {
      criterion: ["text", "name", "title", "description", "item"],
      check: ["command", "run", "checks", "test"],
      verify: ["how", "verification", "verified_by"]
    },
    misplaced: { id: "Remove it: criteria are numbered by their place, `<requirement>.<n>` from 1." }
  },
  ({ check, criterion: value, verify }) =>
    value === undefined ? undefined : { criterion: value, check: check ?? null, verify: verify ?? null }
)

/** Refused when empty: nothing to show must not look like everything shown. */
const criteria: Shape<ReadonlyArray<Located<Criterion>>> = nonEmpty(
  listOrOne(located(criterion), "what must hold, at least one criterion"),
  (subject) => ({
    code: "criteria_empty",
    message: `${subject.name} holds no criterion, so nothing could show that the requirement is met.`,
    hint: "Write at least one criterion: what must hold."
  })
)

const meansRequired = "Did you mean `required`? Allowed is `required` or `optional`."
const meansOptional = "Did you mean `optional`? Allowed is `required` or `optional`."

const priority = oneOf(Requirement.fields.priority.literals, {
  must: meansRequired,
  mandatory: meansRequired,
  critical: meansRequired,
  high: meansRequired,
  should: meansOptional,
  could: meansOptional,
  "nice-to-have": meansOptional,
  medium: meansOptional,
  low: meansOptional
})

const requirementFields = {
  id: required(located(shortId)),
  name: optional(trimmed("a short title")),
  description: optional(trimmed("what is required")),
  acceptance_criteria: required(criteria),
  priority: optional(priority)
}

/** A requirement in sentences: by its id where it has one, else by its place in the list. */
const requirementName = (node: MappingNode, subject: Subject): string => {
  const id = node.entries.find((entry) => entry.key === "id")?.value
  return id?.kind === "text" && id.value.trim() !== "" ? `requirement ${quoted(id.value)}` : subject.name
}

const requirement = mapping({
  fields: requirementFields,
  expects: "a requirement with `id`, `description` and `acceptance_criteria`",
  owner: requirementName,
  synonyms: {
    id: ["key"],
    name: ["title"],
    description: ["text", "requirement", "statement", "details"],
    acceptance_criteria: ["criteria", "acceptance", "acceptance_criterion", "criterion", "validation"],
    priority: ["importance", "level"]
  },
  misplaced: {
    optional: "Write `priority: optional`.",
    required: "Write `priority: required`.",
    design_decisions:
      "Write each as an acceptance criterion, or under `constraints` of the file when it holds for everything.",
    notes: "Write it in `description`, or in `context` of the file.",
    check: "Write it beside its criterion: `{criterion, check}`.",
    verify: "Write it beside its criterion: `{criterion, verify}`.",
    constraints: "Write it under `constraints` of the file.",
    context: "Write it in `context` of the file.",
    depends_on: "Remove it: only tasks wait for each other."
  }
})

/** A requirement as far as it could be read, with its place. */
type FoundRequirement = Located<Read<typeof requirementFields>>

const nameOf = (what: string, code: string, examples: string): Shape<string> =>
  refined(text(`the name of a ${what}`), (name, subject) =>
    /^[a-z0-9-]{1,100}$/.test(name)
      ? undefined
      : {
          code,
          message: `${subject.name} cannot be ${quoted(name)}.`,
          hint: `Use lower-case letters, digits and \`-\` only, at most 100, e.g. ${examples}.`
        }
  )

const generationFields = {
  generator: optional(located(nameOf("generator", "generator_invalid", "`agent` or `files`"))),
  tasks: optional(
    located(
      nonEmpty(listOrOne(text("the path of a tasks file"), "the paths of the tasks files"), (subject) => ({
        code: "plans_empty",
        message: `${subject.name} names no tasks file.`,
        hint: "Name one for each iteration, or leave the key out."
      }))
    )
  )
}

const verificationFields = {
  verifier: optional(located(nameOf("verifier", "verifier_invalid", "`agent` or `none`"))),
  trust_agent: optional(located(trueOrFalse))
}

const iterations = "Say it on the command line: `--max-iterations`."

const fileFields = {
  name: required(trimmed("a name")),
  context: optional(trimmed("what has to be known of the project")),
  requirements: required(
    nonEmpty(
      list(located(requirement), "a list of requirements", (n) => `requirement ${n}`),
      () => ({
        code: "requirements_empty",
        message: "`requirements` holds no requirement.",
        hint: "Write at least one requirement with `id`, `description` and `acceptance_criteria`."
      })
    )
  ),
  constraints: optional(listOrOne(trimmed("a constraint"), "the constraints")),
  generation: optional(
    under(
      "generation",
      mapping({
        fields: generationFields,
        expects: "a `generator` or `tasks`",
        owner: () => null,
        synonyms: { generator: ["by", "agent"], tasks: ["files", "plans", "plan", "file"] },
        misplaced: { max_iterations: iterations }
      })
    )
  ),
  verification: optional(
    under(
      "verification",
      mapping({
        fields: verificationFields,
        expects: "a `verifier` or `trust_agent`",
        owner: () => null,
        synonyms: { verifier: ["by", "agent"], trust_agent: ["trust", "trust_verifier"] },
        misplaced: { max_iterations: iterations }
      })
    )
  ),
  defaults: optional(
    mapped(
      mapping({
        fields: runFields,
        expects: "settings such as `max_retries: 2`",
        synonyms: runSynonyms,
        misplaced: { max_iterations: iterations, chunking: "Write it in proofline.yaml." }
      }),
      runDefaultsOf
    )
  ),
  ...headerFields
}

const everyTask = "Write it in `common_checks` or `common_validation` of the tasks files, or under `constraints`."

const fileShape = mapping({
  fields: fileFields,
  expects: "a mapping with the keys `name` and `requirements`",
  owner: () => null,
  synonyms: {
    name: ["title", "feature"],
    context: ["background", "overview"],
    constraints: ["constraint", "rules"],
    defaults: ["config", "settings"]
  },
  misplaced: {
    tasks: "Write tasks in a file of their own, and name it under `generation.tasks`.",
    description: "Write it in `context`.",
    notes: "Write it in `context`.",
    design_decisions: "Write them under `constraints`.",
    common_validation: everyTask,
    common_checks: everyTask,
    max_iterations: iterations,
    generator: "Write it under `generation`.",
    verifier: "Write it under `verification`.",
    trust_agent: "Write it under `verification`.",
    chunking: "Write it in proofline.yaml."
  }
})

type FoundFile = Read<typeof fileFields>

const checkIds = (requirements: ReadonlyArray<FoundRequirement>, source: Source): void => {
  const first = new Map<string, Node>()
  for (const { value } of requirements) {
    if (value.id === undefined) continue
    const { node, value: id } = value.id
    const earlier = first.get(id)
    if (earlier === undefined) {
      first.set(id, node)
      continue
    }
    refuse(source.findings, {
      code: "id_duplicate",
      message: `The id ${quoted(id)} is already taken by the requirement on line ${source.positions.lineOf(earlier.start)}.`,
      hint: "Give every requirement an id of its own.",
      start: node.start,
      end: node.end
    })
  }
}

const hasKey = (node: Node, key: string): boolean =>
  node.kind === "mapping" && node.entries.some((entry) => entry.key === key)

/** A requirement says what it is about, in its description or at least in its title. */
const checkDescribed = ({ node, value }: FoundRequirement, source: Source): void => {
  if (hasKey(node, "description") || hasKey(node, "name")) return
  refuse(source.findings, {
    code: "description_missing",
    message: `${value.id === undefined ? "A requirement" : `Requirement ${quoted(value.id.value)}`} has neither a \`description\` nor a \`name\`.`,
    hint: "Add `description:` with what is required.",
    start: node.start,
    end: node.end
  })
}

const warnOfEqualCriteria = ({ value }: FoundRequirement, source: Source): void => {
  const first = new Map<string, Node>()
  for (const { node, value: found } of value.acceptance_criteria ?? []) {
    const earlier = first.get(found.criterion)
    if (earlier === undefined) {
      first.set(found.criterion, node)
      continue
    }
    warn(source.findings, {
      code: "criterion_duplicate",
      message: `The criterion ${quoted(found.criterion)} is already on line ${source.positions.lineOf(earlier.start)}.`,
      hint: "Remove it, or say what is different; as it is, each of the two must be shown.",
      start: node.start,
      end: node.end
    })
  }
}

const warnOfNoneRequired = (requirements: ReadonlyArray<FoundRequirement>, source: Source): void => {
  const [first] = requirements
  if (first === undefined || requirements.some(({ value }) => value.priority !== "optional")) return
  warn(source.findings, {
    code: "requirements_optional",
    message: "Every requirement is optional, so all of them decide whether the run succeeds.",
    hint: "Leave `priority` out where a requirement must be met, so that the others need not be.",
    start: first.node.start,
    end: Number.POSITIVE_INFINITY
  })
}

const checkGeneration = ({ generator, tasks }: Read<typeof generationFields>, source: Source): void => {
  if (generator?.value === "files" && tasks === undefined) {
    refuse(source.findings, {
      code: "plans_missing",
      message: "`generation.generator` is `files`, but no tasks file is named.",
      hint: "Add `tasks:` under `generation`, with the path of one tasks file for each iteration.",
      start: generator.node.start,
      end: generator.node.end
    })
  }
  if (generator?.value === "agent" && tasks !== undefined) {
    refuse(source.findings, {
      code: "plans_unused",
      message: "`generation.tasks` names tasks files, but the generator `agent` reads none.",
      hint: "Write `generator: files`, or remove `tasks`.",
      start: tasks.node.start,
      end: Math.max(tasks.node.end, generator.node.end)
    })
  }
}

const checkVerification = ({ trust_agent, verifier }: Read<typeof verificationFields>, source: Source): void => {
  if (verifier?.value !== "none" || trust_agent?.value !== true) return
  refuse(source.findings, {
    code: "nobody_to_trust",
    message: "`verification.trust_agent` is true, but with the verifier `none` nobody is asked.",
    hint: "Write `verifier: agent`, or remove `trust_agent`.",
    start: trust_agent.node.start,
    end: Math.max(trust_agent.node.end, verifier.node.end)
  })
}

const toRequirement = ({ value }: FoundRequirement): ReadonlyArray<Requirement> => {
  const { acceptance_criteria, id, name, priority: asked } = value
  const description = value.description ?? name
  if (id === undefined || description === undefined) return []
  return [
    {
      id: id.value,
      // a title alone says what is required, and need not be said twice
      name: value.description === undefined ? null : (name ?? null),
      description,
      acceptance_criteria: (acceptance_criteria ?? []).map((found, index) => ({
        id: `${id.value}.${index + 1}`,
        ...found.value
      })),
      priority: asked ?? "required"
    }
  ]
}

const toDocument = (file: FoundFile, { positions }: Source): RequirementsDocument => {
  const { generator, tasks } = file.generation ?? {}
  const { trust_agent, verifier } = file.verification ?? {}
  const placeOf = (named: { readonly node: Node } | undefined) =>
    named === undefined ? null : positions.at(named.node.start)
  return {
    definition: {
      name: file.name ?? "",
      context: file.context ?? "",
      requirements: (file.requirements ?? []).flatMap(toRequirement),
      constraints: file.constraints ?? [],
      generation: {
        generator: generator?.value ?? (tasks === undefined ? "agent" : "files"),
        tasks: tasks?.value ?? []
      },
      verification: { verifier: verifier?.value ?? "agent", trust_agent: trust_agent?.value ?? false }
    },
    defaults: file.defaults ?? {},
    at: { generator: placeOf(generator), verifier: placeOf(verifier) }
  }
}

const readFile = (root: Node, source: Source): FoundFile => {
  const reading: Reading = { findings: source.findings, budget: maxValues, syntax: "yaml" }
  const file = fileShape.read(root, { name: "the file", otherwise: "" }, reading) ?? {}
  const requirements = file.requirements ?? []
  checkIds(requirements, source)
  for (const found of requirements) checkDescribed(found, source)
  for (const found of requirements) warnOfEqualCriteria(found, source)
  warnOfNoneRequired(requirements, source)
  checkGeneration(file.generation ?? {}, source)
  checkVerification(file.verification ?? {}, source)
  return file
}

/**
 * Reads the text of a requirements.yaml and tells everything that is wrong with it at once, in the order of the file.
 * Behind a syntax error only what was certainly read right is told. Never throws.
 */
export const parseRequirements = (content: string, file: string): RequirementsResult => {
  const source = readDocument(content)
  if (source.root === null && source.findings.problems.length === 0) {
    refuse(source.findings, {
      code: "file_empty",
      message: "The file is empty.",
      hint: "Write a `name`, and a list of requirements under the key `requirements`.",
      start: 0,
      end: 0
    })
  }
  const found = source.root === null || tellOtherKind(source, "requirements") ? {} : readFile(source.root, source)
  const { problems, warnings } = listProblems(source, file)
  return { problems, warnings, requirements: problems.length === 0 ? toDocument(found, source) : null }
}
