/** Whether a file is Markdown by its name. */
export const isMarkdown = (path: string): boolean => /\.(?:md|mdx|markdown|mdown)$/i.test(path)

/**
 * Whether a line of Markdown says something by itself: for every one of `lines`, false for blank lines, headings, ticked
 * boxes, rules, fences and tables' separators. `lines` are all lines of the file, comments taken out.
 */
export const sayingLines = (lines: ReadonlyArray<string>): ReadonlyArray<boolean> => {
  const front = frontMatterEnd(lines)
  let fence: string | null = null
  return lines.map((line, row) => {
    const text = line.trim()
    if (row <= front) return row > 0 && row < front && text !== ""
    const mark = /^(`{3,}|~{3,})/.exec(text)?.[1] ?? null
    if (fence !== null) {
      if (mark === null || !text.startsWith(fence) || text !== mark) return text !== ""
      fence = null
      return false
    }
    if (mark !== null) {
      fence = mark
      return false
    }
    return (
      /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text) &&
      (!quiet.test(text) || leading.test(text)) &&
      !isUnderlined(lines, row)
    )
  })
}

/** A heading, also one that is quoted; a ticked box. */
const quiet = /^(?:>\s*)*(?:#{1,6}(?:\s|$)|(?:[-*+]|\d+[.)])\s+\[[xX✓✔]\])/u

/** It leads somewhere, or shows a picture. */
const leading = /\[[^\]]*\]\(/

/** A heading that is drawn on the line below it. */
const isUnderlined = (lines: ReadonlyArray<string>, row: number): boolean =>
  /^ {0,3}(?:=+|-{2,})\s*$/.test(lines[row + 1] ?? "") &&
  (lines[row - 1] ?? "").trim() === "" &&
  !/^\s*(?:[-*+>|]|\d+[.)])/.test(lines[row] ?? "")

/** The last row of the block of settings that a file may begin with; -1: there is none. */
const frontMatterEnd = (lines: ReadonlyArray<string>): number =>
  lines[0]?.trim() === "---" ? lines.findIndex((line, row) => row > 0 && /^(?:---|\.\.\.)\s*$/.test(line)) : -1
