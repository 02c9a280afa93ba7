/** So many files may be meant; more say nothing. */
const maxNamed = 3

/**
 * Which files of the project a path that leads to none may mean, in a sentence; empty: nobody can tell. Agents write paths as
 * they stand from a package, or from the repository of which the project is a folder.
 */
export const meantPath = (path: string, paths: ReadonlyArray<string>, root: string): string => {
  if (paths.includes(path)) return ""
  const inProject = withoutFolder(path, paths, root)
  const found = inProject === null ? paths.filter((one) => one.endsWith(`/${path}`)) : [inProject]
  if (found.length === 0 || found.length > maxNamed) return ""
  const last = found.at(-1) ?? ""
  const others = found.slice(0, -1)
  return `Paths start at the root of the project: ${others.length === 0 ? `${last} is probably meant` : `${others.join(", ")} or ${last} may be meant`}.`
}

/** The path without the folder of the repository in which the project is; null: that is no file of it. */
const withoutFolder = (path: string, paths: ReadonlyArray<string>, root: string): string | null => {
  const segments = path.split("/")
  for (let i = segments.length - 1; i > 0; i--) {
    const rest = segments.slice(i).join("/")
    if (root.endsWith(`/${segments.slice(0, i).join("/")}`) && paths.includes(rest)) return rest
  }
  return null
}
