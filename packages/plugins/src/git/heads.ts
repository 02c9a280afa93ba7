import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { contentMark } from "./places.ts"
import { isId, remembered } from "./remembered.ts"
import { commitOf, locate } from "./repository.ts"
import { type GitFailed, git } from "./run.ts"
import { notesRef, ownRefs } from "./runRefs.ts"

/** Commits that a checkout stands on: HEAD, and those that are being brought into it, as they stand in its files. */
export const headsOf = (directory: string): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  Effect.gen(function* () {
    const { common, own, top } = yield* locate(directory)
    const told = (name: string): ReadonlyArray<string> => {
      try {
        return readFileSync(Path.join(own, name), "utf8").split("\n")
      } catch {
        return []
      }
    }
    // what decides about HEAD: its file, and that of the branch it names, wherever git keeps it
    const markOf = (): string => {
      const [head = ""] = told("HEAD")
      const kept = [...head.split(/^ref: /).slice(1), "packed-refs", Path.join("reftable", "tables.list")].flatMap(
        (name) => [own, common].map((place) => contentMark(Path.join(place, name)))
      )
      return [own, common, head, ...kept].join("\n")
    }
    const head = yield* remembered("head", markOf, commitOf({ top, own }, "HEAD"), (id) => id !== null)
    return [...new Set([head ?? "", ...["MERGE_HEAD", "CHERRY_PICK_HEAD"].flatMap(told)].filter(isId))]
  })

/** What every ref leads to now, but for those that are Proofline's own, and for notes. */
export const tipsOf = (directory: string): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  Effect.map(
    git(directory, ["for-each-ref", `--count=${maxTips}`, "--format=%(objectname) %(*objectname) %(refname)"]),
    (printed) => [
      ...new Set(
        printed.split("\n").flatMap((line) => {
          const [, object = "", tagged = "", ref = ""] = /^(\w+) (\w*) (.+)$/.exec(line) ?? []
          return ref === "" || noWork.some((prefix) => ref.startsWith(prefix)) ? [] : [tagged || object]
        })
      )
    ]
  )

const noWork = [ownRefs, notesRef.slice(0, notesRef.lastIndexOf("/") + 1)]

/** More are not kept in mind. */
const maxTips = 20_000
