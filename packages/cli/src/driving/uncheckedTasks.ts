import { enumerated, type TaskSpec } from "@proofline/kernel"
import { oneLine } from "../render/style.ts"

/** More are counted, not named. */
const maxNamed = 5

/**
 * That verifiers are run in pull mode only, where somebody may count on them: of tasks that no command checks. Null: there
 * is none, or there are no verifiers.
 */
export const uncheckedNote = (
  tasks: ReadonlyArray<Pick<TaskSpec, "id" | "checks" | "checklist">>,
  verifiers: ReadonlyArray<string>
): string | null => {
  const unchecked = tasks.filter(
    ({ checklist, checks }) => checks.length === 0 && checklist.every(({ check }) => check == null)
  )
  if (unchecked.length === 0 || verifiers.length === 0) return null
  const named = enumerated(
    unchecked.map(({ id }) => oneLine(id, 60)),
    maxNamed
  )
  const who = unchecked.length === 1 ? `task ${named} has` : `tasks ${named} have`
  const commands = verifiers.map((command) => `\`${oneLine(command, 80)}\``).join(", ")
  return `note: ${who} no check, and the verifiers of proofline.yaml (${commands}) are run in pull mode only: name them under checks too.`
}
