import type { AgentRole, Failure } from "@proofline/kernel"
import { Result } from "effect"
import type { Body } from "../../operations/Answer.ts"
import { asFailure } from "../../operations/arguments.ts"
import { compilePayload } from "../../operations/payload.ts"

/** What an agent hands in. */
export interface Submission {
  /** As the agent would have written it to its report file. */
  readonly answer: Body
  /** Paths of fields that are ignored. */
  readonly unexpected: ReadonlyArray<string>
}

const ids = "str|list[str]"

/** What an agent may hand in by a call, by its role; in any other role it answers as its prompt says. */
export const payloads: Readonly<Partial<Record<AgentRole, Readonly<Record<string, string>>>>> = {
  work: {
    "summary?": "str",
    "checklist?": "list[{item: str, status: done|skipped|cannot|pending, evidence?: str, reason?: str}]"
  },
  review: {
    judgment: "PASS|REJECT|RETRY",
    "checks?": "list[{criterion: str, passed: bool, details?: str}]",
    "modification_prompt?": "str"
  },
  // as in a tasks.yaml, which is what is made of it
  generate: {
    tasks: `list[{id: str, name: str, instruction: str, covers?: ${ids}, depends_on?: ${ids}, validation?: str|list[str|{criterion: str, covers?: ${ids}}], checks?: str|list[str], checklist?: list[str|{item: str, check?: str, ablation?: bool, covers?: ${ids}}], chunk?: bool}]`
  },
  verify: {
    all_requirements_met: "bool",
    requirement_status: "list[{requirement_id: str, met: bool, evidence?: str}]"
  }
}

/** The operation by which an agent hands in what it was asked for. */
export const callOf: Readonly<Partial<Record<AgentRole, string>>> = {
  work: "complete_task",
  review: "submit_review",
  generate: "create_tasks",
  verify: "submit_verification"
}

/** What is handed in for a role, or everything that is wrong with its shape. */
export const readSubmission = (role: AgentRole, data: unknown): Result.Result<Submission, ReadonlyArray<Failure>> => {
  const compiled = compilePayload(payloads[role] ?? {})
  if (Result.isFailure(compiled)) throw new Error(`Notation of ${role}: ${compiled.failure.message}`)
  const { failures, unexpected, value } = compiled.success.check(data)
  const wrong = [
    ...failures.map(asFailure),
    // a field that is unknown is refused when the plan is read: better now
    ...(role === "generate" ? unexpected.map(unknownField) : [])
  ]
  const contradictions = wrong.length > 0 ? [] : contradictionsOf(role, value)
  return wrong.length + contradictions.length > 0
    ? Result.fail([...wrong, ...contradictions])
    : // left out and null are the same to the one, not to the other
      Result.succeed({ answer: withoutNulls(value) as Body, unexpected })
}

/** What cannot be true together. */
const contradictionsOf = (role: AgentRole, value: Body): ReadonlyArray<Failure> => {
  switch (role) {
    case "review":
      return reviewFaults(value)
    case "generate":
      return planFaults(value)
    case "verify":
      return verificationFaults(value)
    default:
      return []
  }
}

const reviewFaults = (value: Body): ReadonlyArray<Failure> =>
  value["judgment"] === "PASS"
    ? listOf(value["checks"])
        .filter(({ passed }) => passed === false)
        .map(({ criterion }) =>
          fault(
            "review_contradiction",
            { criterion: String(criterion) },
            `The judgment is PASS, and '${criterion}' is not met.`
          )
        )
    : []

const planFaults = (value: Body): ReadonlyArray<Failure> => {
  const named = listOf(value["tasks"]).map(({ id }) => String(id))
  const twice = new Set(named.filter((id, place) => named.indexOf(id) !== place))
  return [
    ...(named.length === 0 ? [fault("plan_empty", {}, "tasks holds no task: name at least one.")] : []),
    ...[...twice].map((id) =>
      fault("id_duplicate", { id }, `Several tasks have the id ${id}: give each an id of its own.`)
    )
  ]
}

const verificationFaults = (value: Body): ReadonlyArray<Failure> => {
  const status = listOf(value["requirement_status"])
  const unmet = status.filter(({ met }) => met === false).map(({ requirement_id }) => String(requirement_id))
  const unshown = status.filter(({ evidence, met }) => met === true && String(evidence ?? "").trim() === "")
  const fits = (value["all_requirements_met"] === true) === (unmet.length === 0)
  return [
    ...unshown.map(({ requirement_id: id }) =>
      fault(
        "verification_evidence_required",
        { requirement_id: String(id) },
        `Requirement ${id} is met by word alone: give its evidence.`
      )
    ),
    ...(fits ? [] : [verificationContradiction(unmet)])
  ]
}

const verificationContradiction = (unmet: ReadonlyArray<string>): Failure =>
  fault(
    "verification_contradiction",
    { unmet: unmet.join(", ") },
    unmet.length === 0
      ? "all_requirements_met is false, and no requirement is named that is not met."
      : `all_requirements_met is true, and these are not met: ${unmet.join(", ")}.`
  )

const fault = (key: string, fields: Failure["fields"], message: string): Failure => ({
  key,
  item: null,
  fields,
  message
})

const unknownField = (path: string): Failure =>
  fault(
    "field_unknown",
    { field: path },
    `Field ${path} is not known. Leave it out, or name it as expected_payload does.`
  )

const listOf = (value: unknown): ReadonlyArray<Body> => (Array.isArray(value) ? (value as ReadonlyArray<Body>) : [])

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === null ? [] : [[key, withoutNulls(one)]]))
  )
}
