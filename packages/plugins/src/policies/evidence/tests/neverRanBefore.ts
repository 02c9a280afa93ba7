import type { LineRange, SourceOutline } from "../../../port/index.ts"
import { testsIn } from "./neverRuns.ts"

/** A version of a file. */
interface Tests {
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
}

/** Whether every test that lines are of was there before under its name, and showed as little, for the same reason. Pure. */
export const neverRanBefore = (path: string, before: Tests, now: Tests, { end, start }: LineRange): boolean => {
  const tests = ({ lines, outline }: Tests) => (outline === null ? [] : testsIn(path, lines.join(""), outline))
  const cited = tests(now).filter((test) => test.start <= end && test.end >= start)
  const old = cited.length === 0 ? [] : tests(before)
  return (
    cited.length > 0 &&
    cited.every(({ name, never }) => never !== null && old.some((one) => one.name === name && one.never === never))
  )
}
