import { parseAnswer } from "@proofline/kernel"
import { Result, Schema } from "effect"

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Answer = Schema.Struct({
  all_requirements_met: Schema.Boolean,
  requirement_status: Schema.Array(
    Schema.Struct({ requirement_id: Schema.String, met: Schema.Boolean, evidence: optional(Schema.String) })
  )
})

/** What was found of one requirement; `evidence` is as it was given, and empty only where it is not met. */
export interface RequirementStatus {
  readonly requirement_id: string
  readonly met: boolean
  readonly evidence: string
}

export interface VerificationResult {
  /** Follows from the statuses; never true of none. */
  readonly all_requirements_met: boolean
  readonly requirement_status: ReadonlyArray<RequirementStatus>
}

const decode = Schema.decodeUnknownResult(Answer, { errors: "all" })

/**
 * An agent's answer in the role `verify`; the failure holds all that is wrong with it, a sentence each. The last JSON
 * object of the text counts, and words around it never do. With `requirement_ids` every one of them must be answered,
 * and beside them only those of `others`, whose evidence is not looked at. Never throws.
 */
export const parseVerificationResult = (
  output: string,
  requirement_ids?: ReadonlyArray<string>,
  others: ReadonlyArray<string> = []
): Result.Result<VerificationResult, ReadonlyArray<string>> => {
  const json = lastObject(output)
  if (Result.isFailure(json)) return Result.fail([json.failure])
  const decoded = decode(json.success)
  if (Result.isFailure(decoded)) return Result.fail(shapeProblems(decoded.failure))
  const { all_requirements_met: told, requirement_status } = decoded.success
  const status = requirement_status.map(({ evidence, met, requirement_id }) => ({
    requirement_id: requirement_id.trim(),
    met,
    evidence: (evidence ?? "").trim()
  }))
  const all_requirements_met = status.length > 0 && status.every(({ met }) => met)
  const problems = [
    ...idProblems(
      status.map(({ requirement_id }) => requirement_id),
      requirement_ids,
      others
    ),
    ...status
      .filter(({ requirement_id }) => requirement_ids?.includes(requirement_id) || !others.includes(requirement_id))
      .flatMap(evidenceProblems),
    ...(told === all_requirements_met ? [] : [contradiction(status)])
  ]
  return problems.length > 0
    ? Result.fail(problems)
    : Result.succeed({ all_requirements_met, requirement_status: status })
}

const idProblems = (
  named: ReadonlyArray<string>,
  asked: ReadonlyArray<string> | undefined,
  others: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...(named.length === 0 ? ["requirement_status is empty: nothing was looked at."] : []),
  ...[...new Set(named.filter((id, place) => named.indexOf(id) !== place))].map(
    (id) => `requirement_status names ${JSON.stringify(id)} more than once.`
  ),
  ...(asked === undefined
    ? []
    : [
        ...[...new Set(named)]
          .filter((id) => !asked.includes(id) && !others.includes(id))
          .map((id) => `requirement_status names ${JSON.stringify(id)}, which was not asked for.`),
        ...asked
          .filter((id) => !named.includes(id))
          .map((id) => `requirement_status does not name ${JSON.stringify(id)}.`)
      ])
]

/** The evidence in the example of the prompt: a prompt that is printed back is no answer. */
export const exampleEvidence = "$ the command that was run\nwhat it printed\nsrc/file.py:12-20"

const evidenceProblems = ({ evidence, met, requirement_id }: RequirementStatus): ReadonlyArray<string> => {
  if (met && evidence === "")
    return [
      `Requirement ${requirement_id} is met by word alone: give its evidence, a run and what it printed or path:line.`
    ]
  if (evidence.replaceAll("\r\n", "\n") === exampleEvidence) {
    return [`The evidence of requirement ${requirement_id} is that of the example: give what you have seen.`]
  }
  return evidence.length > maxEvidence
    ? [
        `The evidence of requirement ${requirement_id} has ${evidence.length} characters; at most ${maxEvidence} are allowed.`
      ]
    : []
}

/** Characters; people read it in full. */
const maxEvidence = 20_000

const contradiction = (status: ReadonlyArray<RequirementStatus>): string => {
  const unmet = status.filter(({ met }) => !met).map(({ requirement_id }) => requirement_id)
  if (status.length === 0) return "all_requirements_met is true, and no requirement is named that is met."
  return unmet.length === 0
    ? "all_requirements_met is false, and no requirement is named that is not met."
    : `all_requirements_met is true, and these are not met: ${unmet.join(", ")}.`
}

/** `Missing key at ["met"]`, one sentence for each place. */
const shapeProblems = ({ message }: { readonly message: string }): ReadonlyArray<string> => {
  const issues: Array<string> = []
  for (const line of message.split("\n")) {
    const text = line.trim()
    if (/^at /.test(text) && issues.length > 0) issues[issues.length - 1] += ` ${text}`
    else if (text !== "") issues.push(text)
  }
  return issues.map((issue) => `The answer: ${issue.charAt(0).toLowerCase()}${issue.slice(1)}.`)
}

// --- JSON in prose ------------------------------------------------------------------------------------------------

const lastObject = (output: string): Result.Result<unknown, string> => {
  const text = output.trim()
  if (text === "") return Result.fail("There was no answer: no report file, and nothing was printed.")
  const whole = parseAnswer(text)
  const json = Result.isSuccess(whole) ? whole : Result.flatMap(lastBraces(text), parseAnswer)
  if (Result.isFailure(json)) return json
  return typeof json.success !== "object" || json.success === null || Array.isArray(json.success)
    ? Result.fail("The answer is not a JSON object.")
    : json
}

/** Braces of prose and of code do not begin like this. */
const opening = /\{\s*(?:"|\})/g

/** The text of the last object that is not inside another one. One that is not closed is no reason to take an earlier one. */
const lastBraces = (text: string): Result.Result<string, string> => {
  let last: string | null = null
  opening.lastIndex = 0
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const end = endOf(text, found.index)
    if (end === null) return Result.fail("The answer is not whole: its last JSON object is not closed.")
    last = text.slice(found.index, end)
    opening.lastIndex = end
  }
  return last === null ? Result.fail("There is no JSON object in the answer.") : Result.succeed(last)
}

/** Behind the brace that closes the one at `start`; null: none does. */
const endOf = (text: string, start: number): number | null => {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === "\\") at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "{") depth++
    else if (character === "}" && --depth === 0) return at + 1
  }
  return null
}
