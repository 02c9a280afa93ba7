import {
  type AgentRequest,
  type AgentResult,
  Agents,
  type Base,
  type Digest,
  type ProjectTree,
  type ReportedItem,
  UnknownAgent
} from "@proofline/kernel"
import {
  Baseline,
  BlobMissing,
  BlobStore,
  CheckoutRefused,
  type CommandRequest,
  CommandRunner,
  FileRefused,
  OutputFiles,
  ProjectFiles,
  type ProjectReader,
  ScratchCheckouts,
  ScratchProjects,
  Syntax,
  type Workspace,
  WorkspaceRefused,
  Workspaces
} from "@proofline/plugins/ports"
import { Clock, Effect, Layer } from "effect"
import { digest } from "../kernel/support/recorded.ts"
import { noChecks, noReports } from "../plugins/nowhere.ts"
import type { Host, Machine } from "./machine.ts"
import type { Deeds, ItemDeed, Iteration, PlannedTask, Scenario } from "./scenario.ts"

export const root = "/project"

/** The project at the beginning, as the run knows it. */
export const base: Base = { commit: null, snapshot: { sha256: "b".repeat(64), bytes: 1 } }

type Lines = ReadonlyArray<string>
type Tree = Map<string, Lines>

const textOf = (lines: Lines): string => lines.map((line) => `${line}\n`).join("")

/** What the agents learn of a task from their prompts: the rest of the world reads it out of the log. */
export interface Known {
  readonly items: ReadonlyArray<{ readonly item: string; readonly existing?: boolean }>
  readonly commands: ReadonlyArray<string>
  /** The task of the plan that it is, or a part of. */
  readonly root: string
  /** From 0. */
  readonly part: number
}

/** A command that was run in the project or in a copy of it. */
export interface RanCommand {
  readonly command: string
  readonly exit_code: number | null
  readonly where: "project" | "now" | "base"
}

/** What was in a file, and when. */
interface Version {
  readonly text: string
  readonly from: number
}

/**
 * Files, agents, commands and reviewers that live in memory, and what is true of them: who wrote which line, and when.
 * No line is ever written twice, so that the truth about a citation needs no judgement.
 */
export class World {
  readonly files: Tree = new Map()
  readonly #base: Tree
  readonly #copies = new Map<string, { readonly tree: Tree; readonly where: "now" | "base" }>()
  readonly versions = new Map<string, Array<Version>>()
  /** Lines that an agent has written: whether they do something. */
  readonly written = new Map<string, "work" | "stub">()
  readonly ran: Array<RanCommand> = []
  /** What reviewers have said: run, task, attempt and judgement. */
  readonly said = new Set<string>()
  /** Writes so far. */
  writes = 0
  /** What the agents do not see to yet: who works where, in which process. */
  readonly #watching = new Map<Host, Set<{ readonly modified: Set<string>; readonly undecided: Set<string> }>>()
  readonly blobs = new Map<string, Uint8Array>()
  readonly outputs = new Map<string, string>()
  calls = 0
  /** Writes before somebody began to look again at what was accepted. */
  lookedAgain = 0
  #lines = 0
  #copied = 0
  readonly machine: Machine
  readonly scenario: Scenario
  /** What is known of a task of a run, from its log. */
  readonly known: (run: string, task: string) => Known | undefined

  constructor(machine: Machine, scenario: Scenario, known: World["known"]) {
    this.machine = machine
    this.scenario = scenario
    this.known = known
    for (const path of ["src/shared.js", ...this.#planned().map(({ id }) => fileOf(id))]) {
      this.files.set(path, [
        `const of_${path.replace(/\W/g, "_")} = load(${this.#lines++});`,
        `keep(${this.#lines++});`
      ])
    }
    this.#base = new Map(this.files)
    for (const [path, lines] of this.files) this.versions.set(path, [{ text: textOf(lines), from: 0 }])
  }

  #planned(): ReadonlyArray<{ readonly id: string }> {
    return this.scenario.tasks
  }

