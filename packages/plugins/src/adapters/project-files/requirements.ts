/** requirements.yaml: what a project must fulfil. What it may say is in `RequirementsFile`. */

import { type RunDefaults, runDefaultsOf } from "../../options/index.ts"
import { quoted } from "../../options/words.ts"
import { Requirement, type RequirementDefinition } from "../../policies/requirements/contract.ts"
import { asList, type Decoded, decodeFile, eachOf, type Found } from "./decodeFile.ts"
import { readDocument, type Source } from "./document.ts"
import {
  command,
  type Fault,
  fullList,
  fullListOrOne,
  headerFields,
  listOrOne,
  mapping,
  oneOf,
  optional,
  ownId,
  pluginName,
  required,
  rule,
  shortTitle,
  text,
  textOr,
  trueOrFalse
} from "./fileSchema.ts"
import { tellOtherKind } from "./kind.ts"
import type { Node } from "./Node.ts"
import { listProblems, type Problem, refuse, warn } from "./Problem.ts"
import type { Position } from "./positions.ts"
import { refuseTakenIds, warnOfEqual } from "./repeats.ts"
import { runFields, runSynonyms } from "./settings.ts"

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

const Criterion = textOr(
  text("what must hold"),
  mapping(
    {
      criterion: required(text("what must hold"), { description: "What must hold." }),
      check: optional(command, {
        description: "A shell command, run in the project's directory. While it exits 0, the criterion is proven."
      }),
      verify: optional(text("how to find out"), {
        title: "How to find out",
        description: "In words, for whoever verifies: how it can be seen.",
        examples: ["Ask for a reset twice and compare the links"]
      })
    },
    "what must hold",
    {
      synonyms: {
        criterion: ["text", "name", "title", "description", "item"],
        check: ["command", "run", "checks", "test"],
        verify: ["how", "verification", "verified_by"]
      },
      misplaced: { id: "Remove it: criteria are numbered by their place, `<requirement>.<n>` from 1." }
    }
  )
).annotate({
  identifier: "criterion",
  title: "Acceptance criterion",
  description: "What must hold. Its id is `<requirement>.<n>`, from 1.",
  examples: ["A link works once", { criterion: "A link is refused after an hour", check: "npm test -- reset.expiry" }]
})

const meansRequired = "Did you mean `required`? Allowed is `required` or `optional`."
const meansOptional = "Did you mean `optional`? Allowed is `required` or `optional`."

