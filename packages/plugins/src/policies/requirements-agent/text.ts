import { fenced } from "../../text/fenced.ts"

/** Prompts as Markdown: whatever others wrote stays inside the place it is put in. */

export const join = (sections: ReadonlyArray<string | null>): string =>
  `${sections.filter((section) => section !== null && section !== "").join("\n\n")}\n`

export const section = (title: string, ...parts: ReadonlyArray<string | null>): string =>
  [`## ${title}`, ...parts.filter((part) => part !== null && part !== "")].join("\n\n")

/** A list; further lines of a text belong to its point. */
export const bullets = (lines: ReadonlyArray<string>): string => lines.map((line) => `- ${within(line)}`).join("\n")

const within = (text: string): string =>
  text
    .trim()
    .split(/\r?\n/)
    .map((line, at) => (at === 0 ? line : `  ${line}`.trimEnd()))
    .join("\n")

/** What an agent said, so that no line of it begins anything. */
export const inOneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

export const quoted = (text: string): string =>
  text
    .trim()
    .split(/\r?\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")

/** A command or a name in a line; one that holds backticks or lines is told in a string of JSON. */
export const code = (text: string): string => (/[`\n\r]/.test(text) ? JSON.stringify(text) : `\`${text}\``)

/** The first `length` characters, and that there were more. */
export const shortened = (text: string, length: number): string => {
  const trimmed = text.trim()
  return trimmed.length <= length ? trimmed : `${trimmed.slice(0, length - 1).trimEnd()}…`.toWellFormed()
}

/** What was wrong with the answer before, and that answer. */
export const formerSection = (
  former: { readonly answer: string; readonly problems: ReadonlyArray<string> } | null | undefined
): string | null => {
  if (former === null || former === undefined) return null
  const answer = former.answer.trim()
  return section(
    "Your former answer could not be used",
    `Answer again, as a whole, without these faults:\n\n${bullets(former.problems)}`,
    answer === "" ? null : `That answer:\n\n${fenced(shortened(answer, maxFormer))}`
  )
}

/** Characters of a former answer that are shown. */
const maxFormer = 20_000

/** Its client may offer our server. */
export const handIn = (tool: string): string =>
  `If you have the tool ${tool} of proofline, hand it in with that: it is checked at once. Otherwise write it to the file named by the environment variable PROOFLINE_REPORT_FILE; if you cannot write it, print it as the last fenced code block of your answer.`
