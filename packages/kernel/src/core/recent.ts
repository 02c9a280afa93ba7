/** A map that forgets what was used longest ago when it holds more than `max` entries. */
export const makeRecent = <K, V>(max: number) => {
  const entries = new Map<K, V>()
  return {
    get: (key: K): V | undefined => {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set: (key: K, value: V): void => {
      entries.delete(key)
      entries.set(key, value)
      for (const oldest of entries.keys()) {
        if (entries.size <= max) break
        entries.delete(oldest)
      }
    },
    delete: (key: K): void => {
      entries.delete(key)
    },
    clear: (): void => entries.clear(),
    /** What was used longest ago first. */
    entries: (): Iterable<readonly [K, V]> => entries,
    size: (): number => entries.size
  }
}
