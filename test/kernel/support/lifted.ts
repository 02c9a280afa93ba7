import { canonicalJson, genesisHash, type Recorded, seal, toNdjson } from "@proofline/kernel"
import { digest } from "./recorded.ts"

/** The events, changed by somebody who knows how the chain is made. */
export const sealedAnew = (
  events: ReadonlyArray<Recorded>,
  change: (event: Recorded) => Recorded
): ReadonlyArray<Recorded> => {
  let prev_hash = genesisHash
  return events.map((event) => {
    const sealed = seal(change(event), { ...event, prev_hash }, digest.sha256)
    prev_hash = sealed.hash
    return sealed
  })
}

/** A NOTED of today as an earlier schema version of it was written. */
export const inVersion = ({ content, ...event }: Recorded, schema_version: number): Recorded => {
  const { number, text, ...rest } = content as Readonly<Record<"number" | "text", string | number>>
  const old = schema_version === 1 ? { note: text as string } : { note: text as string, number: number as number }
  return { ...event, schema_version, content: schema_version === 3 ? { number, text, ...rest } : old }
}

/** The same log as it would be had its notes been written in these versions, one after the other. */
export const notesIn = (versions: ReadonlyArray<number>, events: ReadonlyArray<Recorded>): ReadonlyArray<Recorded> => {
  let notes = 0
  return sealedAnew(events, (event) =>
    event.event_type === "NOTED" ? inVersion(event, versions[notes++ % versions.length] as number) : event
  )
}

/** Content and version of every note. */
export const notesOf = (events: ReadonlyArray<Recorded>): ReadonlyArray<string> =>
  events.flatMap(({ content, event_type, schema_version }) =>
    event_type === "NOTED" ? [`${schema_version} ${canonicalJson(content)}`] : []
  )

export const linesOf = (events: ReadonlyArray<Recorded>): string => events.map(toNdjson).join("")
