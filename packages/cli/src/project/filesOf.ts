import { layer as nodeProjectFiles } from "@proofline/plugins/adapters/node-project-files"
import { ProjectFiles } from "@proofline/plugins/ports"
import { Effect } from "effect"

/** The files of a directory as they are now. */
export const filesOf = (root: string) => Effect.provide(Effect.service(ProjectFiles), nodeProjectFiles({ root }))
