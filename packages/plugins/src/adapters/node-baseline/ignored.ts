import { existsSync, realpathSync, statSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { isWithin } from "../../git/paths.ts"
import { placeOf } from "../../git/places.ts"
import { ignores, ignoresAll, locate } from "../../git/repository.ts"
import { realPath } from "./realPath.ts"

/** Whether git ignores a file of the project, or whether git or Proofline keeps it for itself. */
export const isIgnored = Effect.fnUntraced(function* (root: string, state: string | undefined, path: string) {
  const found = realPath(root, path)
  if (found === null) return false
  const top = realpathSync(root)
  const file = Path.join(top, found)
  if (found.split("/").includes(".git") || isOwnState(top, state, file)) return true
  const repository = yield* Effect.orElseSucceed(locate(top), () => null)
  if (repository === null || (yield* ignoresAll(repository))) return false
  if (yield* ignores(top, found)) return true
  // a folder may be a repository of its own
  const folder = nearest(Path.dirname(file))
  return !isSameRepository(top, folder) && (yield* ignores(folder, Path.relative(folder, file)))
})

/** Whether git finds the same repository for both, which then says the same of a file. False where that cannot be told. */
const isSameRepository = (one: string, other: string): boolean => {
  if (one === other) return true
  const [place, another] = [placeOf(one), placeOf(other)]
  return place !== null && place !== "none" && another !== null && another !== "none" && place.top === another.top
}

/** Whether a folder of the project, from its root, holds what Proofline keeps for itself. */
export const isOwnFolder = (root: string, state: string | undefined) => {
  const top = real(root)
  return (folder: string): boolean => isOwnState(top, state, Path.join(top, folder))
}

/** A worktree lies in the state, and what is in it is a project's all the same. */
const isOwnState = (top: string, state: string | undefined, file: string): boolean =>
  [Path.join(top, ".proofline", "state"), ...(state === undefined ? [] : [real(state)])].some(
    (directory) => isWithin(directory, file) && !isWithin(directory, top)
  )

const real = (directory: string): string => (existsSync(directory) ? realpathSync(directory) : directory)

/** The folder, or the nearest above it that is there. */
const nearest = (folder: string): string =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : nearest(Path.dirname(folder))
