import { type Client, makeClient } from "@proofline/plugins/frontends/http/client"
import { Cause, Effect, Exit } from "effect"
import { AskError, failureOf } from "./failure.ts"
import { currentToken, refuse } from "./session.ts"

export { type Failure, failureOf } from "./failure.ts"

let client: Promise<Client> | null = null

/**
 * Asks the server with the typed client. Rejected with {@link AskError}. A token that is not good any more is
 * forgotten, and the page asks for another.
 */
export const ask = async <A, E>(request: (client: Client) => Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> => {
  client ??= Effect.runPromise(makeClient({ url: location.origin, token: currentToken }))
  const token = currentToken()
  const exit = await Effect.runPromiseExit(request(await client), signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  const failure = failureOf(Cause.squash(exit.cause))
  if (failure.status === 401) refuse(token)
  throw new AskError(failure)
}
