import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite"
import { noteConnection } from "../../log/openHere.ts"
import { checkRegular } from "./there.ts"

/** A connection to a log file that keeps everything else in this process from opening the file: `isOpenHere`. */
export class LogDatabase extends DatabaseSync {
  readonly #ended: () => void

  constructor(file: string, options: DatabaseSyncOptions) {
    checkRegular(file)
    super(file, options)
    this.#ended = noteConnection(file)
  }

  override close(): void {
    super.close()
    this.#ended()
  }
}
