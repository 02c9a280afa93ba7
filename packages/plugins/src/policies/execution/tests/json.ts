/** Values in a text that begin and end with a line: one of them alone, or with its first and last brace at the margin. */
export const jsonIn = (text: string): { readonly values: ReadonlyArray<JsonRecord>; readonly rest: string } => {
  if (!/^[\uFEFF]?\{/m.test(text)) return { values: [], rest: text }
  const whole = parsed(text)
  if (whole !== null) return { values: [whole], rest: "" }
  const values: Array<JsonRecord> = []
  const rest: Array<string> = []
  const lines = text.split("\n")
  const ends = lines.flatMap((line, i) => (/^\}\s*$/.test(line) ? [i] : []))
  for (let i = 0, next = 0; i < lines.length; i++) {
    const line = lines[i] ?? ""
    const one = line.startsWith("{") ? parsed(line) : null
    if (one !== null) {
      values.push(one)
      continue
    }
    if (/^\{\s*$/.test(line)) {
      while ((ends[next] ?? Number.POSITIVE_INFINITY) < i) next++
      const end = ends[next]
      const many = end === undefined ? null : parsed(lines.slice(i, end + 1).join("\n"))
      if (many !== null && end !== undefined) {
        values.push(many)
        i = end
        continue
      }
      // what is no value is not begun again within it
      if (end !== undefined) {
        rest.push(lines.slice(i, end + 1).join("\n"))
        i = end
        continue
      }
    }
    rest.push(line)
  }
  return { values, rest: rest.join("\n") }
}

export type JsonRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The records of a list; what is none is left out. */
export const recordsOf = (value: unknown): ReadonlyArray<JsonRecord> =>
  Array.isArray(value) ? value.filter(isRecord) : []

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const numberOf = (value: unknown): number => (typeof value === "number" && value > 0 ? Math.floor(value) : 0)

const parsed = (text: string): JsonRecord | null => {
  const trimmed = text.trim()
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return null
  try {
    const value: unknown = JSON.parse(trimmed)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
