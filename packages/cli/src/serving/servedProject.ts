import * as Path from "node:path"
import { Digest } from "@proofline/kernel"
import { projectIdOf, projectNameOf, projectPathOf } from "@proofline/plugins/frontends/http"
import type { ServedProject } from "@proofline/plugins/frontends/http/api"
import { Effect } from "effect"
import { type ProjectPaths, realPath } from "../base/paths.ts"
import type { Problem } from "../base/problems.ts"
import { fromProject } from "./children.ts"
import type { ProjectApp } from "./projectApp.ts"

/** A project as a server knows it before it is opened. */
export type KnownProject = Pick<ServedProject, "id" | "name" | "root" | "path">

/** It is called the same whatever links lead to its directory. */
export const knownProject = ({ root }: Pick<ProjectPaths, "root">): Effect.Effect<KnownProject, never, Digest> =>
  Effect.map(Digest, ({ sha256 }) => {
    const id = projectIdOf(sha256, realPath(root))
    return { id, name: projectNameOf(root), root, path: projectPathOf(id) }
  })

const nothingKnown = { waiting: null, running: null, same_log_as: null } as const

/** A project that nobody can be asked of now, and why; without problems it is just being opened. */
export const unopened = (project: KnownProject, problems: ReadonlyArray<Problem>): ServedProject => ({
  ...project,
  ...nothingKnown,
  status: problems.length === 0 ? "opening" : "unusable",
  // as others know it who do not know where the server was started
  problems: problems.map(({ file, ...problem }) => ({
    ...problem,
    ...(file === undefined ? {} : { file: fromProject(Path.resolve(file), project.root) })
  }))
})

/** A project that is served, with where one is needed in it. A log that cannot be read just now is said. */
export const opened = (
  project: KnownProject,
  { overview }: Pick<ProjectApp, "overview">
): Effect.Effect<ServedProject> =>
  Effect.match(overview.now, {
    onFailure: ({ code, detail, hint }) => ({
      ...project,
      ...nothingKnown,
      status: "open" as const,
      problems: [{ code, message: detail ?? "The log cannot be read now.", hint }]
    }),
    onSuccess: (now) => ({ ...project, ...nothingKnown, ...now, status: "open" as const, problems: [] })
  })
