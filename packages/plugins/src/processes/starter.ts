/*
 * Node copies the tables of all of its memory for each process that it starts, and does nothing else meanwhile: the larger it
 * is, the longer. So a process of Node that has loaded nothing starts the programs for us, from the time on at which that pays.
 * What a program reads and writes is ours all the same: the other process opens the ends that it is to have under `/proc`.
 * It ends when we do, and with it, by one watcher, all commands that it was to watch.
 */
import { spawn } from "node:child_process"
import { closeSync, constants, openSync } from "node:fs"
import { WATCHER, watchMany } from "./watcher.ts"

/** To a process that starts programs for us. */
export interface Order {
  readonly id: number
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** Of what the environment was when it was started. */
  readonly env: Readonly<Record<string, string | null>>
  /** Descriptors of ours, null: nothing. Standard output and error are written, all others read. */
  readonly stdio: ReadonlyArray<number | null>
  /** The value of its own variable, where nothing of it may outlive us. */
  readonly watched?: string
}

/** Nothing is left of a command that was watched. */
interface Gone {
  readonly gone: string
}

/** What becomes of an order. */
export type News =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  /** The system's word for why it was not started. */
  | { readonly id: number; readonly refused: string }

/**
 * All that the other process does. It is handed over as text: nothing of this module is there. The first thing that it says
 * is that it can open descriptors of ours, such as this one.
 */
const serve = (ours: number, descriptor: number, watching: ReadonlyArray<string>): void => {
  const children = process.getBuiltinModule("node:child_process")
  const { closeSync, constants, openSync, statSync } = process.getBuiltinModule("node:fs")
  const known = { ...process.env }
  const tell = (news: News): void => {
    process.send?.(news)
  }
  const open = (descriptor: number, mode: number): number => {
    const path = `/proc/${ours}/fd/${descriptor}`
    // to open an end of a pipe whose other end was closed already would be to wait for ever
    const both = statSync(path).isFIFO() ? openSync(path, constants.O_RDWR) : null
    try {
      return openSync(path, mode)
    } finally {
      if (both !== null) closeSync(both)
    }
  }
  process.title = "proofline-starter"
  process.on("disconnect", () => process.exit())
  closeSync(open(descriptor, constants.O_RDONLY))
  const watcher = children.spawn("/bin/sh", watching, { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  // nothing runs that nobody watches
  for (const event of ["error", "exit"]) watcher.on(event, () => process.exit())
  watcher.stdin.on("error", () => process.exit())
  const watch = (own: string, group: number | "-"): void => {
    watcher.stdin.write(`${own} ${group}\n`)
  }
  process.on("message", (message: Order | Gone) => {
    if ("gone" in message) {
      watch(message.gone, "-")
      return
    }
    const { args, cwd, env, file, id, stdio, watched } = message
    const opened: Array<number> = []
    const refused = (cause: NodeJS.ErrnoException) => tell({ id, refused: cause.code ?? "unknown" })
    try {
      for (const [at, descriptor] of stdio.entries()) {
        if (descriptor === null) continue
        opened.push(open(descriptor, at === 1 || at === 2 ? constants.O_WRONLY : constants.O_RDONLY))
      }
      const ends = [...opened]
      const all: NodeJS.ProcessEnv = { ...known }
      for (const [name, value] of Object.entries(env)) {
        if (value === null) delete all[name]
        else all[name] = value
      }
      // what starts and is not told any more is found by its variable
      if (watched !== undefined) watch(watched, 0)
      const child = children.spawn(file, args, {
        cwd,
        env: all,
        detached: true,
        stdio: stdio.map((descriptor) => (descriptor === null ? "ignore" : ends.shift()))
      })
      if (watched !== undefined) watch(watched, child.pid ?? "-")
      child.on("error", refused)
      child.on("spawn", () => {
        if (child.pid !== undefined) tell({ id, pid: child.pid })
      })
      child.on("exit", (code, signal) => tell({ id, code, signal }))
    } catch (cause) {
      if (watched !== undefined) watch(watched, "-")
      refused(cause as NodeJS.ErrnoException)
    } finally {
      for (const descriptor of opened) closeSync(descriptor)
    }
  })
  tell({ id: 0, pid: process.pid })
}

/** As many programs as it takes to start another Node: it is started when so many were, as more may come. */
const paysFrom = 6

/** A process that starts programs for us. */
export interface Starter {
  /** `told` hears all that becomes of it. */
  readonly start: (order: Omit<Order, "id" | "env">, env: NodeJS.ProcessEnv, told: (news: News) => void) => void
  /** Nothing is left of a command that is watched. */
  readonly forget: (watched: string) => void
}

let count = 0
let isUsable = process.platform === "linux"
let begun: Promise<void> | null = null
let ready: Starter | null = null

/** Null as long as programs are to be started by ourselves. */
export const readyStarter = (): Starter | null => ready

/** The same for a program that is started now. */
export const starter = (): Starter | null => {
  if (++count >= paysFrom) void beginStarter()
  return ready
}

/** Begins as if enough programs had been started, and resolves when it is there, or cannot be. */
export const beginStarter = (): Promise<void> => {
  if (isUsable) begun ??= new Promise((resolve) => begin(resolve))
  return begun ?? Promise.resolve()
}

const begin = (done: () => void): void => {
  // what is meant for us, as a debugger, is not for it
  const { NODE_OPTIONS: _, ...known } = process.env
  const probe = openSync("/dev/null", constants.O_RDONLY)
  const script = `(${serve.toString()})(${process.pid}, ${probe}, ${JSON.stringify(["-c", watchMany, WATCHER])})`
  const child = spawn(process.execPath, ["--input-type=commonjs", "-e", script], {
    // it keeps no directory from being unmounted
    cwd: "/",
    env: known,
    // nor is it told what a terminal tells us
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })
  child.unref()
  child.channel?.unref()
  const waiting = new Map<number, (news: News) => void>()
  let isOver = false
  const lost = (): void => {
    if (isOver) return
    isOver = true
    // one that never came will not come another time
    if (ready === null) isUsable = false
    ready = null
    begun = null
    count = 0
    done()
    // of what it has started nobody hears any more: it is for whoever waits to end it
    for (const told of waiting.values()) told({ id: 0, code: null, signal: "SIGKILL" })
    waiting.clear()
    closeProbe()
  }
  const closeProbe = once(() => closeSync(probe))
  for (const event of ["error", "exit", "disconnect"]) child.on(event, lost)
  let last = 0
  const by: Starter = {
    start: (order, env, told) => {
      const id = ++last
      waiting.set(id, told)
      child.channel?.ref()
      child.send({ ...order, id, env: changesOf(known, env) } satisfies Order, (failed) => {
        if (failed !== null) lost()
      })
    },
    forget: (watched) => {
      if (!isOver) child.send({ gone: watched } satisfies Gone, () => {})
    }
  }
  child.on("message", (news: News) => {
    // what comes after its end would make it seem to be there
    if (isOver) return
    if (ready === null) {
      ready = by
      closeProbe()
      done()
      return
    }
    const told = waiting.get(news.id)
    if (!("pid" in news)) waiting.delete(news.id)
    if (waiting.size === 0) child.channel?.unref()
    told?.(news)
  })
}

const once = (act: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}

const changesOf = (known: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): Order["env"] => {
  const changes: Record<string, string | null> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && value !== known[name]) changes[name] = value
  }
  for (const name of Object.keys(known)) if (env[name] === undefined) changes[name] = null
  return changes
}
