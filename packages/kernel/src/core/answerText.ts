import { Result } from "effect"

/** Without what a terminal obeys or what turns the order of characters round: people are to see what agents read. */
export const plainText = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "")

/** An agent's answer as JSON, its texts as plain ones; the failure says in a sentence why it is none. */
export const parseAnswer = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(text, (_, value) => (typeof value === "string" ? plainText(value) : value)))
  } catch (error) {
    return Result.fail(`The answer is not JSON: ${plainText(error instanceof Error ? error.message : String(error))}.`)
  }
}
