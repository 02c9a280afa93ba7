import type { Engine, Recorded } from "@proofline/kernel"
import { isOfProject } from "./pluginEntries.ts"

/** The sentence of an event; null: the event is not of a plugin of the project, or only the full log shows it. */
export type PluginSentence = (event: Recorded) => string | null

/** Proofline's own events have wordings of their own on a terminal, or none. */
export const pluginSentence =
  ({ composition, manifest }: Pick<Engine["Service"], "composition" | "manifest">): PluginSentence =>
  (event) => {
    const owner = composition.events.get(event.event_type)?.event.owner
    return event.visibility === "summary" && owner !== undefined && isOfProject(composition, owner)
      ? manifest.tell(event)
      : null
  }
