import { existsSync } from "node:fs"
import { readdir, rmdir } from "node:fs/promises"
import * as Path from "node:path"
import type { RunId } from "@proofline/kernel"
import { Effect } from "effect"
import { nameOf, runRefs } from "./names.ts"
import { type Kept, readRefs } from "./refs.ts"
import { asRefusal, attempt, type Failing, gitAt, type Options, openRoom, type Room } from "./room.ts"
import { snapshotOf } from "./snapshot.ts"
import { find, folderOf, forgetGone, isLocked, prepare, remove } from "./worktrees.ts"

/** Removes what is left of a run; one sentence for each thing that stays. */
export const close = (options: Options, run: RunId): Effect.Effect<ReadonlyArray<string>> =>
  // without a folder there never was a worktree
  existsSync(Path.join(Path.resolve(options.stateDir), "worktrees", nameOf(run)))
    ? Effect.flatMap(openRoom(options), (room) => closeRoom(room, run)).pipe(
        Effect.catchTag("GitFailed", (failed) => Effect.fail(asRefusal(failed))),
        Effect.catch(({ message }) => Effect.succeed([`The worktrees of run ${run} stay: ${message}`]))
      )
    : Effect.succeed([])

const closeRoom = Effect.fnUntraced(function* (
  room: Room,
  run: RunId
): Effect.fn.Return<ReadonlyArray<string>, Failing> {
  yield* prepare(room, run)
  const folder = folderOf(room, run)
  const known = yield* readRefs(room, runRefs(run))
  const names = yield* attempt(`${folder} cannot be read`, () => readdir(folder))
  const stay: Array<string> = []
  for (const name of names.sort()) {
    const why = yield* removeOne(room, Path.join(folder, name), keptOf(known, name))
    if (why !== null) stay.push(why)
  }
  if (stay.length > 0) return stay
  yield* forgetGone(room, run)
  const deletions = [...known.keys()].map((ref) => `delete ${ref}\n`)
  if (deletions.length > 0) yield* gitAt(room.repository, ["update-ref", "--stdin"], { input: deletions.join("") })
  yield* Effect.promise(() => rmdir(folder).catch(() => {}))
  return []
})

/** What was kept of the worktree of that name, or what it began with. */
const keptOf = (known: ReadonlyMap<string, Kept>, name: string): Kept | null => {
  const of = (end: string) => [...known].find(([ref]) => ref.endsWith(`/${end}`))?.[1]
  return of(name) ?? of(`${name}.start`) ?? null
}

const removeOne = Effect.fnUntraced(function* (room: Room, top: string, kept: Kept | null) {
  if (kept === null) return unkept(top)
  const checkout = yield* find(room, top, kept.commit)
  if (checkout === null) return null
  if (yield* Effect.promise(() => isLocked(checkout.own)))
    return `The worktree ${top} stays, because it is locked. Unlock it with \`git worktree unlock\`, then remove it with \`git worktree remove\`.`
  const { nested, tree } = yield* snapshotOf(room, checkout, kept.commit)
  if (kept.tree !== tree || nested.length > 0) return unkept(top)
  yield* remove(room, checkout)
  return null
})

const unkept = (top: string): string =>
  `The worktree ${top} stays, because it holds work that was not kept. Look at it, then remove it with \`git worktree remove --force\`.`
