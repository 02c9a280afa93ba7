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
