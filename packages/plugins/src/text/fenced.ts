/** A block of Markdown whose fence is longer than any in the text, so that no text can end it. */
export const fenced = (text: string, language = "text"): string => {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 3)
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
