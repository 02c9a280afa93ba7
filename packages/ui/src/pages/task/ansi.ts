/** Escape sequences of terminals: CSI, OSC, other strings, and those of a few characters, also one that is cut off. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*(?:[@-~]|$)|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)|(?:\u001b[PX^_]|[\u0090\u0098\u009e\u009f])[^\u001b\u009c]*(?:\u001b\\|\u009c|$)|\u001b(?:[ -/]*[0-~]|$)/g

/** A stretch of text in one look: classes, as `ansi.css` knows them; empty: plain. */
export interface Piece {
  readonly text: string
  readonly look: string
}

/**
 * What a terminal would leave on its screen, with its colours: no cursor movements, and of a line that was written over by
 * carriage returns the last writing. Other colours than the eight are shown as the nearest of these.
 */
export const printedPieces = (text: string): ReadonlyArray<Piece> => {
  const done: Array<Piece> = []
  /** The line that is written, and whether what comes next writes over it. */
  let line: Array<Piece> = []
  let isReturned = false
  let style: Style = plain
  const write = (part: string): void => {
    for (const [, end = "", words = ""] of part.matchAll(/(\r?\n|\r)|([^\r\n]+)/g)) {
      if (end === "\r") isReturned = true
      else if (end === "") {
        if (isReturned) line = []
        isReturned = false
        line.push({ text: words.replaceAll("\u0007", ""), look: lookOf(style) })
      } else {
        done.push(...line, { text: "\n", look: "" })
        line = []
        isReturned = false
      }
    }
  }
  let from = 0
  for (const { 0: sequence, index } of text.matchAll(sequences)) {
    write(text.slice(from, index))
    from = index + sequence.length
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    const codes = /^(?:\u001b\[|\u009b)([\d;:]*)m$/.exec(sequence)
    if (codes !== null) style = styled(style, codes[1] ?? "")
  }
  write(text.slice(from))
  return joined([...done, ...line])
}

/** The same without its colours. */
export const plainText = (text: string): string =>
  printedPieces(text)
    .map((piece) => piece.text)
    .join("")

const joined = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const all: Array<{ text: string; readonly look: string }> = []
  for (const { look, text } of pieces) {
    const last = all.at(-1)
    if (last?.look === look) last.text += text
    else if (text !== "") all.push({ text, look })
  }
  return all
}

/** Colours are numbers from 0 to 7, as terminals count them. */
interface Style {
  readonly ink: number | null
  readonly ground: number | null
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly under: boolean
  readonly inverse: boolean
}

const plain: Style = {
  ink: null,
  ground: null,
  bold: false,
  dim: false,
  italic: false,
  under: false,
  inverse: false
}

const lookOf = ({ bold, dim, ground, ink, inverse, italic, under }: Style): string =>
  [
    ...(inverse || ground !== null
      ? [`ansi-on-${(inverse ? ink : ground) ?? 7}`]
      : ink === null
        ? []
        : [`ansi-${ink}`]),
    ...(bold ? ["ansi-bold"] : []),
    ...(dim ? ["ansi-dim"] : []),
    ...(italic ? ["ansi-italic"] : []),
    ...(under ? ["ansi-under"] : [])
  ].join(" ")

/** What a colour is for; null: for the line below the text, which has that of the text here. */
const colours: Readonly<Record<number, "ink" | "ground" | null>> = { 38: "ink", 48: "ground", 58: null }

/**
 * The style after one sequence: codes with `;` between them. What says more of a code stands behind it, as `38;5;46` does, or is a
 * part of it, as in `38:5:46` and `4:3`. Codes that say nothing here are passed over.
 */
const styled = (before: Style, sequence: string): Style => {
  let style = before
  const codes = sequence.split(";").map((code) => code.split(":").map(Number))
  for (let at = 0; at < codes.length; at++) {
    const [code = 0, ...parts] = codes[at] ?? []
    const colour = colours[code]
    if (colour === undefined) style = { ...style, ...changeOf(code, parts) }
    else {
      const [kind, ...values] = parts.length > 0 ? parts : codes.slice(at + 1, at + 5).map(([first = 0]) => first)
      // as parts of one code the colours come behind the name of their space, which may be left out altogether
      const rgb = parts.length > 4 ? values.slice(1) : values
      const found = kind === 2 ? nearest(rgb) : kind === 5 ? indexed(values[0] ?? 7) : null
      if (colour !== null && found !== null) style = { ...style, [colour]: found }
      if (parts.length === 0) at += kind === 2 ? 4 : kind === 5 ? 2 : 1
    }
  }
  return style
}

const changeOf = (code: number, [part]: ReadonlyArray<number>): Partial<Style> => {
  // how the line below is drawn is the only part that is known of these
  if (part !== undefined) return code === 4 ? { under: part !== 0 } : {}
  if (code >= 30 && code <= 37) return { ink: code - 30 }
  if (code >= 90 && code <= 97) return { ink: code - 90 }
  if (code >= 40 && code <= 47) return { ground: code - 40 }
  if (code >= 100 && code <= 107) return { ground: code - 100 }
  return changes[code] ?? {}
}

const changes: Readonly<Record<number, Partial<Style>>> = {
  0: plain,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { under: true },
  7: { inverse: true },
  21: { under: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { under: false },
  27: { inverse: false },
  39: { ink: null },
  49: { ground: null }
}

/** One of 256: 16 by name, a cube of six to each side, greys. */
const indexed = (index: number): number => {
  if (index < 16) return index % 8
  if (index >= 232) return index < 244 ? 0 : 7
  const at = index - 16
  return nearest([Math.floor(at / 36) * 51, (Math.floor(at / 6) % 6) * 51, (at % 6) * 51])
}

/** Which of red, green and blue are strong in it. */
const nearest = ([red = 0, green = 0, blue = 0]: ReadonlyArray<number>): number => {
  const most = Math.max(red, green, blue)
  if (most < 64) return 0
  const isStrong = (part: number): boolean => part > most * 0.6
  return Number(isStrong(red)) + 2 * Number(isStrong(green)) + 4 * Number(isStrong(blue))
}
