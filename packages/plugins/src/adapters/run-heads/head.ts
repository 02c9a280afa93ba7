import { realpathSync } from "node:fs"
import * as Path from "node:path"
import { canonicalJson, RunHead } from "@proofline/kernel"
import { Option, Schema } from "effect"

/** What is written: the head, and the state directory that its log was in. */
const KeptHead = Schema.Struct({ ...RunHead.fields, state: Schema.String })
export type KeptHead = typeof KeptHead.Type

export const headText = ({ hash, run_id, state, version }: KeptHead): string =>
  `${canonicalJson({ hash, run_id, state, version })}\n`

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(KeptHead))

/** Null: it is none. */
export const readHead = (text: string): KeptHead | null => Option.getOrNull(decode(text))

/** The directory by its one name, also when it is not there any more. */
export const nameOfState = (directory: string): string => {
  const path = Path.resolve(directory)
  try {
    return realpathSync(path)
  } catch {
    const parent = Path.dirname(path)
    return parent === path ? path : Path.join(nameOfState(parent), Path.basename(path))
  }
}
