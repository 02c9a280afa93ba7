import { Cause, Logger, type LogLevel } from "effect"
import { printNow } from "./printNow.ts"

const words: Partial<Record<LogLevel.LogLevel, string>> = { Fatal: "error", Error: "error", Warn: "warning" }

/** What is logged, as the other lines of a command are written: the time, what it is, and the sentence. */
export const loggedText = ({
  cause,
  date,
  logLevel,
  message
}: Pick<Logger.Options<unknown>, "cause" | "date" | "logLevel" | "message">): string => {
  const said = (Array.isArray(message) ? message : [message]).map((part) =>
    Cause.isCause(part) ? Cause.pretty(part) : part instanceof Error ? part.message : String(part)
  )
  const why = cause.reasons.length === 0 ? [] : [Cause.pretty(cause)]
  return `${date.toISOString().slice(11, 19)} ${words[logLevel] ?? logLevel.toLowerCase()}: ${[...said, ...why].join("\n")}\n`
}

/** stdout belongs to documents and reports. */
export const stderrLogger = Logger.make((options) => printNow("stderr", loggedText(options)))
