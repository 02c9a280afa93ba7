import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import {
  Agents,
  type ChecklistItemSpec,
  defaultProof,
  type KernelState,
  type ProofConfig,
  type Recorded,
  type TaskSpec,
  tasksOf,
  type Verdict
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as checkouts, projects } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { layer as workspaces } from "@proofline/plugins/adapters/git-workspaces"
import { layer as baseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { layer as commands } from "@proofline/plugins/adapters/node-process"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import { layer as testReports } from "@proofline/plugins/adapters/node-test-reports"
import { aggregation } from "@proofline/plugins/policies/aggregation"
import { criteria } from "@proofline/plugins/policies/criteria"
import { escrow } from "@proofline/plugins/policies/escrow"
import { evidence, makeRelocate } from "@proofline/plugins/policies/evidence"
import { execution } from "@proofline/plugins/policies/execution"
import { Baseline } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { newLog, newProcess, readRun, workerOptions } from "../../kernel/support/world.ts"
import { commit, repository } from "../git-scratch-checkouts/support.ts"
import { escrowOf, type Hidden, hiddenLayer } from "../hidden.ts"
import { grammars } from "../tree-sitter/support.ts"

/** What stands in a project, by path; null: nothing. */
export type Files = Readonly<Record<string, string | Uint8Array | null>>

/** Lines of a file as it is after the work: the first that is or holds `from`, up to the next that holds `to`. */
export interface Place {
  readonly path: string
  readonly from: string
  /** Left out: the one line. */
  readonly to?: string
}

/** Done, with evidence; skipped, with a reason. */
export type Reported = { readonly skipped: string } | string | Place

/** One task as somebody could have given it, and what an agent did about it and says of it. */
export interface Session {
  /** What is tried. */
  readonly name: string
  /** Before the run. Committed, but for `dirty`. */
  readonly before?: Files
  /** There before the run, but in no commit. */
  readonly dirty?: Files
  /** What the agent writes. */
  readonly after: Files
  /** Its items with what is said of each. The same item may stand there more than once. */
  readonly items: ReadonlyArray<readonly [item: string | ChecklistItemSpec, shown: Reported]>
  readonly checks?: ReadonlyArray<string>
  readonly validation?: ReadonlyArray<string>
  /** Who wrote the commands; left out: the user. */
  readonly commandsBy?: "agent"
  /** Begins when this one has ended, with what it left. */
  readonly later?: Session
}

/** A directory of a session's own: `@/` in front of paths, texts and commands stands for it. */
export const placed = (directory: string, session: Session): Session => {
  const put = (text: string) => text.replaceAll("@/", `${directory}/`)
  const files = (all: Files): Files =>
    Object.fromEntries(Object.entries(all).map(([path, content]) => [`${directory}/${path}`, content]))
  return {
    ...session,
    ...(session.before === undefined ? {} : { before: files(session.before) }),
    ...(session.dirty === undefined ? {} : { dirty: files(session.dirty) }),
    after: files(session.after),
    items: session.items.map(([item, shown]) => [
      item,
      typeof shown === "string"
        ? inDirectory(directory, shown)
        : "path" in shown
          ? { ...shown, path: `${directory}/${shown.path}` }
          : shown
    ]),
    ...(session.checks === undefined ? {} : { checks: session.checks.map(put) }),
    ...(session.later === undefined ? {} : { later: placed(directory, session.later) })
  }
}

const inDirectory = (directory: string, evidence: string): string => {
  const [, scheme = "", path = ""] = /^(file:|absent:)?(.*)$/s.exec(evidence) ?? []
  return path === "" ? evidence : `${scheme}${directory}/${path}`
}

/** Evidence in words for what stands there. */
const cited = (files: Files, shown: Exclude<Reported, { readonly skipped: string }>): string => {
  if (typeof shown === "string") return shown
  const { from, path, to } = shown
  const text = files[path]
  const lines = typeof text === "string" ? text.split(/\r?\n/) : []
  const exact = lines.indexOf(from)
  const first = exact === -1 ? lines.findIndex((line) => line.includes(from)) : exact
  const last = to === undefined ? first : lines.findIndex((line, row) => row >= first && line.includes(to))
  if (first === -1 || last === -1) throw new Error(`${path} has no lines from "${from}" to "${to ?? from}".`)
  return first === last ? `${path}:${first + 1}` : `${path}:${first + 1}-${last + 1}`
}

/** What became of a session. */
export interface Ended {
  readonly session: Session
  /** The task of the session that began first, of those that follow each other. */
  readonly root: string
  /** Of its task. */
  readonly status: string
  readonly items: ReadonlyArray<{
    readonly item: string
    readonly verdict: Verdict
    /** Why its evidence was refused: keys, and the reasons of what is weak. */
    readonly refused: ReadonlyArray<string>
  }>
  /** The same of the task as a whole. */
  readonly refused: ReadonlyArray<string>
  /** All of it in words. */
  readonly said: ReadonlyArray<string>
}

export interface EndedRun {
  readonly status: KernelState["run"]["status"]
  readonly sessions: ReadonlyArray<Ended>
}

interface Way {
  readonly proof?: ProofConfig
  readonly strict?: boolean
  /** All that the agent does was done, and committed, before the run; it began with the commit before that. */
  readonly isDoneBefore?: boolean
  /** The working agent judges criteria, and always in its own favour. */
  readonly isSelfJudged?: boolean
  /** Checks that the agent does not see. */
  readonly hidden?: Hidden
  /** Its id; left out: `run_1`. */
  readonly run?: string
  /** Is given what there is to keep of it, before all of it is removed: its events, and the directory of its blobs. */
  readonly keep?: (events: ReadonlyArray<Recorded>, blobs: string) => Effect.Effect<void>
}

/**
 * A run of these sessions, one task each, one after the other, from the first event to the last: everything is as in a
 * run of the command line, but the log, which is in memory, and the agent, which writes and says what is told here.
 */
export const runOf = (
  sessions: ReadonlyArray<Session>,
  {
    hidden,
    isDoneBefore = false,
    isSelfJudged = false,
    keep = () => Effect.void,
    proof = defaultProof,
    run = "run_1",
    strict = false
  }: Way = {}
) =>
  Effect.gen(function* () {
    const steps = sessions.flatMap((session, i) => stepsOf(session, `task_${i + 1}`))
    const all = sessions.flatMap((session) => chained(session))
    const {
      base: start,
      room,
      root,
      temporary
    } = yield* repository({
      ".gitattributes": "* -text\n*.lock text\n",
      ...Object.assign({}, ...all.map(({ before }) => before))
    })
    for (const { dirty } of all) put(root, dirty ?? {})
    if (isDoneBefore) {
      for (const { after } of all) put(root, after)
      commit(root, "work")
    }
    const work = new Map(steps.map((step) => [step.id, step]))
    const there = new Map<string, Files>()
    const agent = Layer.succeed(Agents, {
      names: ["command"],
      run: (_, { role, task_id }) =>
        Effect.sync(() => {
          if (role === "review") return answer({ judgment: "PASS" })
          const step = work.get(task_id)
          if (step === undefined) throw new Error(`Nobody knows the task ${task_id}.`)
          if (!isDoneBefore) put(root, step.session.after)
          const files = {
            ...there.get(step.root),
            ...step.session.before,
            ...step.session.dirty,
            ...step.session.after
          }
          there.set(step.root, files)
          return answered(step.session, files)
        })
    })
    const state = Path.join(root, ".proofline", "state")
    const world = Layer.mergeAll(
      commands({ root, grace_ms: 50 }),
      projectFiles({ root }),
      workspaces({ root, stateDir: state }),
      checkouts({ root, temporary }),
      grammars,
      agent,
      testReports,
      hiddenLayer({ root, temporary }, hidden),
      Layer.provideMerge(projects({ root, temporary, state }), baseline({ root, state }))
    ).pipe(Layer.provideMerge(Layer.provideMerge(blobs({ directory: Path.join(room, "blobs") }), digest)))
    return yield* Effect.gen(function* () {
      const policies = yield* Effect.all([execution, evidence, criteria, Effect.flatMap(makeRelocate, aggregation)])
      const plugins = [escrow, ...policies]
      const counts = hidden === undefined ? proof : { ...proof, escrow: yield* escrowOf({ root, temporary }, hidden) }
      const { capture, captureAt } = yield* Baseline
      const base = yield* isDoneBefore ? captureAt(start) : capture
      const log = yield* newLog
      const { runner } = yield* newProcess(log, plugins)
      const config = {
        ...{ proof: counts, max_retries: 0, retry_delay_ms: 0, workers: 1, evidence: { strict, ablation: false } },
        ...(isSelfJudged ? { reviewer: "command" } : {})
      }
      const command = { ...aRun(steps.map(taskOf), config), run_id: run, root, base }
      const ended = yield* runner.drive(run, command, workerOptions({ slots: 1 }))
      const events = yield* readRun(log, run)
      yield* keep(events, Path.join(room, "blobs"))
      return {
        status: ended.run.status,
        sessions: steps.map((step) => endedAs(ended, events, step))
      } satisfies EndedRun
    }).pipe(Effect.provide(world))
  }).pipe(Effect.scoped)

interface Step {
  readonly id: string
  readonly root: string
  readonly after: string | null
  readonly session: Session
}

const chained = (session: Session): ReadonlyArray<Session> => [
  session,
  ...(session.later === undefined ? [] : chained(session.later))
]

const stepsOf = (session: Session, root: string): ReadonlyArray<Step> =>
  chained(session).map((one, i) => ({
    id: i === 0 ? root : `${root}_${i + 1}`,
    root,
    after: i === 0 ? null : i === 1 ? root : `${root}_${i}`,
    session: one
  }))

const taskOf = ({ after, id, session: { checks = [], commandsBy, items, name, validation = [] } }: Step): TaskSpec =>
  aTask(id, {
    title: name,
    checks,
    ...(commandsBy === undefined ? {} : { commands_by: commandsBy }),
    validation,
    depends_on: after === null ? [] : [after],
    checklist: items.map(([item]) => (typeof item === "string" ? { item } : item))
  })

const textOf = (item: string | ChecklistItemSpec): string => (typeof item === "string" ? item : item.item)

const answered = ({ items }: Session, files: Files) =>
  answer({
    summary: "Done.",
    checklist: items.map(([item, shown]) =>
      typeof shown !== "string" && "skipped" in shown
        ? { item: textOf(item), status: "skipped", reason: shown.skipped }
        : { item: textOf(item), status: "done", evidence: cited(files, shown) }
    )
  })

const answer = (said: unknown) => ({
  outcome: "COMPLETE" as const,
  exit_code: 0,
  signal: null,
  duration_ms: 1,
  answer: JSON.stringify(said),
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  steps: new Uint8Array(),
  error: null,
  usage: null
})

const endedAs = (state: KernelState, events: ReadonlyArray<Recorded>, { id, root, session }: Step): Ended => {
  const task = tasksOf(state).find(({ spec }) => spec.id === id)
  const contents = (type: string) =>
    events
      .filter(({ event_type }) => event_type === type)
      .map(({ content }) => content as Readonly<Record<string, unknown>>)
      .filter((content) => content["task_id"] === id)
  const rejected = contents("CHECKLIST_ITEM_REJECTED").map(({ fields, index, item, key, message }) => ({
    index,
    reasons: reasonsIn(String(key), fields as Readonly<Record<string, string>> | undefined),
    said: `${item ?? "The report"}: ${message}`
  }))
  const failed = contents("TASK_FAILED")
  const because = (of: (index: unknown) => boolean) => [
    ...new Set(rejected.flatMap(({ index, reasons }) => (of(index) ? reasons : [])))
  ]
  return {
    session,
    root,
    status: task?.status ?? "unknown",
    items: (task?.items ?? []).map(({ item, verdict }, i) => ({
      item,
      verdict,
      refused: because((index) => index === i)
    })),
    refused: [...because((index) => index === null), ...failed.map(({ reason }) => String(reason))],
    said: [...rejected.map(({ said }) => said), ...failed.map(({ message }) => String(message))]
  }
}

const reasonsIn = (key: string, fields: Readonly<Record<string, string>> = {}): ReadonlyArray<string> =>
  key === "checklist_evidence_weak" ? (fields["reasons"] ?? key).split(", ") : [key]

const put = (root: string, files: Files): void => {
  for (const [path, content] of Object.entries(files)) {
    const file = Path.join(root, path)
    if (content === null) {
      rmSync(file, { recursive: true, force: true })
      continue
    }
    mkdirSync(Path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}
