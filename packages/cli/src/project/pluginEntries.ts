import * as Path from "node:path"
import type { Composition, Plugin } from "@proofline/kernel"
import type { PluginEntry } from "@proofline/plugins/adapters/project-files"
import type { Problem } from "../base/problems.ts"

type Place = Pick<Problem, "column" | "file" | "line">

/** By what a project has loaded: the entry that names it. */
const entries = new WeakMap<Plugin, PluginEntry>()

/** Remembers where a plugin comes from. */
export const cameFrom = (plugin: Plugin, entry: PluginEntry): void => {
  entries.set(plugin, entry)
}

/** A name that is a path, not that of a package. */
export const isPath = (name: string): boolean =>
  name.startsWith("./") || name.startsWith("../") || Path.isAbsolute(name)

/** Where a plugin is named. */
export const placeOf = ({ column, line }: PluginEntry) => ({ file: "proofline.yaml", line, column })

const entryOf = ({ plugins }: Pick<Composition, "plugins">, name: string): PluginEntry | undefined => {
  const plugin = plugins.find((one) => one.name === name)
  return plugin === undefined ? undefined : entries.get(plugin)
}

/** Whether the project has loaded the plugin of this name. */
export const isOfProject = (composition: Pick<Composition, "plugins">, name: string): boolean =>
  entryOf(composition, name) !== undefined

/** Where the plugin of this name is named. */
export const namedAt = (composition: Pick<Composition, "plugins">, name: string): Place => {
  const entry = entryOf(composition, name)
  return entry === undefined ? { file: "proofline.yaml" } : placeOf(entry)
}

/** The file of the plugin of this name; of a package, where it is named. */
export const definedIn = (composition: Pick<Composition, "plugins">, name: string): Place => {
  const entry = entryOf(composition, name)
  return entry !== undefined && isPath(entry.use) ? { file: Path.normalize(entry.use) } : namedAt(composition, name)
}
