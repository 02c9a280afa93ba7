import {
  type ActivityFailure,
  AttemptInput,
  type Base,
  brokenByOwnInterrupt,
  type Digest,
  type EvidenceFact,
  faultOf,
  isLineFact,
  isRecord,
  type Json,
  type KernelState,
  type KindFact,
  RecordEvidence,
  type ReportedItem,
  type Request,
  subtaskStateOf,
  type TaskState,
  taskOf,
  wholePrompt
} from "@proofline/kernel"
import { Effect, Option } from "effect"
import {
  Baseline,
  BlobStore,
  directoryOf,
  ProjectFiles,
  type ProjectReader,
  Syntax,
  Workspaces
} from "../../port/index.ts"
import { type TaskWords, taskWords } from "./asked/prose.ts"
import { once } from "./code/once.ts"
import type { Rule } from "./code/range.ts"
import { Evidence, type EvidenceKind, type LookContext } from "./contract.ts"
import { pathOf } from "./files/facts.ts"
import { idleFile, leftInFile } from "./files/readFacts.ts"
import { kept, noting } from "./kept/readFacts.ts"
import { citedKind, type KindCitation } from "./kinds.ts"
import { meantPath } from "./meantPath.ts"
import { movedFile, type Seeing } from "./moved/readFacts.ts"
import { type Claimed, lackingIn, makeReadFacts, namedIn, proseIn, type ReadFacts, remainingIn } from "./readFacts.ts"

type Run = (
  input: AttemptInput,
  context: { readonly state: KernelState }
) => Effect.Effect<Request<"tasks"> | null, ActivityFailure>

/**
 * Looks at what a report cites. Says nothing when the attempt the work was meant for is over or was looked at before.
 * `kindsOf`: the kinds of evidence that there are beside lines.
 */
export const makeEvidenceActivity = (
  rule: Rule,
  kindsOf: (state: KernelState) => ReadonlyArray<EvidenceKind>
): Effect.Effect<
  { readonly input: typeof AttemptInput; readonly run: Run },
  never,
  Workspaces | ProjectFiles | Digest | Syntax | Baseline
> =>
  Effect.gen(function* () {
    const readFacts = yield* makeReadFacts(rule)
    const workspaces = yield* Workspaces
    const projectFiles = yield* ProjectFiles
    const baseline = yield* Baseline
    const syntax = yield* Syntax
    const blobs = Option.getOrNull(yield* Effect.serviceOption(BlobStore))

    const filesOf = Effect.fnUntraced(function* (state: KernelState, task: TaskState) {
      const directory = yield* directoryOf(workspaces, state, task)
      return directory === undefined ? projectFiles : projectFiles.at(directory)
    })

    return {
      input: AttemptInput,
      run: Effect.fnUntraced(function* ({ attempt, task_id }, { state }) {
        const task = taskOf(state, task_id)
        const current = task?.current
        if (task === undefined || current == null || current.facts !== null || current.attempt !== attempt) return null
        const { files, read } = noting(yield* filesOf(state, task))
        const claims = claimsOf(current.report?.checklist ?? [], task, wordsOf(state, task))
        const { base } = state.run
        const found = yield* factsOf(
          { readFacts, kinds: kindsOf(state), files, seen: { baseline, syntax } },
          claims,
          base
        )
        const facts = yield* withLostBase(found, base, { baseline, root: files.root })
        // what cannot be kept is missed by nobody who judges now
        const bundle =
          blobs === null
            ? null
            : yield* kept({ baseline, blobs }, read, base, files.root).pipe(Effect.orElseSucceed(() => null))
        return RecordEvidence({ task_id, attempt, facts, ...(bundle === null ? {} : { files: bundle }) })
      })
    }
  })

const referencesAtOnce = 8

/** With what claims are looked at. */
interface Looking {
  readonly readFacts: ReadFacts
  readonly kinds: ReadonlyArray<EvidenceKind>
  readonly files: ProjectReader
  /** By what it is known what became of files; left out: nobody asks. */
  readonly seen?: Pick<Seeing, "baseline" | "syntax">
}

