import type { Readable } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"

/** Turns of the event loop granted to empty the pipes. A process that escaped and prints for ever must not hold us. */
const MAX_DRAIN_TURNS = 200

/**
 * Takes what is still in the pipes of a process that has ended, and closes them. Its output lies there already: a whole turn
 * of the event loop without a byte (`bytesRead` counts them) means that it has all been read. To wait for the end of the streams
 * instead would be to wait for whoever else holds them: a process that it has started and that goes on.
 */
export const drained = async (streams: ReadonlyArray<Readable>, bytesRead: () => number): Promise<void> => {
  for (let turn = 0; turn < MAX_DRAIN_TURNS && streams.some((stream) => !stream.readableEnded); turn++) {
    const before = bytesRead()
    await nextTurn()
    await nextTurn()
    if (bytesRead() === before) break
  }
  for (const stream of streams) stream.destroy()
}
