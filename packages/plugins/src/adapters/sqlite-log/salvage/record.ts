/** Records of SQLite (https://www.sqlite.org/fileformat.html#record_format), read from bytes that may be anything. */

/** A whole number of variable length, and where it ends; null: it is none, or one that no number here can be. */
export const varint = (bytes: Buffer, at: number): readonly [value: number, end: number] | null => {
  let value = 0
  for (let i = 0; i < 8; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) return null
    value = value * 128 + (byte & 0x7f)
    if (value > Number.MAX_SAFE_INTEGER) return null
    if (byte < 0x80) return [value, at + i + 1]
  }
  return null
}

/** How the columns of a record lie in it. */
export interface Layout {
  /** Serial types of the columns. */
  readonly types: ReadonlyArray<number>
  readonly headerBytes: number
  /** Of all of it. */
  readonly bytes: number
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

const bytesOf = (type: number): number =>
  type < integerBytes.length ? (integerBytes[type] as number) : type < 12 ? 0 : Math.floor((type - 12) / 2)

export const isText = (type: number): boolean => type >= 13 && type % 2 === 1
export const isInteger = (type: number): boolean => (type >= 1 && type <= 6) || type === 8 || type === 9
export const isNull = (type: number): boolean => type === 0

/** Of a record that begins there; null: none does. */
export const layoutAt = (bytes: Buffer, at: number): Layout | null => {
  const header = varint(bytes, at)
  if (header === null) return null
  const [headerBytes, first] = header
  const end = at + headerBytes
  if (headerBytes < 2 || end > bytes.length) return null
  const types: Array<number> = []
  let length = headerBytes
  for (let next = first; next < end; ) {
    const type = varint(bytes, next)
    if (type === null || type[1] > end) return null
    types.push(type[0])
    length += bytesOf(type[0])
    next = type[1]
  }
  return { types, headerBytes, bytes: length }
}

export type Value = string | number | null

/** The first columns of a record, as many as lie in `bytes`; null: one of them is no value of ours. */
export const valuesOf = (
  { headerBytes, types }: Layout,
  bytes: Buffer,
  columns = types.length
): ReadonlyArray<Value> | null => {
  const values: Array<Value> = []
  let at = headerBytes
  for (const type of types.slice(0, columns)) {
    const length = bytesOf(type)
    if (at + length > bytes.length) return null
    if (isNull(type)) values.push(null)
    else if (isText(type)) values.push(bytes.toString("utf8", at, at + length))
    else if (type === 8 || type === 9) values.push(type - 8)
    else if (!isInteger(type)) return null
    else if (length === 8) {
      const value = Number(bytes.readBigInt64BE(at))
      if (!Number.isSafeInteger(value)) return null
      values.push(value)
    } else values.push(bytes.readIntBE(at, length))
    at += length
  }
  return values
}
