import { enumerated, filesIn, type TaskSpec } from "@proofline/kernel"
import { oneLine } from "../render/style.ts"

/** More are counted, not named. */
const maxNamed = 5

/** Tests that are there are to change. */
const changing =
  /\b(?:adapt|adjust|change|correct|edit|fix|rewrite|update)\s+(?:(?:all|any|affected|corresponding|existing|its|old|our|related|relevant|the|these|those|unit)\s+)*(?:tests?|specs?|test cases?|test suite)\b|テスト(?:ケース)?(?:も|を)(?:変更|更新|修正|直)/iu

/**
 * Of tasks that ask for other tests than those that are there, and do not say in which file: a check that rests on these files
 * counts only as they were. Null: there is none.
 */
export const unnamedTestsNote = (
  tasks: ReadonlyArray<Pick<TaskSpec, "id" | "checks" | "checklist" | "instruction">>
): string | null => {
  const unnamed = tasks.filter(({ checklist, checks, instruction }) => {
    const texts = [instruction, ...checklist.map(({ item }) => item)]
    const hasCheck = checks.length > 0 || checklist.some(({ check }) => check != null)
    return (
      hasCheck &&
      texts.some((text) => changing.test(text)) &&
      !texts.flatMap(filesIn).some((file) => /tests?|specs?/i.test(file))
    )
  })
  if (unnamed.length === 0) return null
  const named = enumerated(
    unnamed.map(({ id }) => oneLine(id, 60)),
    maxNamed
  )
  const who =
    unnamed.length === 1
      ? `task ${named} asks for other tests and names no test file`
      : `tasks ${named} ask for other tests and name no test file`
  return `note: ${who}: checks count only with the tests as they were. Name the files in the task where that is not meant.`
}
