import type { ShownAs } from "@proofline/kernel"
import { visible } from "./code/visible.ts"

/**
 * What a status or verdict looks like: a sign beside the colour, for those who do not see colours. A colour says one thing:
 * `good` it is shown to hold, `bad` it failed or was refuted, `warn` less than was asked for, `other` left out, `info` at
 * work, `ask` a person is asked, `idle` nothing is shown.
 */
const looks: Readonly<Record<string, readonly [tone: string, sign: string]>> = {
  proven: ["good", "✓"],
  reviewed: ["good", "✓"],
  weak: ["warn", "✓"],
  completed: ["idle", "✓"],
  waiting: ["ask", "?"],
  met: ["good", "✓"],
  PASS: ["good", "✓"],
  COMPLETE: ["good", "✓"],
  refuted: ["bad", "✗"],
  failed: ["bad", "✗"],
  missing: ["bad", "✗"],
  unmet: ["bad", "✗"],
  REJECT: ["bad", "✗"],
  ERROR: ["bad", "✗"],
  TIMEOUT: ["bad", "◷"],
  LOST: ["warn", "?"],
  RETRY: ["warn", "↻"],
  INCOMPLETE: ["warn", "◐"],
  incomplete: ["warn", "◐"],
  stale: ["warn", "!"],
  retrying: ["warn", "↻"],
  blocked: ["warn", "!"],
  re_anchored: ["good", "↦"],
  waived: ["other", "–"],
  skipped: ["other", "–"],
  running: ["info", "▶"],
  in_progress: ["info", "▶"],
  stopped: ["warn", "■"],
  cancelled: ["idle", "■"],
  pending: ["idle", "○"],
  backlog: ["idle", "○"],
  unproven: ["idle", "○"]
}

export const toneOf = (status: string): string => looks[status]?.[0] ?? "idle"
export const signOf = (status: string): string => looks[status]?.[1] ?? "○"

/** What a run or a task is shown as. */
export const ShownBadge = ({ label, shown: { text, word } }: { readonly shown: ShownAs; readonly label?: string }) => (
  <Badge status={word} label={label ?? text} />
)

/** A status or verdict; `label` in place of its own name. */
export const Badge = ({ label, status }: { readonly status: string; readonly label?: string }) => (
  <span className={`badge tone-${toneOf(status)}`} data-status={status}>
    <span aria-hidden="true">{signOf(status)}</span>
    {visible(label ?? status.replaceAll("_", " "))}
  </span>
)
