/** What a program has printed on a terminal, as a drawing: text that can be read, searched and scaled. */

/** What was printed, and when, in ms from the beginning. */
export interface Printed {
  readonly at: number
  readonly text: string
}

interface Look {
  readonly color: string
  readonly isBold: boolean
}

interface Span extends Look {
  readonly column: number
  readonly text: string
}

/** A line of the screen, with the moment at which it began. */
export interface Row {
  readonly at: number
  readonly spans: ReadonlyArray<Span>
}

const colors = { text: "#d8dee4", dim: "#8b949e", red: "#ff8b82", green: "#6fdd8b", yellow: "#e3b341" }
const plain: Look = { color: colors.text, isBold: false }

const looks: Readonly<Record<string, Partial<Look>>> = {
  0: plain,
  1: { isBold: true },
  2: { color: colors.dim },
  22: plain,
  31: { color: colors.red },
  32: { color: colors.green },
  33: { color: colors.yellow },
  39: { color: colors.text }
}

const escapeSign = "\u001b"

/** Lines as a terminal of so many columns shows them. Anything but colours and new lines is a mistake here, and throws. */
export const rowsOf = (printed: ReadonlyArray<Printed>, columns: number): ReadonlyArray<Row> => {
  const rows: Array<{ at: number; spans: Array<Span> }> = [{ at: 0, spans: [] }]
  let look = plain
  let column = 0
  const newRow = (at: number): void => {
    rows.push({ at, spans: [] })
    column = 0
  }
  const put = (sign: string, at: number): void => {
    if (column === columns) newRow(at)
    const row = rows.at(-1)
    if (row === undefined) return
    if (row.spans.length === 0) row.at = at
    const last = row.spans.at(-1)
    if (last !== undefined && last.color === look.color && last.isBold === look.isBold) {
      row.spans[row.spans.length - 1] = { ...last, text: last.text + sign }
    } else row.spans.push({ ...look, column, text: sign })
    column += 1
  }
  for (const { at, text } of printed) {
    // between two escapes stands a colour, or text
    for (const [index, part] of text.split(escapeSign).entries()) {
      const [, codes, rest] = index === 0 ? [null, null, part] : (/^\[([\d;]*)m([\s\S]*)$/.exec(part) ?? [])
      if (rest === undefined) throw new Error(`The terminal is steered by ${JSON.stringify(part)}.`)
      for (const code of codes === null ? [] : (codes || "0").split(";")) look = { ...look, ...looks[code] }
      for (const sign of rest.replaceAll("\r\n", "\n")) {
        if (sign === "\n") newRow(at)
        else if ((sign.codePointAt(0) ?? 0) < 32) throw new Error(`The terminal is steered by ${JSON.stringify(sign)}.`)
        else put(sign, at)
      }
    }
  }
  while (rows.at(-1)?.spans.length === 0) rows.pop()
  return rows
}

const [width, height, margin, size] = [7.8, 18, 16, 13] as const

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Longest wait between two lines, in ms: nobody learns from more. */
const longest = 700

/** When each row appears: as it was, but for waits that are cut short. */
const momentsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<number> => {
  let now = 0
  return rows.map(({ at }, index) => {
    now += Math.min(longest, Math.max(0, at - (rows[index - 1]?.at ?? at)))
    return now
  })
}

/**
 * The rows as SVG. They come one after the other, once; where nothing moves, all of them are there. `title` says what is
 * shown to who does not see it.
 */
export const drawingOf = (rows: ReadonlyArray<Row>, columns: number, title: string): string => {
  const moments = momentsOf(rows)
  const [w, h] = [Math.round(columns * width + 2 * margin), rows.length * height + 2 * margin]
  const lines = rows.map(({ spans }, index) => {
    const y = margin + (index + 1) * height - 5
    const texts = spans.map(({ color, column, isBold, text }) => {
      const length = ([...text].length * width).toFixed(1)
      const weight = isBold ? ' font-weight="700"' : ""
      return `<tspan x="${(margin + column * width).toFixed(1)}" fill="${color}"${weight} textLength="${length}">${escaped(text)}</tspan>`
    })
    const seconds = ((moments[index] ?? 0) / 1000).toFixed(2)
    const comes =
      seconds === "0.00"
        ? ""
        : `<animate attributeName="opacity" values="0;1" keyTimes="0;1" calcMode="discrete" dur="${seconds}s" fill="freeze"/>`
    return `<text y="${y}" xml:space="preserve">${texts.join("")}${comes}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${size}">
<title>${escaped(title)}</title>
<rect width="${w}" height="${h}" rx="8" fill="#11161c"/>
${lines.join("\n")}
</svg>
`
}
