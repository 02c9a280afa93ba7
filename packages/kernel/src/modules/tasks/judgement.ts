import type { Failure, Receipt, Weakness } from "./Report.ts"

/** A registered item that is shown to be done, or excused. `index` counts the registered items from 0. */
export interface Accepted {
  readonly index: number
  readonly item: string
  readonly status: "done" | "skipped"
  readonly verdict: "proven" | "weak" | "waived"
  readonly evidence: string | null
  readonly reason: string | null
  readonly receipt: Receipt | null
  readonly weak: ReadonlyArray<Weakness>
}

/** `index` is null when the failure belongs to no registered item. */
export interface Rejected extends Failure {
  readonly index: number | null
  readonly error: "payload_mismatch"
}
