import type { ItemReceipt } from "@proofline/kernel"
import { keyId } from "@proofline/plugins/adapters/dsse"
import {
  type Attached,
  attachedIn,
  changesBetween,
  commitOf,
  commitsBetween,
  emptyTree,
  isLines,
  mergeBase,
  nearestWithNote,
  notedElsewhere,
  prefixOf
} from "@proofline/plugins/adapters/git-receipts"
import {
  type EvidenceKind,
  type JudgedReceipt,
  judgeReceipts,
  stillHolds,
  verificationOf
} from "@proofline/plugins/policies/evidence"
import type { ProjectReader } from "@proofline/plugins/ports"
import { Effect, Result } from "effect"
import type { AttachedRun, CommitProof, Finding } from "../documents/attached.ts"
import { isOfPlugin } from "../project/evidenceKinds.ts"
import { runMeant } from "../reading/historyIds.ts"
import { fileOf, filesOf, finding, findingsOf, signerFinding } from "./attachedFindings.ts"
import { type AttachedEnvelope, envelopeIn, isSameRun, versionOf } from "./attachedLines.ts"
import { judging, treeAt } from "./commitTrees.ts"
import type { TrustedKeys } from "./trustedKeys.ts"

export interface ProofQuestion {
  /** A directory of the repository: projects in it and below count. */
  readonly root: string
  /** Ids of commits. `base`: all that came after it is looked at; null: the commit alone. */
  readonly head: string
  readonly base: string | null
  /** Only this run, wherever it is attached. */
  readonly run: string | undefined
  readonly trusted: TrustedKeys
  /** What no trusted key signed is refused. */
  readonly isSignatureRequired: boolean
  /** A changed file of which no receipt speaks is an error. */
  readonly areFilesRequired: boolean
  /** Kinds of evidence that plugins bring, looked up where a receipt is of one; null: nothing of the project is run to look at theirs. */
  readonly kinds: Effect.Effect<ReadonlyArray<EvidenceKind>> | null
}

/** An envelope, and the commit that it is attached to; null: it was found by the name of its run. */
interface Placed extends AttachedEnvelope {
  readonly commit: string | null
}

interface Place {
  readonly commit: string | null
  readonly blob: string
}

interface Gathered {
  readonly envelopes: ReadonlyArray<Placed>
  readonly findings: ReadonlyArray<Finding>
}

/** What is attached to a commit, or to those since another, and what of it holds in that commit. */
export const attachedProof = Effect.fnUntraced(function* (question: ProofQuestion) {
  const { areFilesRequired, base, head, isSignatureRequired, root, trusted } = question
  const prefix = yield* prefixOf(root)
  const opened = yield* Effect.result(attachedIn(root))
  if (Result.isFailure(opened) && opened.failure._tag === "GitFailed") return yield* opened.failure
  const attached = Result.isSuccess(opened) ? opened.success : nothing
  const unreadable = Result.isFailure(opened) ? [finding("attached-unreadable", "error", opened.failure.message)] : []
  const before = yield* beforeOf(root, head, base)
  const comparison: Comparison = {
    head: treesOf(root, head),
    before,
    changed: yield* Effect.cached(changedFrom(root, before, head)),
    judged: new Map(),
    kinds: question.kinds === null ? null : yield* Effect.cached(question.kinds),
    question
  }
  const { found, gathered, noted } = yield* lookFor(attached, comparison)
  const here = latest(gathered.envelopes).filter(({ folder }) => folder.startsWith(prefix))
  const judged = yield* Effect.forEach(here, (one) => Effect.map(judgedIn(comparison, one), (all) => ({ one, all })))
  const whole = shownAnew(judged)
  const runs = whole.map(({ all, one }) => ({ run: runOf(one, all, head), one }))
  const changed = yield* changedSince(
    found === "ancestors" && noted.length > 0
      ? noted.map((commit) => changedFrom(root, commit, head))
      : [comparison.changed],
    prefix
  )
  const known = new Set(runs.flatMap(({ one, run }) => filesOf(run, receiptsIn(one))))
  const unknown = changed.filter((path) => !known.has(path))
  const findings: ReadonlyArray<Finding> = [
    ...unreadable,
    ...gathered.findings,
    ...here.flatMap((one) => signerFinding(one, trusted.keys, isSignatureRequired)),
    ...runs.flatMap(({ one, run }) => findingsOf(run, receiptsIn(one))),
    ...whereFrom(found, noted, question, gathered.envelopes.length - here.length, here.length),
    ...unknown.map((path) =>
      finding("file-unknown", areFilesRequired ? "error" : "note", `No receipt that holds speaks of ${path}.`, { path })
    )
  ]
  const proof: CommitProof = {
    commit: head,
    base,
    whole: runs.length > 0 && runs.every(({ run }) => run.whole) && findings.every(({ level }) => level !== "error"),
    found: here.length === 0 ? "none" : found,
    signatures: { required: isSignatureRequired, keys: trusted.keys.map(keyId), from: trusted.from },
    runs: runs.map(({ run }) => run),
    unknown,
    findings
  }
  return proof
}, Effect.provide(judging))

