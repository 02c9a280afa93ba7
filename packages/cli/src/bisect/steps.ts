import { type BlobRef, shownSteps } from "@proofline/kernel"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect } from "effect"

/** A call of a tool, as the agent told of it. */
export interface ToldStep {
  /** Its last line among what the agent told, from 1. */
  readonly line: number
  readonly at: string
  readonly title: string
  readonly files: ReadonlyArray<string>
  readonly status: string
}

/**
 * Calls of tools that ended between two lines of what an agent told, `to` included (null: the end), or were going on
 * there. None where its steps are gone.
 */
export const toldSteps = Effect.fnUntraced(function* (
  steps: BlobRef | null,
  { after, to }: { readonly after: number; readonly to: number | null }
) {
  if (steps === null) return []
  const blobs = yield* BlobStore
  const bytes = yield* Effect.orElseSucceed(blobs.get(steps.sha256), () => new Uint8Array())
  const lines = new TextDecoder().decode(bytes).split("\n")
  const last = new Map<string, number>()
  for (const [i, line] of lines.entries()) {
    const [shown] = shownSteps(line)
    if (shown?.step.type === "tool") last.set(shown.key === "line 0" ? `line ${i}` : shown.key, i + 1)
  }
  const firsts = new Set(shownSteps(lines.slice(0, to ?? lines.length).join("\n")).map(({ key }) => key))
  return shownSteps(lines.join("\n")).flatMap(({ at, key, step }): ReadonlyArray<ToldStep> => {
    const line = last.get(key) ?? 0
    if (step.type !== "tool" || line <= after || !firsts.has(key)) return []
    return [{ line, at, title: step.title, files: step.files, status: step.status }]
  })
})