  treeOf(directory: string): Tree {
    return directory === root ? this.files : (this.#copies.get(directory)?.tree ?? new Map())
  }

  get baseTree(): ReadonlyMap<string, Lines> {
    return this.#base
  }

  write(path: string, lines: Lines | null, by: Host | null): void {
    this.writes++
    if (lines === null) this.files.delete(path)
    else this.files.set(path, lines)
    const versions = this.versions.get(path) ?? []
    versions.push({ text: lines === null ? "" : textOf(lines), from: this.machine.now })
    this.versions.set(path, versions)
    for (const [host, all] of this.#watching) {
      for (const one of all) {
        if (all.size === 1 && host === by) one.modified.add(path)
        else one.undecided.add(path)
      }
    }
  }

  /** Whether these lines of a file held work of this run at any moment since. */
  heldWork(path: string, start: number, end: number, sha256: string, since: number): boolean {
    return (this.versions.get(path) ?? []).some(({ text }, at, all) => {
      if ((all[at + 1]?.from ?? Number.POSITIVE_INFINITY) < since) return false
      const lines = text
        .split("\n")
        .slice(0, -1)
        .slice(start - 1, end)
      return digest.sha256(textOf(lines)) === sha256 && lines.some((line) => this.written.get(line) === "work")
    })
  }

  /** Whether these lines were there at the beginning. */
  heldBefore(path: string, sha256: string, start: number, end: number): boolean {
    const lines = this.#base.get(path) ?? []
    const length = end - start + 1
    return lines.some((_, at) => digest.sha256(textOf(lines.slice(at, at + length))) === sha256)
  }

  /** Whether the text of a citation still stands in its file. */
  stillStands(path: string, sha256: string, length: number): boolean {
    const lines = this.files.get(path) ?? []
    return lines.some((_, at) => digest.sha256(textOf(lines.slice(at, at + length))) === sha256)
  }

  copy(where: "now" | "base", from: string): string {
    const directory = `/copies/${++this.#copied}`
    this.#copies.set(directory, { tree: new Map(where === "base" ? this.#base : this.treeOf(from)), where })
    return directory
  }

  forget(directory: string): void {
    this.#copies.delete(directory)
  }

  whereOf(directory: string): RanCommand["where"] {
    return directory === root ? "project" : (this.#copies.get(directory)?.where ?? "project")
  }

  newLine(kind: "work" | "stub", about: string): string {
    const line =
      kind === "work" ? `work_${this.#lines++}(${JSON.stringify(about)});` : `// TODO ${this.#lines++}: ${about}`
    this.written.set(line, kind)
    return line
  }

  // -- who works in the project in which process

  watch<A, E, R>(work: Effect.Effect<A, E, R>) {
    return Effect.suspend(() => {
      const host = this.machine.current as Host
      const all = this.#watching.get(host) ?? new Set()
      this.#watching.set(host, all)
      const own = { modified: new Set<string>(), undecided: new Set<string>() }
      all.add(own)
      return work.pipe(
        Effect.ensuring(Effect.sync(() => all.delete(own))),
        Effect.map(
          (value) => [value, { modified: [...own.modified].sort(), undecided: [...own.undecided].sort() }] as const
        )
      )
    })
  }

  /** Whoever watched in a process that is gone watches no more. */
  unwatch(host: Host): void {
    this.#watching.delete(host)
  }

  // -- agents

  deedsOf(known: Known, attempt: number): Deeds {
    const planned = this.planOf(known.root)
    const all = planned?.attempts ?? []
    return all[Math.min(attempt - 1 + (known.part % 2), all.length - 1)] ?? honest
  }

  planOf(id: string): Pick<PlannedTask, "attempts" | "items" | "checks"> | undefined {
    const found = this.scenario.tasks.find((one) => one.id === id)
    if (found !== undefined) return found
    const [, iteration, number] = /^g(\d+)_(\d+)$/.exec(id) ?? []
    return this.scenario.iterations[Number(iteration) - 1]?.tasks[Number(number) - 1]
  }

  /** Does what an agent does for a task, all at once, and gives its report. */
  perform(task: string, known: Known, deeds: Deeds, by: Host | null): ReadonlyArray<ReportedItem> {
    const path = fileOf(known.root)
    const lines = [...(this.files.get(path) ?? [])]
    const cited: Array<number> = []
    const deedOf = (index: number): ItemDeed => deeds.items[Math.min(index, deeds.items.length - 1)] ?? "shown"
    const reported = ({ existing, item }: Known["items"][number], index: number): ReadonlyArray<ReportedItem> => {
      const done = (evidence: string): ReadonlyArray<ReportedItem> => [{ item, status: "done", evidence }]
      const show = (kind: "work" | "stub") => {
        lines.push(this.newLine(kind, `${task} ${item}`))
        cited.push(lines.length)
        return done(`${path}:${lines.length}`)
      }
      switch (deedOf(index)) {
        case "shown":
          return existing === true && index % 2 === 0 ? done("src/shared.js:1") : show("work")
        case "stub":
          return show("stub")
        case "untouched":
          return done("src/shared.js:1")
        case "beyond_end":
          return done(`${path}:${lines.length + 40}`)
        case "no_file":
          return done("src/nowhere.js:1")
        case "no_format":
          return done("everywhere")
        case "same":
          return cited[0] === undefined ? show("work") : done(`${path}:${cited[0]}`)
        case "left_out":
          return []
        case "pending":
          return [{ item, status: "pending" }]
        case "skipped":
          return [{ item, status: "skipped", reason: "it is not needed in this project" }]
        case "skipped_without_reason":
          return [{ item, status: "skipped", reason: "no" }]
        case "cannot":
          return [{ item, status: "cannot", reason: "there is no account to do it with" }]
      }
    }
    const report = known.items.flatMap(reported)
    if (deeds.fixes) {
      for (const command of known.commands) {
        const [, mark, where] = /^grep -q (\S+) (\S+)$/.exec(command) ?? []
        if (mark !== undefined && where === path && !lines.some((line) => line.includes(mark)))
          lines.push(this.newLine("work", mark))
      }
    }
    if (known.items.length === 0 && lines.length === (this.files.get(path) ?? []).length && deeds.fixes)
      lines.push(this.newLine("work", task))
    this.write(path, lines, by)
    this.#meddle(path, deeds, by)
    return report
  }

  #meddle(own: string, { meddles }: Deeds, by: Host | null): void {
    if (meddles === "no") return
    const other = [...this.files.keys()].find((path) => path !== own && path !== "src/shared.js")
    const lines = other === undefined ? undefined : this.files.get(other)
    if (other === undefined || lines === undefined || lines.length < 3) return
    const kept = lines.slice(0, -1)
    this.write(other, meddles === "removes" ? kept : [...kept, this.newLine("work", "rewritten")], by)
  }
}

const honest: Deeds = { end: "well", items: ["shown"], fixes: true, meddles: "no", ms: 10 }

const fileOf = (id: string): string => `src/${id}.js`

/** A number that follows from a text: what has no place in the plan gets its turn by it. */
const turnOf = (text: string, length: number): number =>
  length === 0 ? 0 : Number.parseInt(digest.sha256(text).slice(0, 6), 16) % length

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const usage = { input_tokens: 30, output_tokens: 12, cost_usd: null }

const resultOf = (over: Partial<AgentResult>): AgentResult => ({
  outcome: "COMPLETE",
  exit_code: 0,
  signal: null,
  duration_ms: 5,
  answer: null,
  stdout: bytes("at work"),
  stderr: new Uint8Array(),
  steps: new Uint8Array(),
  error: null,
  usage,
  ...over
})

const failed = (code: string, more: { readonly terminal?: boolean; readonly transient?: boolean } = {}): AgentResult =>
  resultOf({
    outcome: "ERROR",
    exit_code: 1,
    error: {
      code,
      message: `It ended with ${code}.`,
      terminal: more.terminal === true,
      ...(more.transient === true ? { transient: true, retry_after_ms: 700 } : {})
    }
  })

const timedOut = resultOf({
  outcome: "TIMEOUT",
  exit_code: null,
  signal: "SIGTERM",
  error: { code: "timeout", message: "It ran out of time.", terminal: false }
})

const answered = (answer: unknown): AgentResult =>
  resultOf({ answer: typeof answer === "string" ? answer : JSON.stringify(answer) })

/** Asks an agent of the world: what it does there it does at half its time. */
const asked = (world: World, request: AgentRequest): Effect.Effect<AgentResult> => {
  switch (request.role) {
    case "work":
      return atWork(world, request)
    case "review":
      return reviewing(world, request)
    case "analyze":
      return planning(world, request)
    case "generate":
      return generating(world, request)
    case "verify":
      return verifying(world, request)
  }
}

const atWork = (world: World, { attempt, run_id, task_id, timeout_ms }: AgentRequest): Effect.Effect<AgentResult> =>
  Effect.suspend(() => {
    const known = world.known(run_id, task_id)
    if (known === undefined) return Effect.succeed(failed("task_unheard_of"))
    const deeds = world.deedsOf(known, attempt)
    const host = world.machine.current as Host
    let report: ReadonlyArray<ReportedItem> = []
    // the agent is a process of its own: it ends when it is ended, and may outlive whoever started it
    const half = world.machine.after(deeds.ms / 2, () => {
      if (!host.isAlive && !world.scenario.orphans) return
      report = world.perform(task_id, known, deeds, host.isAlive ? host : null)
    })
    const end = Effect.sync((): AgentResult => {
      switch (deeds.end) {
        case "well":
          return answered({ summary: `Did ${task_id}.`, checklist: report })
        case "error":
          return failed("agent_failed")
        case "terminal":
          return failed("quota", { terminal: true })
        case "transient":
          return failed("overloaded", { transient: true })
        case "crash":
          return resultOf({
            outcome: "ERROR",
            exit_code: null,
            signal: "SIGSEGV",
            error: { code: "agent_crashed", message: "It crashed.", terminal: false }
          })
        case "rubbish":
          return answered("All done, trust me!")
        case "silent":
          return resultOf({ stdout: new Uint8Array() })
        case "timeout":
          return timedOut
      }
    })
    return Effect.sleep(deeds.end === "timeout" ? timeout_ms : deeds.ms).pipe(
      Effect.andThen(end),
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          half.isCancelled = true
        })
      )
    )
  })

