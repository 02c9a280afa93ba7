import { type KeyObject, sign, verify } from "node:crypto"
import { canonicalJson } from "@proofline/kernel"
import { Result, Schema } from "effect"
import { keyId } from "./keys.ts"

const Envelope = Schema.Struct({
  payload: Schema.String,
  payloadType: Schema.String,
  signatures: Schema.Array(Schema.Struct({ keyid: Schema.optionalKey(Schema.String), sig: Schema.String }))
})

/** A DSSE envelope (https://github.com/secure-systems-lab/dsse) as one line of JSON; no key: without a signature. */
export const seal = (payloadType: string, payload: string, key: KeyObject | null): string => {
  const bytes = Buffer.from(payload, "utf8")
  const signatures =
    key === null
      ? []
      : [{ keyid: keyId(key), sig: sign(null, authenticated(payloadType, bytes), key).toString("base64") }]
  return `${canonicalJson({ payload: bytes.toString("base64"), payloadType, signatures })}\n`
}

export interface Opened {
  readonly payloadType: string
  readonly payload: string
  readonly signatures: number
}

export interface NotOpened {
  /** `malformed`: it is no envelope; `signature`: no signature in it is of the key. */
  readonly reason: "malformed" | "signature"
  /** A sentence. */
  readonly message: string
}

/** What an envelope holds; with a key, only when the key signed exactly that. */
export const open = (text: string, key: KeyObject | null): Result.Result<Opened, NotOpened> => {
  const envelope = decode(text)
  if (Result.isFailure(envelope)) return malformed("It is no DSSE envelope.")
  const { payload, payloadType, signatures } = envelope.success
  const bytes = fromBase64(payload)
  if (bytes === null) return malformed("Its payload is not base64.")
  if (key !== null) {
    const signed = authenticated(payloadType, bytes)
    if (signatures.length === 0) return unproven("It is not signed.")
    // the key id is a hint that nobody vouches for
    if (!signatures.some(({ sig }) => isOf(key, signed, sig))) {
      const signers = signatures.map(({ keyid }) => keyid ?? "a key without a name")
      return unproven(
        signers.includes(keyId(key))
          ? "Its content is not what the key signed: it was changed."
          : `It was signed with ${signers.join(", ")}, not with ${keyId(key)}.`
      )
    }
  }
  const content = toText(bytes)
  return content === null
    ? malformed("Its payload is not valid UTF-8.")
    : Result.succeed({ payloadType, payload: content, signatures: signatures.length })
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Envelope))

const malformed = (message: string) => Result.fail<NotOpened>({ reason: "malformed", message })
const unproven = (message: string) => Result.fail<NotOpened>({ reason: "signature", message })

const isOf = (key: KeyObject, signed: Uint8Array, sig: string): boolean => {
  const bytes = fromBase64(sig)
  return bytes !== null && verify(null, signed, key, bytes)
}

/** DSSE's pre-authentication encoding: what is signed, so that type and content cannot be taken for one another. */
const authenticated = (payloadType: string, payload: Uint8Array): Uint8Array =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `, "utf8"),
    payload
  ])

/** Standard or URL-safe, as DSSE asks; Node's own decoder skips what it does not know. */
const fromBase64 = (text: string): Uint8Array | null =>
  /^[\w+/-]*={0,2}$/.test(text) ? Buffer.from(text, "base64") : null

const toText = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
