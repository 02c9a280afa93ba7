import type { LineRange } from "../../../port/index.ts"
import type { Rule } from "./range.ts"

/**
 * The text rules that evidence was first judged by, kept as they were for comparison, their faults included: a pattern
 * is tried at the beginning of the cited lines only, so `def f():` before a `pass` hides it, and code that follows a
 * comment marked TODO or a `pass` counts as empty; the last line is not checked; blank lines, a brace or an import
 * pass. Null: not empty. `lines` are all lines of the file with their ends. Pure.
 */
export const originalRule = (
  _path: string,
  lines: ReadonlyArray<string>,
  { end, start }: LineRange
): { readonly reason: string } | null => {
  if (start > lines.length) return { reason: `Line ${start} exceeds file length (${lines.length} lines)` }
  const code = lines
    .slice(start - 1, end)
    .join("")
    .replaceAll(/\r\n?/g, "\n")
    .trim()
  const matched = emptyPatterns.find((pattern) => new RegExp(pattern, "my").test(code))
  return matched === undefined ? null : { reason: `Empty implementation detected (matches '${matched}')` }
}

const emptyPatterns = [
  String.raw`^\s*pass\s*$`,
  String.raw`^\s*\.\.\.\s*$`,
  String.raw`^\s*#\s*TODO`,
  String.raw`^\s*//\s*TODO`,
  String.raw`^\s*raise\s+NotImplementedError`
]

/** The same as a rule that a policy can judge by. It knows no declarations. */
export const originalFinding: Rule = (path, lines, _outline, range) => ({
  empty: originalRule(path, lines, range)?.reason ?? null,
  covers: range,
  declaration: null,
  hidden: null
})