const Priority = oneOf(Requirement.fields.priority.literals, {
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

/** A requirement says what it is about, in its description or at least in its title. */
const described = rule<{ readonly id?: unknown; readonly name?: unknown; readonly description?: unknown }>(
  ({ description, id, name }) => {
    if (description !== undefined || name !== undefined) return undefined
    const which = typeof id === "string" ? `Requirement ${quoted(id)}` : "A requirement"
    const message = `${which} has neither a \`description\` nor a \`name\`.`
    return { code: "description_missing", message, hint: "Add `description:` with what is required.", at: "" }
  },
  { anyOf: [{ required: ["description"] }, { required: ["name"] }] }
)

const Requirements = mapping(
  {
    id: ownId("login", "req_1"),
    name: optional(text("a short title"), shortTitle("Ask for a reset")),
    description: optional(text("what is required"), {
      title: "Description",
      description: "What is required. May be left out where `name` says it."
    }),
    // nothing to show must not look like everything shown
    acceptance_criteria: required(
      fullListOrOne(Criterion, "what must hold, at least one criterion", (name) => ({
        code: "criteria_empty",
        message: `${name} holds no criterion, so nothing could show that the requirement is met.`,
        hint: "Write at least one criterion: what must hold."
      })),
      {
        title: "Acceptance criteria",
        description: "What must hold for the requirement to be met: all of it, each proven by itself."
      }
    ),
    priority: optional(Priority, {
      title: "Priority",
      description: "`required` gates success; `optional` is worked on and reported.",
      default: "required"
    })
  },
  "a requirement with `id`, `description` and `acceptance_criteria`",
  {
    // by its id where it has one, else by its place in the list
    owner: ({ id }, name) => (typeof id === "string" && id.trim() !== "" ? `requirement ${quoted(id)}` : name),
    synonyms: {
      id: ["key"],
      name: ["title"],
      description: ["text", "desc", "requirement", "statement", "details"],
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
  }
)
  .check(described)
  .annotate({ identifier: "requirement", title: "Requirement" })

const iterations = "Say it on the command line: `--max-iterations`."

/** The tasks files are for the generator that reads them. */
const plansOfFiles = rule<{ readonly generator?: unknown; readonly tasks?: unknown }>(
  ({ generator, tasks }) => {
    if (generator === "files" && tasks === undefined) {
      return {
        code: "plans_missing",
        message: "`generation.generator` is `files`, but no tasks file is named.",
        hint: "Add `tasks:` under `generation`, with the path of one tasks file for each iteration.",
        of: "generator"
      }
    }
    if (generator !== "agent" || tasks === undefined) return undefined
    const message = "`generation.tasks` names tasks files, but the generator `agent` reads none."
    return { code: "plans_unused", message, hint: "Write `generator: files`, or remove `tasks`.", of: "tasks" }
  },
  {
    allOf: [
      { anyOf: [{ properties: { generator: { not: { const: "files" } } } }, { required: ["tasks"] }] },
      { anyOf: [{ properties: { generator: { not: { const: "agent" } } } }, { not: { required: ["tasks"] } }] }
    ]
  }
)

const trustOfSomebody = rule<{ readonly verifier?: unknown; readonly trust_agent?: unknown }>(
  ({ trust_agent, verifier }): Fault | undefined =>
    verifier !== "none" || trust_agent !== true
      ? undefined
      : {
          code: "nobody_to_trust",
          message: "`verification.trust_agent` is true, but with the verifier `none` nobody is asked.",
          hint: "Write `verifier: agent`, or remove `trust_agent`.",
          of: "trust_agent"
        },
  {
    anyOf: [{ properties: { verifier: { not: { const: "none" } } } }, { properties: { trust_agent: { const: false } } }]
  }
)

const everyTask = "Write it in `common_checks` or `common_validation` of the tasks files, or under `constraints`."

/** What requirements.yaml may say. Everywhere but for `requirements` a single text stands for a list of one. */
export const RequirementsFile = mapping(
  {
    name: required(text("a name"), {
      title: "Name",
      description: "Name of what is wanted.",
      examples: ["Password reset"]
    }),
    context: optional(text("what has to be known of the project"), {
      title: "Context",
      description: "What whoever works on it has to know of the project; it goes with every request."
    }),
    requirements: required(
      fullList(
        Requirements,
        "a list of requirements",
        () => ({
          code: "requirements_empty",
          message: "`requirements` holds no requirement.",
          hint: "Write at least one requirement with `id`, `description` and `acceptance_criteria`."
        }),
        { itemName: (n) => `requirement ${n}` }
      ),
      { title: "Requirements", description: "What is required, each with what shows that it is met." }
    ),
    constraints: optional(listOrOne(text("a constraint"), "the constraints"), {
      title: "Constraints",
      description: "What every task has to respect.",
      examples: [["No new dependencies"]]
    }),
    generation: optional(
      mapping(
        {
          generator: optional(pluginName("generator", "`agent` or `files`"), {
            title: "Generator",
            description:
              "`agent`: the working agent is asked. `files`: the files under `tasks` are taken. Or the name of a plugin's. Left out: `files` when `tasks` is given, else `agent`.",
            examples: ["agent", "files"]
          }),
          tasks: optional(
            fullListOrOne(text("the path of a tasks file"), "the paths of the tasks files", (name) => ({
              code: "plans_empty",
              message: `${name} names no tasks file.`,
              hint: "Name one for each iteration, or leave the key out."
            })),
            {
              title: "Tasks files",
              description: "For `files`: one tasks file for each iteration, relative to this file.",
              examples: [["plan-1.yaml", "plan-2.yaml"]]
            }
          )
        },
        "a `generator` or `tasks`",
        {
          path: "generation",
          owner: () => null,
          synonyms: { generator: ["by", "agent"], tasks: ["files", "plans", "plan", "file"] },
          misplaced: { max_iterations: iterations }
        }
      ).check(plansOfFiles),
      { title: "Generation", description: "Who makes tasks of requirements." }
    ),
    verification: optional(
      mapping(
        {
          verifier: optional(pluginName("verifier", "`agent` or `none`"), {
            title: "Verifier",
            description:
              "`agent`: an agent looks, once for each requirement. `none`: nobody is asked. Or the name of a plugin's.",
            default: "agent",
            examples: ["agent", "none"]
          }),
          trust_agent: optional(trueOrFalse, {
            title: "Believe the verifier",
            description:
              "true: an opinion counts as proof where it shows a run or code that exists. false: what only an agent says is unproven.",
            default: false
          })
        },
        "a `verifier` or `trust_agent`",
        {
          path: "verification",
          owner: () => null,
          synonyms: { verifier: ["by", "agent"], trust_agent: ["trust", "trust_verifier"] },
          misplaced: { max_iterations: iterations }
        }
      ).check(trustOfSomebody),
      { title: "Verification", description: "Who is asked about what no check and no task has proven." }
    ),
    defaults: optional(
      mapping(runFields, "settings such as `max_retries: 2`", {
        synonyms: runSynonyms,
        misplaced: { max_iterations: iterations, chunking: "Write it in proofline.yaml." }
      }),
      {
        title: "How to run",
        description: "Settings of the run. Options on the command line go before them, they go before proofline.yaml.",
        examples: [{ workers: 4, max_retries: 1 }]
      }
    ),
    ...headerFields
  },
  "a mapping with the keys `name` and `requirements`",
  {
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
  }
).annotate({
  title: "Proofline requirements",
  description:
    "requirements.yaml: what a project must fulfil, and what shows that it does. Tasks are made, run and added until every required requirement is met.",
  examples: [
    {
      name: "Password reset",
      context: "Express 5 on Node 24. Tests run with `npm test`.",
      requirements: [
        {
          id: "request",
          name: "Ask for a reset",
          description: "Who has forgotten the password can ask for a link.",
          acceptance_criteria: [
            "POST /reset answers 202 whether the address is known or not",
            { criterion: "A known address is sent one link", check: "npm test -- reset.request" }
          ],
          priority: "required"
        }
      ],
      constraints: ["No new dependencies"]
    },
    {
      name: "Import",
      requirements: [
        {
          id: "csv",
          name: "Import of CSV files",
          acceptance_criteria: [{ criterion: "Quoted commas stay in their cell", check: "npm test -- csv.quotes" }]
        }
      ],
      generation: { tasks: ["import-1.yaml", "import-2.yaml"] },
      verification: { verifier: "none" }
    }
  ]
})

type RequirementsFile = typeof RequirementsFile.Type
type Written = typeof Requirements.Type
type Criterion = typeof Criterion.Type

/** A requirement as far as it could be read, with its index. */
type FoundRequirement = NonNullable<Found<Written>> & { readonly index: number }

const requirementsOf = ({ found }: Decoded<RequirementsFile>): ReadonlyArray<FoundRequirement> =>
  (found?.requirements ?? []).flatMap((written, index) => (written === undefined ? [] : [{ ...written, index }]))

const warnOfEqualCriteria = (
  { acceptance_criteria, index }: FoundRequirement,
  { at }: Decoded<RequirementsFile>,
  source: Source
): void => {
  const all = eachOf<Criterion>(acceptance_criteria, "requirements", index, "acceptance_criteria")
  const criteria = all.flatMap(({ item, path }) => {
    const said = typeof item === "string" ? item : item.criterion
    return said === undefined ? [] : [{ text: said.trim(), node: at(...path) }]
  })
  warnOfEqual("criterion", "criterion_duplicate", "shown", criteria, source)
}

const warnOfNoneRequired = (
  requirements: ReadonlyArray<FoundRequirement>,
  { at }: Decoded<RequirementsFile>,
  { findings }: Source
): void => {
  const [first] = requirements
  if (first === undefined || requirements.some(({ priority }) => priority !== "optional")) return
  warn(findings, {
    code: "requirements_optional",
    message: "Every requirement is optional, so all of them decide whether the run succeeds.",
    hint: "Leave `priority` out where a requirement must be met, so that the others need not be.",
    start: at("requirements", first.index).start,
    end: Number.POSITIVE_INFINITY
  })
}

const criterionOf = (written: Criterion) =>
  typeof written === "string"
    ? { criterion: written.trim(), check: null, verify: null }
    : { criterion: written.criterion.trim(), check: written.check ?? null, verify: written.verify?.trim() ?? null }

const toRequirement = ({
  acceptance_criteria,
  description,
  id,
  name,
  priority = "required"
}: Written): Requirement => ({
  id,
  // a title alone says what is required, and need not be said twice
  name: description === undefined ? null : (name?.trim() ?? null),
  description: (description ?? name ?? "").trim(),
  acceptance_criteria: asList(acceptance_criteria).map((written, index) => ({
    id: `${id}.${index + 1}`,
    ...criterionOf(written)
  })),
  priority
})

const toDocument = (
  file: RequirementsFile,
  { keyAt }: Decoded<RequirementsFile>,
  { positions }: Source
): RequirementsDocument => {
  const { generator, tasks } = file.generation ?? {}
  const { trust_agent = false, verifier = "agent" } = file.verification ?? {}
  const placeOf = (...path: ReadonlyArray<string>) => {
    const entry = keyAt(...path)
    return entry === undefined ? null : positions.at(entry.value.start)
  }
  return {
    definition: {
      name: file.name.trim(),
      context: file.context?.trim() ?? "",
      requirements: file.requirements.map(toRequirement),
      constraints: asList(file.constraints).map((constraint) => constraint.trim()),
      generation: { generator: generator ?? (tasks === undefined ? "agent" : "files"), tasks: asList(tasks) },
      verification: { verifier, trust_agent }
    },
    defaults: runDefaultsOf(file.defaults ?? {}),
    at: { generator: placeOf("generation", "generator"), verifier: placeOf("verification", "verifier") }
  }
}

const readFile = (root: Node, source: Source): RequirementsDocument | null => {
  const decoded = decodeFile(RequirementsFile, root, source, "yaml")
  const requirements = requirementsOf(decoded)
  const ids = requirements.flatMap(({ id, index }) =>
    id === undefined ? [] : [{ text: id, node: decoded.at("requirements", index, "id") }]
  )
  refuseTakenIds("requirement", ids, source)
  for (const requirement of requirements) warnOfEqualCriteria(requirement, decoded, source)
  warnOfNoneRequired(requirements, decoded, source)
  return decoded.value === null ? null : toDocument(decoded.value, decoded, source)
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
  const requirements =
    source.root === null || tellOtherKind(source, "requirements") ? null : readFile(source.root, source)
  const { problems, warnings } = listProblems(source, file)
  return { problems, warnings, requirements: problems.length === 0 ? requirements : null }
}
