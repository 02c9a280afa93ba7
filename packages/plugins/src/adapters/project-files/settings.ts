/** Options of a run as files give them: at the top of proofline.yaml, under `defaults` elsewhere. */
import { fieldsOf, fileOptions, type RunOptions } from "../../options/index.ts"

/** What people write instead of the key of an option. */
export const synonymsOf = <O extends RunOptions>(options: O) =>
  Object.fromEntries(Object.entries(options).map(([key, { synonyms = [] }]) => [key, synonyms])) as {
    readonly [K in keyof O]: ReadonlyArray<string>
  }

export const runFields = fieldsOf(fileOptions)
export const runSynonyms = synonymsOf(fileOptions)
