// What hooks may answer, said once for all of them: without types nobody else tells an author of a wrong one.
import { Effect } from "effect"
import {
  type AnyCommand,
  type Intent,
  type Listed,
  type Misfit,
  type OwnMisfit,
  PluginFault,
  type Start
} from "./contract.ts"
import { attributed } from "./faults.ts"
import { Rejection } from "./Rejection.ts"

/** Runs a hook whose answer is one of those that are expected of it: anything else is a fault of its plugin. */
export const answered = <A>(plugin: string, where: string, misfit: Misfit, listed: Listed, run: () => A): A => {
  const answer = attributed(plugin, where, run)
  const wrong = misfit(answer, listed)
  if (wrong === null) return answer
  throw wronglyAnswered(plugin, where, wrong)
}

export const wronglyAnswered = (plugin: string, where: string, wrong: string): PluginFault =>
  new PluginFault({ plugin, where, problem: `It answered ${wrong}.` })

const maxTold = 160

/** An answer, for its author. */
export const told = (answer: unknown): string => {
  if (typeof answer === "function") return "a function"
  if (typeof answer !== "object" || answer === null)
    return typeof answer === "string" ? JSON.stringify(answer) : String(answer)
  if (isPromise(answer)) return "a Promise"
  if (Effect.isEffect(answer) && !(answer instanceof Rejection)) return "an Effect"
  const text = jsonOf(answer)
  return text.length > maxTold ? `${text.slice(0, maxTold)}…` : text
}

const jsonOf = (answer: object): string => {
  try {
    return JSON.stringify(answer) ?? String(answer)
  } catch {
    return String(answer)
  }
}

export const isPromise = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && "then" in answer && typeof answer.then === "function"

/** A misfit of whatever is not this. */
export const unless =
  (expected: string, fits: (answer: unknown) => boolean): OwnMisfit =>
  (answer) =>
    fits(answer) ? null : `${told(answer)}, ${expected}`

/** The same where null says that there is nothing. */
export const orNull =
  (misfit: Misfit): Misfit =>
  (answer, listed) => {
    const wrong = answer === null ? null : misfit(answer, listed)
    return wrong === null ? null : `${wrong}, and not null`
  }

/** A hook of the rules is asked again by a replay: what comes later is no answer of it. */
export const notLater: Misfit = unless("and a hook of the rules answers at once", (answer) => !isPromise(answer))

export const anEffect: OwnMisfit = unless("no Effect", Effect.isEffect)
export const aText: Misfit = unless("no text", (answer) => typeof answer === "string")
export const aList: Misfit = unless("no list", Array.isArray)
export const yesOrNo: Misfit = unless("neither true nor false", (answer) => typeof answer === "boolean")
export const aRecord: Misfit = unless("no object", (answer) => isRecord(answer) && !isPromise(answer))
export const oneOf = (...known: ReadonlyArray<string>): Misfit =>
  unless(`none of ${known.join(", ")}`, (answer) => known.includes(answer as string))
/** Events that header.tell() has made. */
export const events: Misfit = unless(
  "no events: header.tell([…])",
  (answer) => isRecord(answer) && answer["_tag"] === "Told"
)
export const eventsOrRejection: Misfit = unless(
  "neither events, header.tell([…]), nor a rejection",
  (answer) => isSaid(answer) || (isRecord(answer) && answer["_tag"] === "Told")
)

/** A rejection of a plugin in plain JavaScript may be a plain object. */
export const isRejection = (answer: unknown): answer is Rejection =>
  answer instanceof Rejection || (isRecord(answer) && answer["_tag"] === "Rejection")

/** A rejection that says what it is about. */
export const isSaid = (answer: unknown): boolean =>
  isRejection(answer) && typeof answer.code === "string" && typeof answer.message === "string"

export const rejectionOrNull: Misfit = unless(
  "neither null nor a rejection: reject(code, message, nextStep)",
  (answer) => answer === null || isSaid(answer)
)
export const aDecision: Misfit = unless(
  "neither events nor a rejection",
  (answer) => Array.isArray(answer) || isSaid(answer)
)
export const argumentsOrNothing: Misfit = unless(
  "neither arguments of the command nor undefined",
  (answer) => answer === undefined || (isRecord(answer) && !isPromise(answer))
)
export const changesMade: Misfit = unless(
  "no list of changes",
  (answer) => Array.isArray(answer) && answer.every((one) => isRecord(one) && isRecord(one["change"]))
)

/** What an event of an earlier schema version is lifted to. */
export const aContent: Misfit = unless("no content of an event", (answer) => answer !== undefined && !isPromise(answer))

/** What an activity ends with. */
export const aResult: OwnMisfit = unless(
  "neither a command nor null",
  (answer) => answer === null || (isRecord(answer) && typeof answer["_tag"] === "string")
)

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isStart = (answer: unknown): answer is Start => isRecord(answer) && answer["_tag"] === "Start"

/** Work to start, or a command, as a point passes it on. */
export const passedOn: Misfit = orNull((answer, listed) => intentMisfit(answer, listed))

/** Work to start, for what orders nothing else. */
export const workToStart: Misfit = orNull((answer) =>
  isStart(answer) ? startMisfit(answer) : `${told(answer)}, no work to start`
)

/** What a reaction asks for. */
export const intents: Misfit = (answer, listed) => {
  if (!Array.isArray(answer)) return `${told(answer)}, no list of commands, work to start and work to cancel`
  for (const one of answer) {
    const wrong = intentMisfit(one, listed)
    if (wrong !== null) return `a list with ${wrong}`
  }
  return null
}

const intentMisfit = (intent: unknown, { hasCommand, misfitOf }: Listed): string | null => {
  if (!isRecord(intent) || typeof intent["_tag"] !== "string")
    return `${told(intent)}, neither a command nor work to start or to cancel`
  const { _tag } = intent as Intent<string>
  if (_tag === "Start") return startMisfit(intent)
  if (_tag === "Cancel") return cancelMisfit(intent)
  if (!hasCommand(_tag)) return `the command ${_tag}, which no plugin lists`
  const wrong = misfitOf(intent as unknown as AnyCommand)
  return wrong === null ? null : `the command ${_tag}, whose arguments do not fit its schema: ${wrong}`
}

const startFields: Readonly<Record<Exclude<keyof Start, "_tag" | "subtask">, (value: unknown) => boolean>> = {
  key: (value) => typeof value === "string" && value !== "",
  kind: (value) => value === "attempt" || value === "activity",
  activity: (value) => typeof value === "string",
  task_id: (value) => value === null || typeof value === "string",
  input: (value) => value !== undefined,
  delay_ms: (value) => Number.isFinite(value),
  priority: (value) => Number.isFinite(value)
}
const fieldsOfStart = Object.entries(startFields)

const startMisfit = (start: object): string | null => {
  for (const [field, fits] of fieldsOfStart) {
    if (!fits((start as Readonly<Record<string, unknown>>)[field]))
      return `${told(start)}, whose \`${field}\` is not what work to start needs`
  }
  return null
}

const cancelMisfit = (cancel: Readonly<Record<string, unknown>>): string | null => {
  const { work } = cancel
  return isRecord(work) && (typeof work["key"] === "string" || typeof work["item"] === "string")
    ? null
    : `${told(cancel)}, whose \`work\` names neither a key nor an item`
}
