import { Context } from "effect"

/** Hash functions of the platform, synchronous and pure. */
export class Digest extends Context.Service<
  Digest,
  {
    /** Lower-case hex SHA-256 of the UTF-8 bytes of a text, or of bytes. */
    readonly sha256: (data: string | Uint8Array) => string
    /** UUID version 5 (RFC 9562) of a name in Proofline's own namespace. */
    readonly uuid5: (name: string) => string
  }
>()("@proofline/kernel/port/Digest") {}
