import { currentBase } from "../route.ts"
import { AskError, failureOf } from "./failure.ts"
import { type Asked, type Client, clientOf } from "./requests.ts"
import { currentToken, refuse } from "./session.ts"

export { type Failure, failureOf } from "./failure.ts"
export type { Client } from "./requests.ts"

let tellUnnamed: () => void = () => {}

/** Told when the server has several projects, and the address of the page names none of them. */
export const onUnnamed = (listener: () => void): void => {
  tellUnnamed = listener
}

/**
 * Asks the server, of the project that is shown, or of the one at `base`. Rejected with
 * {@link AskError}. A token that is not good any more is forgotten, and the page asks for another. Where no project is named
 * and one has to be, there is no answer: the page goes on to one.
 */
export const ask = <A>(
  request: (client: Client) => Promise<A>,
  signal?: AbortSignal,
  base = currentBase()
): Promise<A> => asking((asked) => request(clientOf(asked)), signal, base)

/** The same of what is no call of the client. */
export const asking = async <A>(
  request: (asked: Asked) => Promise<A>,
  signal?: AbortSignal,
  base = currentBase()
): Promise<A> => {
  const token = currentToken()
  try {
    return await request({ url: `${location.origin}${base}`, token, signal })
  } catch (error) {
    const failure = failureOf(error)
    if (failure.code === "project_unnamed") {
      tellUnnamed()
      return new Promise(() => {})
    }
    if (failure.status === 401) refuse(token)
    throw new AskError(failure)
  }
}
