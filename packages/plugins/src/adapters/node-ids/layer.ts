import { randomBytes, randomUUID } from "node:crypto"
import { IdGenerator } from "@proofline/kernel"
import { Clock, Effect, Layer } from "effect"

/** Run ids that sort by time and can be told apart at a glance: `run_20261121_063712_k3x9q2` (UTC). */
export const layer: Layer.Layer<IdGenerator> = Layer.succeed(IdGenerator, {
  runId: Effect.map(Clock.currentTimeMillis, (now) => `run_${stamp(now)}_${suffix()}`),
  commandId: Effect.sync(() => `cmd_${randomUUID()}`),
  sessionId: Effect.sync(() => `ses_${randomUUID()}`),
  token: Effect.sync(() => randomBytes(32).toString("base64url"))
})

const stamp = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "_")

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const suffix = (): string => [...randomBytes(6)].map((byte) => alphabet[byte % alphabet.length]).join("")
