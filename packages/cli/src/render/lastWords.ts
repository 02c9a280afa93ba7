import { failedNamed } from "@proofline/kernel"
import { failedIn } from "@proofline/plugins/policies/execution"
import { plain } from "./style.ts"

/** Frames of a stack, brackets and rules, and what a program says of itself because another one has failed. */
const noWords = [
  /^\s*(?:at |File "|node:internal|goroutine \d)/,
  /^[\s\p{P}\p{S}]*$/u,
  /^\s*(?:FAIL|FAILED|ok|not ok|exit status \d+|FAIL\t.*)\s*$/,
  /^\s*(?:Node\.js v\d|npm (?:error|ERR!|warn)|error: test failed, to rerun|make: \*\*\*)/,
  /^\s*#? ?(?:ℹ )?(?:tests|suites|pass|cancelled|skipped|todo|duration_ms)\b[ :\d.]*$/
]

const maxNamed = 3

/** What a command that failed has printed of it: the tests that it names, else its last line that says something. */
export const lastWords = (output: string, failed_tests: ReadonlyArray<string> = []): string => {
  const text = plain(output)
  const named = failedNamed({ failed_tests: failed_tests.length > 0 ? failed_tests : failedIn(text) }, maxNamed)
  if (named !== "") return `; ${named}`
  const lines = text.split("\n")
  const isSaid = (line: string) => !noWords.some((one) => one.test(line))
  const last = lines.findLast(isSaid) ?? lines.findLast((line) => line.trim() !== "")
  return last === undefined ? "" : `; it last printed: ${last.trim()}`
}
