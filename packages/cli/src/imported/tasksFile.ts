import type { Draft } from "./Draft.ts"

/** A tasks.yaml of these tasks, to be read and changed by people. `from`: whose list it was. */
export const tasksFileOf = (drafts: ReadonlyArray<Draft>, from: string): string =>
  [
    "# yaml-language-server: $schema=./node_modules/proofline/schema/tasks.schema.json",
    `# Open tasks of ${from.replace(/\s+/g, " ")}. Add to each what shows that it is done: items of its checklist, and \`checks\`, commands that must pass.`,
    "tasks:",
    ...drafts.map(taskText),
    ""
  ].join("\n")

const taskText = ({ checklist, depends_on, id, instruction, name }: Draft): string =>
  [
    `  - id: ${quoted(id)}`,
    `    name: ${quoted(name)}`,
    `    instruction: ${blockOf(instruction)}`,
    ...(depends_on.length === 0 ? [] : [`    depends_on: [${depends_on.map(quoted).join(", ")}]`]),
    "    checklist:",
    ...checklist.map((item) => `      - ${quoted(item)}`)
  ].join("\n")

/** As JSON has it, which YAML reads alike. */
const quoted = (text: string): string => JSON.stringify(text)

/** Several lines as they are, where YAML takes them so. */
const blockOf = (text: string): string => {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd())
  const isPlain = lines.length > 1 && lines[0] !== "" && !/^\s/.test(lines[0] ?? "") && !hasControls(text)
  return isPlain ? ["|-", ...lines.map((line) => (line === "" ? "" : `      ${line}`))].join("\n") : quoted(text)
}

const hasControls = (text: string): boolean =>
  [...text].some((sign) => (sign.codePointAt(0) ?? 0) < 32 && sign !== "\n" && sign !== "\r") ||
  /[\u007f-\u009f\u2028\u2029\ufeff]/.test(text)