const nothing: Attached = { notes: new Map(), refs: new Map(), read: () => Effect.succeed([]) }

const receiptsIn = ({ receipts }: AttachedEnvelope) => receipts.receipts.map(({ receipt }) => receipt)

// --- what is compared -----------------------------------------------------------------------------------------------

/** The projects of a commit, by folder, each read once. */
interface Trees {
  readonly commit: string
  readonly at: (folder: string) => ReturnType<typeof treeAt>
}

interface Comparison {
  readonly question: ProofQuestion
  readonly head: Trees
  /** What the commit, or the range, came after; null: nothing. */
  readonly before: string | null
  /** Files that changed since; looked up once. */
  readonly changed: ReturnType<typeof changedFrom>
  /** What was judged already. */
  readonly judged: Map<AttachedEnvelope, ReadonlyArray<JudgedReceipt>>
  readonly kinds: ProofQuestion["kinds"]
}

const treesOf = (root: string, commit: string): Trees => {
  const known = new Map<string, Effect.Success<ReturnType<typeof treeAt>>>()
  const at = Effect.fnUntraced(function* (folder: string) {
    const tree = known.get(folder) ?? (yield* treeAt({ root, ref: commit, folder }))
    known.set(folder, tree)
    return tree
  })
  return { commit, at }
}

const beforeOf = (root: string, head: string, base: string | null) =>
  base === null ? commitOf(root, `${head}^`) : Effect.map(mergeBase(root, base, head), (common) => common ?? base)

const judgedIn = Effect.fnUntraced(function* (comparison: Comparison, envelope: AttachedEnvelope) {
  const known = comparison.judged.get(envelope)
  if (known !== undefined) return known
  const { projectFiles } = yield* comparison.head.at(envelope.folder)
  const judged = yield* judgeAll(comparison, envelope.receipts.receipts, projectFiles)
  comparison.judged.set(envelope, judged)
  return judged
})

/** Receipts of kinds that only plugins know are not looked at where no plugin is run. */
const judgeAll = Effect.fnUntraced(function* (
  { kinds }: Comparison,
  receipts: ReadonlyArray<ItemReceipt>,
  files: ProjectReader
) {
  const ofPlugins = kinds !== null && receipts.some(({ receipt }) => isOfPlugin(receipt)) ? yield* kinds : []
  const judged = yield* judgeReceipts(receipts, files, ofPlugins)
  return judged.map((one): JudgedReceipt => {
    const { receipt } = one.item
    return kinds === null && isOfPlugin(receipt) ? { ...one, reason: notRun(receipt.scheme) } : one
  })
})

const notRun = (scheme: string): string =>
  `Only a plugin of the project can look at evidence of the kind ${scheme}, and nothing of the project is run here without --plugins.`

const runOf = (one: Placed, judged: ReadonlyArray<JudgedReceipt>, ref: string): AttachedRun => {
  const { claimed, commit, folder, receipts, signer } = one
  const signature = {
    signed: claimed.length > 0,
    checked: signer !== null,
    keyid: signer === null ? null : keyId(signer)
  }
  return {
    commit,
    project: folder.replace(/\/$/, ""),
    claimed_by: claimed,
    ...verificationOf({ receipts, chain: null, keptHead: null, signature, ref, judged })
  }
}

/** Changed files from the top, those below `prefix`; since several commits those that changed since each. */
const changedSince = Effect.fnUntraced(function* (
  since: ReadonlyArray<ReturnType<typeof changedFrom>>,
  prefix: string
) {
  const sets = yield* Effect.all(since)
  const [first = new Set<string>(), ...others] = sets
  return [...first].filter((path) => path.startsWith(prefix) && others.every((set) => set.has(path)))
})

const changedFrom = Effect.fnUntraced(function* (root: string, before: string | null, head: string) {
  const from = before ?? (yield* emptyTree(root))
  const changes = yield* changesBetween(root, from, head, { unreadable: "left out" })
  return new Set(changes.map(({ path }) => path))
})

// --- where receipts are ---------------------------------------------------------------------------------------------