const reviewing = (world: World, { attempt, run_id, task_id }: AgentRequest): Effect.Effect<AgentResult> =>
  Effect.suspend(() => {
    const { reviews } = world.scenario
    const review = reviews[(turnOf(`${run_id} ${task_id}`, reviews.length) + attempt) % reviews.length]
    if (review === undefined) return Effect.succeed(failed("no_review"))
    const said = (): AgentResult => {
      switch (review.says) {
        case "rubbish":
          return answered("Looks good to me.")
        case "error":
          return failed("reviewer_failed")
        case "terminal":
          return failed("quota", { terminal: true })
        case "timeout":
          return timedOut
        default:
          world.said.add(`${run_id} ${task_id} ${attempt} ${review.says}`)
          return answered({
            judgment: review.says,
            modification_prompt: review.says === "PASS" ? null : "Do it again."
          })
      }
    }
    return Effect.map(Effect.sleep(review.ms), said)
  })

const planning = (world: World, { attempt, run_id, task_id }: AgentRequest): Effect.Effect<AgentResult> =>
  Effect.suspend(() => {
    const { plans } = world.scenario
    const plan = plans[(turnOf(`${run_id} ${task_id}`, plans.length) + attempt - 1) % plans.length]
    if (plan === undefined) return Effect.succeed(failed("no_plan"))
    const items = world.known(run_id, task_id)?.items.length ?? 0
    const parts = (dependenciesOf: (index: number) => ReadonlyArray<number>) => ({
      is_decomposable: true,
      decomposition_reason: "It has parts.",
      subtasks: plan.parts.map((_, i) => ({
        prompt: `Do part ${i + 1} of ${task_id}.`,
        dependencies: dependenciesOf(i),
        acceptance_criteria: [`part ${i + 1} is there`],
        checklist: Array.from({ length: items }, (__, n) => n + 1).filter((n) => n % plan.parts.length === i)
      }))
    })
    const said = (): AgentResult => {
      switch (plan.says) {
        case "parts":
          return answered(parts((i) => plan.parts[i] ?? []))
        case "circle":
          return answered(parts((i) => [((i + 1) % plan.parts.length) + 1]))
        case "whole":
          return answered({ is_decomposable: false, decomposition_reason: "It is one thing.", subtasks: [] })
        case "rubbish":
          return answered("First one part, then the other.")
        case "error":
          return failed("planner_failed")
        case "terminal":
          return failed("quota", { terminal: true })
      }
    }
    return Effect.as(Effect.sleep(plan.ms), said())
  })

