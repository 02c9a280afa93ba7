import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import type { FixtureTool } from "./fixtureTool.ts"
import { form, text } from "./samples.ts"

/** Tools that ask their client for something first, as the revision without sessions does it: by answering so. */

type Requests = Readonly<Record<string, McpSchema.McpInputRequest>>
type Responses = Readonly<Record<string, McpSchema.McpInputResponse>>

const elicit = (message: string, properties: Readonly<Record<string, unknown>>): McpSchema.McpInputRequest => ({
  method: "elicitation/create",
  params: { message, requestedSchema: form(properties) }
})

const sample = (question: string, maxTokens: number): McpSchema.McpInputRequest => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens }
})

const roots: McpSchema.McpInputRequest = { method: "roots/list", params: {} }

const key = randomBytes(32)
const signature = (state: string) => createHmac("sha256", key).update(state).digest("base64url")
const seal = (state: string) => `${state}.${signature(state)}`

/** What was sealed, or null: what a client brings back may be anything. */
const unseal = (sealed: string): string | null => {
  const end = sealed.lastIndexOf(".")
  const given = Buffer.from(sealed.slice(end + 1))
  const due = Buffer.from(signature(sealed.slice(0, end)))
  return given.length === due.length && timingSafeEqual(given, due) ? sealed.slice(0, end) : null
}

const forged = () => new McpSchema.InvalidParams({ message: "The request state is not one that this server gave out." })

/** One after the other; the state says how many were answered. */
const inRounds = Effect.fnUntraced(function* (rounds: ReadonlyArray<Requests>, sealed: boolean) {
  const { inputResponses, requestState } = yield* McpSchema.McpRequestContext
  const state = requestState === undefined ? "0" : unseal(requestState)
  if (state === null) return yield* forged()
  const asked = rounds[Number(state)] ?? {}
  const round = isAnswered(asked, inputResponses) ? Number(state) + 1 : Number(state)
  const inputRequests = rounds[round]
  if (inputRequests === undefined) return inputResponses ?? {}
  return new McpSchema.InputRequired(sealed ? { inputRequests, requestState: seal(String(round)) } : { inputRequests })
})

const isAnswered = (asked: Requests, responses: Responses | undefined): boolean =>
  Object.keys(asked).every((name) => typeof responses?.[name] === "object" && responses[name] !== null)

const asking = (name: string, sealed: boolean, ...rounds: ReadonlyArray<Requests>): FixtureTool => ({
  name: `test_${name}`,
  handle: () =>
    Effect.map(inRounds(rounds, sealed), (answer) =>
      answer instanceof McpSchema.InputRequired ? answer : [text(`state-ok ${JSON.stringify(answer)}`)]
    )
})

const confirm = { confirm: elicit("Please confirm", { ok: { type: "boolean" } }) }
const userName = { user_name: elicit("What is your name?", { name: { type: "string" } }) }

/** Only what the client has said that it can do. */
const capable: FixtureTool = {
  name: "test_input_required_result_capabilities",
  handle: () =>
    Effect.map(McpSchema.McpRequestContext, ({ clientCapabilities: { elicitation, roots: listing, sampling } }) => {
      const requests: Requests = {
        ...(elicitation === undefined ? {} : userName),
        ...(sampling === undefined ? {} : { greeting: sample("Generate a greeting", 50) }),
        ...(listing === undefined ? {} : { client_roots: roots })
      }
      return Object.keys(requests).length === 0
        ? [text("This client cannot be asked.")]
        : new McpSchema.InputRequired({ inputRequests: requests })
    })
}

export const inputTools: ReadonlyArray<FixtureTool> = [
  asking("input_required_result_elicitation", false, userName),
  asking("input_required_result_sampling", false, {
    capital_question: sample("What is the capital of France?", 100)
  }),
  asking("input_required_result_list_roots", false, { client_roots: roots }),
  asking("input_required_result_request_state", true, confirm),
  asking("input_required_result_tampered_state", true, confirm),
  asking("input_required_result_multiple_inputs", true, {
    ...userName,
    greeting: sample("Generate a greeting", 50),
    client_roots: roots
  }),
  asking(
    "input_required_result_multi_round",
    true,
    { step1: elicit("Step 1: What is your name?", { name: { type: "string" } }) },
    { step2: elicit("Step 2: What is your favorite color?", { color: { type: "string" } }) }
  ),
  capable,
  asking("missing_capability", false, { greeting: sample("Generate a greeting", 50) }),
  asking("streaming_elicitation", false, userName)
]

/** What a prompt asks for before it can be written. */
export const promptContext = inRounds(
  [{ user_context: elicit("What context should the prompt use?", { context: { type: "string" } }) }],
  false
)
