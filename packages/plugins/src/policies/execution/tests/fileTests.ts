import { languageOf } from "../../../text/languages.ts"
import { scan } from "../../../text/scan.ts"
import type { Counted } from "./reports.ts"

/**
 * `node --test` runs each file as a test of its own, and reports it where no test in it ran: none matches
 * `--test-name-pattern`, or the file has none. Only a script that uses no tests is one test as a whole.
 */

/** Files that a report names like tests that have passed. */
export const filesAmong = (found: Counted): ReadonlyArray<string> =>
  isOfNode(found) ? found.tests.flatMap(({ name, status }) => (status === "passed" && isFile(name) ? [name] : [])) : []

/** Whether a report means this path of the project: it says it from where it ran, or from the root of the disk. */
export const isNamed = (path: string, name: string): boolean =>
  path === name || path.endsWith(`/${name}`) || name.endsWith(`/${path}`)

/** Without the files of which the runner ran no test; `texts` are those of the files that have such a name. */
export const withoutFiles = (
  found: Counted,
  command: string,
  textsOf: (name: string) => ReadonlyArray<string>
): Counted => {
  const files = filesAmong(found).filter((name) => {
    const texts = textsOf(name)
    return filters.test(command) || texts.length === 0 || texts.some(hasTests)
  })
  if (files.length === 0) return found
  return {
    ...found,
    passed: Math.max(0, found.passed - files.length),
    tests: found.tests.filter(({ name, status }) => status !== "passed" || !files.includes(name))
  }
}

const isOfNode = ({ formats }: Counted): boolean => formats.some((format) => /^(?:node-spec|tap|junit)$/.test(format))

const isFile = (name: string): boolean => /\.[cm]?[jt]sx?$/.test(name) && !/ > /.test(name)

/** What runs only some of the tests, in the command or in what npm says of the script. */
const filters = /--test-(?:(?:name|skip)-pattern|only)\b/

/** Whether tests are defined there: with those of Node, or with functions of the project that are called like them. */
const hasTests = (text: string): boolean => {
  if (/["']node:test(?:\/[\w-]+)?["']/.test(text)) return true
  if (/(?:from|require\(|import\()\s*["'](?:tape|tap|uvu|ava|zora|@japa\/runner|@hapi\/lab)["']/.test(text))
    return false
  const { code } = scan(text, languageOf("a.ts", [text]))
  return /(?<![.\w$])(?:test|it|describe|suite)(?:\.\w+)?\s*\(/.test(code)
}
