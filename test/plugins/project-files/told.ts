import {
  type Problem,
  parseChunking,
  parseConfig,
  parseRequirements,
  parseTasks,
  type TasksOptions
} from "@proofline/plugins/adapters/project-files"

/** A list of problems as text: place and code, what is wrong, what to do. */
export const told = (problems: ReadonlyArray<Problem>): string =>
  problems
    .map(
      (problem) => `${problem.line}:${problem.column} ${problem.code}
  ${problem.message}
  ${problem.hint}`
    )
    .join("\n")

export const tasksProblems = (text: string, options?: TasksOptions): string =>
  told(parseTasks(text, "tasks.yaml", options).problems)

export const requirementsProblems = (text: string): string =>
  told(parseRequirements(text, "requirements.yaml").problems)

export const configProblems = (text: string): string => told(parseConfig(text, "proofline.yaml").problems)

export const chunkingProblems = (text: string): string => told(parseChunking(text, "task-chunking.json").problems)

/** A tasks.yaml of one task that is sound but for the given lines, which begin on line 5. */
export const withLines = (...lines: ReadonlyArray<string>): string =>
  ["tasks:", "  - id: a", "    name: A", "    instruction: Do it", ...lines.map((line) => `    ${line}`), ""].join("\n")