/** What is found where claims point to, lines or another kind, in the order of the claims. */
export const factsOf = Effect.fnUntraced(function* (
  { files, kinds, readFacts, seen }: Looking,
  claims: ReadonlyArray<Claimed>,
  base: Base | null
): Effect.fn.Return<ReadonlyArray<EvidenceFact>> {
  const { lines, ofKinds } = sorted(kinds, claims)
  const found: ReadonlyArray<EvidenceFact> = [
    ...(yield* Effect.forEach(ofKinds, (claim) => lookedAt(claim, claims, { base, files, seen }), {
      concurrency: referencesAtOnce
    })),
    ...(yield* readFacts(lines, base, files))
  ]
  const told = found.some((fact) => missingIn(fact) !== null)
    ? withMeant(found, yield* pathsIn(files), files.root)
    : found
  return told.toSorted((a, b) => a.index - b.index)
})

/** The path at which no file was found; null: there was one, or it is not known. */
const missingIn = (fact: EvidenceFact): string | null => {
  if (isLineFact(fact)) return fact.outcome === "file_not_found" ? fact.path : null
  const { outcome } = (fact.fact ?? {}) as { readonly outcome?: unknown }
  return fact.scheme === "file" && outcome === "file_not_found" ? pathOf(fact.evidence.slice("file:".length)) : null
}

/** None where nobody has kept them: what is said beside a refusal is worth no more. */
const pathsIn = ({ paths }: ProjectReader): Effect.Effect<ReadonlyArray<string>> =>
  Effect.catchDefect(paths, () => Effect.succeed([]))

/** Says of each path that leads nowhere which one may be meant. */
const withMeant = (
  facts: ReadonlyArray<EvidenceFact>,
  paths: ReadonlyArray<string>,
  root: string
): ReadonlyArray<EvidenceFact> =>
  facts.map((fact) => {
    const missing = missingIn(fact)
    const meant = missing === null ? "" : meantPath(missing, paths, root)
    return meant === "" ? fact : withDetail(fact, meant)
  })

const withDetail = (fact: EvidenceFact, added: string): EvidenceFact => {
  if (isLineFact(fact)) return { ...fact, detail: `${fact.detail} ${added}`.trim() }
  const { detail, ...more } = fact.fact as { readonly detail: string }
  return { ...fact, fact: { ...more, detail: `${detail} ${added}`.trim() } }
}

/** Says of facts of which nobody can tell what they were before that the base itself is gone, where that is why. */
const withLostBase = Effect.fnUntraced(function* (
  facts: ReadonlyArray<EvidenceFact>,
  base: Base | null,
  { baseline, root }: Pick<Seeing, "baseline"> & { readonly root: string }
) {
  if (base === null || !facts.some(isUntold)) return facts
  const why = yield* Effect.match(baseline.came(base, root), {
    onSuccess: () => null,
    onFailure: ({ message }) =>
      `${message} \`proofline doctor\` names what is missing of it: bring that back from a backup, or start a new run, with \`--base <commit>\` for what was done before.`
  })
  return why === null ? facts : facts.map((fact) => (isUntold(fact) ? withDetail(fact, why) : fact))
})

/** Nobody can tell what it was when the run began. */
const isUntold = (fact: EvidenceFact): boolean => {
  if (isLineFact(fact)) return fact.proof?.change === null
  const { before, proof } = (fact.fact ?? {}) as { readonly before?: unknown; readonly proof?: unknown }
  const isOurs = fact.scheme === "file" || fact.scheme === "absent"
  return isOurs && (before === "unknown" || (isRecord(proof) && proof["change"] === "unknown"))
}

interface OfKind extends Claimed, KindCitation {}

/** How long a plugin may look at one reference. */
const lookMs = 60_000

