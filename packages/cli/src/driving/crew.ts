/** Workers as processes of their own, which end with this one. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Effect, Queue } from "effect"
import { ownProgram } from "../assets.ts"
import { blobsVariable, databaseVariable } from "../base/database.ts"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Problem, stop } from "../base/problems.ts"
import { say } from "../process/output.ts"
import { usualSlots, type WorkerFlags } from "./workerFlags.ts"

export interface ClusterWorker {
  readonly name: string
  readonly pid: number
}

interface Member extends ClusterWorker {
  readonly child: ChildProcess
  readonly ended: Promise<void>
}

/** How long a worker has to end its agents, and to end at once when it was told again; ms. */
const endsWithinMs = 10_000
const endsAtOnceMs = 2_000

/** Between the end of a worker and the start of the one in its place: one that cannot live is not started all the time. */
const restartAfter = "1 second"

/** Starts workers of the database; when the scope closes all of them are ended. */
export const makeCrew = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  options: WorkerFlags & { readonly restart: boolean }
) {
  const living = new Set<Member>()
  const gone = yield* Queue.unbounded<Member>()
  let isEnding = false
  yield* Effect.addFinalizer(() => {
    isEnding = true
    return Effect.promise(() => endAll([...living]))
  })
  const add = Effect.gen(function* () {
    const begun = yield* Effect.promise(() => started(paths, options))
    if (!("child" in begun)) return yield* stop(exitCodes.unmet, ...begun)
    living.add(begun)
    void begun.ended.then(() => {
      living.delete(begun)
      if (!isEnding) Queue.offerUnsafe(gone, begun)
    })
    return begun satisfies ClusterWorker
  })
  /** Tells of workers that end, and starts others in their place where that is wanted. */
  const watch = Effect.forever(
    Effect.gen(function* () {
      const { child, name, pid } = yield* Queue.take(gone)
      yield* say(
        `Worker ${name} (process ${pid}) has ended ${child.signalCode === null ? `with exit code ${child.exitCode}` : `by ${child.signalCode}`}; what it was at is handed to others.${options.restart ? "" : " Nobody takes its place; `--restart` would start one."}`
      )
      if (!options.restart) return
      yield* Effect.sleep(restartAfter)
      const next = yield* add
      yield* say(`Worker ${next.name} (process ${next.pid}) takes its place.`)
    })
  )
  return { add, watch, slots: options.slots ?? usualSlots }
})

export type Crew = Effect.Success<ReturnType<typeof makeCrew>>

const spawnWorker = (
  { blobStore, databaseUrl, root, state }: ProjectPaths,
  { labels, setup, slots }: WorkerFlags
): ChildProcess => {
  const { PROOFLINE_TOKEN, ...env } = process.env
  const args = [
    ownProgram,
    "worker",
    "--json",
    "--ends-with-stdin",
    `--cwd=${root}`,
    `--state=${state}`,
    ...(slots === undefined ? [] : [`--slots=${slots}`]),
    ...(labels === undefined ? [] : [`--labels=${labels}`]),
    ...(setup === undefined ? [] : [`--setup=${setup}`])
  ]
  return spawn(process.execPath, args, {
    cwd: root,
    // not as an argument: everybody on the machine sees those
    env: {
      ...env,
      [databaseVariable]: databaseUrl,
      ...(blobStore === undefined ? {} : { [blobsVariable]: blobStore })
    },
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl-C of a terminal is for us, who end them in order
    detached: true
  })
}

/** The worker once it takes work, or what it says is wrong. */
const started = async (paths: ProjectPaths, options: WorkerFlags): Promise<Member | ReadonlyArray<Problem>> => {
  const child = spawnWorker(paths, options)
  child.stdin?.on("error", () => {})
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve()))
  let name = ""
  const lines = createInterface({ input: child.stderr ?? process.stdin })
  const tail: Array<string> = []
  lines.on("line", (line) => {
    if (name === "") tail.push(line)
    else process.stderr.write(`${name}: ${line}\n`)
  })
  const document = await Promise.race([firstDocument(child), ended.then(() => null)])
  if (typeof document?.name === "string") {
    name = document.name
    return { name, pid: child.pid ?? 0, child, ended }
  }
  await ended
  const said = document?.problems ?? []
  return said.length > 0
    ? said
    : [
        {
          code: "worker_not_started",
          message: `A worker ended before it took work. ${tail.at(-1)?.slice(0, 500) ?? ""}`.trim(),
          hint: "Start it alone with `proofline worker` to see more."
        }
      ]
}

interface FirstDocument {
  readonly name?: string
  readonly problems?: ReadonlyArray<Problem>
}

/** The first document that it prints: of one line, or all that it printed when it could not begin. */
const firstDocument = async ({ stdout }: ChildProcess): Promise<FirstDocument | null> => {
  let text = ""
  for await (const chunk of stdout ?? []) {
    text += chunk
    try {
      return JSON.parse(text).data ?? null
    } catch {
      // the rest comes
    }
  }
  return null
}

/** As Ctrl-C would, which ends agents first; one that does not end is killed, and its agents with it. */
const endAll = async (members: ReadonlyArray<Member>): Promise<void> => {
  const all = Promise.all(members.map(({ ended }) => ended))
  // one that is stopped hears nothing
  for (const { child } of members) child.kill("SIGCONT")
  for (const [signal, limit] of [
    ["SIGINT", endsWithinMs],
    ["SIGTERM", endsAtOnceMs],
    ["SIGKILL", endsAtOnceMs]
  ] as const) {
    for (const { child } of members) child.kill(signal)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), limit)
    })
    const isOver = await Promise.race([all.then(() => true), late])
    clearTimeout(timer)
    if (isOver) return
  }
}
