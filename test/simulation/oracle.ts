import type { AppendOptions, Claim, Recorded, RunConfig } from "@proofline/kernel"
import { digest } from "../kernel/support/recorded.ts"
import { beginning } from "./machine.ts"
import type { Known, World } from "./world.ts"

// Nothing here asks the product: what must hold is said again, about the events as anybody can read them and about the
// world as it was.

/** A rule that did not hold. `rule` is stable. */
export class Violation extends Error {
  readonly rule: string
  constructor(rule: string, message: string) {
    super(`${rule}: ${message}`)
    this.rule = rule
  }
}

interface Item {
  readonly item: string
  readonly check?: string
  readonly existing?: boolean
  verdict: "open" | "proven" | "weak" | "waived"
  byPerson: boolean
  /** What shows it, as it was accepted. */
  receipt: LineReceipt | null
}

interface LineReceipt {
  readonly kind: string
  readonly path: string
  readonly start: number
  readonly end: number
  readonly sha256: string
}

interface Fact {
  readonly index: number
  readonly outcome?: string
  readonly receipt?: LineReceipt | null
}

interface Check {
  readonly command: string
  readonly item_index: number | null
  readonly exit_code: number | null
  readonly timed_out: boolean
  readonly clean_room?: { readonly run: { readonly exit_code: number | null } | null } | null
}

interface Attempt {
  readonly attempt: number
  readonly began: number
  outcome: string | null
  isCancelled: boolean
  facts: ReadonlyArray<Fact> | null
  checks: ReadonlyArray<Check> | null
  judgment: { readonly judgment: string; readonly reviewer: string } | null
}

interface Task {
  readonly id: string
  readonly parent: string | null
  readonly part: number
  readonly depends_on: ReadonlyArray<string>
  checks: ReadonlyArray<string>
  readonly commandsByAgent: boolean
  validation: ReadonlyArray<string>
  items: Array<Item>
  status: "open" | "completed" | "failed" | "skipped"
  attempts: number
  retries: number
  /** Since the last time it was taken up with a new budget. */
  current: Attempt | null
  /** The next attempt begins no sooner. */
  notBefore: number
  /** The run was resumed for others: nobody works on it before it is resumed once more. */
  isAside: boolean
  /** It was split, and its parts are under way or done. */
  isSplit: boolean
  /** It was looked at whether it has parts: then it is tried again as parts are. */
  isLooped: boolean
  /** Items that it had before it was split; those behind them stand for what its parts do not show any more. */
  own: number
  /** What it shows was put together out of its parts. */
  isAggregated: boolean
}

interface Run {
  readonly id: string
  readonly kind: string
  config: RunConfig
  readonly earlier: ReadonlySet<string>
  status: "running" | "completed" | "incomplete" | "failed" | "cancelled"
  readonly tasks: Map<string, Task>
  readonly breakers: Set<string>
  readonly base: Map<string, string>
  /** A task has failed for good, and the run is to stop with it. */
  isStopping: boolean
  readonly stoppingParents: Set<string>
  /** Attempts since the start or the last resume. */
  spent: number
  version: number
  hash: string
  position: number
  readonly commands: Set<string>
  readonly notes: Set<string>
  lastCommand: string
  /** Judged again: the writes of the world until then; null: not since something changed. */
  revisited: number | null
}

const content = <A>(event: Recorded): A => event.content as A

/** Checks every event against what came before it, and against the world. */
export class Oracle {
  readonly runs = new Map<string, Run>()
  readonly #world: () => World
  /** Highest lease that was given out for an item. */
  readonly #leases = new Map<string, number>()
  readonly #given = new Set<string>()
  /** Leases under which attempts were begun, by item. */
  readonly #begun = new Map<string, number>()
  /** Events that somebody was told are written, by position. */
  readonly acknowledged = new Map<number, string>()
  #position = 0
  /** No clock is ever set: then times in the log tell how long something waited. */
  readonly #clocksHold: boolean
  events = 0
  /** When the last event was written, by the time of the simulation. */
  lastAt = beginning

  constructor(world: () => World, clocksHold: boolean) {
    this.#world = world
    this.#clocksHold = clocksHold
  }

  known(runId: string, id: string): Known | undefined {
    const run = this.runs.get(runId)
    const task = run?.tasks.get(id)
    if (run === undefined || task === undefined) return undefined
    const parent = task.parent === null ? task : (run.tasks.get(task.parent) ?? task)
    return {
      items: task.items,
      commands: [...parent.checks, ...parent.items.flatMap(({ check }) => check ?? [])],
      root: parent.id,
      part: task.part
    }
  }

