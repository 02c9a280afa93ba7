import { type Base, Digest, type RestsOn } from "@proofline/kernel"
import { Effect } from "effect"
import { Baseline } from "../../../../port/index.ts"
import { shellWords } from "../../../../text/shell.ts"
import { executedBy } from "../executed.ts"
import { foldersOf, namedBy, namedIn, scriptIn } from "../named.ts"

/**
 * What a command rests on and what was there at the base: the scripts, tests and build files that it runs, with what
 * they are given. What a program only looks at, as `grep` does, is the work and not the check.
 */
export const makeRestsOn = Effect.gen(function* () {
  const baseline = yield* Baseline
  const { sha256 } = yield* Digest

  const fileAt = Effect.fnUntraced(function* (base: Base, path: string) {
    const before = yield* baseline.before(base, path)
    if (before._tag === "text") return [{ path, sha256: sha256(before.text) }]
    return before._tag === "other" && before.sha256 !== null ? [{ path, sha256: before.sha256 }] : []
  })

  return Effect.fnUntraced(function* (base: Base, command: string, root: string) {
    const scripts: Array<RestsOn> = []
    const paths = new Set(runPathsOf(command, root))
    for (const { path, script } of namedBy(command, root).scripts) {
      const before = yield* baseline.before(base, path)
      const text = before._tag === "text" ? scriptIn(before.text, script) : null
      if (text === null) continue
      scripts.push({ path, script, sha256: sha256(text) })
      const folder = path.split("/").slice(0, -1).join("/")
      // one level: what the scripts of the script name is not looked for
      for (const name of runPathsOf(folder === "" ? text : `cd ${folder} && ${text}`, root)) paths.add(name)
    }
    const files = yield* Effect.forEach(paths, (path) => fileAt(base, path))
    return [...scripts, ...files.flat()] satisfies ReadonlyArray<RestsOn>
  })
})

/** Paths that stand in the parts of a command that run something of the project. */
const runPathsOf = (command: string, root: string): ReadonlyArray<string> => {
  const words = shellWords(command)
  const folders = foldersOf(words)
  // a quoted command, such as that of `sh -c`, is one too
  return [command, ...words.filter((word) => /\s/.test(word))].flatMap((text) =>
    executedBy(text, root).flatMap(({ end, start }) => namedIn(shellWords(text.slice(start, end)), folders, root).paths)
  )
}
