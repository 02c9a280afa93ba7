/**
 * What in a text reads as `path:line` or `path:start-end`, each once, in order: candidates for a look on disk, which
 * decides what they are. Addresses, times and what compilers add behind a line (`:column`) are no part of one. Paths
 * with other characters than these must be in double quotes; a name needs a dot or a slash, but for `Makefile` and its like.
 */
export const referencesIn = (text: string): ReadonlyArray<string> => {
  const found = [...text.matchAll(reference)].flatMap(({ groups }) => {
    const lines = groups?.["lines"] ?? ""
    const quoted = groups?.["quoted"]
    // `"passed":12` is of a JSON that was printed
    if (quoted !== undefined) return /[./ ]/.test(quoted) ? [`"${quoted}":${lines}`] : []
    const path = unwrapped(groups?.["plain"] ?? "")
    return isPath(path) ? [`${path}:${lines}`] : []
  })
  return [...new Set(found)]
}

const lines = "(?<lines>[1-9][0-9]{0,15}(?:-[1-9][0-9]{0,15})?)(?![\\p{L}\\p{N}_/])"
const letters = "\\p{L}\\p{M}\\p{N}._\\-+@$~#/"

const reference = new RegExp(
  `(?:"(?<quoted>[^"\\n]{1,1000})"|(?<![${letters}:])(?<plain>[${letters}()[\\]{}]{1,1000})):${lines}`,
  "gu"
)

const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" }

/** Without the brackets before a path that are closed behind it. */
const unwrapped = (path: string): string => {
  let start = 0
  for (let closing = pairs[path.charAt(0)]; closing !== undefined; closing = pairs[path.charAt(start)]) {
    const rest = path.slice(start)
    if (rest.split(path.charAt(start)).length <= rest.split(closing).length) break
    start++
  }
  return path.slice(start)
}

const isPath = (path: string): boolean =>
  /[./]|^\p{Lu}\p{L}*file$/u.test(path) && !path.startsWith("//") && !/^[0-9.-]+$/.test(path)
