import { numbered, type Output, type Reading, reading, sumOf } from "./model.ts"

/** What Cucumber prints, in JavaScript, Ruby and Java. */
export const cucumber = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^\d+ [sS]teps?(?: \(|$)/m.test(text)) return []
  const ends = lines.filter((line) => /^\d+ [sS]cenarios?(?: \((?:\d+ [a-z]+(?:, )?)+\))?$/.test(line))
  if (ends.length === 0) return []
  return [
    reading("cucumber", [], {
      counts: sumOf(
        ends.map((line) => ({
          passed: numbered(line, "passed"),
          failed: numbered(line, "failed", "ambiguous", "undefined"),
          skipped: numbered(line, "skipped", "pending")
        }))
      )
    })
  ]
}

/** What behave prints. */
export const behave = ({ lines }: Output): ReadonlyArray<Reading> => {
  const ends = lines.filter((line) =>
    /^\d+ scenarios? passed, \d+ failed, (?:\d+ error, )?\d+ skipped(?:, \d+ untested)?$/.test(line)
  )
  if (ends.length === 0) return []
  return [
    reading("behave", [], {
      counts: sumOf(
        ends.map((line) => ({
          passed: numbered(line, "scenario passed", "scenarios passed"),
          failed: numbered(line, "failed", "error"),
          skipped: numbered(line, "skipped", "untested")
        }))
      )
    })
  ]
}

/** What Robot Framework prints for each suite; the last one is of all. */
export const robot = ({ lines }: Output): ReadonlyArray<Reading> => {
  const end = lines.findLast((line) => /^\d+ tests?, \d+ passed, \d+ failed(?:, \d+ skipped)?$/.test(line))
  return end === undefined
    ? []
    : [
        reading("robot", [], {
          counts: {
            passed: numbered(end, "passed"),
            failed: numbered(end, "failed"),
            skipped: numbered(end, "skipped")
          }
        })
      ]
}
