import type { Connection } from "./protocol.ts"
import { makeReader, StreamBroken } from "./sse.ts"

/** An event as it was sent: its text, and its position in the log of the server, which its text need not say. */
export interface Sent {
  readonly position: number
  readonly text: string
}

/** What follows a run's stream, and what it needs. */
export interface Following {
  /** Of the stream. */
  readonly url: string
  /** Asked for at each try. */
  readonly token: () => string
  /** Position to go on from; null: the beginning. */
  readonly resumeAt: () => number | null
  /** Takes events in order. `gap`: some are missing, they are asked for again; `other`: they are of another log. */
  readonly take: (events: ReadonlyArray<Sent>) => "ok" | "gap" | "other"
  /** Forgets all events: the log is another one. */
  readonly restart: () => void
  /** Events that are there. */
  readonly loaded: () => number
  readonly tell: (connection: Connection) => void
  /** Lets others have their turn. */
  readonly breathe: () => Promise<void>
  /** Waits so many ms; ends early, and well, on the signal. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly signal: AbortSignal
}

const shortest = 500
const longest = 10_000
/** The server says something every 15 s. */
const silence = 45_000
/** Others have their turn after so long, ms. */
const slice = 12

/** How a try to follow ended. */
type End =
  | { readonly is: "lost"; readonly message: string; readonly hadSome: boolean }
  | { readonly is: "again" | "restart" }
  | Extract<Connection, { readonly state: "refused" }>

/**
 * Follows a run until the signal, or until the server refuses for good, which it tells. Comes back by itself when the
 * connection is lost, from where it was; every event is handed on once, in order.
 */
export const follow = async (following: Following): Promise<void> => {
  const { now, random, restart, signal, tell, wait } = following
  let pause = shortest
  let gaps = 0
  tell({ state: "connecting" })
  while (!signal.aborted) {
    const end = await once(following)
    if (signal.aborted) return
    if ("state" in end) return tell(end)
    if (end.is === "restart" || (end.is === "again" && ++gaps > 1)) {
      gaps = 0
      restart()
    }
    if (end.is === "lost" && end.hadSome) {
      pause = shortest
      gaps = 0
    }
    // a server that tells of another log each time would be asked without end
    const ms = Math.round(pause * (1 + random() / 4))
    pause = Math.min(longest, pause * 2)
    tell({ state: "lost", message: end.is === "lost" ? end.message : differs, again_at: now() + ms })
    await wait(ms, signal)
  }
}

const differs = "The server shows another log than before: it is read again."

const wordsOf = (error: unknown): string =>
  error instanceof StreamBroken ? error.message : "The connection to the server was lost."

const once = async (following: Following): Promise<End> => {
  const { resumeAt, signal, token, url } = following
  const position = resumeAt()
  const controller = new AbortController()
  const stop = () => controller.abort()
  signal.addEventListener("abort", stop)
  let timer = setTimeout(stop, silence)
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(stop, silence)
  }
  const sofar: Sofar = { hadSome: false, isThrough: false, told: Number.NEGATIVE_INFINITY }
  try {
    const response = await fetch(url, {
      headers: {
        accept: "text/event-stream",
        authorization: `Bearer ${token()}`,
        ...(position === null ? {} : { "last-event-id": String(position) })
      },
      cache: "no-store",
      signal: controller.signal
    })
    if (!response.ok) return await refusal(response, position !== null)
    if (response.body === null) return { is: "lost", message: "The server's answer was empty.", hadSome: false }
    return await takeAll(following, response.body.getReader(), heard, sofar)
  } catch (error) {
    return { is: "lost", message: wordsOf(error), hadSome: sofar.hadSome }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", stop)
    // whatever it was that ended it, nothing more is read
    controller.abort()
  }
}

/** What came over one connection. */
interface Sofar {
  hadSome: boolean
  /** All there was has come. */
  isThrough: boolean
  /** When it was last told how much has come, ms; positive infinity: it was told that all has. */
  told: number
}

/** Takes what comes until no more does; `heard` is called whenever something has come. */
const takeAll = async (
  following: Following,
  body: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  heard: () => void,
  sofar: Sofar
): Promise<End> => {
  const { breathe, now, take } = following
  const read = makeReader()
  let breathed = now()
  for (;;) {
    const { done, value } = await body.read()
    if (done) return { is: "lost", message: "The server has closed the connection.", hadSome: sofar.hadSome }
    heard()
    const events: Array<Sent> = []
    for (const message of read(value)) {
      if (message.type === "event") events.push({ position: Number(message.id), text: message.data })
      else sofar.isThrough ||= message.text === "caught-up"
    }
    if (events.length > 0) {
      const fit = take(events)
      if (fit !== "ok") return { is: fit === "gap" ? "again" : "restart" }
    }
    sofar.hadSome ||= events.length > 0 || sofar.isThrough
    tellOf(following, sofar)
    if (now() - breathed >= slice) {
      await breathe()
      breathed = now()
    }
  }
}

/** Once that all has come; before, how much has, ten times a second. */
const tellOf = ({ loaded, now, tell }: Following, sofar: Sofar): void => {
  if (sofar.isThrough) {
    if (sofar.told !== Number.POSITIVE_INFINITY) tell({ state: "live" })
    sofar.told = Number.POSITIVE_INFINITY
  } else if (now() - sofar.told >= 100) {
    sofar.told = now()
    tell({ state: "loading", loaded: loaded() })
  }
}

/** What a refusal means: some pass, some do not. */
const refusal = async (response: Response, hasPosition: boolean): Promise<End> => {
  const { status } = response
  const problem: unknown = await response.json().catch(() => null)
  const fields = (typeof problem === "object" && problem !== null ? problem : {}) as Readonly<Record<string, unknown>>
  const text = (key: string) => (typeof fields[key] === "string" ? fields[key] : "")
  const code = text("code") === "" ? `http_${status}` : text("code")
  const message = text("detail") || text("title") || `The server answered with status ${status}.`
  if (status === 400 && hasPosition) return { is: "restart" }
  // what passes: too much at once, a log that is locked, a server that is about to end
  if (status === 408 || status === 429 || status >= 500) return { is: "lost", message, hadSome: false }
  return { state: "refused", status, code, message, hint: text("hint") }
}
