import { cleanPath } from "./targets.ts"

/** The paths that a field of a payload names, from the root; what is no path of the project is left out. */
export const pathsIn = (value: unknown, root: string): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).flatMap((one) => {
    const path = textOf(one)
    const clean = path === undefined ? null : cleanPath(path, root)
    return clean === null ? [] : [clean]
  })

/** What a field of a payload names that is no path of the project, as it was written. */
export const outsideIn = (value: unknown, root: string): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).flatMap((one) => {
    const path = textOf(one)?.trim() ?? ""
    return path !== "" && cleanPath(path, root) === null ? [path] : []
  })

/** A file may be given with what was found in it. */
const textOf = (one: unknown): string | undefined => {
  if (typeof one === "string") return one
  const fields = (one ?? {}) as Readonly<Record<string, unknown>>
  const named = ["path", "file", "file_path", "name"].map((field) => fields[field])
  return named.find((value) => typeof value === "string")
}
