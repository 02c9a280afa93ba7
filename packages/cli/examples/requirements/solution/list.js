/** The number and the unit of an amount such as `500 ml`, as `{ amount, unit }`; what is counted has the unit "". Null: it is no amount. */
export function parseAmount(text) {
  const parts = /^(\d+(?:\.\d+)?)(?:\s+(\p{L}+))?$/u.exec(text.trim())
  return parts === null ? null : { amount: Number(parts[1]), unit: parts[2] ?? "" }
}

/** The entries of a list, in order. A line that cannot be read is a SyntaxError that tells its number. */
export function parseList(text) {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "" || line.trim().startsWith("#")) return []
    const entry = parseEntry(line)
    if (entry === null) throw new SyntaxError(`line ${index + 1} cannot be read: ${line.trim()}`)
    return [entry]
  })
}

/** One entry; null: the line holds none. */
export function parseEntry(line) {
  const [name = "", measured = "", day, ...rest] = line.split(";").map((part) => part.trim())
  const amount = parseAmount(measured)
  if (name === "" || amount === null || rest.length > 0) return null
  if (day !== undefined && !isDay(day)) return null
  return { name, ...amount, bestBefore: day ?? null }
}

/** A day that the calendar has, as `2026-05-04`. */
export function isDay(text) {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text
}
