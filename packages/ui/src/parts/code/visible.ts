/**
 * Characters that are not seen, and some of them change what is seen: controls (without tab and line feed), those that
 * turn the direction of writing, those without a width. Joiners stay: words and emoji are made with them.
 */
const unseen = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The text with everything that cannot be seen written out, e.g. `⟨U+202E⟩`. */
export const visible = (text: string): string =>
  text.replace(unseen, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`)
