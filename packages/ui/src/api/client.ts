import { type Client, makeClient } from "@proofline/plugins/frontends/http/client"
import { Cause, Effect, Exit } from "effect"
import { currentBase } from "../route.ts"
import { AskError, failureOf } from "./failure.ts"
import { currentToken, refuse } from "./session.ts"

export { type Failure, failureOf } from "./failure.ts"

/** By what names a project in addresses. */
const clients = new Map<string, Promise<Client>>()

const clientOf = (base: string): Promise<Client> => {
  const known = clients.get(base)
  const client = known ?? Effect.runPromise(makeClient({ url: `${location.origin}${base}`, token: currentToken }))
  clients.set(base, client)
  return client
}

let tellUnnamed: () => void = () => {}

/** Told when the server has several projects, and the address of the page names none of them. */
export const onUnnamed = (listener: () => void): void => {
  tellUnnamed = listener
}

/**
 * Asks the server with the typed client, of the project that is shown, or of the one at `base`. Rejected with
 * {@link AskError}. A token that is not good any more is forgotten, and the page asks for another. Where no project is named
 * and one has to be, there is no answer: the page goes on to one.
 */
export const ask = async <A, E>(
  request: (client: Client) => Effect.Effect<A, E>,
  signal?: AbortSignal,
  base = currentBase()
): Promise<A> => {
  const token = currentToken()
  const exit = await Effect.runPromiseExit(request(await clientOf(base)), signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  const failure = failureOf(Cause.squash(exit.cause))
  if (failure.code === "project_unnamed") {
    tellUnnamed()
    return new Promise(() => {})
  }
  if (failure.status === 401) refuse(token)
  throw new AskError(failure)
}
