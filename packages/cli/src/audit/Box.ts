/** A box of a task list, or what stands for one: a task with a status. */
export interface Box {
  /** Of the mark, from 1. */
  readonly line: number
  readonly column: number
  /** What it says, on one line. */
  readonly item: string
  /** What is read for files that it names: the item, and what stands below it without a box of its own. */
  readonly texts: ReadonlyArray<string>
  readonly ticked: boolean
}

/** Whose list it is, by where it lies. */
export type Tool = "spec-kit" | "openspec" | "kiro" | "backlog.md" | "taskmaster" | "beads" | "markdown"

/** The tool whose list a file may be; null: it is none that is known. */
export const toolOf = (path: string): Tool | null => {
  const known = tools.find(([, pattern]) => pattern.test(path))
  return known === undefined ? null : known[0]
}

const tools: ReadonlyArray<readonly [Tool, RegExp]> = [
  ["taskmaster", /(?:^|\/)\.taskmaster\/tasks\/tasks\.json$/],
  ["beads", /(?:^|\/)\.beads\/[^/]+\.jsonl$/],
  ["openspec", /(?:^|\/)openspec\/changes\/(?:archive\/)?[^/]+\/tasks\.md$/],
  ["kiro", /(?:^|\/)\.kiro\/specs\/[^/]+\/tasks\.md$/],
  ["spec-kit", /(?:^|\/)specs\/[^/]+\/tasks\.md$/],
  ["backlog.md", /(?:^|\/)\.?backlog\/(?:tasks|completed|drafts|archive\/[^/]+)\/[^/]+\.md$/],
  ["markdown", /\.(?:md|mdx|markdown|mdown)$/i]
]

/** A file of such a name is read as the list of a tool, wherever it lies, when it is named. */
export const toolOfNamed = (path: string): Tool | null =>
  toolOf(path) ?? (path.endsWith(".jsonl") ? "beads" : path.endsWith(".json") ? "taskmaster" : null)

/** Forms to be filled in, and what tests and documents show: nobody says with it that something was done. */
export const isForm = (path: string): boolean =>
  /(?:^|\/)(?:templates?|examples?|fixtures?|__fixtures__|testdata|node_modules|bower_components|vendor|third[_-]party|\.?venv|ISSUE_TEMPLATE|PULL_REQUEST_TEMPLATE)\//i.test(
    path
  ) || /(?:^|[\w.-])(?:template|pull_request_template)[\w-]*(?:\.\w+)+$/i.test(path.split("/").at(-1) ?? "")
