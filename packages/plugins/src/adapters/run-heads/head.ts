import { existsSync, realpathSync } from "node:fs"
import * as Path from "node:path"
import { canonicalJson, RunHead } from "@proofline/kernel"
import { Option, Schema } from "effect"
import { placeOf } from "../../git/places.ts"

/** What is written: the head, and where its log was. */
const WrittenHead = Schema.Struct({
  ...RunHead.fields,
  /** The state directory. */
  state: Schema.String,
  /** The same within the project, which may be moved; left out: it lay elsewhere, or in one of several checkouts. */
  place: Schema.optionalKey(Schema.String)
})
export type WrittenHead = typeof WrittenHead.Type

export const headText = ({ hash, place, run_id, state, version }: WrittenHead): string =>
  `${canonicalJson({ hash, ...(place === undefined ? {} : { place }), run_id, state, version })}\n`

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(WrittenHead))

/** Null: it is none. */
export const readHead = (text: string): WrittenHead | null => Option.getOrNull(decode(text))

/** Where a log is, as it is written with the heads of its runs. */
export const logAt = (root: string, stateDir: string): Pick<WrittenHead, "place" | "state"> => {
  const state = nameOfState(stateDir)
  const project = placeOf(root)
  if (project === null) return { state }
  const top = project === "none" ? nameOfState(root) : project.top
  const isOnly = project === "none" || project.common === Path.join(top, ".git")
  const place = Path.relative(top, state)
  return isOnly && !place.startsWith("..") && !Path.isAbsolute(place) ? { state, place } : { state }
}

/** Whether a head was written for the log that is `here` now: where that was is nothing any more, the project was moved. */
export const isOfLog = (
  { place, state }: Pick<WrittenHead, "place" | "state">,
  here: Pick<WrittenHead, "place" | "state">
): boolean => state === here.state || (place !== undefined && place === here.place && !existsSync(state))

/** The directory by its one name, also when it is not there any more. */
const nameOfState = (directory: string): string => {
  const path = Path.resolve(directory)
  try {
    return realpathSync(path)
  } catch {
    const parent = Path.dirname(path)
    return parent === path ? path : Path.join(nameOfState(parent), Path.basename(path))
  }
}
