/** An operation: an MCP tool, an HTTP endpoint and `proofline call open_items`, from one declaration. */
import { definePlugin, plugin, Run, Tasks, tasksOf } from "@proofline/kernel/plugin"
import { Effect, Schema } from "effect"

const OpenItems = plugin("open-items", { state: null, after: [Run, Tasks] })

const operation = OpenItems.operation("open_items", {
  title: "Open items",
  description: "Checklist items that nobody has shown to be done, task by task.",
  args: Schema.Struct({
    limit: Schema.Int.annotate({ description: "At most so many items." })
  }),
  answer: Schema.Struct({ items: Schema.Array(Schema.Struct({ task_id: Schema.String, item: Schema.String })) }),
  readOnly: true,
  run: ({ limit }, { state }) =>
    Effect.succeed({
      items: tasksOf(state)
        .flatMap(({ items, spec }) =>
          items.flatMap(({ item, status }) => (status === "pending" ? [{ task_id: spec.id, item }] : []))
        )
        .slice(0, limit)
    })
})

export default definePlugin(OpenItems, { version: "1", parts: [operation] })