  claimed({ lease }: Claim): void {
    const given = `${lease.item} ${lease.number}`
    if (this.#given.has(given)) throw new Violation("lease_monotonic", `lease ${lease.number} was given out twice`)
    this.#given.add(given)
    this.#leases.set(lease.item, Math.max(this.#leases.get(lease.item) ?? 0, lease.number))
  }

  /** Somebody else was given the work since. */
  isLost({ lease }: AppendOptions): boolean {
    return lease !== undefined && (this.#leases.get(lease.item) ?? 0) > lease.number
  }

  /** What a log says it has written. `isLost`: when it was asked to, somebody else had the work. `isRepeated`: it had been written before. */
  appended(
    events: ReadonlyArray<Recorded>,
    isRepeated: boolean,
    asked: ReadonlyArray<{ readonly command_id: string }>,
    isLost: boolean
  ): void {
    const [first] = events
    if (first === undefined) return
    const run = this.runs.get(first.stream)
    if (isRepeated) {
      if (run?.commands.has(first.command_id) !== true)
        throw new Violation("repeated", `${first.command_id} was never carried out`)
      return
    }
    if (asked.length !== events.length) throw new Violation("append_whole", "not all of an append was written")
    if (isLost) throw new Violation("old_lease", `${first.event_type} was written under a lease that was lost`)
    if (run?.commands.has(first.command_id) === true && run.lastCommand !== first.command_id)
      throw new Violation("command_once", `${first.command_id} was carried out twice`)
    if (run?.lastCommand === first.command_id) throw new Violation("command_once", `${first.command_id} again`)
    for (const event of events) this.#event(event)
  }

  #event(event: Recorded): void {
    this.events++
    this.lastAt = this.#world().machine.now
    this.#chain(event)
    const { event_type, stream } = event
    if (event_type === "RUN_STARTED") this.#started(event)
    const run = this.runs.get(stream)
    if (run === undefined) throw new Violation("begins", `${event_type} before the run began`)
    run.version = event.version
    run.hash = event.hash
    run.commands.add(event.command_id)
    run.lastCommand = event.command_id
    this.#fold(run, event)
  }

  /** Versions without a hole, and a chain that anybody can follow with a JSON parser. */
  #chain(event: Recorded): void {
    const run = this.runs.get(event.stream)
    const { hash, ...rest } = event
    if (event.version !== (run?.version ?? 0) + 1)
      throw new Violation("versions", `${event.stream} has version ${event.version} after ${run?.version ?? 0}`)
    if (event.position !== this.#position + 1)
      throw new Violation("positions", `position ${event.position} after ${this.#position}`)
    this.#position = event.position
    if (event.prev_hash !== (run?.hash ?? "0".repeat(64)))
      throw new Violation("chain", `version ${event.version} does not continue the chain`)
    if (digest.sha256(sorted(rest)) !== hash) throw new Violation("chain", `version ${event.version} has a wrong hash`)
  }

  #started(event: Recorded): void {
    if (this.runs.has(event.stream)) throw new Violation("begins", `${event.stream} began twice`)
    const { completed_task_ids, config, kind } = content<{
      readonly kind: string
      readonly config: RunConfig
      readonly completed_task_ids: ReadonlyArray<string>
    }>(event)
    this.runs.set(event.stream, {
      id: event.stream,
      kind,
      config,
      earlier: new Set(completed_task_ids),
      status: "running",
      tasks: new Map(),
      breakers: new Set(),
      base: new Map(),
      isStopping: false,
      stoppingParents: new Set(),
      spent: 0,
      version: 0,
      hash: "0".repeat(64),
      position: 0,
      commands: new Set(),
      notes: new Set(),
      lastCommand: "",
      revisited: null
    })
  }

  #fold(run: Run, event: Recorded): void {
    const handler = handlers[event.event_type]
    if (handler !== undefined) handler(run, event.content as never, event, this.#world(), this)
    else if (run.status !== "running" && isWork(event.event_type))
      throw new Violation("ended", `${event.event_type} after the run was ${run.status}`)
  }

  /** Under which lease an attempt was begun. */
  begins(item: string, lease: number): void {
    const before = this.#begun.get(item)
    if (before !== undefined && lease <= before)
      throw new Violation("lease_monotonic", `${item} was begun under ${lease} after ${before}`)
    this.#begun.set(item, lease)
  }

  get clocksHold(): boolean {
    return this.#clocksHold
  }
}

/** Only what nobody has asked for is told of a run that has ended. */
const isWork = (type: string): boolean =>
  type === "ATTEMPT_STARTED" || type === "TASK_STARTED" || type === "SUBTASK_START"

/** Canonical JSON, for the plain values that events hold. */
const sorted = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${sorted(one)}`)
    .join(",")}}`
}

type Handler = (run: Run, content: never, event: Recorded, world: World, oracle: Oracle) => void

const timeOf = ({ timestamp }: Recorded): number => Date.parse(timestamp)

const taskIn = (run: Run, id: string): Task => {
  const task = run.tasks.get(id)
  if (task === undefined) throw new Violation("registered", `nobody has registered ${id}`)
  return task
}

