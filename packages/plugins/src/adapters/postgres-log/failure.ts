import { LogUnavailable } from "@proofline/kernel"
import { explain, lostLog, type Place } from "./reasons.ts"

export const toUnavailable = (place: Place, error: unknown): LogUnavailable =>
  error instanceof LogUnavailable ? error : new LogUnavailable(explain(place, error))

export const lost = (place: Place, why: string): LogUnavailable => new LogUnavailable(lostLog(place, why))

export const closed = (place: Place): LogUnavailable => new LogUnavailable(explain(place, new Error("it was closed")))
