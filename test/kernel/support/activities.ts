import { type ActivityImpl, impl, type Plugin } from "@proofline/kernel"

/** The same plugin with other activities; everything else of it stays. */
export const withActivities = (plugin: Plugin, change: (activity: ActivityImpl) => ActivityImpl): Plugin => ({
  ...plugin,
  [impl]: {
    ...plugin[impl],
    parts: plugin[impl].parts.map((part) => (part.kind === "activity" ? change(part) : part))
  }
})
