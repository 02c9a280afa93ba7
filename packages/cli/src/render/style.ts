import { stripVTControlCharacters } from "node:util"
import { withoutMiddle } from "@proofline/kernel"

/** Colours as functions; identity when colour is not wanted. */
export interface Style {
  readonly green: (text: string) => string
  readonly red: (text: string) => string
  readonly yellow: (text: string) => string
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
}

const paint = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`
const same = (text: string) => text

export const styleFor = (color: boolean): Style =>
  color
    ? { green: paint(32, 39), red: paint(31, 39), yellow: paint(33, 39), dim: paint(2, 22), bold: paint(1, 22) }
    : { green: same, red: same, yellow: same, dim: same, bold: same }

/** Colour is wanted: a terminal, and nobody asked for plain text. */
export const wantsColor = (stream: NodeJS.WriteStream): boolean =>
  Boolean(stream.isTTY) && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb"

/**
 * What runs other ways than it is read, and what cannot be seen, is shown by its number: nothing that is printed must
 * mislead. Joiners stay: words and emoji are made with them.
 */
export const visible = (text: string): string =>
  text.replaceAll(
    /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`
  )

/**
 * Without control characters, and with directions of writing written out: what agents and files say must steer neither the
 * terminal nor who reads it.
 */
export const plain = (text: string): string => (/^[\t\n -~]*$/.test(text) ? text : visible(withoutControls(text)))

const withoutControls = (text: string): string =>
  [...stripVTControlCharacters(text)].filter((character) => isPrintable(character.codePointAt(0) ?? 0)).join("")

const isPrintable = (code: number): boolean => code === 9 || code === 10 || (code >= 32 && code < 127) || code >= 160

/** A text in one line, at most `width` characters of it, its end among them. */
export const withEnd = (text: string, width: number): string =>
  withoutMiddle(plain(text).trim().replaceAll(/\s+/g, " "), width)

/** The first line, at most `width` characters. */
export const oneLine = (text: string, width: number): string => {
  const line = plain(text).split("\n")[0]?.trim() ?? ""
  const characters = [...line]
  return characters.length <= width ? line : `${characters.slice(0, Math.max(1, width - 1)).join("")}…`
}
