import type { ServedProject, ServedProjects } from "@proofline/plugins/frontends/http/api"

type Named = Pick<ServedProject, "id" | "root">

/** The last parts of a directory, whatever separates them. */
const ending = (root: string, parts: number): string =>
  root
    .split(/[/\\]/)
    .filter((part) => part !== "")
    .slice(-parts)
    .join("/")

/** What a project is called among these: its directory, and as much of what leads there as tells it from those of its name. */
export const labelOf = ({ id, root }: Named, all: ReadonlyArray<Named>): string => {
  const others = all.filter((one) => one.id !== id)
  let parts = 1
  while (
    ending(root, parts) !== ending(root, parts + 1) &&
    others.some((one) => ending(one.root, parts) === ending(root, parts))
  )
    parts++
  return ending(root, parts) || root
}

/** The project of the list at which the page is; a server that has no other needs no name in the address. */
export const shownIn = ({ projects }: ServedProjects, base: string): ServedProject | undefined =>
  projects.find(({ path }) => path === base) ?? (base === "" && projects.length === 1 ? projects[0] : undefined)

/** The first of those that have the log of a project. */
const logOf = ({ id, same_log_as }: ServedProject): string => same_log_as ?? id

/** Those that have logs of their own, and another one than the project that is shown. */
export const otherLogs = (served: ServedProjects, base: string): ReadonlyArray<ServedProject> => {
  const shown = shownIn(served, base)
  return served.projects.filter((one) => one.same_log_as === null && (shown === undefined || one.id !== logOf(shown)))
}

/** What waits for a person in the others, as far as it is known. */
export const waitingElsewhere = (served: ServedProjects | null, base: string): number =>
  served === null ? 0 : otherLogs(served, base).reduce((sum, { waiting }) => sum + (waiting ?? 0), 0)
