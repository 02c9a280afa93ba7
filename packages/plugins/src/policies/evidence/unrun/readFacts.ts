import { Effect, Option } from "effect"
import type { LineRange, ProjectReader } from "../../../port/index.ts"
import { namedCode } from "../asked/namedCode.ts"
import { type Unregistered, unregistered, whyUnregistered } from "../tests/unregistered.ts"
import { rulesOf } from "../tests/unregisteredRules.ts"
import type { FileNow } from "../work/lineProof.ts"

/**
 * Why cited lines show nothing although they look like a test, as a sentence: nothing in their file runs them, and no
 * other file names them. Null: something does, they are something else, or the project is too large to be searched.
 */
export const unrunIn = Effect.fnUntraced(function* (
  file: FileNow,
  range: LineRange,
  item: string | undefined,
  files: ProjectReader
): Effect.fn.Return<string | null> {
  const { outline, path } = file
  const found = unregistered(path, file.lines, outline, range)
  if (outline === null || found.length === 0 || asksForIt(item ?? "", found)) return null
  // a log that is judged again has no list of files, and what is read here is not kept for it
  const isUsed = yield* namedElsewhere(found, { path, language: outline.language }, files.at(files.root)).pipe(
    Effect.catchDefect(() => Effect.succeed(true))
  )
  return isUsed ? null : whyUnregistered(found, outline.language)
})

/** The item asks for what tests share, or for this function by its name. */
const asksForIt = (item: string, found: ReadonlyArray<Unregistered>): boolean =>
  /\b(?:helpers?|fixtures?|utilit(?:y|ies)|utils?|macros?|matchers?|shared|reusable)\b|ヘルパー|フィクスチャ|共通/i.test(
    item
  ) || namedCode(item).wanted.some((one) => found.some(({ name }) => name === one.name))

const maxFiles = 2_000

/** Whether another file that could run them names one of them, or says that tests have names of another kind. */
const namedElsewhere = Effect.fnUntraced(function* (
  found: ReadonlyArray<Unregistered>,
  { language, path }: { readonly language: string; readonly path: string },
  files: ProjectReader
): Effect.fn.Return<boolean> {
  const paths = (yield* files.paths).filter((one) => one !== path && mayRun(language, path, one))
  if (paths.length > maxFiles) return true
  const names = new RegExp(`(?<![\\w$])(?:${found.map(({ name }) => name.replaceAll("$", "\\$")).join("|")})(?![\\w$])`)
  for (const other of paths) {
    const text = yield* Effect.option(files.readText(other))
    if (Option.isNone(text)) continue
    if (isSettings(other) ? ownNames.test(text.value.text) : names.test(text.value.text)) return true
  }
  return false
})

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)

/** A test file of Go is compiled with those of its folder alone. */
const mayRun = (language: string, path: string, other: string): boolean =>
  (rulesOf(language)?.callers.test(other) === true && (language !== "go" || folderOf(other) === folderOf(path))) ||
  (language === "python" && isSettings(other))

const isSettings = (path: string): boolean =>
  /(?:^|\/)(?:pytest\.ini|\.pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|pytest\.toml)$/.test(path)

/** Settings of pytest and nose by which functions of other names are tests. */
const ownNames = /\bpython_functions\b|\[nosetests\]|\btestmatch\b/i