const itemsOf = (all: ReadonlyArray<Omit<Item, "verdict" | "byPerson" | "receipt">>): Array<Item> =>
  all.map((one) => ({ ...one, verdict: "open", byPerson: false, receipt: null }))

const reset = (item: Item): void => {
  if (item.byPerson) return
  item.verdict = "open"
  item.receipt = null
}

const need = (holds: boolean, rule: string, message: () => string): void => {
  if (!holds) throw new Violation(rule, message())
}

const newTask = (
  over: Pick<Task, "id" | "parent" | "part" | "depends_on" | "checks" | "validation" | "commandsByAgent">
): Task => ({
  ...over,
  items: [],
  status: "open",
  attempts: 0,
  retries: 0,
  current: null,
  notBefore: 0,
  isAside: false,
  isSplit: false,
  isLooped: false,
  own: 0,
  isAggregated: false
})

const partsOf = (run: Run, id: string): ReadonlyArray<Task> =>
  [...run.tasks.values()].filter(({ parent }) => parent === id)

/** The run has to be going on. */
const goingOn = (run: Run, what: string): void =>
  need(run.status === "running", "ended", () => `${what} after the run was ${run.status}`)

// -- what has to hold when something is begun, accepted and completed

const begin = (run: Run, task: Task, agent: string, now: number, oracle: Oracle): void => {
  const { config } = run
  goingOn(run, `an attempt at ${task.id}`)
  need(task.status === "open", "done_once", () => `an attempt at ${task.id}, which is ${task.status}`)
  need(!task.isAside, "set_aside", () => `an attempt at ${task.id} in a run that was resumed for others`)
  need(
    task.current === null || task.current.outcome !== null || task.current.isCancelled,
    "one_at_a_time",
    () => `two attempts at ${task.id}`
  )
  need(!run.breakers.has(agent), "breaker", () => `${agent} was started with its breaker open`)
  need(!run.isStopping, "fail_fast", () => `an attempt at ${task.id} after the run was to stop`)
  need(
    task.parent === null || !run.stoppingParents.has(task.parent),
    "fail_fast",
    () => `an attempt at ${task.id} after a part had failed`
  )
  need(!task.isSplit || task.isAggregated, "atomic", () => `an attempt at ${task.id}, which was split`)
  for (const id of task.depends_on) {
    const isDone = run.earlier.has(id) || run.tasks.get(id)?.status === "completed"
    need(isDone, "dependencies", () => `an attempt at ${task.id} before ${id} is completed`)
  }
  const { max_attempts } = config.budget
  need(max_attempts === null || run.spent < max_attempts, "budget", () => `attempt ${run.spent + 1} of ${max_attempts}`)
  if (oracle.clocksHold)
    need(now >= task.notBefore, "delay", () => `${task.id} was tried again ${task.notBefore - now} ms too early`)
}

/** A retry is within the limit, and waits as long as it must. */
const retry = (run: Run, task: Task, count: number, delay: number, now: number): void => {
  const config = task.parent === null && !task.isLooped ? run.config : run.config.chunking.retry
  if (count === task.retries) return
  need(count === task.retries + 1, "retries", () => `${task.id} goes from ${task.retries} to ${count} retries`)
  need(
    count <= config.max_retries,
    "retries",
    () => `${task.id} is tried again ${count} times of ${config.max_retries}`
  )
  const wanted = Math.min(86_400_000, Math.round(config.retry_delay_ms * config.backoff_multiplier ** task.retries))
  need(delay === wanted, "delay", () => `${task.id} waits ${delay} ms instead of ${wanted}`)
  task.retries = count
  task.notBefore = now + delay
}

const isGreen = ({ clean_room, exit_code, timed_out }: Check): boolean =>
  exit_code === 0 && !timed_out && (clean_room?.run == null || clean_room.run.exit_code === 0)

/** What an accepted item rests on is true in the world. */
const accept = (
  run: Run,
  task: Task,
  index: number,
  receipt: LineReceipt | null,
  verdict: string,
  weak: ReadonlyArray<{ readonly reason: string }>,
  world: World
): void => {
  const item = task.items[index]
  if (item === undefined) throw new Violation("registered", `${task.id} has no item ${index}`)
  const { accept: accepted = [] } = run.config.proof ?? {}
  if (verdict === "waived") return
  need(
    receipt !== null || item.check !== undefined,
    "facts",
    () => `${task.id}: "${item.item}" is ${verdict} by nothing`
  )
  // in the user's own list it may say that something was there before
  const noted = (reason: string) => reason === "untouched" && item.existing === true
  need(
    weak.every(({ reason }) => noted(reason) || accepted.includes(reason as never)),
    "weak",
    () => `${task.id}: "${item.item}" is accepted though ${JSON.stringify(weak)}`
  )
  need(
    verdict === "weak" ? weak.length > 0 : weak.every(({ reason }) => noted(reason)),
    "weak",
    () => `${task.id}: "${item.item}" is ${verdict} with ${JSON.stringify(weak)}`
  )
  if (receipt === null) return
  need(
    task.isAggregated || (task.current?.facts ?? []).some((one) => one.receipt?.sha256 === receipt.sha256),
    "facts",
    () => `${task.id}: nobody looked at what shows "${item.item}"`
  )
  const { end, path, sha256, start } = receipt
  const since = task.current?.began ?? 0
  const isWork = world.heldWork(path, start, end, sha256, since)
  const mayBeOld = item.existing === true || accepted.includes("untouched" as never)
  need(
    isWork || (mayBeOld && world.heldBefore(path, sha256, start, end)),
    "truth",
    () => `${task.id}: "${item.item}" is ${verdict} by ${path}:${start}-${end}, where no work of this run stood`
  )
}

