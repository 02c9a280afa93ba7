import type { Usage } from "@proofline/kernel"
import { Option, Predicate, Schema } from "effect"

/** A figure as a client gives it; null: it gave none that can be one. */
const figure = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null

/** What stands under these keys, one inside the other. */
const at = (value: unknown, keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>(
    (found, key) => (Predicate.isObject(found) ? (found as Record<string, unknown>)[key] : null),
    value
  )

/** The sum of the figures that were given; null: none was. */
const sum = (figures: ReadonlyArray<number | null>): number | null => {
  const given = figures.filter((one) => one !== null)
  return given.length === 0 ? null : given.reduce((all, one) => all + one, 0)
}

/** The figures under these paths (`usage.input_tokens`), added up. */
export const figures = (value: unknown, ...paths: ReadonlyArray<string>): number | null =>
  sum(paths.map((path) => figure(at(value, path.split(".")))))

const whole = (tokens: number | null): number | null =>
  tokens === null ? null : Math.min(Math.round(tokens), Number.MAX_SAFE_INTEGER)

/** What was used, as far as it was said; null: nothing was. */
export const usageOf = (input: number | null, output: number | null, cost: number | null): Usage | null =>
  input === null && output === null && cost === null
    ? null
    : { input_tokens: whole(input), output_tokens: whole(output), cost_usd: cost }

/** What several calls of a model used together. */
export const usageSum = (parts: ReadonlyArray<Usage | null>): Usage | null => {
  const of = (key: keyof Usage) => sum(parts.map((part) => part?.[key] ?? null))
  return usageOf(of("input_tokens"), of("output_tokens"), of("cost_usd"))
}

/** What was used since then. */
export const usageSince = (now: Usage | null, then: Usage | undefined): Usage | null => {
  const of = (key: keyof Usage) => {
    const figure = now?.[key] ?? null
    return figure === null ? null : Math.max(0, figure - (then?.[key] ?? 0))
  }
  return usageOf(of("input_tokens"), of("output_tokens"), of("cost_usd"))
}

const decodeObject = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** What a command wrote to its usage file; null: nothing that can be read as such. */
export const usageOfFile = (text: string | null): Usage | null => {
  const said = Option.getOrNull(decodeObject(text))
  return usageOf(figures(said, "input_tokens"), figures(said, "output_tokens"), figures(said, "cost_usd"))
}
