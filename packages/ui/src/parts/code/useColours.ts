import { useEffect, useMemo, useState } from "react"
import { languageOf } from "./language.ts"
import { isColourable, type Line, plainLines } from "./lines.ts"

/** Plain at first; coloured as soon as the grammars are there, and never while something is drawn. */
export const useColours = (path: string, lines: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const plain = useMemo(() => plainLines(lines), [lines])
  const [coloured, setColoured] = useState<{ readonly of: unknown; readonly lines: ReadonlyArray<Line> } | null>(null)
  const language = languageOf(path)
  useEffect(() => {
    if (language === null || !isColourable(lines)) return
    let isWanted = true
    const colour = async (): Promise<void> => {
      const { highlight } = await import("./highlight.ts")
      if (isWanted) setColoured({ of: lines, lines: highlight(language, lines) })
    }
    // code without colours is still code
    colour().catch(() => {})
    return () => {
      isWanted = false
    }
  }, [language, lines])
  return language !== null && coloured?.of === lines ? coloured.lines : plain
}
