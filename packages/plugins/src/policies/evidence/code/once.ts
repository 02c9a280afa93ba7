/** Made when it is first asked for. */
export const once = <A extends object>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}
