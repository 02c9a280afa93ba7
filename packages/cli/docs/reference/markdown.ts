/** Pages of the reference as Markdown: what stands in them comes from the code, and nobody edits them. */

/** A page below `docs/reference/`. */
export interface Page {
  /** Without `.md`. */
  readonly name: string
  readonly text: string
}

/** A page with its title, and where it comes from. `blocks` are paragraphs, tables and headings, in their order. */
export const page = (name: string, title: string, blocks: ReadonlyArray<string>): Page => ({
  name,
  text: `${[`# ${title}`, "<!-- Generated from the code by `npm run docs`. -->", ...blocks.filter((block) => block !== "")].join("\n\n")}\n`
})

/** Text that stands in one cell of a table. */
const cell = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")
    .trim()

/** A table; an empty text where it has no rows. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.length === 0
    ? ""
    : [
        `| ${head.map(cell).join(" | ")} |`,
        `|${head.map(() => "---|").join("")}`,
        ...rows.map((row) => `| ${row.map(cell).join(" | ")} |`)
      ].join("\n")

export const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``)

/** Words of the code outside of code, where `<run>` would be read as a tag. */
export const prose = (text: string): string =>
  text
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
    .join("")

export const fenced = (language: string, lines: ReadonlyArray<string>): string =>
  [`\`\`\`${language}`, ...lines, "```"].join("\n")
