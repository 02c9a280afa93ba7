import { Effect } from "effect"
import { exitCodes } from "../base/problems.ts"
import { pluginsDocument } from "../documents/others.ts"
import { print, printDocument } from "../process/output.ts"
import { checkedProject } from "../project/checkedPlugins.ts"
import { existingProject, projectConfig } from "../project/files.ts"
import { count } from "../render/lines.ts"

export interface PluginsOptions {
  readonly cwd?: string | undefined
  readonly json: boolean
}

/** `proofline plugins check`: loads and composes the plugins of a project as a run would, and runs nothing. */
export const checkPlugins = Effect.fnUntraced(function* (options: PluginsOptions) {
  const paths = yield* existingProject(options)
  const { versions } = yield* checkedProject(paths, yield* projectConfig(paths))
  if (options.json) yield* printDocument(pluginsDocument, { plugins: versions, problems: [] })
  else {
    yield* print(
      [
        ...versions.map(({ name, version }) => `${name} ${version}`),
        `${count(versions.length, "plugin")} fit.`,
        ""
      ].join("\n")
    )
  }
  return exitCodes.proven
})
