import { createHash } from "node:crypto"

/** The object id that git gives to a file of these bytes. */
export const blobId = (bytes: Uint8Array, format: "sha1" | "sha256"): string =>
  createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
