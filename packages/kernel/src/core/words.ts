/** Characters a reason needs. Source: checklist and evidence. */
export const minReasonLength = 10

/** Code points of a reason that a reader can see; runs of blanks count as one, and none at the ends. */
export const reasonLength = (reason: string): number =>
  [
    ...reason
      .replace(/[\s\u2800\u3164\uffa0\u115f\u1160]+/g, " ")
      .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, "")
      .trim()
  ].length

/** Puts the fields into a template. A field's own braces are text; a placeholder without a field stays as it is. */
export const filledIn = (template: string, fields: Readonly<Record<string, string | number>>): string =>
  template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(fields, name) ? String(fields[name]) : placeholder
  )

/** `1 task`, `2 tasks`; `plural` where it takes more than an s: `2 retries`. */
export const counted = (n: number, noun: string, plural = `${noun}s`): string => `${n} ${n === 1 ? noun : plural}`

/** How many things of one kind are named one by one. */
export const toldMax = 20

/** Of more things than anybody reads the first, and how many more there are. */
export const firstOf = (things: ReadonlyArray<string>, max = toldMax): ReadonlyArray<string> =>
  things.length <= max ? things : [...things.slice(0, max), andMore(things.length - max)]

/** The same within a sentence: `a, b and 3 more`. */
export const enumerated = (words: ReadonlyArray<string>, max: number, glue = ", "): string => {
  const named = words.slice(0, max).join(glue)
  return words.length <= max ? named : `${named} ${andMore(words.length - max)}`
}

export const andMore = (number: number): string => `and ${number} more`

/** A name before a sign of ours: without its own at the end, so that none is doubled. */
export const unended = (name: string): string => name.replace(/[\s.:：。]+$/u, "") || name

/** A text of at most `width` characters: what is too much is taken out of its middle, since what to do stands at its end. */
export const withoutMiddle = (text: string, width: number): string => {
  if (text.length <= width) return text
  const characters = [...text]
  if (characters.length <= width) return text
  const end = Math.floor(width / 2)
  return `${characters
    .slice(0, width - end - 3)
    .join("")
    .trimEnd()} … ${characters.slice(-end).join("").trimStart()}`
}

/** Characters of a refusal that are told: more nobody reads. */
export const refusalMax = 4_000

export const oneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join(" ")
