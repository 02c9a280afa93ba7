import { type AnalysisRequest, parseAnswer, SplitFinding } from "@proofline/kernel"
import { Result, Schema } from "effect"

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** One part as the agent plans it: the promised fields, and those that it may add. */
const AnsweredPart = Schema.Struct({
  prompt: Schema.String,
  /** Numbers of other parts, counted from 1. */
  dependencies: Schema.Array(Schema.Int),
  acceptance_criteria: Schema.Array(Schema.String),
  title: optional(Schema.String),
  /** Numbers of items of the task's checklist, counted from 1. */
  checklist: optional(Schema.Array(Schema.Int)),
  paths: optional(Schema.Array(Schema.String)),
  type: optional(Schema.Literals(["implementation", "test", "review", "research"]))
})
export type AnsweredPart = typeof AnsweredPart.Type

const Head = Schema.Struct({
  is_decomposable: Schema.Boolean,
  decomposition_reason: Schema.String,
  criteria: optional(Schema.Array(SplitFinding))
})

/** An answer that can be used. `parts` is empty unless it says that the task can be split. */
export interface PlanAnswer {
  readonly is_decomposable: boolean
  readonly decomposition_reason: string
  readonly criteria: ReadonlyArray<SplitFinding>
  readonly parts: ReadonlyArray<AnsweredPart>
}

type Limits = Pick<AnalysisRequest, "checklist" | "max_subtasks" | "min_subtasks">

const decodeHead = Schema.decodeUnknownResult(Head, { errors: "all" })
const decodePart = Schema.decodeUnknownResult(AnsweredPart, { errors: "all" })

/** An agent's answer in the role `analyze`; the failure holds all that is wrong with it, a sentence each. */
export const readAnswer = (
  answer: string | null,
  planLimits: Limits
): Result.Result<PlanAnswer, ReadonlyArray<string>> => {
  if (answer === null || answer.trim() === "")
    return Result.fail(["There was no answer: no report file and no fenced block in the output."])
  const parsed = parseAnswer(answer)
  if (Result.isFailure(parsed)) return Result.fail([parsed.failure])
  const json = parsed.success
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return Result.fail(["The answer is not a JSON object."])
  const head = decodeHead(json)
  const isSplit = (json as { readonly is_decomposable?: unknown }).is_decomposable !== false
  // of a task that stays whole nothing else is wanted
  const { parts, problems } = isSplit ? partsOf(json, planLimits) : { parts: [], problems: [] }
  const all = [...(Result.isFailure(head) ? shapeProblems("The answer", head.failure) : []), ...problems]
  return Result.isFailure(head) || all.length > 0
    ? Result.fail(all)
    : Result.succeed({ ...head.success, criteria: head.success.criteria ?? [], parts })
}

/** `Missing key at ["prompt"]`, one sentence for each place. */
const shapeProblems = (what: string, { message }: { readonly message: string }): ReadonlyArray<string> => {
  const issues: Array<string> = []
  for (const line of message.split("\n")) {
    const text = line.trim()
    if (/^at /.test(text) && issues.length > 0) issues[issues.length - 1] += ` ${text}`
    else if (text !== "") issues.push(text)
  }
  return issues.map((issue) => `${what}: ${issue.charAt(0).toLowerCase()}${issue.slice(1)}.`)
}

interface Parts {
  readonly parts: ReadonlyArray<AnsweredPart>
  readonly problems: ReadonlyArray<string>
}

const partsOf = (json: object, planLimits: Limits): Parts => {
  const given = (json as { readonly subtasks?: unknown }).subtasks
  if (given === undefined) return { parts: [], problems: ['The answer: missing key at ["subtasks"].'] }
  if (!Array.isArray(given)) return { parts: [], problems: ['The answer: expected an array at ["subtasks"].'] }
  const decoded = given.map((part: unknown, index) => [index + 1, decodePart(part)] as const)
  const numbered = decoded.flatMap(([number, part]) => (Result.isSuccess(part) ? [{ number, part: part.success }] : []))
  return {
    parts: numbered.map(({ part }) => part),
    problems: [
      ...decoded.flatMap(([number, part]) =>
        Result.isFailure(part) ? shapeProblems(`Subtask ${number}`, part.failure) : []
      ),
      ...countProblems(given.length, planLimits),
      ...promptProblems(numbered),
      ...lengthProblems(numbered),
      ...dependencyProblems(numbered, given.length),
      ...checklistProblems(numbered, planLimits.checklist.length)
    ]
  }
}

