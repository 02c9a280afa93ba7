import { truthOfCondition } from "../../asked/askedFor.ts"
import { anyOf, declaring, rewriting } from "../../asked/words.ts"
import { type InertRule, rowAt, shown, wordsOf } from "./newRows.ts"

/** All that is new tells a compiler or a reader of code something, and changes nothing that is done: `@Override`, `#[inline]`. */
export const onlyMarks: InertRule = (code) => {
  const form = marks[code.language]
  if (form === undefined || ofMarks.test(code.item)) return null
  const rows = code.rows
  const [first] = rows
  if (first === undefined || !rows.every((row) => form.test(rowAt(code, row)))) return null
  const item = wordsOf(code.item)
  const isAsked = rows.some((row) =>
    wordsOf(rowAt(code, row)).some((word) => item.some((one) => one.startsWith(word) || word.startsWith(one)))
  )
  return isAsked
    ? null
    : `What is new there only marks what was there: ${shown(rowAt(code, first))}. Cite what does the work.`
}

/** All that is new is a condition for the compiler that always holds, or never does: `#if 1`. */
export const noCondition: InertRule = (code) => {
  const [first] = code.rows
  return first !== undefined &&
    /^(?:c|cpp|csharp|swift)$/.test(code.language) &&
    code.rows.every(
      (row) => /^#\s*(?:else|endif)\b/.test(rowAt(code, row)) || truthOfCondition(rowAt(code, row)) !== null
    )
    ? `What is asked of the compiler there depends on nothing: ${shown(rowAt(code, first))}. Cite what does the work.`
    : null
}

const ofMarks = anyOf([
  declaring,
  rewriting,
  String.raw`annotat\w*|attributes?|build|checker|chore|compil\w*|docs?|document\w*|errors?|faste(?:r|st)|final\w*|generat\w*|hints?|ide|inlin\w*|issues?|lint\w*|mark\w*|nullab\w*|null[- ]safety|optimi[sz]\w*|performance|slow\w*|sonar\w*|speed\w*|static analysis|style|suppress\w*|warn\w*`
])

const given = String.raw`(?:\s*\([^()]*\))?`
const marks: Readonly<Record<string, RegExp>> = {
  java: new RegExp(
    `^@(?:Override|SuppressWarnings|Deprecated|SafeVarargs|FunctionalInterface|Nullable|NonNull|NotNull|Nonnull|Generated|VisibleForTesting)${given}$`
  ),
  kotlin: new RegExp(`^@(?:Suppress|Deprecated|VisibleForTesting|OptIn|Keep)${given}$`),
  csharp: new RegExp(
    `^\\[(?:Obsolete|SuppressMessage|DebuggerStepThrough|ExcludeFromCodeCoverage|EditorBrowsable|Pure)${given}\\]$`
  ),
  rust: /^#!?\[(?:inline|allow|expect|warn|must_use|doc|cold)\b[^\]]*\]$/,
  python: /^@(?:typing\.)?(?:override|final|no_type_check)$/,
  swift: new RegExp(`^@(?:discardableResult|inlinable|usableFromInline|inline)${given}$`),
  php: /^#\[\\?(?:ReturnTypeWillChange|Deprecated|Override|Pure|SensitiveParameter)\b[^\]]*\]$/
}
