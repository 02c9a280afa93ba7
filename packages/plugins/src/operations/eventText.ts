import type { EventManifest, Recorded } from "@proofline/kernel"
import { lineOf } from "./sizeLimit.ts"

const maxLine = 200

/** An event as a log shows it: in one line, without control characters. */
export const eventLine = (manifest: EventManifest) => (event: Recorded) => ({
  version: event.version,
  at: event.timestamp,
  type: event.event_type,
  text: lineOf(manifest.tell(event), maxLine)
})