const iterationOf = (world: World, number: number): Iteration | undefined => world.scenario.iterations[number - 1]

const generating = (world: World, { task_id }: AgentRequest): Effect.Effect<AgentResult> =>
  Effect.suspend(() => {
    const number = Number(task_id.replace(/\D/g, ""))
    const iteration = iterationOf(world, number)
    const said = (): AgentResult => {
      if (iteration === undefined || iteration.says === "error") return failed("generator_failed")
      if (iteration.says !== "tasks")
        return answered(iteration.says === "nothing" ? "tasks: []" : "I would begin with …")
      const tasks = iteration.tasks.map(({ checks, items }, i) => {
        const id = `g${number}_${i + 1}`
        return {
          id,
          name: id,
          instruction: `Do ${id}.`,
          covers: [requirementIds[i % requirementIds.length]],
          checks: commandsOf(id, checks),
          checklist: items.map((_, n) => `${id} item ${n + 1}`)
        }
      })
      return answered(JSON.stringify({ tasks }))
    }
    return Effect.as(Effect.sleep(40), said())
  })

/** Criteria of the requirements, as tasks may cover them. */
const requirementIds = ["r1.1", "r2.1"] as const

const verifying = (world: World, { attempt, task_id }: AgentRequest): Effect.Effect<AgentResult> =>
  Effect.suspend(() => {
    const { iterations } = world.scenario
    const says = iterations[(turnOf(task_id, iterations.length) + attempt) % iterations.length]?.verifies ?? "unmet"
    const met = says === "met"
    return Effect.as(
      Effect.sleep(30),
      says === "rubbish"
        ? answered("I think so.")
        : answered({
            all_requirements_met: met || says === "partly",
            requirement_status: [{ requirement_id: task_id, met, evidence: "src/shared.js:1" }]
          })
    )
  })

