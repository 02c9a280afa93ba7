import type { LineRange } from "../../../../port/index.ts"
import { languageOf } from "../../../../text/languages.ts"
import { scan } from "../../../../text/scan.ts"
import { saidOf } from "../../asked/said.ts"
import { onceFor } from "../../code/once.ts"
import { plainOf } from "../../code/plain.ts"
import { rowsIn } from "../../code/rowsIn.ts"
import { isTestFile } from "../../tests/testCases.ts"
import type { FileNow } from "../lineProof.ts"
import { setToNothing } from "./amounts.ts"
import { changesNothing } from "./databases.ts"
import { ownLock } from "./locks.ts"
import { noCondition, onlyMarks } from "./marks.ts"
import type { InertRule, NewRows } from "./newRows.ts"
import { emptyText, fitsNothing, linkToNothing, neverSeen, notTranslated, onlyUses } from "./nothingShown.ts"
import { leftOff } from "./off.ts"
import { alwaysHolds, neverTaken, onlyOnce, sameEitherWay, waitsForNothing } from "./sameEitherWay.ts"
import { fitsAll, neverAlarms, nothingLeft, saidBefore } from "./settings.ts"
import { thrownAway } from "./thrownAway.ts"
import { neverRead, oneSided } from "./unread.ts"

/**
 * Why what is new in these lines does nothing for an item, as a sentence: it says something, and comes to nothing. Null: it may do
 * something. `fresh`: rows of the file that are new; `isNew`: the file had no such row, wherever it stood; `wasThere`: it had it before. Pure.
 */
export const inertIn = (
  item: string,
  { lines, outline, path }: FileNow,
  fresh: ReadonlyArray<number>,
  { end, start }: LineRange,
  { isNew, wasThere }: Record<"isNew" | "wasThere", (line: string) => boolean>
): string | null => {
  const rows = rowsIn(fresh, { start, end })
  if (rows.length === 0 || rows.length > maxRows) return null
  const texts = textsOf(lines)({ outline, path })
  const code: NewRows = {
    item: saidOf(item),
    path,
    outline,
    language: outline?.language ?? "",
    lines,
    texts,
    fresh,
    rows,
    isNew: (row) => isNew(lines[row] ?? ""),
    wasThere
  }
  for (const rule of isTestFile(path) ? ofTests : rules) {
    const why = rule(code)
    if (why !== null) return why
  }
  return null
}

/** More lines do something. */
const maxRows = 60
/** Of a longer line its begin says what it does. */
const maxLength = 1_000

const textsOf = onceFor((lines: ReadonlyArray<string>) => {
  let texts: ReadonlyArray<string> | undefined
  return (of: Omit<FileNow, "lines">): ReadonlyArray<string> => {
    texts ??= textOf({ lines, ...of })
      .split("\n")
      .map((text) => text.slice(0, maxLength))
    return texts
  }
})

const textOf = ({ lines, outline, path }: FileNow): string => {
  if (outline !== null) return plainOf(lines, outline).text
  const language = languageOf(path, lines)
  const whole = lines.join("").replaceAll("\r", " ")
  return language.name === "unknown" || language.name === "prose" ? whole : scan(whole, language).text
}

const ofTests: ReadonlyArray<InertRule> = [changesNothing]
const rules: ReadonlyArray<InertRule> = [
  thrownAway,
  setToNothing,
  leftOff,
  ownLock,
  neverRead,
  oneSided,
  sameEitherWay,
  neverTaken,
  alwaysHolds,
  onlyOnce,
  onlyMarks,
  noCondition,
  changesNothing,
  linkToNothing,
  neverSeen,
  emptyText,
  fitsNothing,
  onlyUses,
  notTranslated,
  waitsForNothing,
  nothingLeft,
  fitsAll,
  neverAlarms,
  saidBefore
]
