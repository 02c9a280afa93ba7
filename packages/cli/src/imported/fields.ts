/** Values of JSON that somebody else has written. */
export type Fields = Readonly<Record<string, unknown>>

/** null: it is no object. */
export const fieldsIn = (value: unknown): Fields | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null

/** Without blanks around it; empty where there is no text. */
export const textIn = (fields: Fields, key: string): string => {
  const value = fields[key]
  return typeof value === "string" ? value.trim() : ""
}

export const listIn = (fields: Fields, key: string): ReadonlyArray<unknown> => {
  const value = fields[key]
  return Array.isArray(value) ? value : []
}

/** Of a list, those that are objects. */
export const objectsIn = (fields: Fields, key: string): ReadonlyArray<Fields> =>
  listIn(fields, key).flatMap((one) => {
    const found = fieldsIn(one)
    return found === null ? [] : [found]
  })
