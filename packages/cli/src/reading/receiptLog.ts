import {
  type Chain,
  canonicalJson,
  composePlugins,
  Digest,
  EventLog,
  faultFinder,
  foldReceipts,
  kernelStateOf,
  type LogFault,
  makeManifest,
  noReceipts,
  orLogNewer,
  type ReceiptsFold,
  type RunHead,
  type RunProof,
  type RunReceipts,
  receiptsOf,
  withTaskRuns
} from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { isLogThere } from "@proofline/plugins/adapters/sqlite-log/inPlace"
import { escrow } from "@proofline/plugins/policies/escrow"
import type { Verified as Verification } from "@proofline/plugins/policies/evidence"
import {
  type ContentOf,
  coveredIds,
  type Loop,
  linkedItems,
  loopOf,
  noLoop,
  requirementsRules
} from "@proofline/plugins/policies/requirements"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import { Effect, Layer, Stream } from "effect"
import { pathsOf } from "../base/paths.ts"
import { headsOf, logOf } from "../project/storage.ts"
import { runNamed } from "./historyIds.ts"
import { noRun } from "./oneRun.ts"
import { readable } from "./readable.ts"
import { newest, readRows } from "./rows.ts"
import type { RunChoice } from "./withRun.ts"

/** A run's receipts as its log has them, and whether the log is as it was written. */
export interface ReadRun {
  readonly run_id: string
  readonly receipts: RunReceipts
  /** Events whose chain holds; all of them unless it is broken or cut off. */
  readonly events: number
  readonly broken: LogFault | null
  /** Its texts are pseudonyms. */
  readonly redacted: boolean
  /** What was kept of its end outside of the log; null: nothing, or it has not ended so far. */
  readonly kept: RunHead | null
  /** The event that was asked for, and the receipts as they were then; null when there is none of that version. */
  readonly at: { readonly hash: string; readonly receipts: RunReceipts } | null
}

/**
 * Reads a run, the newest one when none is named, without the project's plugins: receipts are made of the kernel's own
 * events, and nothing of the project is executed to read it. `version` asks for what was true at an event.
 */
export const readRun = Effect.fnUntraced(function* (choice: RunChoice, version = 0) {
  const paths = pathsOf(choice)
  const none = (run: string | undefined) => noRun(run, paths)
  if (paths.databaseUrl === undefined && !isLogThere(paths.database)) return yield* none(choice.run)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const readFrom = yield* readable(paths)
      const rows = yield* readRows(readFrom)
      const run = yield* choice.run === undefined ? Effect.succeed(newest(rows)) : runNamed(choice.run, rows, readFrom)
      if (run === undefined) return yield* none(run)
      const log = Layer.provideMerge(Layer.merge(logOf(readFrom), headsOf(paths)), nodeDigest)
      const found = yield* Effect.provide(readLog(run, version), log)
      return found ?? (yield* none(run))
    })
  )
})

/** The rules that are always there: what plugins of the project record shows nothing. */
const composition = composePlugins([escrow, sessionsRules, requirementsRules])
const manifest = makeManifest(composition)

/** The same of a log that is open, with the task runs of a requirements run; null: there is no such run. */
export const readLog = Effect.fnUntraced(function* (run: string, version = 0) {
  const read = yield* readOne(run, version)
  if (read === null || read.verdicts.size + read.taskRuns.size === 0) return read
  const ids = [...read.taskRuns.keys()]
  const children = yield* Effect.forEach(ids, (id) => readOne(id, 0))
  // one that is linked may not have begun
  const gone = ids.find((id, i) => children[i] === null && read.told.has(id))
  const broken = children.find((child) => child !== null && child.broken !== null)
  const { sha256 } = yield* Digest
  const whole = (receipts: RunReceipts, loop: Loop, upTo: number): RunReceipts => {
    const shown = shownByTasks(read.verdicts, upTo)
    const known = children.flatMap((child) =>
      child === null || (read.taskRuns.get(child.run_id) ?? 0) > upTo ? [] : [child.receipts]
    )
    return ofCriteria(withTaskRuns(receipts, known, new Set(shown.keys())), loop, shown, sha256)
  }
  return {
    ...read,
    receipts: whole(read.receipts, read.loops.end, read.events),
    at: read.at === null ? null : { ...read.at, receipts: whole(read.at.receipts, read.loops.at, version) },
    broken: read.broken ?? brokenBelow(gone, broken ?? null)
  }
})

/** By requirement: its verdicts, with the version at which each was given. */
type Verdicts = Map<string, ReadonlyArray<Pick<Verified, "criteria"> & { readonly version: number }>>

/** By task: the criteria of which the newest verdict rests on it. */
const shownByTasks = (verdicts: Verdicts, upTo: number): ReadonlyMap<string, ReadonlyArray<string>> => {
  const newest = [...verdicts.values()].flatMap((all) => all.findLast(({ version }) => version <= upTo)?.criteria ?? [])
  const pairs = newest.flatMap(({ id, tasks }) => tasks.map((task) => [task, id] as const))
  return new Map([...Map.groupBy(pairs, ([task]) => task)].map(([task, of]) => [task, of.map(([, id]) => id)]))
}

/**
 * With the criteria that each item counts for, as they are required by then. What counts only for criteria that rest on
 * something else is not claimed: it may be stale long since.
 */
