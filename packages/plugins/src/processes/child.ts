import { spawn } from "node:child_process"
import { EventEmitter } from "node:events"
import { closeSync } from "node:fs"
import { Socket } from "node:net"
import type { Readable, Writable } from "node:stream"
import { type Ends, takeEnds } from "./pipes.ts"
import { type News, readyStarter, type Starter, starter } from "./starter.ts"

/** A program that runs: what of a `ChildProcess` is used. */
export interface Child extends EventEmitter {
  readonly pid?: number | undefined
  readonly exitCode: number | null
  readonly signalCode: NodeJS.Signals | null
  readonly stdin: Writable | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  readonly stdio: ReadonlyArray<Readable | Writable | null | undefined>
  /** Of one that is watched: nothing is left of it. */
  readonly forget?: () => void
}

export interface ChildOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Standard output and error are written, all others read. A descriptor may be closed here once it runs. */
  readonly stdio: ReadonlyArray<"ignore" | "pipe" | number>
}

/** Starts a program as leader of a process group of its own. */
export const startChild = (file: string, args: ReadonlyArray<string>, options: ChildOptions): Child => {
  const by = starter()
  const ends = by === null ? null : endsFor(options)
  return by === null || ends === null
    ? spawn(file, args, { cwd: options.cwd, env: options.env, stdio: [...options.stdio], detached: true })
    : new Distant(by, file, args, options, ends)
}

/**
 * The same, and all of its group ends with us, and whatever has its own variable, whose value is `watched`. Null where no
 * other process starts programs for us.
 */
export const startWatched = (
  file: string,
  args: ReadonlyArray<string>,
  options: ChildOptions,
  watched: string
): Child | null => {
  const by = readyStarter()
  const ends = by === null ? null : endsFor(options)
  return by === null || ends === null ? null : new Distant(by, file, args, options, ends, watched)
}

const endsFor = ({ stdio }: ChildOptions): Array<Ends> | null => {
  const ends = takeEnds(stdio.filter((one) => one === "pipe").length)
  return ends === null ? null : [...ends]
}

/** The process that starts programs ended before it had said what became of one: it was not started, or ended too. */
export const starterEnded = "STARTER_ENDED"

const isWritten = (at: number): boolean => at === 1 || at === 2

/** One that another process has started for us. */
class Distant extends EventEmitter implements Child {
  pid: number | undefined
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly stdin: Writable | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  readonly stdio: ReadonlyArray<Socket | null>
  readonly forget: () => void
  /** The ends that it is to have, until it has them. */
  #lent: ReadonlyArray<number>
  #open = 0
  #isOver = false

  constructor(
    by: Starter,
    file: string,
    args: ReadonlyArray<string>,
    { cwd, env, stdio }: ChildOptions,
    ends: Array<Ends>,
    watched?: string
  ) {
    super()
    this.forget = () => {
      if (watched !== undefined) by.forget(watched)
    }
    const lent: Array<number> = []
    const sockets: Array<Socket | null> = []
    const given = stdio.map((one, at) => {
      const pipe = one === "pipe" ? ends.pop() : undefined
      sockets.push(pipe === undefined ? null : this.#ourEnd(pipe, at))
      if (pipe === undefined) return typeof one === "number" ? one : null
      const theirs = isWritten(at) ? pipe.write : pipe.read
      lent.push(theirs)
      return theirs
    })
    this.#lent = lent
    this.stdio = sockets
    this.stdin = sockets[0] ?? null
    this.stdout = sockets[1] ?? null
    this.stderr = sockets[2] ?? null
    const order = { file, args, cwd, stdio: given, ...(watched === undefined ? {} : { watched }) }
    by.start(order, env, (news) => this.#hear(news))
  }

  #ourEnd(pipe: Ends, at: number): Socket {
    if (!isWritten(at)) return new Socket({ fd: pipe.write, readable: false, writable: true })
    const socket = new Socket({ fd: pipe.read, readable: true, writable: false })
    this.#open++
    socket.once("close", () => {
      this.#open--
      this.#closeWhenOver()
    })
    return socket
  }

  #hear(news: News): void {
    for (const descriptor of this.#lent) closeSync(descriptor)
    this.#lent = []
    if ("pid" in news) {
      this.pid = news.pid
      this.emit("spawn")
      return
    }
    this.#isOver = true
    if ("refused" in news || this.pid === undefined) {
      for (const socket of this.stdio) socket?.destroy()
      const code = "refused" in news ? news.refused : starterEnded
      this.emit("error", Object.assign(new Error(`spawn ${code}`), { code }))
      return
    }
    this.exitCode = news.code
    this.signalCode = news.signal
    this.stdin?.destroy()
    this.emit("exit", news.code, news.signal)
    this.#closeWhenOver()
  }

  #closeWhenOver(): void {
    if (this.#isOver && this.#open === 0 && this.pid !== undefined) this.emit("close", this.exitCode, this.signalCode)
  }
}
