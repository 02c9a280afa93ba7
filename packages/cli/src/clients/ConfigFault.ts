/** Why a file of a client cannot be edited, and where. `invalid`: it cannot be read as what it is. */
export class ConfigFault extends Error {
  readonly kind: "invalid" | "unexpected"
  /** Offset in the text. */
  readonly at: number
  constructor(kind: ConfigFault["kind"], message: string, at: number) {
    super(message)
    this.kind = kind
    this.at = at
  }
}
