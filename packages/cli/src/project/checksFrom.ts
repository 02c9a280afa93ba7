import * as Path from "node:path"
import type { RunConfig } from "@proofline/kernel"
import type { KnownIds } from "@proofline/plugins/adapters/project-files"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { checksVariable, takenChecks } from "../base/takenEnvironment.ts"
import type { Place, Places } from "./readChecks.ts"

const placeOf = ({ ofFile, said }: Places, { root }: ProjectPaths): Place | null => {
  if (said !== undefined) return { directory: Path.resolve(said), name: "--checks-from" }
  const taken = takenChecks()
  if (taken !== undefined) return { directory: Path.resolve(taken), name: checksVariable }
  return ofFile === null ? null : { directory: Path.resolve(root, ofFile), name: "`checks_from`" }
}

/** Few runs have any: what reads them is loaded only then. */
const reading = Effect.promise(() => import("./readChecks.ts"))

/** The checks of a new run that agents do not see, recorded with how it is run. */
export const withChecks = Effect.fnUntraced(function* (
  config: RunConfig,
  places: Places,
  paths: ProjectPaths,
  known: KnownIds
) {
  hideArguments(places)
  const place = placeOf(places, paths)
  if (place === null) return config
  const { withRead } = yield* reading
  return yield* withRead(config, place, paths, known)
})

/** On a resume: `readAgain`. */
export const withChecksAgain = Effect.fnUntraced(function* (
  config: RunConfig,
  places: Places,
  paths: ProjectPaths,
  known: KnownIds
) {
  hideArguments(places)
  const place = placeOf(places, paths)
  if (place === null && config.proof.escrow === undefined) return config
  const { readAgain } = yield* reading
  return yield* readAgain(config, places, place, paths, known)
})

/** Others see the arguments of a process in the system's list. */
const hideArguments = ({ said }: Places): void => {
  if (said !== undefined) process.title = "proofline"
}