const ofCriteria = (
  receipts: RunReceipts,
  loop: Loop,
  shown: ReturnType<typeof shownByTasks>,
  sha256: Digest["Service"]["sha256"]
): RunReceipts => {
  const criteria = (loop.definition?.requirements ?? []).flatMap(({ acceptance_criteria, id: requirement }) =>
    acceptance_criteria.map((criterion) => {
      const { id, ...said } = criterion
      return { requirement, criterion, hashed: { id, sha256: sha256(canonicalJson(said)) } }
    })
  )
  return {
    ...receipts,
    receipts: receipts.receipts.flatMap((receipt) => {
      const planned = loop.planned.find(({ id }) => id === receipt.task_id)
      const items = loop.completed.find(({ id }) => id === receipt.task_id)?.items ?? []
      const isFor = ({ criterion, requirement }: (typeof criteria)[number]): boolean => {
        const ids = planned === undefined ? [] : coveredIds(planned, requirement, criterion)
        return ids.length > 0 && linkedItems(items, ids).some(({ index }) => index === receipt.item_index)
      }
      const own = criteria.filter(isFor).map(({ hashed }) => hashed)
      const isClaimed = planned === undefined || own.some(({ id }) => shown.get(receipt.task_id)?.includes(id))
      return isClaimed ? [{ ...receipt, criteria: own }] : []
    })
  }
}

const brokenBelow = (gone: string | undefined, broken: ReadRun | null): ReadRun["broken"] =>
  gone !== undefined
    ? { code: "log_changed", version: 0, message: `The log of its task run ${gone} is gone.` }
    : broken?.broken == null
      ? null
      : { ...broken.broken, message: `Task run ${broken.run_id}: ${broken.broken.message}` }

type Verified = ContentOf<"REQUIREMENT_VERIFIED">

/** A run, the task runs it names with the version at which it does, and those of which it tells something that they did. */
const readOne = Effect.fnUntraced(function* (run: string, version: number) {
  const log = yield* EventLog
  const { add, end, head, known: kept } = yield* faultFinder(run)
  const taskRuns = new Map<string, number>()
  const told = new Set<string>()
  const verdicts: Verdicts = new Map()
  const { sha256 } = yield* Digest
  const seen: { fold: ReceiptsFold; at: ReadRun["at"]; loopAt: Loop; ended: RunProof | null } = {
    fold: noReceipts(composition),
    at: null,
    loopAt: noLoop,
    ended: null
  }
  yield* log.read(run).pipe(
    Stream.takeWhile(add),
    Stream.runForEach((recorded) =>
      Effect.sync(() => {
        if (recorded.event_type === "REQUIREMENTS_LOADED") {
          // what a run of the file before this one has shown counts in this one too
          const { carried } = recorded.content as unknown as ContentOf<"REQUIREMENTS_LOADED">
          for (const { run_id } of carried?.completed ?? []) {
            taskRuns.set(run_id, recorded.version)
            told.add(run_id)
          }
        } else if (recorded.event_type === "TASK_RUN_LINKED") {
          const { run_id } = recorded.content as { readonly run_id: string }
          if (!taskRuns.has(run_id)) taskRuns.set(run_id, recorded.version)
        } else if (recorded.event_type === "TASK_RUN_ENDED") {
          told.add((recorded.content as unknown as ContentOf<"TASK_RUN_ENDED">).run_id)
        } else if (recorded.event_type === "REQUIREMENT_VERIFIED") {
          const { criteria, requirement_id } = recorded.content as unknown as Verified
          const { version } = recorded
          verdicts.set(requirement_id, [...(verdicts.get(requirement_id) ?? []), { version, criteria }])
        }
        const event = manifest.types.has(recorded.event_type)
          ? manifest.decode(recorded, () => seen.fold.snapshot)
          : null
        seen.fold = foldReceipts(composition, seen.fold, recorded, event)
        if (kernelStateOf(seen.fold.snapshot).run.status === "running") seen.ended = null
        else if (event !== null) seen.ended = (event.content as { readonly proof?: RunProof }).proof ?? seen.ended
        if (recorded.version === version) {
          seen.at = { hash: recorded.hash, receipts: receiptsOf(seen.fold, sha256) }
          seen.loopAt = loopOf(seen.fold.snapshot)
        }
      })
    ),
    orLogNewer
  )
  const broken = end()
  if (head() === null && broken === null) return null
  const receipts = receiptsOf(seen.fold, sha256)
  const read: ReadRun = {
    run_id: run,
    // a run of a kind that a plugin of the project brings: what was recorded at its end is all that is known here
    receipts: receipts.proof === undefined && seen.ended !== null ? { ...receipts, proof: seen.ended } : receipts,
    events: head()?.version ?? 0,
    broken,
    redacted: kernelStateOf(seen.fold.snapshot).run.redacted !== null,
    kept,
    at: seen.at
  }
  return { ...read, taskRuns, told, verdicts, loops: { end: loopOf(seen.fold.snapshot), at: seen.loopAt } }
})

export type Claim = Pick<Verification, "receipts" | "chain" | "keptHead" | "signature">

/** What a log claims: nothing, where it is not as it was written. */
export const claimOf = ({ broken, events, kept, receipts, run_id }: ReadRun): Claim & { readonly chain: Chain } => ({
  receipts: broken === null ? receipts : claimingNothing(receipts, run_id),
  chain:
    broken === null ? { ok: true, events, head: receipts.head } : { ok: false, events, head: receipts.head, ...broken },
  keptHead: kept === null ? null : { version: kept.version, hash: kept.hash },
  signature: null
})

const claimingNothing = ({ proof: _, ...receipts }: RunReceipts, run_id: string): RunReceipts => ({
  ...receipts,
  run_id,
  receipts: [],
  waived: [],
  open: []
})