/** §6a: completed means proven. */
const complete = (run: Run, task: Task, world: World): void => {
  const { id } = task
  goingOn(run, `${id} completed`)
  need(task.status === "open", "done_once", () => `${id} is completed twice`)
  for (const part of partsOf(run, id)) {
    need(part.status === "completed", "atomic", () => `${id} is completed while ${part.id} is ${part.status}`)
  }
  for (const { item, verdict } of task.items) {
    need(verdict !== "open", "items", () => `${id} is completed while "${item}" is open`)
  }
  const { max_waived = 1 } = run.config.proof ?? {}
  const own = task.items.filter(({ byPerson }) => !byPerson)
  const waived = own.filter(({ verdict }) => verdict === "waived").length
  const allowed = Math.max(1, Math.floor(task.items.length * max_waived + 1e-9))
  need(
    waived <= allowed,
    "waivers",
    () => `${id} is completed with ${waived} of ${task.items.length} waived, ${allowed} may be`
  )
  const runs = task.current?.checks ?? []
  const wanted = [
    ...task.checks.map((command) => ({ command, item_index: null as number | null })),
    ...task.items.flatMap(({ check }, index) => (check === undefined ? [] : [{ command: check, item_index: index }]))
  ]
  for (const { command, item_index } of wanted) {
    const found = runs.filter((one) => one.command === command && one.item_index === item_index)
    // an item that a person has waived may be why a command fails
    const isExcused = task.items.some(({ byPerson }, i) => byPerson && (item_index === null || item_index === i))
    need(
      found.length > 0 && (isExcused || found.every(isGreen)),
      "checks",
      () => `${id} is completed while \`${command}\` has not passed`
    )
    need(
      isExcused || world.ran.some((one) => one.command === command && one.exit_code === 0 && one.where !== "base"),
      "truth",
      () => `\`${command}\` never passed in the world`
    )
  }
  const { judgment = null } = task.current ?? {}
  need(
    judgment === null || judgment.judgment === "PASS",
    "review",
    () => `${id} is completed though ${judgment?.reviewer} said ${judgment?.judgment}`
  )
  shown(run, task)
}

/** Something shows it: 0 of 0 never passes. */
const shown = (run: Run, task: Task): void => {
  const { config } = run
  const isShown = task.items.some(({ verdict }) => verdict === "proven" || verdict === "weak")
  const { judgment = null } = task.current ?? {}
  const accepts = (reason: string) => config.proof?.accept.includes(reason as never) === true
  const isReviewed =
    task.validation.length > 0 && judgment?.judgment === "PASS" && (config.reviewer_named || accepts("self_review"))
  const isByCommand = [...task.checks, ...task.items.flatMap(({ check }) => check ?? [])].some(
    (command) =>
      (task.current?.checks ?? []).some((one) => one.command === command && isGreen(one)) &&
      (accepts("was_green") || run.base.get(command) === "red")
  )
  const isByPerson = task.items.some(({ byPerson }) => byPerson)
  // each of them has shown something
  const isByParts = task.isAggregated && partsOf(run, task.id).length > 0
  need(
    isShown || isReviewed || isByCommand || isByPerson || isByParts,
    "nothing_shown",
    () => `${task.id} is completed, and nothing shows it`
  )
  if (task.validation.length === 0) return
  const areItems = task.validation.every((one) => task.items.some(({ item }) => item === one))
  need(areItems || isReviewed, "review", () => `${task.id} is completed without a judgement that counts`)
}

const fail = (run: Run, task: Task, isForGood: boolean): void => {
  task.status = isForGood ? "failed" : "skipped"
  if (!isForGood) return
  if (task.parent === null) run.isStopping ||= run.config.fail_fast
  else if (run.config.chunking.fail_fast) run.stoppingParents.add(task.parent)
}

