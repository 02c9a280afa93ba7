import { dirname, join } from "node:path"
import { importsOf, type Source } from "./sources.ts"

type Imports = ReadonlyMap<string, ReadonlyArray<string>>

/**
 * One sentence for every circle of imports between these sources, types included: `a.ts → b.ts → a.ts`. Of sources that
 * all reach each other, the shortest way from the first of them back to itself is named, and how many they are.
 */
export const cyclesIn = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const imports = importedBy(sources)
  const reached = new Map(sources.map(({ path }) => [path, reachedFrom(path, imports)]))
  const isIn = (a: string, b: string) => reached.get(a)?.has(b) === true && reached.get(b)?.has(a) === true
  const told = new Set<string>()
  return [...imports.keys()].sort().flatMap((path) => {
    if (told.has(path) || !isIn(path, path)) return []
    const circle = [...imports.keys()].filter((other) => isIn(path, other))
    for (const one of circle) told.add(one)
    const way = wayBack(path, imports)
    const more = circle.length - (way.length - 1)
    return [`${way.join(" → ")}${more === 0 ? "" : ` (${circle.length} files reach each other)`}`]
  })
}

/** The sources that each source names by a relative path, in whatever way. */
const importedBy = (sources: ReadonlyArray<Source>): Imports => {
  const paths = new Set(sources.map(({ path }) => path))
  return new Map(
    sources.map(({ path, text }) => [
      path,
      importsOf(text)
        .flatMap(({ specifier }) => (specifier?.startsWith(".") ? [join(dirname(path), specifier)] : []))
        .filter((target) => paths.has(target))
    ])
  )
}

/** Everything that is loaded with a source; the source itself only where a way leads back. */
const reachedFrom = (path: string, imports: Imports): ReadonlySet<string> => {
  const reached = new Set<string>()
  const open = [path]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of imports.get(at) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      open.push(next)
    }
  }
  return reached
}

/** The shortest way from a source back to itself, both ends included; it must have one. */
const wayBack = (path: string, imports: Imports): ReadonlyArray<string> => {
  const before = new Map<string, string>()
  const open = [path]
  for (let at = open.shift(); at !== undefined && !before.has(path); at = open.shift()) {
    for (const next of imports.get(at) ?? []) {
      if (before.has(next)) continue
      before.set(next, at)
      open.push(next)
    }
  }
  const way = [path]
  for (let at = before.get(path); at !== undefined && at !== path; at = before.get(at)) way.unshift(at)
  return [path, ...way]
}
