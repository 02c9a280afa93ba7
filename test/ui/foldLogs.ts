/** Logs to fold: of earlier releases, played by a die, and long ones. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { foldEvent, foldHistory, noHistory, type Recorded, type RunHistory, type Snapshot } from "@proofline/kernel"
import { composition, manifest, type State, stateOf } from "../../packages/ui/src/fold/compose.ts"
import type { Sent } from "../../packages/ui/src/fold/follow.ts"
import { candidate, facts } from "../bench/history.ts"
import { randomHistory } from "../kernel/support/histories.ts"
import type { Random } from "../kernel/support/random.ts"
import { recordedOf } from "../kernel/support/recorded.ts"

const golden = fileURLToPath(new URL("../golden/", import.meta.url))

const read = (file: string): ReadonlyArray<Recorded> =>
  readFileSync(`${golden}${file}`, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** Every log of every release, by its file. */
export const goldenLogs: ReadonlyArray<readonly [file: string, log: ReadonlyArray<Recorded>]> = readdirSync(golden, {
  recursive: true,
  encoding: "utf8"
})
  .filter((file) => file.endsWith(".ndjson"))
  .sort()
  .map((file) => [file, read(file)])

/** A run of tasks, some of them split, in which anything may have been asked for at any time. */
export const randomLog = (random: Random): ReadonlyArray<Recorded> => {
  const { composition, taken } = randomHistory(random, { wild: true, chunks: random.chance(0.6), commands: 60 })
  return recordedOf(
    composition,
    taken.map(({ step }) => step.events)
  )
}

/** So many events of a run of so many tasks that are tried again and again. Its hashes are those of nothing. */
export const longLog = (events: number, tasks: number): ReadonlyArray<Recorded> => {
  const log: Array<Recorded> = []
  for (const fact of facts(tasks)) {
    if (log.length >= events) break
    const version = log.length + 1
    log.push({
      ...candidate(fact, "run_bench", version),
      // positions of one run have holes: others write as well
      position: version * 3,
      stream: "run_bench",
      version,
      prev_hash: hashOf(version - 1),
      hash: hashOf(version)
    })
  }
  return log
}

const hashOf = (version: number): string => version.toString(16).padStart(64, "0")

/** As the server sends them: keys in the order in which they are exported. */
export const textsOf = (log: ReadonlyArray<Recorded>): ReadonlyArray<string> =>
  log.map(({ content, event_type, timestamp, visibility, ...rest }) =>
    JSON.stringify({ event_type, timestamp, visibility, content, ...rest })
  )

export interface Scratch {
  readonly state: State
  readonly history: RunHistory
}

/** The run after each event, from 0 on, folded one by one with the kernel's own rules. */
export const scratch = (log: ReadonlyArray<Recorded>): ReadonlyArray<Scratch> => {
  let snapshot: Snapshot = composition.initial
  let history = noHistory
  const all: Array<Scratch> = [{ state: stateOf(snapshot), history }]
  for (const recorded of log) {
    // a type that nobody knows any more is passed over
    const event = manifest.types.has(recorded.event_type) ? manifest.decode(recorded, () => snapshot) : null
    if (event !== null) snapshot = foldEvent(composition, snapshot, event)
    history = foldHistory(history, recorded, event)
    all.push({ state: stateOf(snapshot), history })
  }
  return all
}

/** The same as a server sends it whose log begins with them. */
export const sent = (texts: ReadonlyArray<string>): ReadonlyArray<Sent> =>
  texts.map((text) => ({ text, position: Number(/.*"position":(\d+)/.exec(text)?.[1] ?? 0) }))
