import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { isOpenHere } from "../../../log/openHere.ts"
import { makeTemporary } from "../../../processes/temporary.ts"
import { hasBytes } from "../there.ts"

/**
 * What SQLite reads in a file of which nothing is changed, nor made beside it; null: it cannot read that, or this process has
 * the file open.
 */
export const asDatabase = <A>(file: string, use: (db: DatabaseSync) => A): A | null => {
  if (isOpenHere(file)) return null
  try {
    // what a write-ahead log holds is read by writing beside it
    return hasBytes(`${file}-wal`) ? ofCopy(file, use) : opened(`${pathToFileURL(file).href}?immutable=1`, true, use)
  } catch {
    return null
  }
}

const ofCopy = <A>(file: string, use: (db: DatabaseSync) => A): A => {
  const directory = makeTemporary()
  try {
    const copy = join(directory, "proofline.db")
    for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, `${copy}${end}`)
    return opened(copy, false, use)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const opened = <A>(path: string, readOnly: boolean, use: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(path, { readOnly })
  try {
    return use(db)
  } finally {
    db.close()
  }
}
