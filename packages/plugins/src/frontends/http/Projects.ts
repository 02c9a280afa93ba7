import type { Digest } from "@proofline/kernel"
import { Context, Effect } from "effect"
import type { ServedProject, ServedProjects } from "./schemas.ts"

/** The projects of a server, each with how it stands; where nobody says, there is none. */
export const Projects: Context.Reference<{ readonly list: Effect.Effect<ReadonlyArray<ServedProject>> }> =
  Context.Reference("@proofline/plugins/frontends/http/Projects", {
    defaultValue: (): { readonly list: Effect.Effect<ReadonlyArray<ServedProject>> } => ({ list: Effect.succeed([]) })
  })

/** How long the part of an id may be that people read. */
const readableMax = 40

/** What a project is called in addresses, by the name of its directory and all of its path: letters, digits and `-`. */
export const projectIdOf = (sha256: Digest["Service"]["sha256"], root: string): string => {
  const name = projectNameOf(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, readableMax)
    .replace(/^-+|-+$/g, "")
  return `${name === "" ? "project" : name}-${sha256(root).slice(0, 8)}`
}

/** The last part of a directory, whatever separates its parts. */
export const projectNameOf = (root: string): string => root.split(/[/\\]/).findLast((part) => part !== "") ?? root

/** Where a project is on its server. */
export const projectPathOf = (id: string): string => `/projects/${id}`

/** All of them, with their sums. */
export const servedProjects: Effect.Effect<ServedProjects> = Effect.flatMap(Projects, ({ list }) =>
  Effect.map(list, (projects) => {
    const own = projects.filter(({ same_log_as }) => same_log_as === null)
    const sumOf = (key: "waiting" | "running") => own.reduce((sum, one) => sum + (one[key] ?? 0), 0)
    return { projects, waiting: sumOf("waiting"), running: sumOf("running") }
  })
)
