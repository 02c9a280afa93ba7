import { hash } from "node:crypto"
import { Digest } from "@proofline/kernel"
import { Layer } from "effect"

/** Names are hashed together with this, so that an id of Proofline never equals another program's. Never change it. */
const namespace = Buffer.from("6f0d2a4e-8a5c-5c55-9d3a-2f1f6a7b9c40".replaceAll("-", ""), "hex")

const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex")

const uuid5 = (name: string): string => {
  const bytes = hash("sha1", Buffer.concat([namespace, Buffer.from(name)]), "buffer")
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = bytes.toString("hex", 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** SHA-256 and UUID v5 by `node:crypto`. */
export const layer: Layer.Layer<Digest> = Layer.succeed(Digest, { sha256, uuid5 })
