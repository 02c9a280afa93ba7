import type { PointImpl } from "./contract.ts"
import { shaped } from "./strict.ts"

/**
 * What only one offer to the point may be found by, and what this one is; null: nothing. Throws a `PluginFault` for an
 * offer with fields that the point does not know, or without those that it needs.
 */
export const foundBy = (
  { fields, key, name }: PointImpl,
  offered: Readonly<Record<string, unknown>>,
  by: string
): readonly [what: string, key: string] | null => {
  const called = offered?.[key ?? "name"]
  const which = typeof called === "string" ? `offer "${called}" to ${name}` : `offer to ${name}`
  shaped(by, which, offered, fields, "offer_invalid")
  return key === undefined ? null : [`${name}: ${key}`, String(called)]
}
