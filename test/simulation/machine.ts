import { Clock, Duration, Effect, type Fiber, type Scheduler } from "effect"
import type { Random } from "../kernel/support/random.ts"

/** What waits for a moment. */
interface Timer {
  readonly at: number
  readonly run: () => void
  /** Whose it is; null: nobody's, so that nothing holds it up. */
  readonly host: Host | null
  isCancelled: boolean
}

/** Fibers do so much before they let others go on. */
const maxOps = 2_048

/** When every simulation begins. */
export const beginning = Date.UTC(2026, 0, 2, 12)

/**
 * Virtual time, and the processes that live in it. Nothing runs but in `run`: one task of one process at a time, chosen by
 * the seed; time moves on only when nobody has anything to do. `TestClock` tells the time, but not whether everybody waits,
 * and neither stops a process nor loses one: so clock and scheduler are made here.
 */
export class Machine {
  /** Ms since the epoch, by a clock that nobody sets. */
  now = beginning
  /** Whose task runs. */
  current: Host | null = null
  readonly #random: Random
  /** How likely a fiber is to be put aside at any step of it. */
  readonly #preemption: number
  readonly #hosts: Array<Host> = []
  /** By moment, the last first. */
  readonly #timers: Array<Timer> = []
  /** Fibers that have begun; true: they have not waited for anything so far. */
  readonly #begun = new WeakMap<object, boolean>()
  /** A fiber runs within the task already. */
  #isEntered = false

  constructor(random: Random, preemption: number) {
    this.#random = random
    this.#preemption = preemption
  }

  /** Another process. */
  start(name: string, skew: number): Host {
    const host = new Host(this, name, skew)
    this.#hosts.push(host)
    return host
  }

  /** As `kill -9`: whatever it was about to do it does not do, not even what it does at its end. */
  kill(host: Host): void {
    host.isAlive = false
    host.tasks.length = 0
    this.#hosts.splice(this.#hosts.indexOf(host), 1)
  }

  /** As SIGSTOP and SIGCONT. */
  pause(host: Host, ms: number): void {
    host.isPaused = true
    this.after(ms, () => {
      host.isPaused = false
      for (const timer of host.overslept.splice(0)) this.#add({ ...timer, at: this.now })
    })
  }

  after(ms: number, run: () => void, host: Host | null = null): Timer {
    const timer: Timer = { at: this.now + Math.max(0, ms), run, host, isCancelled: false }
    this.#add(timer)
    return timer
  }

  /** Goes on until it is over, or until nothing could ever happen any more. */
  run(isOver: () => boolean): void {
    while (!isOver()) {
      const ready = this.#hosts.filter(({ isPaused, tasks }) => !isPaused && tasks.length > 0)
      const [only] = ready
      if (only !== undefined) this.#runTask(ready.length === 1 ? only : this.#random.pick(ready))
      else if (!this.#runTimer()) return
    }
  }

  isPreempted(host: Host, fiber: Fiber.Fiber<unknown, unknown>): boolean {
    // woken by another process: it goes on when it is its turn
    if (this.current !== host) return true
    if (fiber.currentOpCount === 1) {
      const isNew = !this.#begun.has(fiber)
      this.#begun.set(fiber, isNew)
      // woken by another fiber: the same. What is started at once is started at once
      if (this.#isEntered && !isNew) return true
      this.#isEntered = true
      return false
    }
    if (fiber.currentOpCount >= maxOps) return true
    return this.#preemption > 0 && this.#begun.get(fiber) !== true && this.#random.chance(this.#preemption)
  }

  #runTask(host: Host): void {
    const task = host.tasks.shift()
    if (task !== undefined) this.#as(host, task.run)
  }

  #runTimer(): boolean {
    const timer = this.#timers.pop()
    if (timer === undefined) return false
    if (timer.isCancelled || timer.host?.isAlive === false) return true
    if (timer.host?.isPaused === true) {
      timer.host.overslept.push(timer)
      return true
    }
    this.now = Math.max(this.now, timer.at)
    this.#as(timer.host, timer.run)
    return true
  }

  #as(host: Host | null, run: () => void): void {
    this.current = host
    this.#isEntered = false
    try {
      run()
    } finally {
      this.current = null
    }
  }

  #add(timer: Timer): void {
    if (timer.at === Number.POSITIVE_INFINITY) return
    let [low, high] = [0, this.#timers.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#timers[middle] as Timer).at > timer.at) low = middle + 1
      else high = middle
    }
    this.#timers.splice(low, 0, timer)
  }
}

/** A process: its tasks, and its clock, which may be set. */
export class Host {
  readonly name: string
  readonly tasks: Array<{ readonly run: () => void; readonly priority: number }> = []
  readonly overslept: Array<Timer> = []
  isAlive = true
  isPaused = false
  /** How far its clock is off, ms. */
  skew: number
  readonly scheduler: Scheduler.Scheduler
  readonly clock: Clock.Clock
  readonly #machine: Machine

  constructor(machine: Machine, name: string, skew: number) {
    this.#machine = machine
    this.name = name
    this.skew = skew
    this.scheduler = {
      executionMode: "async",
      shouldYield: (fiber) => machine.isPreempted(this, fiber),
      makeDispatcher: () => ({ scheduleTask: (run, priority) => this.#schedule(run, priority), flush: () => {} })
    }
    const millis = () => machine.now + this.skew
    const nanos = (ms: number) => BigInt(Math.round(ms)) * 1_000_000n
    this.clock = {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: () => nanos(millis()),
      currentTimeNanos: Effect.sync(() => nanos(millis())),
      monotonicTimeNanosUnsafe: () => nanos(machine.now),
      monotonicTimeNanos: Effect.sync(() => nanos(machine.now)),
      sleep: (duration) => this.sleep(Duration.toMillis(duration))
    }
  }

  sleep(ms: number): Effect.Effect<void> {
    return ms <= 0
      ? Effect.yieldNow
      : Effect.callback<void>((resume) => {
          const timer = this.#machine.after(ms, () => resume(Effect.void), this)
          return Effect.sync(() => {
            timer.isCancelled = true
          })
        })
  }

  /** Begins something in this process. */
  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runFork(Effect.provideService(effect, Clock.Clock, this.clock), { scheduler: this.scheduler })
  }

  #schedule(run: () => void, priority: number): void {
    if (!this.isAlive) return
    let at = this.tasks.length
    while (at > 0 && (this.tasks[at - 1]?.priority ?? 0) > priority) at--
    this.tasks.splice(at, 0, { run, priority })
  }
}