const endRun = (run: Run, status: Run["status"]): void => {
  goingOn(run, "the end")
  run.status = status
  for (const task of run.tasks.values()) {
    const isOpen = task.current !== null && task.current.outcome === null && !task.current.isCancelled
    need(
      !isOpen || status === "incomplete" || status === "cancelled",
      "ends_whole",
      () => `the run is ${status} while an attempt at ${task.id} is under way`
    )
  }
}

const handlers: Readonly<Record<string, Handler>> = {
  TASK_REGISTERED: (
    run,
    {
      checks,
      commands_by,
      depends_on,
      task_id,
      validation
    }: {
      readonly task_id: string
      readonly depends_on: ReadonlyArray<string>
      readonly checks: ReadonlyArray<string>
      readonly validation: ReadonlyArray<string>
      readonly commands_by?: string
    }
  ) => {
    need(!run.tasks.has(task_id), "registered", () => `${task_id} is registered twice`)
    run.tasks.set(
      task_id,
      newTask({
        id: task_id,
        parent: null,
        part: 0,
        depends_on,
        checks,
        validation,
        commandsByAgent: commands_by === "agent"
      })
    )
  },
  CHECKLIST_REGISTERED: (
    run,
    {
      added,
      items,
      task_id
    }: { readonly task_id: string; readonly items: ReadonlyArray<Item>; readonly added?: number }
  ) => {
    const task = taskIn(run, task_id)
    const all = itemsOf(items)
    need(all.length >= task.items.length, "registered", () => `${task_id} lost items`)
    task.items = added === undefined ? all : all.map((one, i) => task.items[i] ?? one)
  },
  CHUNKING_START: (
    run,
    { checklist, parent_task_id }: { readonly parent_task_id: string; readonly checklist: ReadonlyArray<unknown> }
  ) => {
    goingOn(run, "an analysis")
    const task = taskIn(run, parent_task_id)
    task.own = checklist.length
    need(task.own >= task.items.length, "registered", () => `${parent_task_id} lost items`)
    need(task.status === "open", "done_once", () => `${parent_task_id} is analysed though it is over`)
  },
  CHUNKING_SKIPPED: (
    run,
    {
      checklist,
      parent_task_id,
      validation
    }: {
      readonly parent_task_id: string
      readonly checklist: ReadonlyArray<Item>
      readonly validation: ReadonlyArray<string>
    }
  ) => {
    const task = taskIn(run, parent_task_id)
    need(checklist.length >= task.items.length, "registered", () => `${parent_task_id} lost items`)
    task.items = itemsOf(checklist)
    task.validation = validation
    task.isLooped = true
  },
  SUBTASK_CREATED: (
    run,
    {
      checklist,
      dependencies,
      parent_task_id,
      subtask_id,
      subtask_index,
      validation
    }: {
      readonly parent_task_id: string
      readonly subtask_id: string
      readonly subtask_index: number
      readonly dependencies: ReadonlyArray<string>
      readonly checklist: ReadonlyArray<Item>
      readonly validation: ReadonlyArray<string>
    }
  ) => {
    const parent = taskIn(run, parent_task_id)
    need(parent.parent === null, "once_split", () => `${parent_task_id} is a part, and was split`)
    need(!run.tasks.has(subtask_id), "registered", () => `${subtask_id} is created twice`)
    parent.isSplit = true
    const part = newTask({
      id: subtask_id,
      parent: parent_task_id,
      part: subtask_index,
      depends_on: dependencies,
      checks: [],
      validation,
      commandsByAgent: false
    })
    part.items = itemsOf(checklist)
    run.tasks.set(subtask_id, part)
  },
  CHUNKING_AGGREGATION: (
    run,
    {
      parent_task_id,
      whole
    }: {
      readonly parent_task_id: string
      readonly whole: null | { readonly checklist: ReadonlyArray<Item>; readonly validation: ReadonlyArray<string> }
    }
  ) => {
    const parent = taskIn(run, parent_task_id)
    for (const part of partsOf(run, parent_task_id)) {
      need(
        part.status === "completed" || whole === null,
        "atomic",
        () => `${parent_task_id} is put together while ${part.id} is ${part.status}`
      )
    }
    if (whole === null) return
    need(whole.checklist.length >= parent.own, "registered", () => `${parent_task_id} lost items`)
    // what a person has waived in a part is waived in the whole
    const byPerson = partsOf(run, parent_task_id).flatMap(({ items }) => items.filter((item) => item.byPerson))
    parent.items = itemsOf(whole.checklist).map((one) => ({
      ...one,
      byPerson: byPerson.some(({ item }) => item === one.item)
    }))
    parent.validation = whole.validation
    parent.isAggregated = true
    parent.attempts++
    parent.current = {
      attempt: parent.attempts,
      began: beginning,
      outcome: "COMPLETE",
      isCancelled: false,
      facts: null,
      checks: null,
      judgment: null
    }
  },
  ATTEMPT_STARTED: (
    run,
    {
      agent,
      attempt,
      item_id,
      lease,
      task_id
    }: {
      readonly task_id: string
      readonly attempt: number
      readonly agent: string
      readonly item_id: string
      readonly lease: number
    },
    event,
    world,
    oracle
  ) => {
    const task = taskIn(run, task_id)
    begin(run, task, agent, timeOf(event), oracle)
    oracle.begins(item_id, lease)
    need(attempt === task.attempts + 1, "attempts", () => `attempt ${attempt} of ${task_id} after ${task.attempts}`)
    task.attempts = attempt
    run.spent++
    run.revisited = null
    task.current = {
      attempt,
      began: world.machine.now,
      outcome: null,
      isCancelled: false,
      facts: null,
      checks: null,
      judgment: null
    }
  },
  ATTEMPT_ENDED: (
    run,
    {
      agent,
      attempt,
      error,
      outcome,
      task_id
    }: {
      readonly task_id: string
      readonly attempt: number
      readonly outcome: string
      readonly agent: string | null
      readonly error: { readonly terminal: boolean } | null
    }
  ) => {
    const { current } = taskIn(run, task_id)
    need(
      current?.attempt === attempt && current.outcome === null,
      "one_at_a_time",
      () => `attempt ${attempt} of ${task_id} ended, and was not under way`
    )
    if (current !== null) current.outcome = outcome
    if (error?.terminal === true && agent !== null) run.breakers.add(agent)
  },
  ATTEMPT_CANCELLED: (run, { attempt, task_id }: { readonly task_id: string; readonly attempt: number }) => {
    const { current } = taskIn(run, task_id)
    need(
      current?.attempt === attempt,
      "one_at_a_time",
      () => `attempt ${attempt} of ${task_id} was cancelled, and was not under way`
    )
    if (current !== null) current.isCancelled = true
  },
  ACTIVITY_FAILED: (
    run,
    { agent, awaited_by }: { readonly agent?: string; readonly awaited_by: null | { readonly consequence: string } }
  ) => {
    if (awaited_by?.consequence === "agent_unavailable" && agent !== undefined) run.breakers.add(agent)
  },
  EVIDENCE_CHECKED: (
    run,
    {
      attempt,
      facts,
      task_id
    }: { readonly task_id: string; readonly attempt: number; readonly facts: ReadonlyArray<Fact> }
  ) => {
    const task = taskIn(run, task_id)
    need(
      task.current?.attempt === attempt || task.isAggregated,
      "one_at_a_time",
      () => `evidence of attempt ${attempt} of ${task_id} was looked at late`
    )
    if (task.current !== null) task.current.facts = facts
    task.items.forEach(reset)
    run.revisited = null
  },
  CHECKLIST_ITEM_ACCEPTED: (
    run,
    {
      index,
      item,
      receipt,
      status,
      task_id,
      verdict,
      weak
    }: {
      readonly task_id: string
      readonly index: number
      readonly item: string
      readonly status: string
      readonly verdict: "proven" | "weak" | "waived"
      readonly receipt: LineReceipt | null
      readonly weak: ReadonlyArray<{ readonly reason: string }>
    },
    _event,
    world
  ) => {
    const task = taskIn(run, task_id)
    accept(run, task, index, receipt, verdict, weak, world)
    const own = task.items[index]
    need(own?.item === item, "registered", () => `item ${index} of ${task_id} is not "${item}"`)
    need((status === "skipped") === (verdict === "waived"), "waivers", () => `"${item}" is ${verdict} and ${status}`)
    if (own === undefined) return
    own.verdict = verdict
    own.receipt = receipt
  },
  CHECKLIST_ITEM_REJECTED: (run, { index, task_id }: { readonly task_id: string; readonly index: number | null }) => {
    const item = index === null ? undefined : taskIn(run, task_id).items[index]
    if (item !== undefined) reset(item)
  },
  CHECKLIST_ITEM_CANNOT: (run, { index, task_id }: { readonly task_id: string; readonly index: number }) => {
    const item = taskIn(run, task_id).items[index]
    if (item !== undefined) reset(item)
  },
  PERSON_ANSWERED: (
    run,
    { answer, index, task_id }: { readonly task_id: string; readonly index: number; readonly answer: string }
  ) => {
    const item = taskIn(run, task_id).items[index]
    if (item === undefined || answer !== "waive") return
    item.byPerson = true
    item.verdict = "waived"
  },
  VERIFICATION_RUN: (
    run,
    {
      attempt,
      checks,
      items,
      task_id
    }: {
      readonly task_id: string
      readonly attempt: number
      readonly checks: ReadonlyArray<Check>
      readonly items: ReadonlyArray<{ readonly index: number }>
    },
    _event,
    world
  ) => {
    const task = taskIn(run, task_id)
    need(
      task.current?.attempt === attempt || task.isAggregated,
      "one_at_a_time",
      () => `commands of attempt ${attempt} of ${task_id} came late`
    )
    for (const { command, exit_code } of checks) {
      need(
        world.ran.some((one) => one.command === command && one.exit_code === exit_code && one.where === "project"),
        "truth",
        () => `\`${command}\` never ended with ${exit_code}`
      )
    }
    if (task.current !== null) task.current.checks = checks
    for (const { index } of items) {
      const item = task.items[index]
      if (item !== undefined) reset(item)
    }
  },
  ACTIVITY_RESULT: (run, { key, name }: { readonly name: string; readonly key: string }) => {
    if (name !== note) return
    need(!run.notes.has(key), "command_once", () => `${key} was noted twice`)
    run.notes.add(key)
  },
  BASE_CHECKED: (
    run,
    {
      checks
    }: {
      readonly checks: ReadonlyArray<{
        readonly command: string
        readonly outcome: string
        readonly exit_code: number | null
      }>
    },
    _event,
    world
  ) => {
    for (const { command, exit_code, outcome } of checks) {
      need(
        world.ran.some((one) => one.command === command && one.exit_code === exit_code && one.where === "base"),
        "truth",
        () => `\`${command}\` was not run at the base`
      )
      need(!run.base.has(command), "base_once", () => `\`${command}\` was run twice at the base`)
      run.base.set(command, outcome)
    }
  },
  QUALITY_JUDGMENT: (
    run,
    {
      attempt,
      judgment,
      reviewer,
      task_id
    }: { readonly task_id: string; readonly attempt: number; readonly judgment: string; readonly reviewer: string },
    _event,
    world
  ) => {
    const { current, isAggregated } = taskIn(run, task_id)
    need(
      current?.attempt === attempt || isAggregated,
      "one_at_a_time",
      () => `a judgement of attempt ${attempt} of ${task_id} came late`
    )
    const isBuiltIn = reviewer === "proofline:criteria"
    need(
      isBuiltIn || world.said.has(`${run.id} ${task_id} ${attempt} ${judgment}`),
      "truth",
      () => `${reviewer} never said ${judgment} of attempt ${attempt} of ${task_id}`
    )
    if (current === null || (isBuiltIn && judgment === "PASS")) return
    current.judgment = { judgment, reviewer }
  },
  TASK_STATUS_CHANGED: (
    run,
    {
      delay_ms,
      reopened_items,
      retry_count,
      task_id,
      to
    }: {
      readonly task_id: string
      readonly to: string
      readonly retry_count: number
      readonly delay_ms: number
      readonly reopened_items?: number
    },
    event
  ) => {
    const task = taskIn(run, task_id)
    need(
      task.status !== "completed" || reopened_items !== undefined,
      "done_once",
      () => `${task_id} is ${to} though it was completed`
    )
    retry(run, task, retry_count, delay_ms, timeOf(event))
    task.status = "open"
    if (reopened_items === undefined) return
    task.items.forEach(reset)
    run.revisited = null
  },
  SUBTASK_RETRY: (
    run,
    {
      delay_ms,
      retry_count,
      subtask_id
    }: { readonly subtask_id: string; readonly retry_count: number; readonly delay_ms: number },
    event
  ) => {
    const task = taskIn(run, subtask_id)
    need(task.status === "open", "done_once", () => `${subtask_id} is tried again though it is ${task.status}`)
    retry(run, task, retry_count, delay_ms, timeOf(event))
  },
  TASK_COMPLETED: (
    run,
    { task_id, verdict }: { readonly task_id: string; readonly verdict?: string },
    _event,
    world
  ) => {
    const task = taskIn(run, task_id)
    need(verdict !== "unproven", "nothing_shown", () => `${task_id} is completed by word alone`)
    complete(run, task, world)
    task.status = "completed"
  },
  SUBTASK_COMPLETE: (run, { subtask_id }: { readonly subtask_id: string }, _event, world) => {
    const task = taskIn(run, subtask_id)
    complete(run, task, world)
    task.status = "completed"
  },
  CHUNKING_COMPLETE: (
    run,
    { failed_subtasks, parent_task_id }: { readonly parent_task_id: string; readonly failed_subtasks: number }
  ) => {
    need(failed_subtasks === 0, "atomic", () => `${parent_task_id} is complete with ${failed_subtasks} failed parts`)
    for (const part of partsOf(run, parent_task_id))
      need(
        part.status === "completed",
        "atomic",
        () => `${parent_task_id} is complete while ${part.id} is ${part.status}`
      )
  },
  TASK_FAILED: (run, { task_id }: { readonly task_id: string }) => fail(run, taskIn(run, task_id), true),
  TASK_SKIPPED: (run, { task_id }: { readonly task_id: string }) => fail(run, taskIn(run, task_id), false),
  SUBTASK_FAILED: (run, { subtask_id, verdict }: { readonly subtask_id: string; readonly verdict: string | null }) =>
    fail(run, taskIn(run, subtask_id), verdict !== null),
  EVIDENCE_REVISITED: (
    run,
    { stale }: { readonly stale: ReadonlyArray<{ readonly task_id: string; readonly item: string }> },
    _event,
    world
  ) => {
    const isShown = stale.every(({ item, task_id }) => (inItsPlace(run, task_id, item)?.verdict ?? "open") !== "open")
    run.revisited = isShown ? world.lookedAgain : null
  },
  RUN_RESUMED: (
    run,
    {
      config,
      only,
      reopened
    }: {
      readonly config: RunConfig | null
      readonly reopened: ReadonlyArray<{ readonly task_id: string }>
      readonly only?: { readonly tasks: ReadonlyArray<string>; readonly set_aside: ReadonlyArray<string> }
    }
  ) => {
    need(run.status !== "completed", "ended", () => "a completed run was resumed")
    run.status = "running"
    run.config = config ?? run.config
    run.breakers.clear()
    run.isStopping = false
    run.stoppingParents.clear()
    run.spent = 0
    run.revisited = null
    for (const { task_id } of reopened) {
      const task = taskIn(run, task_id)
      need(task.status !== "completed", "done_once", () => `${task_id} is taken up again though it was completed`)
      reopen(run, task, only === undefined)
    }
    for (const task of run.tasks.values()) {
      task.isAside = only?.set_aside.includes(task.id) ?? false
      if (task.status === "open") task.notBefore = 0
    }
    if (only === undefined) return
    const family = new Set(only.tasks.flatMap((id) => [...aboveOf(run, id), ...belowOf(run, id)]))
    for (const task of run.tasks.values()) {
      const isItsOwn = family.has(task.id) || (task.parent !== null && family.has(task.parent))
      need(!task.isAside || !isItsOwn, "set_aside", () => `${task.id} is set aside, and the run goes on for it`)
      need(
        task.isAside || task.status !== "open" || isItsOwn || reopened.some(({ task_id }) => task_id === task.id),
        "set_aside",
        () => `${task.id} goes on though the run was resumed for ${only.tasks.join(", ")}`
      )
    }
  },
  RUN_COMPLETED: (run, _content: unknown, _event, world) => {
    endRun(run, "completed")
    if (run.kind !== "tasks") return
    need(run.tasks.size > 0, "nothing_shown", () => "a run without a task is completed")
    for (const { id, status } of run.tasks.values())
      need(status === "completed", "all_proven", () => `the run is completed while ${id} is ${status}`)
    standing(run, world)
  },
  RUN_INCOMPLETE: (run) => endRun(run, "incomplete"),
  RUN_FAILED: (run) => endRun(run, "failed"),
  RUN_CANCELLED: (run) => endRun(run, "cancelled")
}

