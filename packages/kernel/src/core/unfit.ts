import { canonicalJson } from "../log/codec.ts"
import { type Composition, strictly } from "./compose.ts"
import { type AnyEvent, PluginFault } from "./contract.ts"
import { problemOf } from "./manifest.ts"
import type { Step } from "./step.ts"

/** What a step must not be recorded for: an event of which a log could not be read, or work that nobody does. */
export const unfit = (composition: Composition, { events, unlisted }: Step): PluginFault | null =>
  unlisted[0] ?? unfitEvent(composition, events)

/**
 * The first event that does not fit its own schema, or is no JSON. Also what holds more than its schema names: that is left
 * out when it is read, so that a replay decides something else.
 */
export const unfitEvent = (composition: Composition, events: ReadonlyArray<AnyEvent>): PluginFault | null => {
  for (const { content, type } of events) {
    const table = composition.events.get(type)
    try {
      table?.decode(content, strictly)
      canonicalJson(content)
    } catch (error) {
      return new PluginFault({
        plugin: table?.event.owner ?? "",
        where: `event ${type}`,
        problem: `It wrote content that does not fit the schema: ${problemOf(error)}`
      })
    }
  }
  return null
}