interface Lookup {
  readonly found: CommitProof["found"]
  readonly gathered: Gathered
  /** The commits they are attached to. */
  readonly noted: ReadonlyArray<string>
}

/** On the commit or in its range; else by what they say, for commits are rebased and squashed; else on those before it. */
const lookFor = Effect.fnUntraced(function* (attached: Attached, comparison: Comparison) {
  const { base, head, root, run } = comparison.question
  const { notes } = attached
  if (run !== undefined) return yield* ofRun(attached, comparison, run)
  const own = base === null ? [head] : yield* commitsBetween(root, base, head)
  const noted = own.filter((commit) => notes.has(commit))
  const on = (found: CommitProof["found"], commits: ReadonlyArray<string>) =>
    Effect.map(
      gather(attached, comparison, placesOf(attached, commits)),
      (gathered): Lookup => ({
        found,
        gathered,
        noted: commits
      })
    )
  if (noted.length > 0) return yield* on(base === null ? "commit" : "range", noted)
  const carried = yield* byContent(attached, comparison)
  if (carried.length > 0)
    return { found: "content", gathered: { envelopes: carried, findings: [] }, noted: [] } satisfies Lookup
  return yield* base === null ? on("ancestors", yield* nearestWithNote(root, head, notes)) : on("none", [])
})

const placesOf = ({ notes }: Attached, commits: ReadonlyArray<string>): ReadonlyArray<Place> =>
  commits.flatMap((commit) => (notes.get(commit) ?? []).map((blob) => ({ commit, blob })))

/** Places without a commit that are looked through at most. */
const placesMax = 2_000

/** Lines of a place that are told of one by one when they cannot be read. */
const toldMax = 20

const gather = Effect.fnUntraced(function* (
  { read }: Attached,
  { question: { trusted } }: Comparison,
  places: ReadonlyArray<Place>
) {
  const envelopes: Array<Placed> = []
  const findings: Array<Finding> = []
  const seen = new Set<string>()
  for (const { blob, commit } of places) {
    const where = commit === null ? "what is attached" : `the note of ${commit}`
    const lines = yield* read(blob)
    if (!isLines(lines)) {
      findings.push(finding("attached-unreadable", "error", `In ${where}: ${lines.message}`))
      continue
    }
    const faults: Array<Finding> = []
    for (const [i, line] of lines.entries()) {
      if (seen.has(line)) continue
      seen.add(line)
      const envelope = envelopeIn(line, trusted.keys)
      if (Result.isSuccess(envelope)) envelopes.push({ ...envelope.success, commit })
      else {
        const rule = envelope.failure.reason === "signature" ? "signature-broken" : "attached-unreadable"
        faults.push(
          finding(rule, "error", `Line ${i + 1} of ${where} is not to be trusted. ${envelope.failure.message}`)
        )
      }
    }
    findings.push(...faults.slice(0, toldMax))
    if (faults.length > toldMax)
      findings.push(
        finding("attached-unreadable", "error", `The same of ${faults.length - toldMax} more lines of ${where}.`)
      )
  }
  return { envelopes, findings } satisfies Gathered
})

/** Of each run the latest receipts; those that nobody vouches for do not take the place of those that somebody signed. */
const latest = (envelopes: ReadonlyArray<Placed>): ReadonlyArray<Placed> =>
  envelopes.filter(
    (one, i) =>
      !envelopes.some(
        (other, j) => i !== j && isSameRun(one, other) && (isBetter(other, one) || (j < i && !isBetter(one, other)))
      )
  )

const isBetter = (one: Placed, other: Placed): boolean => {
  const [trust, than] = [one.signer === null ? 0 : 1, other.signer === null ? 0 : 1]
  return trust === than ? versionOf(one) > versionOf(other) : trust > than
}

const ofRun = Effect.fnUntraced(function* (attached: Attached, comparison: Comparison, named: string) {
  const { notes, refs } = attached
  const places = [
    ...placesOf(attached, [...notes.keys()]),
    ...[...refs.values()].toReversed().map((blob) => ({ commit: null, blob }))
  ].slice(0, placesMax)
  const { envelopes } = yield* gather(attached, comparison, places)
  const ids = [...new Set(envelopes.map(({ receipts }) => receipts.run_id))].toSorted().toReversed()
  const run = yield* runMeant(
    named,
    ids.map((run_id) => ({ run_id, parent_run_id: null }))
  )
  const own = envelopes.filter(({ receipts }) => receipts.run_id === run)
  return { found: "run", gathered: { envelopes: own, findings: [] }, noted: [] } satisfies Lookup
})