/** `isWhole`: with all its parts that are not completed. */
const reopen = (run: Run, task: Task, isWhole: boolean): void => {
  task.status = "open"
  task.retries = 0
  task.notBefore = 0
  if (!isWhole) return
  for (const part of partsOf(run, task.id)) if (part.status !== "completed") reopen(run, part, isWhole)
}

/** A task and all that it is a part of. */
const aboveOf = (run: Run, id: string): ReadonlyArray<string> => {
  const parent = run.tasks.get(id)?.parent ?? null
  return parent === null ? [id] : [id, ...aboveOf(run, parent)]
}

/** All that is part of a task. */
const belowOf = (run: Run, id: string): ReadonlyArray<string> =>
  partsOf(run, id).flatMap((part) => [part.id, ...belowOf(run, part.id)])

/** With what the whole shows what a part has shown, or has said that it need not. */
const inItsPlace = (run: Run, id: string, item: string): Item | undefined => {
  const parent = run.tasks.get(id)?.parent ?? null
  const above = parent === null ? undefined : run.tasks.get(parent)
  return above?.items.find((one) => one.item === item || one.item === `${id}: ${item}`)
}

/** What was accepted holds, as the project was when it was looked at for the last time. */
const standing = (run: Run, world: World): void => {
  const all = [...run.tasks.values()]
  if (!all.some(({ items }) => items.some(({ receipt }) => receipt !== null))) return
  if (run.revisited === null) throw new Violation("judged_again", "the run is completed, and nobody looked again")
  // whatever came after that look nobody could know
  if (run.revisited !== world.writes) return
  const stands = ({ receipt }: Item): boolean =>
    receipt !== null && world.stillStands(receipt.path, receipt.sha256, receipt.end - receipt.start + 1)
  for (const { id, items } of all) {
    for (const item of items) {
      if (item.receipt === null || stands(item)) continue
      const other = inItsPlace(run, id, item.item)
      const isShown = other?.verdict === "waived" || (other !== undefined && stands(other))
      need(isShown, "judged_again", () => `${id}: what shows "${item.item}" is gone`)
    }
  }
}

/** What a person notes, and sends twice. */
export const note = "note"
