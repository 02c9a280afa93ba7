/** `12,400`. */
export const number = (n: number): string => n.toLocaleString("en")
