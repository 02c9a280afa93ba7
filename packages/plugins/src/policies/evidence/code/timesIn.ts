/** How often a name stands in a text as a word of its own. Pure. */
export const timesIn = (text: string, name: string): number =>
  text.match(new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll("$", "\\$")}(?![\\p{L}\\p{N}_$])`, "gu"))?.length ?? 0
