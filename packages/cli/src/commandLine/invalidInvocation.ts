/** What is said of words that are no command line, and what of them asks for help all the same. */
import { closest, plainlyExpected } from "@proofline/plugins/options"
import type { CliError } from "effect/cli"
import type { Problem } from "../base/problems.ts"
import { quoted } from "../process/output.ts"

const informing: Readonly<Record<string, string>> = {
  "--help": "--help",
  "-h": "--help",
  "--version": "--version",
  "-v": "--version"
}

/**
 * The words to be run where the first flag that no command knows asks for help, or for the version of the whole program.
 * What is misspelt before it is told: of whoever wrote that, nobody knows what else was meant to be done.
 */
export const askedInstead = (
  errors: ReadonlyArray<CliError.CliError>,
  [, ...command]: ReadonlyArray<string>,
  words: ReadonlyArray<string>
): ReadonlyArray<string> | null => {
  const first = errors.find(({ _tag }) => _tag === "UnrecognizedOption" || _tag === "UnknownSubcommand")
  // the `h` of `-hx` asks for nothing
  if (first?._tag !== "UnrecognizedOption" || wordOf(first.option, words) !== first.option) return null
  const asked = informing[first.option]
  return asked === "--help" || (asked === "--version" && command.length === 0) ? [...command, asked] : null
}

/** The word that an option was read of: that of `-h` is `-hx`, unless it stands there alone too. */
const wordOf = (option: string, words: ReadonlyArray<string>): string => {
  if (option.startsWith("--") || words.includes(option)) return option
  return words.find((word) => /^-[^-]/.test(word) && word.includes(option.slice(1))) ?? option
}

/** `--timeout -5s` as `--timeout=-5s`: no flag begins with a digit, and the library takes bare numbers alone for values. */
export const withNegativeValues = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const joined: Array<string> = []
  for (const [i, word] of words.entries()) {
    const flag = joined.at(-1) ?? ""
    const isValue = /^-\.?\d/.test(word) && /^--[^=]+$/.test(flag) && !words.slice(0, i).includes("--")
    if (isValue) joined[joined.length - 1] = `${flag}=${word}`
    else joined.push(word)
  }
  return joined
}

/** What a command knows by name. */
interface KnownNames {
  readonly commands: ReadonlyArray<string>
  readonly flags: ReadonlyArray<string>
}

/** What is wrong with the words behind `proofline`, by what the library found; each word is told once. */
export const invalidInvocation = (
  errors: ReadonlyArray<CliError.CliError>,
  path: ReadonlyArray<string>,
  words: ReadonlyArray<string>,
  { commands, flags }: KnownNames
): ReadonlyArray<Problem> => {
  const hint = `See \`${path.join(" ")} --help\`.`
  const alone = { code: "usage_missing_subcommand", message: `\`${path.join(" ")}\` needs a subcommand.`, hint }
  // whoever is told something is shown where the help is, too
  const told = new Set(Object.keys(informing).filter((word) => informing[word] === "--help"))
  const problems = errors.flatMap((error): Problem | [] => {
    if (error._tag === "UserError") return error.cause as Problem
    const code = `usage_${error._tag.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()}`
    const message = messageOf(error)
    if (error._tag === "UnrecognizedOption") {
      const word = wordOf(error.option, words)
      if (told.has(word)) return []
      told.add(word)
      return { code, message: message.replace(error.option, () => word), hint: `${meantBy(error, word, flags)}${hint}` }
    }
    // the value of a flag that is not known is no command
    if (error._tag === "UnknownSubcommand" && isBehindUnknown(error.subcommand, errors, words)) return []
    if (error._tag === "InvalidValue" && error.value === "") {
      const value = dashedValue(`--${error.option}`, errors, words)
      if (value !== null) {
        told.add(value)
        return {
          code,
          message,
          hint: `A value that begins with a dash is joined to its flag: \`${quoted(`--${error.option}=${value}`)}\`. ${hint}`
        }
      }
    }
    if (isDoubled(error)) return { code, message, hint: `Give it once. ${hint}` }
    const [first] = "suggestions" in error ? error.suggestions : []
    const near =
      first ??
      (error._tag === "UnknownSubcommand"
        ? (nearest(error.subcommand, commands) ?? nearest(error.subcommand, flags, "--"))
        : undefined)
    return { code, message, hint: `${near === undefined ? "" : `Did you mean \`${near}\`? `}${hint}` }
  })
  return problems.length > 0 ? problems : [alone]
}

const isDoubled = (error: CliError.CliError): error is CliError.InvalidValue =>
  error._tag === "InvalidValue" && error.expected === "at most 1 value"

/** The sentence of the library; without its names for what everybody calls otherwise. */
const messageOf = (error: CliError.CliError): string => {
  if (isDoubled(error)) return `Flag --${error.option} is given ${error.value.replace("occurrences", "times")}.`
  const [sentence = ""] = error.message.split("\n")
  return plainlyExpected(sentence)
}

/** What may have been meant by a word that was taken for a flag, as a sentence before others. */
const meantBy = (
  { option, suggestions }: CliError.UnrecognizedOption,
  word: string,
  flags: ReadonlyArray<string>
): string => {
  if (/^--run(?:[-_]?id)?$/.test(word))
    return "A command that is about a run takes its id by itself: `proofline show RUN`. "
  if (word !== option) return "A flag of several letters begins with two dashes. "
  // each letter is near to every other one
  const near =
    word.length === 2 ? undefined : (suggestions.find((name) => name.length > 2) ?? nearest(word.slice(2), flags, "--"))
  return near === undefined ? "" : `Did you mean \`${near}\`? `
}

/** The name that was probably meant, by its letters, or as the only one that begins so. */
const nearest = (word: string, names: ReadonlyArray<string>, before = ""): string | undefined => {
  const begin = word.length < 3 ? [] : names.filter((name) => name.startsWith(word))
  const near = closest(word, names) ?? (begin.length === 1 ? begin[0] : undefined)
  return near === undefined ? undefined : `${before}${near}`
}

/** It stands behind a flag that no command knows. */
const isBehindUnknown = (
  word: string,
  errors: ReadonlyArray<CliError.CliError>,
  words: ReadonlyArray<string>
): boolean => {
  const before = words[words.indexOf(word) - 1] ?? ""
  return errors.some((error) => error._tag === "UnrecognizedOption" && wordOf(error.option, words) === before)
}

/** The word behind a flag that takes one, where it was taken for flags that are not there; null: there is none. */
const dashedValue = (
  flag: string,
  errors: ReadonlyArray<CliError.CliError>,
  words: ReadonlyArray<string>
): string | null => {
  const value = words[words.indexOf(flag) + 1] ?? ""
  const isTaken = (error: CliError.CliError) =>
    error._tag === "UnrecognizedOption" && wordOf(error.option, words) === value
  return words.includes(flag) && errors.some(isTaken) ? value : null
}
