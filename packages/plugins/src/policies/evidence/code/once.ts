/** Made when it is first asked for. */
export const once = <A extends object>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Made once for each thing that it is asked of, e.g. for the lines of a file, of which many items are judged. */
export const onceFor = <Of extends object, A>(make: (of: Of) => A): ((of: Of) => A) => {
  const made = new WeakMap<Of, { readonly value: A }>()
  return (of) => {
    const before = made.get(of)
    if (before !== undefined) return before.value
    const value = make(of)
    made.set(of, { value })
    return value
  }
}
