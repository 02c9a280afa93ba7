/** A gate that vetoes: a task that changed files of these folders is not done. `with: { folders: [vendor] }` */
import { configurable, definePlugin, gates, passed, plugin, Run, refused, Tasks } from "@proofline/kernel/plugin"
import { Schema } from "effect"

const Options = Schema.Struct({ folders: Schema.Array(Schema.String) })

export default configurable(Options, ({ folders }) => {
  const Frozen = plugin("frozen-files", { state: null, after: [Run, Tasks] })
  const gate = Frozen.offer(gates, "last", {
    name: "frozen_files",
    verdict: (_, { files }) => {
      const touched = files.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
      return touched.length === 0
        ? passed
        : refused(
            "frozen_files",
            `These files must stay as they are: ${touched.join(", ")}. Undo what was changed there.`
          )
    },
    wants: () => null,
    ordered: () => [],
    survives: () => false
  })
  return definePlugin(Frozen, { version: "1", parts: [gate] })
})