/** The commands of a planned task. */
export const commandsOf = (id: string, checks: PlannedTask["checks"]): ReadonlyArray<string> =>
  checks.map(
    (kind, i) =>
      ({
        work: `grep -q done_${id}_${i} ${fileOf(id)}`,
        green: "grep -q keep src/shared.js",
        never: "grep -q never src/shared.js",
        hangs: "wait-for-ever"
      })[kind]
  )

/** How a command ends in a directory; null: it does not. */
const exitOf = (world: World, command: string, directory: string): number | null => {
  if (command === "wait-for-ever") return null
  const [, mark = "", path = ""] = /^grep -q (\S+) (\S+)$/.exec(command) ?? []
  return world
    .treeOf(directory)
    .get(path)
    ?.some((line) => line.includes(mark)) === true
    ? 0
    : 1
}

const commandMs = 20

const runCommand = (world: World, { command, directory = root, timeout_ms }: CommandRequest) =>
  Effect.gen(function* () {
    yield* Effect.sleep(commandMs)
    const exit_code = exitOf(world, command, directory)
    if (exit_code === null) yield* Effect.sleep(timeout_ms - commandMs)
    world.ran.push({ command, exit_code, where: world.whereOf(directory) })
    const timed_out = exit_code === null
    return {
      exit_code,
      signal: timed_out ? "SIGKILL" : null,
      timed_out,
      duration_ms: timed_out ? timeout_ms : commandMs,
      output: bytes(timed_out ? "" : "grep\n")
    }
  })

const noFile = (path: string) => new FileRefused({ path, reason: "not_found", message: `There is no ${path}.` })

const readerAt = (world: () => World, directory: string): ProjectReader => {
  const textAt = (path: string) =>
    Effect.suspend(() => {
      const lines = world().treeOf(directory).get(path)
      return lines === undefined ? Effect.fail(noFile(path)) : Effect.succeed(textOf(lines))
    })
  return {
    root: directory,
    at: (other) => readerAt(world, other),
    readText: (path) => Effect.map(textAt(path), (text) => ({ path, text, git_blob: null, git_commit: null })),
    digest: (path) => Effect.map(textAt(path), (text) => ({ path, bytes: text.length, sha256: digest.sha256(text) })),
    entryAt: (path) => Effect.sync(() => (world().treeOf(directory).has(path) ? "file" : "missing")),
    resolveTarget: (path) =>
      Effect.sync(() => ({
        path,
        kind: world().treeOf(directory).has(path) ? ("file" as const) : ("missing" as const),
        fault: null,
        message: ""
      })),
    paths: Effect.sync(() => [...world().treeOf(directory).keys()])
  }
}

const copies = (world: () => World) => ({
  make: ({ at, root: from = root }: { readonly at: Base | ProjectTree | "now"; readonly root?: string }) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => world().copy(at === "now" ? "now" : "base", from)),
        (directory) => Effect.sync(() => world().forget(directory))
      ),
      (directory) => ({
        directory,
        write: (path: string, text: string) =>
          Effect.sync(() => void world().treeOf(directory).set(path, text.split("\n").slice(0, -1)))
      })
    )
})