/** What is found at a reference now; a plugin that breaks there, or does not end, is named. */
export const lookAt = (kind: EvidenceKind, reference: string, context: LookContext): Effect.Effect<Json> => {
  const broken = (defect: unknown) => Effect.die(faultOf(kind.by, `look of ${kind.scheme}`, defect))
  return Effect.suspend((): Effect.Effect<Json, unknown> => kind.look(reference, context)).pipe(
    Effect.timeoutOrElse({
      duration: lookMs,
      orElse: () => Effect.die(new Error(`It did not look at ${reference} within ${lookMs / 1_000} s.`))
    }),
    brokenByOwnInterrupt,
    // without types it may fail with anything
    Effect.catch(broken),
    Effect.catchDefect(broken)
  )
}

const lookedAt = Effect.fnUntraced(function* (
  { evidence, index, item, kind, reference, task, whole }: OfKind,
  claims: ReadonlyArray<Claimed>,
  {
    base,
    files,
    seen
  }: Pick<Looking, "files"> & { readonly base: Base | null; readonly seen: Looking["seen"] | undefined }
): Effect.fn.Return<KindFact> {
  const fact = yield* lookAt(kind, reference, { directory: files.root, base })
  const cited = kind.path?.(reference) ?? null
  const named = kind.path === undefined ? [] : yield* namedIn(base, { item, whole, path: cited }, files)
  // a plugin whose kind speaks of a text knows better what that shows
  const path = kind.by === Evidence.name ? cited : null
  const others = once(() =>
    claims.flatMap((claim) => (claim.item === undefined || claim.index === index ? [] : [claim.item]))
  )
  const seeing = base === null || seen === undefined ? null : { ...seen, base, files }
  const isJudged = seeing !== null && path !== null && item !== undefined && whole === undefined
  const find = kind.scheme === "absent" ? movedFile : leftInFile
  const left = isJudged ? yield* find({ item, task, others }, path, seeing) : null
  const idle = isJudged && isThere(fact) ? yield* idleFile(item, path, seeing) : null
  const asked = {
    ...(left === null ? {} : { left }),
    ...(named.length === 0 ? {} : { named }),
    ...(yield* lackingIn(base, path, { item, whole }, files)),
    ...(yield* remainingIn(base, kind.scheme === "absent" ? path : null, item, files)),
    ...proseIn(base, path, { item, task })
  }
  const found = idle === null || !isThere(fact) ? fact : { ...fact, outcome: "empty", detail: idle, idle: true }
  return { index, evidence, scheme: kind.scheme, fact: found, ...asked }
})

/** A file that holds something, as Proofline's own kind finds it. */
const isThere = (fact: Json): fact is Extract<Json, Readonly<Record<string, Json>>> =>
  isRecord(fact) && fact["outcome"] === "ok"

const sorted = (
  kinds: ReadonlyArray<EvidenceKind>,
  claims: ReadonlyArray<Claimed>
): { readonly lines: ReadonlyArray<Claimed>; readonly ofKinds: ReadonlyArray<OfKind> } => {
  const cited = claims.map((claim) => ({ claim, kind: citedKind(kinds, claim.evidence) }))
  return {
    lines: cited.flatMap(({ claim, kind }) => (kind === null ? [claim] : [])),
    ofKinds: cited.flatMap(({ claim, kind }) => (kind === null ? [] : [{ ...claim, ...kind }]))
  }
}

/** What a task says, and the one that it is a part of. */
const wordsOf = (state: KernelState, task: TaskState): TaskWords => {
  const parent = taskOf(state, subtaskStateOf(state, task)?.parent_task_id ?? "")
  return taskWords(textsOf(task), parent === undefined ? [] : textsOf(parent))
}

const textsOf = ({ spec: { instruction, title } }: TaskState): ReadonlyArray<string> => [title, instruction]

const claimsOf = (
  checklist: ReadonlyArray<ReportedItem>,
  { spec: { instruction } }: TaskState,
  task: TaskWords
): ReadonlyArray<Claimed> =>
  checklist.flatMap(({ evidence, item, status }, index) =>
    (status === "done" || status === "cannot") && evidence != null && evidence.trim() !== ""
      ? [{ index, evidence, item, task, ...(item === wholePrompt ? { whole: instruction } : {}) }]
      : []
  )
