/** A kind of evidence: `url:https://example.org/page`. Holds while the page answers with success. */
import { definePlugin, plugin } from "@proofline/kernel/plugin"
import { Evidence, evidenceKind, evidenceKinds } from "@proofline/plugins/policies/evidence"
import { Effect, Schema } from "effect"

const Answer = Schema.Struct({ status: Schema.NullOr(Schema.Number) })

const url = evidenceKind({
  scheme: "url",
  cites: "the address of a page that answers with success",
  schema: Answer,
  look: (reference) =>
    Effect.tryPromise(() => fetch(reference, { method: "HEAD", signal: AbortSignal.timeout(10_000) })).pipe(
      Effect.map(({ status }) => ({ status })),
      // that nobody answers is a fact like any other
      Effect.orElseSucceed(() => ({ status: null }))
    ),
  judge: ({ status }) =>
    status !== null && status >= 200 && status < 300
      ? { holds: true }
      : { holds: false, message: status === null ? "Nobody answers there." : `The page answers with ${status}.` }
})

const UrlEvidence = plugin("url-evidence", { state: null, after: [Evidence] })

export default definePlugin(UrlEvidence, {
  version: "1",
  parts: [UrlEvidence.offer(evidenceKinds, "kind", url)]
})