interface Numbered {
  readonly number: number
  readonly part: AnsweredPart
}

const countProblems = (count: number, { max_subtasks, min_subtasks }: Limits): ReadonlyArray<string> => {
  if (count === 0) return ["It says that the task can be split, and has no subtasks."]
  if (count < min_subtasks)
    return [`It has ${count} ${count === 1 ? "subtask" : "subtasks"}; at least ${min_subtasks} are wanted.`]
  return count > max_subtasks ? [`It has ${count} subtasks; at most ${max_subtasks} are allowed.`] : []
}

const promptProblems = (parts: ReadonlyArray<Numbered>): ReadonlyArray<string> => {
  const first = new Map<string, number>()
  return parts.flatMap(({ number, part }) => {
    const prompt = part.prompt.trim().replace(/\s+/g, " ")
    if (prompt === "") return [`Subtask ${number} has a blank prompt.`]
    const same = first.get(prompt)
    first.set(prompt, same ?? number)
    return same === undefined ? [] : [`Subtasks ${same} and ${number} have the same prompt.`]
  })
}

/** Every agent that works on a part or judges it reads all of it. Lengths in characters. */
export const limits = { prompt: 20_000, title: 200, criteria: 50, criterion: 1_000 }

const lengthProblems = (parts: ReadonlyArray<Numbered>): ReadonlyArray<string> =>
  parts.flatMap(({ number, part: { acceptance_criteria, prompt, title } }) => [
    ...tooLong(`Subtask ${number}: its prompt`, prompt, limits.prompt),
    ...tooLong(`Subtask ${number}: its title`, title ?? "", limits.title),
    ...(acceptance_criteria.length > limits.criteria
      ? [
          `Subtask ${number} has ${acceptance_criteria.length} acceptance criteria; at most ${limits.criteria} are allowed.`
        ]
      : acceptance_criteria.flatMap((criterion, i) =>
          tooLong(`Subtask ${number}: its acceptance criterion ${i + 1}`, criterion, limits.criterion)
        ))
  ])

const tooLong = (what: string, text: string, most: number): ReadonlyArray<string> =>
  text.length > most ? [`${what} has ${text.length} characters; at most ${most} are allowed.`] : []

const dependencyProblems = (parts: ReadonlyArray<Numbered>, count: number): ReadonlyArray<string> => {
  const wrong = parts.flatMap(({ number, part }) =>
    [...new Set(part.dependencies)].flatMap((dependency) => {
      if (dependency === number) return [`Subtask ${number} depends on itself.`]
      return dependency < 1 || dependency > count
        ? [`Subtask ${number} depends on subtask ${dependency}; there are subtasks 1 to ${count}.`]
        : []
    })
  )
  const circle = circleIn(new Map(parts.map(({ number, part }) => [number, part.dependencies])))
  return circle === null ? wrong : [...wrong, `Subtasks ${circle.join(", ")} depend on each other in a circle.`]
}

/** The numbers of a circle of more than one part, in order; null: there is none. */
const circleIn = (needs: ReadonlyMap<number, ReadonlyArray<number>>): ReadonlyArray<number> | null => {
  const done = new Set<number>()
  const path: Array<number> = []
  const walk = (number: number): ReadonlyArray<number> | null => {
    const at = path.indexOf(number)
    if (at !== -1) return path.slice(at)
    if (done.has(number)) return null
    path.push(number)
    for (const dependency of needs.get(number) ?? []) {
      const found = dependency === number ? null : walk(dependency)
      if (found !== null) return found
    }
    path.pop()
    done.add(number)
    return null
  }
  for (const number of needs.keys()) {
    const found = walk(number)
    if (found !== null) return [...found].sort((a, b) => a - b)
  }
  return null
}

const checklistProblems = (parts: ReadonlyArray<Numbered>, count: number): ReadonlyArray<string> => {
  const first = new Map<number, number>()
  return parts.flatMap(({ number, part }) =>
    (part.checklist ?? []).flatMap((item) => {
      if (item < 1 || item > count)
        return [
          `Subtask ${number} takes item ${item} of the checklist, which ${count === 0 ? "is empty" : `has items 1 to ${count}`}.`
        ]
      const same = first.get(item)
      first.set(item, same ?? number)
      if (same === undefined) return []
      return [
        same === number
          ? `Subtask ${number} takes item ${item} of the checklist twice.`
          : `Subtasks ${same} and ${number} both take item ${item} of the checklist.`
      ]
    })
  )
}
