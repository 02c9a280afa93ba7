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

/** Opened, with whose it is. */
export interface OpenedBy extends Opened {
  /** The key that signed exactly this; null: none of those that were given. */
  readonly signer: KeyObject | null
  /** Ids of the keys that are said to have signed it. */
  readonly claimed: ReadonlyArray<string>
}

export interface NotOpened {
  /** `malformed`: it is no envelope; `signature`: no signature in it is of the key. */
  readonly reason: "malformed" | "signature"
  /** A sentence. */
  readonly message: string
}

/** What an envelope holds; with a key, only when the key signed exactly that. */
export const open = (text: string, key: KeyObject | null): Result.Result<Opened, NotOpened> =>
  Result.flatMap(openBy(text, key === null ? [] : [key]), ({ claimed, signer, ...opened }) =>
    key === null || signer !== null
      ? Result.succeed(opened)
      : unproven(
          opened.signatures === 0
            ? "It is not signed."
            : `It was signed with ${claimed.join(", ")}, not with ${keyId(key)}.`
        )
  )

/** What an envelope holds, and which of the keys signed it; refused where it says one of them did, and that did not sign this. */
export const openBy = (text: string, keys: ReadonlyArray<KeyObject>): Result.Result<OpenedBy, NotOpened> => {
  const envelope = decode(text)
  if (Result.isFailure(envelope)) return malformed("It is no DSSE envelope.")
  const { payload, payloadType, signatures } = envelope.success
  const bytes = fromBase64(payload)
  if (bytes === null) return malformed("Its payload is not base64.")
  const signed = authenticated(payloadType, bytes)
  // the key id is a hint that nobody vouches for
  const signer = keys.find((key) => signatures.some(({ sig }) => isOf(key, signed, sig))) ?? null
  const claimed = signatures.map(({ keyid }) => keyid ?? "a key without a name")
  if (signer === null && keys.some((key) => claimed.includes(keyId(key))))
    return unproven("Its content is not what the key signed: it was changed.")
  const content = toText(bytes)
  return content === null
    ? malformed("Its payload is not valid UTF-8.")
    : Result.succeed({ payloadType, payload: content, signatures: signatures.length, signer, claimed })
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