/**
 * Receipts of commits that the commit does not follow from: something that they claim holds in it, and did not before what is
 * looked at. Lines that cannot be read are of somebody else.
 */
const byContent = Effect.fnUntraced(function* (attached: Attached, comparison: Comparison) {
  const { before, head, question } = comparison
  const { root } = question
  const elsewhere = new Set(yield* notedElsewhere(root, attached.notes, head.commit))
  const places = [
    ...placesOf(attached, [...elsewhere]),
    ...[...attached.refs.values()].toReversed().map((blob) => ({ commit: null, blob }))
  ].slice(0, placesMax)
  if (places.length === 0) return []
  const changed = yield* comparison.changed
  const followed = yield* linesAt(
    attached,
    [...attached.notes.keys()].filter((commit) => !elsewhere.has(commit))
  )
  const envelopes = (yield* gather(attached, comparison, places)).envelopes.filter(({ line }) => !followed.has(line))
  const past = before === null ? null : treesOf(root, before)
  const carried: Array<Placed> = []
  for (const one of latest(envelopes)) {
    const { projectFiles } = yield* head.at(one.folder)
    const paths = new Set(yield* projectFiles.paths)
    // a file that is not there may have another name now
    const mayBe = one.receipts.receipts.some(({ receipt }) => {
      const path = fileOf(receipt)
      return changed.has(`${one.folder}${path}`) || !paths.has(path)
    })
    if (!mayBe) continue
    const now = yield* judgedIn(comparison, one)
    const then =
      past === null ? [] : yield* judgeAll(comparison, one.receipts.receipts, (yield* past.at(one.folder)).projectFiles)
    if (now.some((judged, i) => stillHolds(judged) && !(then[i] !== undefined && stillHolds(then[i]))))
      carried.push(one)
  }
  return carried
})

const linesAt = Effect.fnUntraced(function* (attached: Attached, commits: ReadonlyArray<string>) {
  const lines = new Set<string>()
  for (const { blob } of placesOf(attached, commits).slice(0, placesMax)) {
    const found = yield* attached.read(blob)
    if (isLines(found)) for (const line of found) lines.add(line)
  }
  return lines
})

// --- what several runs say together ---------------------------------------------------------------------------------

interface Told {
  readonly one: Placed
  readonly all: ReadonlyArray<JudgedReceipt>
}

/** A claim that does not hold as one run showed it holds as another one has shown the same claim. */
const shownAnew = (judged: ReadonlyArray<Told>): ReadonlyArray<Told> =>
  judged.map(({ all, one }) => ({
    one,
    all: all.map((receipt) => {
      if (stillHolds(receipt)) return receipt
      for (const other of judged) {
        if (other.one === one || other.one.folder !== one.folder || (one.signer !== null && other.one.signer === null))
          continue
        const again = other.all.find((its) => stillHolds(its) && isSameClaim(its.item, receipt.item))
        if (again !== undefined)
          return {
            ...receipt,
            status: "re_anchored" as const,
            now: again.now,
            reason: `${other.one.receipts.run_id} has shown it anew.`
          }
      }
      return receipt
    })
  }))

const isSameClaim = (one: ItemReceipt, other: ItemReceipt): boolean =>
  one.item_sha256 !== undefined && one.item_sha256 === other.item_sha256 && one.task_id === other.task_id

/** What is to be said of where they were found. */
const whereFrom = (
  found: CommitProof["found"],
  noted: ReadonlyArray<string>,
  { base, head }: ProofQuestion,
  skipped: number,
  count: number
): ReadonlyArray<Finding> => [
  ...(count > 0 ? [] : [finding("receipts-none", "error", noneText(found, head, base))]),
  ...(found === "ancestors" && count > 0
    ? [
        finding(
          "receipts-inherited",
          "note",
          `Nothing is attached to ${head} itself; the receipts are of ${noted.join(", ")}, before it.`
        )
      ]
    : []),
  ...(found === "content" && count > 0
    ? [
        finding(
          "receipts-by-content",
          "note",
          `Nothing is attached to ${head} itself; the receipts are of commits that it does not follow from, and were found by what they show.`
        )
      ]
    : []),
  ...(count === 0 && skipped > 0
    ? [finding("receipts-elsewhere", "note", "What is attached is of projects in other folders of the repository.")]
    : [])
]

const noneText = (found: CommitProof["found"], head: string, base: string | null): string =>
  found === "run"
    ? "No receipts of that run are attached to any commit here."
    : `No receipts are attached to ${base === null ? `${head} or to a commit before it` : `a commit from ${base} to ${head}`}.`
