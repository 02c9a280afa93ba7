import {
  type AnyCommand,
  type Composition,
  Conflict,
  type Driver,
  defaultChunkingConfig,
  defaultProof,
  defaultRunConfig,
  Engine,
  EventLog,
  LogUnavailable,
  makeReplay,
  type Recorded,
  Rejection,
  type RunConfig,
  type RunHead,
  RunHeads,
  Runner,
  type Snapshot,
  type StartTasks,
  type TaskSpec,
  takingUpOf,
  tasksOf,
  Worker,
  WorkQueue
} from "@proofline/kernel"
import { Cause, Context, Effect, Exit, Layer, References, Scope, Stream } from "effect"
import { type Random, randomFrom } from "../kernel/support/random.ts"
import { digest } from "../kernel/support/recorded.ts"
import { stateOf } from "../kernel/support/words.ts"
import { countedIds, type Log, newLog } from "../kernel/support/world.ts"
import { aDefinition, aRequirement, loading } from "../plugins/requirements/stage.ts"
import type { Stage } from "./composition.ts"
import { type Host, Machine } from "./machine.ts"
import { note, Oracle, Violation } from "./oracle.ts"
import type { Fault, PlannedTask, Scenario } from "./scenario.ts"
import { base, commandsOf, root, World } from "./world.ts"

export interface Rules {
  readonly composition: Composition
  readonly stage: Stage
}

export interface Outcome {
  /** Null: everything held. */
  readonly violation: Violation | null
  /** The whole log, in order. */
  readonly log: ReadonlyArray<Recorded>
  /** How each run ended. */
  readonly statuses: ReadonlyMap<string, string>
  /** Virtual time that went by, ms. */
  readonly ms: number
  /** Faults that came to pass. */
  readonly faults: ReadonlySet<Fault["kind"]>
}

/** The log with something wrong about it. */
export type BentLog = (log: EventLog["Service"]) => EventLog["Service"]

/** How long nothing may happen, ms: longer than any wait, any claim of somebody who died, and any pause. */
const longestSilence = 900_000

/** Nobody goes on for so many tasks of fibers. */
const mostSteps = 600_000

/** A person who was asked so often gives up. */
const mostAnswers = 20

const runId = "run_1"

/** Carries a scenario out, from its beginning to its end, and checks everything that happens. Synchronous. */
export const simulate = (rules: Rules, scenario: Scenario, bend: BentLog = (log) => log): Outcome =>
  new Simulation(rules, scenario, bend).run()

class Simulation {
  readonly #rules: Rules
  readonly #scenario: Scenario
  readonly #dice: Random
  readonly #machine: Machine
  readonly #world: World
  readonly #oracle: Oracle
  readonly #store: Log
  readonly #log: EventLog["Service"]
  readonly #faults: Faults
  readonly #heads = new Map<string, RunHead>()
  readonly #acknowledged: Array<Recorded> = []
  readonly #hosts: Array<Host> = []
  #violation: Violation | null = null
  #isOver = false
  #steps = 0
  #started = 0
  #resumes = 0
  #answers = 0
  #waiting = 0

