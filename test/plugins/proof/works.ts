import { Effect } from "effect"
import { type Files, placed, runOf, type Session } from "./sessions.ts"

/** What an item is shown by, and what is said of it: nothing where it is accepted. */
export type Told = readonly [item: string, evidence: string, refused?: RegExp]

export interface Work {
  readonly name: string
  readonly before: Files
  readonly after: Files
  readonly told: ReadonlyArray<Told>
}

/** Items that were judged otherwise than is said here, each in a project of its own. */
export const judged = (works: ReadonlyArray<Work>) =>
  Effect.map(
    runOf(
      works.flatMap(({ after, before, name, told }, i) =>
        told.map(
          ([item, evidence], j): Session => placed(`p${i}-${j}`, { name, before, after, items: [[item, evidence]] })
        )
      )
    ),
    ({ sessions }) => {
      let at = 0
      return works.flatMap((work) =>
        work.told.flatMap(([item, evidence, refused]) => {
          const said = (sessions[at++]?.said ?? []).join(" ")
          return (refused === undefined ? said === "" : refused.test(said)) ? [] : [`${item} (${evidence}): ${said}`]
        })
      )
    }
  )
