import { Schema } from "effect"

/** Bytes kept in the blob store: lower-case hex SHA-256 of the content and its size in bytes. */
export const BlobRef = Schema.Struct({ sha256: Schema.String, bytes: Schema.Int })
export type BlobRef = typeof BlobRef.Type