  constructor(rules: Rules, scenario: Scenario, bend: BentLog) {
    this.#rules = rules
    this.#scenario = scenario
    this.#dice = randomFrom(scenario.dice)
    this.#machine = new Machine(this.#dice, scenario.preemption)
    this.#oracle = new Oracle(
      () => this.#world,
      scenario.faults.every(({ kind }) => kind !== "clock_set")
    )
    this.#world = new World(this.#machine, scenario, (run, task) => this.#oracle.known(run, task))
    rules.stage.world = this.#world
    this.#store = Effect.runSync(Effect.provideService(newLog, Scope.Scope, Scope.makeUnsafe()))
    this.#log = bend(Context.get(this.#store, EventLog))
    this.#faults = new Faults(scenario.faults)
  }

  run(): Outcome {
    const began = this.#machine.now
    this.#startDriver(null)
    for (let i = 0; i < this.#scenario.workers; i++) this.#startWorker()
    for (const fault of this.#scenario.faults) this.#plan(fault)
    this.#watch()
    this.#goOn(() => this.#isOver)
    if (this.#violation === null && !this.#isOver)
      this.#fail(new Violation("ends", "nothing could ever happen any more"))
    const ms = this.#machine.now - began
    for (const host of [...this.#hosts]) this.#kill(host)
    const log = this.#readAll()
    if (this.#violation === null) this.#judge(() => this.#audit(log))
    const statuses = new Map([...this.#oracle.runs].map(([id, { status }]) => [id, status]))
    return { violation: this.#violation, log, statuses, ms, faults: this.#faults.happened }
  }

  #goOn(isDone: () => boolean): void {
    this.#machine.run(() => {
      if (++this.#steps > mostSteps) this.#fail(new Violation("ends", "it goes on and on"))
      return this.#violation !== null || isDone()
    })
  }

  #fail(violation: Violation): void {
    this.#violation ??= violation
  }

  /** Violations must not be taken for defects of a fiber. */
  #judge(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#fail(error instanceof Violation ? error : new Violation("broke", String((error as Error).stack ?? error)))
    }
  }

  // -- processes

  #start(name: string): Host {
    const host = this.#machine.start(`${name}${++this.#started}`, 0)
    this.#hosts.push(host)
    return host
  }

  #kill(host: Host): void {
    if (!host.isAlive) return
    this.#machine.kill(host)
    this.#world.unwatch(host)
    this.#hosts.splice(this.#hosts.indexOf(host), 1)
  }

  /** What a process of the command line is made of, over the log that all of them share. */
  #services(host: Host) {
    const log = Layer.succeedContext(
      this.#store.pipe(Context.add(EventLog, this.#logOf(host)), Context.add(WorkQueue, this.#queueOf(host)))
    )
    const heads: (typeof RunHeads)["Service"] = {
      keep: (head) => Effect.sync(() => void this.#heads.set(head.run_id, head)),
      of: (run) => Effect.sync(() => this.#heads.get(run) ?? null),
      all: Effect.sync(() => [...this.#heads.values()])
    }
    return Layer.build(
      Layer.fresh(
        Runner.layer.pipe(
          Layer.provideMerge(Worker.layer),
          Layer.provideMerge(Engine.layer(this.#rules.composition)),
          Layer.provide(log),
          Layer.provide(Layer.succeed(RunHeads, heads)),
          Layer.provide(countedIds(`${host.name}-`))
        )
      )
    )
  }

  #fork<A, E>(
    host: Host,
    work: (services: Context.Context<Engine | Worker | Runner>) => Effect.Effect<A, E>,
    ended: (exit: Exit.Exit<A, E>) => void
  ): void {
    const program = Effect.scoped(Effect.flatMap(this.#services(host), work)).pipe(
      Effect.provideService(References.MinimumLogLevel, "None")
    )
    host.fork(program).addObserver((exit) => {
      if (host.isAlive) ended(exit)
    })
  }

  /** `task`: it goes on for this one only. */
  #startDriver(task: string | null): void {
    const host = this.#start("driver")
    const options = { workerId: host.name, slots: this.#config.workers, labels: [] }
    const drive = (services: Context.Context<Engine | Runner>) =>
      Effect.gen(
        function* (this: Simulation) {
          const engine = Context.get(services, Engine)
          const runner = Context.get(services, Runner)
          const run = this.#oracle.runs.get(runId)
          if (this.#scenario.kind === "tasks") {
            const command = run === undefined ? this.#startTasks() : this.#resumption(host, task)
            return yield* runner.drive(runId, command, options)
          }
          if (run === undefined)
            yield* engine.execute(runId, { ...this.#startTasks(), kind: "requirements", tasks: [] })
          const isLoaded = this.#isLoaded
          return yield* runner.drive(runId, isLoaded ? this.#resumption(host, null) : this.#load(), options)
        }.bind(this)
      )
    this.#fork(host, drive, (exit) => {
      this.#kill(host)
      if (Exit.isSuccess(exit)) return this.#ended(exit.value)
      this.#restart(exit.cause, () => this.#startDriver(null))
    })
  }

  #startWorker(): void {
    const host = this.#start("worker")
    const work = (services: Context.Context<Worker>) =>
      Context.get(services, Worker).run({ workerId: host.name, slots: this.#config.workers, labels: [] })
    this.#fork(host, work, (exit) => {
      this.#kill(host)
      if (Exit.isFailure(exit)) this.#restart(exit.cause, () => this.#startWorker())
    })
  }

  /** Somebody starts it again, where the log failed it. */
  #restart(cause: Cause.Cause<unknown>, start: () => void): void {
    const [failure] = cause.reasons.filter(Cause.isFailReason).map(({ error }) => error)
    if (failure instanceof LogUnavailable && failure.code !== "log_lost") {
      this.#machine.after(400, start)
      return
    }
    const code = (failure as { readonly code?: string } | undefined)?.code
    // it ended while whoever drove it died
    if (code === "run_completed") this.#isOver = true
    // others have gone on with it meanwhile
    else if (code?.startsWith("task_") === true) this.#startDriver(null)
    else this.#fail(new Violation(failure instanceof LogUnavailable ? "log_lost" : "broke", Cause.pretty(cause)))
  }

  #ended(snapshot: Snapshot): void {
    const { run } = stateOf(snapshot)
    if (run.status === "completed" || this.#resumes >= this.#scenario.resumes) {
      this.#isOver = true
      return
    }
    this.#resumes++
    const task = this.#scenario.oneByOne && this.#resumes === 1 ? oneOf(stateOf(snapshot)) : null
    this.#machine.after(5_000, () => this.#startDriver(task))
  }

  // -- commands

  get #config(): RunConfig {
    const { chunking, proof, ...config } = this.#scenario.config
    return {
      ...defaultRunConfig,
      // the same for all: longer ones would be taken for silence
      timeout_ms: 30_000,
      check_timeout_ms: 5_000,
      ...config,
      chunking: { ...defaultChunkingConfig, ...chunking },
      proof: { ...defaultProof, ...proof }
    }
  }

  #driver(host: Host): Driver {
    return { pid: 1, host: host.name, since: new Date(this.#machine.now).toISOString() }
  }

  #resumption(host: Host, task: string | null): AnyCommand {
    const resume = { _tag: "ResumeRun", driver: this.#driver(host), config: null }
    return (task === null ? resume : { ...resume, tasks: [task] }) as AnyCommand
  }

  #startTasks(): StartTasks {
    return {
      _tag: "StartRun",
      run_id: runId,
      kind: "tasks",
      name: "simulated",
      root,
      input: null,
      parent_run_id: null,
      completed_task_ids: [],
      config: this.#config,
      plugins: this.#rules.composition.versions,
      driver: null,
      base,
      tasks: this.#scenario.tasks.map(specOf)
    }
  }

  #isLoaded = false

  #load(): AnyCommand {
    const definition = aDefinition(
      [
        aRequirement("r1", ["it is done", { criterion: "it is checked", check: "grep -q done_g1_1_0 src/g1_1.js" }]),
        aRequirement("r2", ["it is done too"])
      ],
      { verifier: "agent" }
    )
    return loading(
      { ...definition, generation: { ...definition.generation, generator: "agent" } },
      { chunk: this.#scenario.dice % 3 === 0 ? "auto" : "no" }
    )
  }

  // -- the log, the queue, and what goes wrong with them

  #logOf(host: Host): EventLog["Service"] {
    const log = this.#log
    return {
      ...log,
      append: (stream, expected, events, options = {}) =>
        Effect.suspend(() => {
          const fault = this.#faults.next("append")
          const before = this.#before(host, stream, expected, fault)
          const written = Effect.suspend(() => {
            const isLost = this.#oracle.isLost(options)
            // written and looked at in one moment, whoever is put aside
            const exit = Effect.runSyncExit(log.append(stream, expected, events, options))
            if (Exit.isSuccess(exit)) {
              const { events: recorded, repeated } = exit.value
              this.#judge(() => this.#oracle.appended(recorded, repeated, events, isLost))
              if (!repeated) this.#told(recorded)
            }
            return exit
          })
          return before.pipe(
            Effect.andThen(written),
            Effect.tap(() => this.#after(host, fault)),
            Effect.tap(({ events: recorded }) => Effect.sync(() => void this.#acknowledged.push(...recorded)))
          )
        }),
      read: (stream, from) =>
        Stream.unwrap(
          Effect.suspend(() => {
            const fault = this.#faults.next("read")
            if (fault?.kind === "read_fails") return Effect.fail(unavailable)
            return Effect.as(fault?.kind === "read_slow" ? Effect.sleep(fault.ms) : Effect.void, log.read(stream, from))
          })
        )
    }
  }

  #before(
    host: Host,
    stream: string,
    expected: number,
    fault: Fault | undefined
  ): Effect.Effect<void, Conflict | LogUnavailable> {
    switch (fault?.kind) {
      case "append_slow":
        return Effect.sleep(fault.ms)
      case "append_fails":
        return fault.when === "before" ? Effect.fail(unavailable) : Effect.void
      case "dies_appending":
        return fault.when === "before" ? this.#dies(host) : Effect.void
      case "conflict":
        return Effect.fail(
          new Conflict({ stream, expected, actual: Math.max(expected, this.#oracle.runs.get(stream)?.version ?? 0) })
        )
      default:
        return this.#scenario.latency === 0 ? Effect.void : Effect.sleep(this.#dice.below(this.#scenario.latency + 1))
    }
  }

  #after(host: Host, fault: Fault | undefined): Effect.Effect<void, LogUnavailable> {
    if (fault?.kind === "append_fails") return Effect.fail(unavailable)
    return fault?.kind === "dies_appending" ? this.#dies(host) : Effect.void
  }

  #dies(host: Host): Effect.Effect<never> {
    return Effect.andThen(
      Effect.sync(() => this.#killed(host)),
      Effect.never
    )
  }

  /** A process is gone, and somebody starts another one in its place. */
  #killed(host: Host): void {
    this.#kill(host)
    const start = host.name.startsWith("driver") ? () => this.#startDriver(null) : () => this.#startWorker()
    if (!host.name.startsWith("person")) this.#machine.after(700, start)
  }

  #queueOf(_: Host): WorkQueue["Service"] {
    const queue = Context.get(this.#store, WorkQueue)
    return {
      ...queue,
      take: (slots, labels) =>
        queue.take(slots, labels).pipe(
          Stream.tap((claim) => Effect.sync(() => this.#judge(() => this.#oracle.claimed(claim)))),
          Stream.flatMap((claim) => {
            const fault = this.#faults.next("claim")
            if (fault?.kind === "claim_twice") return Stream.make(claim, claim)
            return Stream.fromEffect(
              Effect.as(fault?.kind === "claim_slow" ? Effect.sleep(fault.ms) : Effect.void, claim)
            )
          })
        ),
      keep: (claims) =>
        Effect.suspend(() => {
          const fault = this.#faults.next("heartbeat")
          return Effect.andThen(
            fault?.kind === "heartbeat_slow" ? Effect.sleep(fault.ms) : Effect.void,
            queue.keep(claims)
          )
        })
    }
  }

  /** What somebody outside learns from new events. */
  #told(events: ReadonlyArray<Recorded>): void {
    for (const { content, event_type, stream } of events) {
      if (event_type === "REQUIREMENTS_LOADED") this.#isLoaded = true
      if (event_type !== "PERSON_ASKED") continue
      const { task_id } = content as { readonly task_id: string }
      const { answers } = this.#scenario
      const chosen = answers[Math.min(this.#answers++, answers.length - 1)]
      if (chosen === undefined) continue
      // an agent that never can, and somebody who always says to go on, would never end
      const answer: typeof chosen = this.#answers > mostAnswers ? { ...chosen, answer: "give_up" } : chosen
      this.#waiting++
      this.#machine.after(answer.ms, () => {
        this.#waiting--
        this.#person(stream, {
          _tag: "AnswerPerson",
          task_id,
          index: null,
          answer: answer.answer,
          text: "like this",
          at: new Date(this.#machine.now).toISOString()
        } as AnyCommand)
      })
    }
  }

  /** A person sends a command, and sends it again, not knowing whether it has arrived. */
  #person(run: string, command: AnyCommand): void {
    const host = this.#start("person")
    const commandId = `cmd_of_${host.name}`
    const send = (services: Context.Context<Engine>) => {
      const once = Effect.exit(Context.get(services, Engine).execute(run, command, { commandId }))
      return Effect.all([once, once], { concurrency: 2 })
    }
    this.#fork(host, send, () => this.#kill(host))
  }

  // -- what happens to processes

  #plan(fault: Fault): void {
    if (!("after" in fault)) return
    this.#machine.after(fault.after, () => {
      const host = "host" in fault ? this.#hosts[fault.host % Math.max(1, this.#hosts.length)] : undefined
      if (this.#isOver) return
      switch (fault.kind) {
        case "killed":
          if (host === undefined) return
          this.#killed(host)
          break
        case "paused":
          if (host === undefined) return
          this.#machine.pause(host, fault.ms)
          break
        case "clock_set":
          if (host === undefined) return
          host.skew += fault.ms
          break
        case "cancelled":
          this.#person(runId, { _tag: "CancelRun", reason: "by hand" } as AnyCommand)
          break
        case "noted":
          if (!this.#oracle.runs.has(runId)) return
          this.#person(runId, {
            _tag: "RecordActivity",
            name: note,
            key: `note ${this.#started}`,
            input: null,
            result: null
          } as AnyCommand)
          break
        case "taken_over": {
          if (!this.#oracle.runs.has(runId)) return
          const [old] = this.#hosts.filter(({ name }) => name.startsWith("driver"))
          // who is taken over from does not know
          this.#startDriver(null)
          if (old !== undefined) this.#machine.after(2_500, () => this.#kill(old))
          break
        }
      }
      this.#faults.happened.add(fault.kind)
    })
  }

  /** Every run ends: where nothing happens for too long, something waits for nothing. */
  #watch(): void {
    this.#machine.after(60_000, () => {
      const skews = this.#scenario.faults.reduce(
        (sum, one) => sum + (one.kind === "clock_set" ? Math.abs(one.ms) : 0),
        0
      )
      const silence = this.#machine.now - this.#oracle.lastAt
      if (this.#waiting === 0 && silence > longestSilence + skews) {
        const states = [...this.#oracle.runs.values()].map(
          ({ id, status, tasks }) =>
            `${id} ${status}: ${[...tasks.values()].map((t) => `${t.id} ${t.status}`).join(", ")}`
        )
        this.#fail(new Violation("ends", `nothing has happened for ${silence} ms; ${states.join("; ")}`))
      }
      this.#watch()
    })
  }

  // -- at the end

  #readAll(): ReadonlyArray<Recorded> {
    return Effect.runSync(Effect.orDie(Stream.runCollect(Context.get(this.#store, EventLog).readAll())))
  }

  /** What was acknowledged is there, and decides again as it did. */
  #audit(log: ReadonlyArray<Recorded>): void {
    const byPosition = new Map(log.map((event) => [event.position, event.hash]))
    for (const { event_type, hash, position, stream, version } of this.#acknowledged) {
      if (byPosition.get(position) !== hash)
        throw new Violation("acknowledged", `${event_type}, version ${version} of ${stream}, is lost`)
    }
    if (log.length !== this.#oracle.events)
      throw new Violation("acknowledged", `the log has ${log.length} events, ${this.#oracle.events} were written`)
    for (const [run, events] of Map.groupBy(log, ({ stream }) => stream)) {
      const replay = makeReplay(this.#rules.composition, digest.uuid5)
      for (const event of events) replay.add(event)
      const { divergence } = replay.end()
      if (divergence !== null) throw new Violation("replay", `${run}: ${JSON.stringify(divergence)}`)
    }
    const last = new Map(log.map((event) => [event.stream, event]))
    for (const [run, { hash, version }] of this.#heads) {
      const event = log.find((one) => one.stream === run && one.version === version)
      if (event?.hash !== hash) throw new Violation("heads", `the head of ${run} at ${version} is not in the log`)
      if ((last.get(run)?.version ?? 0) < version) throw new Violation("heads", `${run} ends before its head`)
    }
  }
}

const unavailable = new LogUnavailable({ code: "log_failed", message: "The disk failed.", hint: "Try again." })

/** A task as it is given to the run. */
const specOf = (planned: PlannedTask): TaskSpec => ({
  id: planned.id,
  title: planned.id,
  instruction: `Do ${planned.id}.`,
  validation: Array.from({ length: planned.validation }, (_, i) => `${planned.id} is good in way ${i + 1}`),
  checks: commandsOf(planned.id, planned.checks),
  depends_on: planned.depends_on,
  checklist: planned.items.map((kind, i) => ({
    item: `${planned.id} item ${i + 1}`,
    ...(kind === "checked" ? { check: `grep -q done_${planned.id}_item${i} src/${planned.id}.js` } : {}),
    ...(kind === "existing" ? { existing: true } : {})
  })),
  chunk: planned.chunk
})

type Counted = "append" | "read" | "claim" | "heartbeat"

const countedAs: Readonly<Partial<Record<Fault["kind"], Counted>>> = {
  append_fails: "append",
  dies_appending: "append",
  conflict: "append",
  append_slow: "append",
  read_slow: "read",
  read_fails: "read",
  claim_twice: "claim",
  claim_slow: "claim",
  heartbeat_slow: "heartbeat"
}

/** Which fault comes next. */
class Faults {
  readonly happened = new Set<Fault["kind"]>()
  readonly #faults: ReadonlyArray<Fault>
  readonly #counts = { append: 0, read: 0, claim: 0, heartbeat: 0 }

  constructor(faults: ReadonlyArray<Fault>) {
    this.#faults = faults
  }

  next(counted: Counted): Fault | undefined {
    const count = ++this.#counts[counted]
    const found = this.#faults.find((one) => "at" in one && countedAs[one.kind] === counted && one.at === count)
    if (found !== undefined) this.happened.add(found.kind)
    return found
  }
}

/** The last task for which the run can be resumed by itself; null: there is none. */
const oneOf = (state: ReturnType<typeof stateOf>): string | null =>
  tasksOf(state)
    .map(({ spec }) => spec.id)
    .findLast((id) => !(takingUpOf(state, [id]) instanceof Rejection)) ?? null
