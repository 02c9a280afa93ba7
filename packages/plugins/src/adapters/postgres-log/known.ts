import { makeRecent, type Recorded } from "@proofline/kernel"

/** Streams whose last known event is looked for. */
const remembered = 16

/** What this process has read or appended, so that it notices when that is gone. */
export interface Known {
  readonly know: (event: Pick<Recorded, "position" | "stream" | "version" | "hash">) => void
  /** Of a run that is archived. */
  readonly forget: (stream: string) => void
  /** As the function `lost` wants it. */
  readonly json: () => string
}

export const makeKnown = (): Known => {
  const lastOf = makeRecent<string, { readonly s: string; readonly v: number; readonly h: string }>(remembered)
  let position = 0
  let text: string | null = null
  return {
    know: ({ hash, position: at, stream, version }) => {
      if (at > position) position = at
      text = null
      if ((lastOf.get(stream)?.v ?? 0) > version) return
      lastOf.set(stream, { s: stream, v: version, h: hash })
    },
    forget: (stream) => {
      lastOf.delete(stream)
      text = null
    },
    json: () => (text ??= JSON.stringify({ position, streams: Array.from(lastOf.entries(), ([, last]) => last) }))
  }
}