const baselineOf = (world: () => World): Baseline["Service"] => ({
  capture: Effect.succeed(base),
  captureAt: () => Effect.succeed(base),
  changes: (_, path, text) =>
    Effect.sync(() => {
      const before = world().baseTree.get(path) ?? []
      const rows = text.split("\n").map((line) => before.indexOf(line))
      const touched = (start: number, end: number) =>
        rows
          .slice(start - 1, end)
          .some((row, i, all) => row === -1 || (i > 0 && all[i - 1] !== -1 && row !== (all[i - 1] ?? 0) + 1))
      return { touched }
    }),
  before: (_, path) =>
    Effect.sync(() => {
      const lines = world().baseTree.get(path)
      return lines === undefined ? { _tag: "absent" as const } : { _tag: "text" as const, text: textOf(lines) }
    }),
  came: () => Effect.succeed(null),
  isIgnored: () => Effect.succeed(false),
  restore: (_, directory, paths = []) =>
    Effect.sync(() => {
      const tree = world().treeOf(directory)
      for (const path of paths) {
        const lines = world().baseTree.get(path)
        if (lines === undefined) tree.delete(path)
        else tree.set(path, lines)
      }
    }),
  changedIn: (_, directory, isWanted) =>
    Effect.sync(() => {
      const [now, before] = [world().treeOf(directory), world().baseTree]
      return [...new Set([...now.keys(), ...before.keys()])].filter(
        (path) => isWanted(path) && textOf(now.get(path) ?? []) !== textOf(before.get(path) ?? [])
      )
    })
})

const workspaceOf = (world: () => World): Workspace => ({
  directory: root,
  fingerprint: Effect.succeed({ _tag: "Fingerprint" }),
  changedSince: () => Effect.succeed([]),
  watched: (work) => Effect.suspend(() => world().watch(work)),
  beside: (work) => work,
  keep: Effect.succeed([])
})

/** All that plugins ask of the world. Which world that is may change: one composition serves many simulations. */
export const portsOf = (world: () => World) => {
  const agents: Agents["Service"] = {
    names: ["worker", "second", "critic"],
    run: (agent, request) =>
      Effect.suspend(() => {
        if (!agents.names.includes(agent)) return Effect.fail(new UnknownAgent({ agent, known: agents.names }))
        world().calls++
        return Effect.flatMap(Clock.currentTimeMillis, () => asked(world(), request))
      })
  }
  return Layer.mergeAll(
    Layer.succeed(Agents, agents),
    Layer.succeed(BlobStore, {
      put: (data) =>
        Effect.sync(() => {
          const stored = typeof data === "string" ? bytes(data) : data
          const sha256 = digest.sha256(stored)
          world().blobs.set(sha256, stored)
          return { sha256, bytes: stored.length }
        }),
      get: (sha256) =>
        Effect.suspend(() => {
          const found = world().blobs.get(sha256)
          return found === undefined ? Effect.fail(new BlobMissing({ sha256 })) : Effect.succeed(found)
        })
    }),
    Layer.succeed(CommandRunner, { run: (request) => Effect.suspend(() => runCommand(world(), request)) }),
    Layer.succeed(ProjectFiles, readerAt(world, root)),
    Layer.succeed(Baseline, baselineOf(world)),
    Layer.succeed(ScratchProjects, copies(world)),
    Layer.succeed(ScratchCheckouts, {
      make: () => Effect.fail(new CheckoutRefused({ message: "There is no repository." }))
    }),
    // without a grammar the rules for plain text decide
    Layer.succeed(Syntax, { outline: () => Effect.succeed(null) }),
    Layer.succeed(Workspaces, {
      open: () => Effect.succeed(workspaceOf(world)),
      aggregate: () =>
        Effect.fail(new WorkspaceRefused({ code: "workplace_no_repository", message: "There is no repository." })),
      close: () => Effect.succeed({ stays: [], removed: [] })
    }),
    Layer.succeed(OutputFiles, {
      write: (path, text) =>
        Effect.sync(() => {
          world().outputs.set(path, text)
          return null
        })
    }),
    noReports,
    noChecks
  )
}

export type WorldPorts = Layer.Success<ReturnType<typeof portsOf>> | Digest
