/**
 * Characters that are not seen, and some of them change what is seen: controls (without tab and line feed), those that
 * turn the direction of writing, those without a width. Joiners stay: words and emoji are made with them.
 */
const unseen = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The text with everything that cannot be seen written out, e.g. `⟨U+202E⟩`. */
export const visible = (text: string): string =>
  text.replace(unseen, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`)

/** Code points of a name that are shown at most. */
const longestName = 120

/**
 * What a run, a task, an agent, a file or anything else is called, in one line that is not too long and in which nothing
 * turns around what stands beside it. For every place where a name is not the text that is looked at, titles and labels too.
 */
export const named = (name: string): string => {
  const line = visible(
    name
      .slice(0, longestName * 4)
      .toWellFormed()
      .replace(/[\t\n\r]+/g, " ")
  ).trim()
  const points = [...line]
  const isCut = points.length > longestName || name.length > longestName * 4
  return isCut
    ? `${points
        .slice(0, longestName - 1)
        .join("")
        .trimEnd()}…`
    : line
}
