import { readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

/** Who has a lock, as it was written down beside it. */
export interface HolderOf {
  readonly pid: number
  readonly since: string
  readonly port?: number
}

export interface Lock {
  /** What whoever had it last has written; null: nobody, or nothing that can be read. */
  readonly before: HolderOf | null
  readonly write: (holder: HolderOf) => void
  readonly release: () => void
}

/** One process has it at a time: the system gives it back however that ends. Otherwise who has it, as far as is known. */
export const tryLock = (file: string): Lock | { readonly heldBy: HolderOf | null } => {
  const notes = `${file}.json`
  writeFileSync(file, "", { flag: "a", mode: 0o600 })
  const database = new DatabaseSync(file)
  try {
    database.exec("begin exclusive")
  } catch (cause) {
    database.close()
    if (!/locked|busy/.test(String(cause))) throw cause
    return { heldBy: noted(notes) }
  }
  return {
    before: noted(notes),
    write: (holder) => writeFileSync(notes, JSON.stringify(holder), { mode: 0o600 }),
    release: () => database.close()
  }
}

const noted = (file: string): HolderOf | null => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return null
  }
}
