import { fileUses, type HasTasks, isNamed, tasksOf } from "@proofline/kernel"
import picomatch from "picomatch"
import { isTestFile, namedFiles } from "../../evidence/contract.ts"

/** Files that say how tests run, or what they compare with: with the tests they are the check, and not the work. */
export const isOfTests = (path: string): boolean =>
  isTestFile(path) || setup.test(path) || fixture.test(path) || scenario.test(path)

/** Tests by other names: of browsers, of Perl, in sentences. */
const scenario =
  /(?:^|\/)(?:e2e|cypress|playwright)\/|\.t$|\.feature$|(?:^|\/)features\/(?:step_definitions|steps|support)\//

/** Sources in which tests stand beside the code that they test. */
export const holdsTests = (path: string): boolean => path.endsWith(".rs")

/**
 * Settings of test runners: which tests are run, and whether none is enough. Those of package managers say which shell and
 * which options of Node a script gets, and Python imports two modules before anything else.
 */
const setup =
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml|(?:site|user)customize\.py|pytest\.ini|tox\.ini|conftest\.py|\.coveragerc|\.mocharc(?:\.\w+)?|\.rspec|\.taprc|\.nycrc(?:\.\w+)?|phpunit(?:\.dist)?\.xml(?:\.dist)?|nextest\.toml|(?:jest|vitest|playwright|cypress|karma|ava|wdio|codecept|nightwatch)\.(?:conf|config|setup|preset|workspace)\.\w+)$/

/** Settings with which somebody could say how tests end that are not theirs. */
export const isOfRunner = (path: string): boolean => setup.test(path)

/** What a Go test file has that runs before the tests of its package, or can end them: their exit code then says nothing. */
export const endsGoTests = (text: string): boolean =>
  /^func\s+(?:TestMain|init)\s*\(|\b(?:os|syscall)\.Exit\s*\(/m.test(text)

const fixture =
  /(?:^|\/)(?:__fixtures__|fixtures?|testdata|test-data|__snapshots__|__mocks__|goldens?|cassettes)\/|\.snap$/

/** By globs of the user, relative to the project. A folder stands for all in it. */
export const isProtectedBy = (globs: ReadonlyArray<string>): ((path: string) => boolean) =>
  globs.length === 0
    ? () => false
    : picomatch(
        globs.map((glob) => glob.replace(/^\.\//, "")).flatMap((glob) => [glob, `${glob.replace(/\/+$/, "")}/**`]),
        { dot: true }
      )

/**
 * Whether the user names a file as a place of the work, in a task that the command checks: then it is the work, and not the
 * check. Null: in any task. `says`: only where the item or instruction has such a word too.
 */
export const isWorkOf = (state: HasTasks, command: string | null, says = /^/): ((path: string) => boolean) => {
  const places = tasksOf(state)
    .map(({ spec }) => spec)
    .filter(
      ({ checklist, checks, commands_by }) =>
        commands_by !== "agent" &&
        (command === null || checks.includes(command) || checklist.some(({ check }) => check === command))
    )
    .flatMap(({ checklist, instruction }) => [
      ...(says.test(instruction) ? writtenIn(instruction) : []),
      ...checklist.flatMap(({ item }) => (says.test(item) ? namesIn(item) : []))
    ])
  return (path) => places.some((name) => isNamed(path, name))
}

const namesIn = (text: string): ReadonlyArray<string> => [
  ...namedFiles(text).map(({ name }) => name),
  ...writtenIn(text)
]

const writtenIn = (text: string): ReadonlyArray<string> =>
  [...fileUses(text)].flatMap(([path, use]) => (use === "written" ? [path] : []))

/**
 * The same of a requirement, whose criteria have commands of their own: where its description says that something is written, or a
 * criterion what a file does. A test, and what only has to pass, is the check.
 */
export const isWorkIn = (description: string, criteria: ReadonlyArray<string>): ((path: string) => boolean) => {
  const does = criteria.filter((criterion) => !passes.test(criterion)).flatMap((criterion) => namesIn(criterion))
  const places = [...writtenIn(description), ...does.filter((path) => !isOfTests(path))]
  return (path) => places.some((name) => isNamed(path, name))
}

const passes = /\b(?:exits?|green|ok|pass(?:es|ed|ing)?|succeeds?)\b|合格|成功|通る/i

/** Words of who speaks of this script of a package file. */
export const ofScript = (script: string): RegExp => {
  const name = `["'\`]?${script.replaceAll(/[^\w]/g, "\\$&")}["'\`]?`
  return new RegExp(
    `(?<![\\w-])${name}[ -]script(?!\\w)|(?<!\\w)scripts?[ .:]+${name}(?![\\w-])|${name}\\s*スクリプト`,
    "i"
  )
}

/** Words of who speaks of tests. */
export const ofTests = /\btests?\b|\bspecs?\b|テスト/i
