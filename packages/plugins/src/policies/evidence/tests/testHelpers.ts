import type { SourceOutline } from "../../../port/index.ts"
import { offsetOf, type Plain } from "../code/plain.ts"
import { asserts } from "./assertions.ts"
import { maxBody, type TestCase } from "./testCases.ts"

const rounds = 4
const maxHelpers = 500
/** Functions within functions may make it many times the file. */
const maxHelperText = 2_000_000

/** Names of functions that can make a test fail, though they do not say so. */
export const helpersOf = (
  plain: Plain,
  outline: SourceOutline,
  cases: ReadonlyArray<TestCase>
): ReadonlySet<string> => {
  const { language } = outline
  const helpers = new Set([
    ...importedHelpers(plain, outline),
    ...tabled(plain),
    ...(language === "python" ? inherited(plain, outline) : []),
    ...(language === "php" ? mixedIn(plain, outline) : [])
  ])
  if (cases.length === 0) return helpers
  const heads = new Set(cases.map(({ start }) => start))
  const own = outline.declarations
    .filter(({ kind, name, start }) => {
      const from = offsetOf(plain, start)
      // a test of Go within a test has the name of what it tests
      const isWithin = language === "go" && /^[\w.]+\.Run\s*\(/.test(plain.code.slice(from, from + 100))
      return kind === "function" && name !== null && !heads.has(from) && !isWithin
    })
    .slice(0, maxHelpers)
    .map((one) => ({
      name: (one.name ?? "").split(".").at(-1) ?? "",
      code: plain.code.slice(offsetOf(plain, one.bodyStart), offsetOf(plain, one.end))
    }))
    .filter(({ code, name }) => /^[\w$]+$/.test(name) && code.length < maxBody)
  if (own.reduce((sum, { code }) => sum + code.length, 0) > maxHelperText) return helpers
  for (let round = 0; round < rounds; round++) {
    const before = helpers.size
    for (const { code, name } of own) if (!helpers.has(name) && asserts(code, { language, helpers })) helpers.add(name)
    if (helpers.size === before) break
  }
  return helpers
}

/** Methods that a class of Python can only have from elsewhere. */
const inherited = ({ code }: Plain, { declarations }: SourceOutline): ReadonlyArray<string> => {
  const own = new Set(declarations.flatMap(({ name }) => (name === null ? [] : [name.split(".").at(-1) ?? ""])))
  for (const [, name = ""] of code.matchAll(/\b(?:self\.)?(\w+)\s*(?::[^=\n]*)?=(?!=)/g)) own.add(name)
  return [...code.matchAll(/\b(?:self|cls)\.(\w+)\s*\(/g)].flatMap(([, name = ""]) => (own.has(name) ? [] : [name]))
}

/** Methods that a class of PHP can only have from a trait or a base class of the tests, but for those of its framework. */
const mixedIn = ({ code }: Plain, { declarations }: SourceOutline): ReadonlyArray<string> => {
  const own = new Set(declarations.flatMap(({ name }) => (name === null ? [] : [name.split(/::|\./).at(-1) ?? ""])))
  return [...code.matchAll(/\$this->(\w+)\s*\(/g)].flatMap(([, name = ""]) =>
    own.has(name) || ofFramework.test(name) ? [] : [name]
  )
}

/** What says nothing by itself: doubles, requests, set-up and what is skipped. */
const ofFramework =
  /^(?:create|get|make|mock|partialMock|spy|stub|method|any|once|never|exactly|at|on|with|without|will|return|set|post|put|patch|delete|head|options|json|call|visit|acting|be|from|following|travel|freeze|seed|artisan|mark|add|prophesize|iniSet|register|run|skip|fixture|load|build|prepare|given|when)(?![a-z])/

/** What a loop takes out of the rows of a table: `for (const { name, run } of cases) it(name, () => run())`. */
const tabled = ({ code }: Plain): ReadonlyArray<string> =>
  [
    ...code.matchAll(
      /\bfor\s*(?:await\s*)?\(\s*(?:const|let)\s*[{[]([^{}[\]()]{1,300})[}\]]\s*of\b|\.forEach\(\s*\(\s*[{[]([^{}[\]()]{1,300})[}\]]/g
    )
  ].flatMap(([, looped, each]) => (looped ?? each ?? "").match(/[A-Za-z_$][\w$]*/g) ?? [])

/** What comes from a place where tests keep what they share. */
const importedHelpers = (plain: Plain, outline: SourceOutline): ReadonlyArray<string> =>
  importsOf(plain, outline).flatMap((said) => {
    const bound = said.replace(/"[^"\n]*"|'[^'\n]*'/g, "")
    const names = (bound.match(/[A-Za-z_$][\w$]*/g) ?? []).filter((name) => !importWords.has(name))
    if (outline.language === "java") return /^import\s+static\b/.test(said) ? names.slice(-1) : []
    const from =
      /(?:from\s*|require\s*\(\s*)["']([^"'\n]+)["']/.exec(said)?.[1] ?? /^from\s+([\w.]+)/.exec(said)?.[1] ?? ""
    return sharedByTests.test(from) ? names : []
  })

/** Words of an import that name nothing. */
const importWords = new Set("import from as const let var require await type typeof static".split(" "))

export const importsOf = (plain: Plain, { asides }: SourceOutline): ReadonlyArray<string> =>
  asides
    .filter(({ kind }) => kind === "import")
    .map(({ end, start }) => plain.text.slice(offsetOf(plain, start), offsetOf(plain, end)))

const sharedByTests =
  /test|spec|helper|support|fixture|harness|common|shared|assert|expect|matcher|(?:^|[./_-])utils?(?:\.|$)/i
