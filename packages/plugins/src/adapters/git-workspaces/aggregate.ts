import * as Path from "node:path"
import type { AggregationOutcome, FileConflict } from "@proofline/kernel"
import { Effect } from "effect"
import { isWithin } from "../../git/paths.ts"
import { changesBetween, commitTree, treeOf } from "../../git/tree.ts"
import type { AggregationRequest } from "../../port/index.ts"
import { type Meeting, questionOf } from "./answers.ts"
import { decide } from "./decide.ts"
import { beginAnew, type Done, sourcesOf, wayOut, worksOf } from "./keep.ts"
import { always, applied, combine, merge } from "./merge.ts"
import { type Refs, refsOf, runRefs } from "./names.ts"
import { type Kept, readRefs, setRef } from "./refs.ts"
import { snapshotOf } from "./snapshot.ts"
import { type Failing, fromProject, refused, stateOf, type WorktreeStore } from "./store.ts"
import { disputed, takenAway } from "./wentBack.ts"
import { folderOf, isFolder } from "./worktrees.ts"
import { planOf, write } from "./write.ts"
import { countWritten } from "./written.ts"

interface Aggregation {
  readonly store: WorktreeStore
  readonly request: AggregationRequest
  readonly refs: Refs
  readonly known: ReadonlyMap<string, Kept>
  readonly base: Kept
  readonly works: ReadonlyArray<Done>
  /** By path from the top: subtasks that changed it, in order. */
  readonly sources: ReadonlyMap<string, ReadonlyArray<string>>
}

/** A tree, or what stands in its way. */
type Step =
  | {
      readonly tree: string
      readonly conflicts: ReadonlyArray<FileConflict>
      readonly given_up: ReadonlyArray<FileConflict>
    }
  | AggregationOutcome

export const aggregate = Effect.fnUntraced(function* (
  store: WorktreeStore,
  request: AggregationRequest
): Effect.fn.Return<AggregationOutcome, Failing> {
  const refs = refsOf(request.run_id, request.parent_task_id)
  const { known, works } = yield* worksOf(store, request, request.subtasks)
  const base = known.get(refs.base)
  if (base === undefined) {
    const others = yield* readRefs(store, runRefs(request.run_id))
    // nothing of it was ever opened
    if (works.length === 0 && (others.size > 0 || !(yield* isFolder(folderOf(store, request.run_id)))))
      return { outcome: "merged", files_modified: [], conflicts: [], message: "" }
    return yield* refused(
      "workplace_lost",
      `What the project was at the beginning is no longer in the repository: somebody removed ${refs.base}. Nothing was written to the project. ${beginAnew}`
    )
  }
  const sources = yield* sourcesOf(store, works)
  const aggregation = { store, request, refs, known, base, works, sources }
  const together = yield* putTogether(aggregation)
  if ("outcome" in together) return together
  const ended = yield* intoProject(aggregation, together.tree)
  if ("outcome" in ended) return ended
  const { conflicts, given_up } = together
  return { ...ending(aggregation, "merged", conflicts, ""), ...(given_up.length === 0 ? {} : { given_up }) }
})

const ending = (
  { store, sources, works }: Aggregation,
  outcome: AggregationOutcome["outcome"],
  conflicts: ReadonlyArray<FileConflict>,
  message: string
): AggregationOutcome => {
  const left = leftAlone(store, works)
  return {
    outcome,
    files_modified: [...new Set([...sources.keys()].map((path) => fromProject(store, path)))].sort(),
    conflicts,
    message,
    ...(left.length === 0 ? {} : { left_alone: left })
  }
}

const leftAlone = (store: WorktreeStore, works: ReadonlyArray<Done>): ReadonlyArray<FileConflict> => {
  const paths = new Set(works.flatMap(({ left_alone }) => left_alone))
  return [...paths].sort().map((path) => ({
    file: fromProject(store, path),
    sources: works.flatMap(({ left_alone, task }) => (left_alone.includes(path) ? [task] : []))
  }))
}

/** All subtasks onto what the project was, in order. */
const putTogether = Effect.fnUntraced(function* (aggregation: Aggregation): Effect.fn.Return<Step, Failing> {
  const { base, request, store, works } = aggregation
  const { conflict_resolution, type } = request.strategy
  const found: Array<FileConflict> = []
  // by file: whoever is the last has the last word
  const given_up = new Map<string, FileConflict>()
  let tree = base.tree
  for (const [i, work] of works.entries()) {
    const merged = yield* combine(store, work.start.tree, tree, work.kept.tree, request.strategy)
    const conflicts = yield* conflictsAt(aggregation, merged.conflicts, works.slice(0, i), [work.task])
    for (const one of yield* conflictsAt(aggregation, merged.given_up ?? [], works.slice(0, i), [work.task]))
      given_up.set(one.file, one)
    if (conflicts.length > 0 && conflict_resolution === "manual") {
      const answer = yield* ask(aggregation, work, tree, merged.conflicts)
      if ("message" in answer) return ending(aggregation, "needs_person", conflicts, answer.message)
      tree = answer.tree
    } else {
      // to find the other conflicts too, even when nothing will be written
      tree = merged.tree
      found.push(...conflicts)
    }
  }
  return found.length > 0 && !(conflict_resolution === "overwrite" && type === "merge_all")
    ? ending(aggregation, "conflict", found, refusal(found, request.run_id))
    : { tree, conflicts: found, given_up: [...given_up.values()] }
})

const conflictsAt = Effect.fnUntraced(function* (
  { store }: Aggregation,
  paths: ReadonlyArray<string>,
  earlier: ReadonlyArray<Done>,
  later: ReadonlyArray<string>
) {
  if (paths.length === 0) return []
  const sources = yield* sourcesOf(store, earlier)
  return paths.map(
    (path): FileConflict => ({
      file: fromProject(store, path),
      sources: [...(sources.get(path) ?? []), ...later]
    })
  )
})

const refusal = (conflicts: ReadonlyArray<FileConflict>, run: string): string =>
  `Nothing was written to the project. These changes cannot be had together: ${named(conflicts)}. ${wayOut(run)}`

const named = (conflicts: ReadonlyArray<FileConflict>): string =>
  conflicts.map(({ file, sources }) => `${file} (${sources.join(" and ")})`).join(", ")

/** Before the project stand tasks of the same run that changed the file there. */
const withOthers = ({ others = [] }: AggregationRequest, conflicts: ReadonlyArray<FileConflict>) =>
  conflicts.map(({ file, sources }): FileConflict => {
    const found = others.filter(({ files }) => files.includes(file)).map(({ task_id }) => task_id)
    return { file, sources: [...sources.slice(0, -1), ...found, project] }
  })

const ask = ({ known, request, store }: Aggregation, work: Meeting, ours: string, conflicts: ReadonlyArray<string>) =>
  decide(store, questionOf(store, request, known, work, ours, conflicts))

/** Somebody may be working in the project: then it is tried again on what it has become. */
const tries = 5

const intoProject = Effect.fnUntraced(function* (
  aggregation: Aggregation,
  result: string
): Effect.fn.Return<{ readonly tree: string } | AggregationOutcome, Failing> {
  const { base, known, refs, request, store, works } = aggregation
  const checkout = store.repository
  const isManual = request.strategy.conflict_resolution === "manual"
  const commitOf = (tree: string) => commitTree(checkout, tree, [base.commit], "All subtasks together\n", always)
  const goal = { commit: yield* commitOf(result), tree: result }
  let begun = known.get(refs.project)
  for (let attempt = 0; attempt < tries; attempt++) {
    const now = (yield* snapshotOf(store, checkout)).tree
    const sides = yield* towards(aggregation, begun, result)
    const ours = sides.isBegun ? yield* editsIn(store, sides.from, now, sides.theirs) : now
    const contested = sides.isBegun ? [] : yield* contestedIn(aggregation, sides)
    const from = yield* disputed(store, sides.from, contested)
    const merged = yield* merge(store, from, ours, sides.theirs)
    let tree = merged.tree
    if (merged.conflicts.length > 0) {
      const conflicts = withOthers(request, yield* conflictsAt(aggregation, merged.conflicts, works, [project]))
      if (!isManual)
        return ending(
          aggregation,
          "conflict",
          conflicts,
          unwritten(aggregation, conflicts, new Set(contested), yield* beginning(store, sides, now))
        )
      const kept = { ...goal, tree: sides.theirs }
      const work = { task: project, start: { tree: from }, kept }
      const answer = yield* ask(aggregation, work, ours, merged.conflicts)
      if ("message" in answer) return ending(aggregation, "needs_person", conflicts, answer.message)
      tree = answer.tree
    }
    const inState = (path: string) => isWithin(stateOf(store), Path.join(checkout.top, path))
    const changes = (yield* changesBetween(checkout, now, tree)).filter(({ path }) => !inState(path))
    const { blocked, plan } = yield* planOf(store, changes)
    if (blocked.length > 0) {
      const conflicts = yield* conflictsAt(aggregation, blocked, works, [project])
      const message = inTheWay(yield* beginning(store, sides, now), conflicts, request.run_id)
      return ending(aggregation, isManual ? "needs_person" : "conflict", conflicts, message)
    }
    begun = yield* note(aggregation, tree, now, goal.commit)
    if (plan.changes.length === 0 || (yield* write(store, tree, plan))) {
      yield* note(aggregation, tree, tree, goal.commit)
      return { tree }
    }
  }
  return yield* refused(
    "workplace_busy",
    `The files of the project changed again and again while the subtasks' changes were written. Nothing was left half done. Stop what changes them, then run \`proofline resume ${request.run_id}\`.`
  )
})

const project = "project"

/** Before the project is written it is noted what it was and is to become: after a crash the rest follows from that. */
const note = Effect.fnUntraced(function* (
  { refs, store }: Aggregation,
  tree: string,
  before: string,
  goal: string
): Effect.fn.Return<Kept, Failing> {
  const was = yield* commitTree(store.repository, before, [], "The project before\n", always)
  const commit = yield* commitTree(store.repository, tree, [was, goal], "The project with all subtasks\n", always)
  yield* setRef(store, refs.project, commit)
  return { commit, tree, parents: [was, goal] }
})

interface Sides {
  readonly from: string
  readonly theirs: string
  /** It was being written before, to the same end. */
  readonly isBegun: boolean
}

/** What the project began with and what is put onto it, in the light of what was written to it before. */
const towards = Effect.fnUntraced(function* (
  { base, store }: Aggregation,
  begun: Kept | undefined,
  result: string
): Effect.fn.Return<Sides, Failing> {
  const [was, goal] = begun?.parents ?? []
  if (begun === undefined || was === undefined || goal === undefined)
    return { from: base.tree, theirs: result, isBegun: false }
  const [before, aim] = [yield* treeOf(store.repository, was), yield* treeOf(store.repository, goal)]
  if (aim === result) return { from: before, theirs: begun.tree, isBegun: true }
  // other subtasks than the last time, whose changes are all there
  return { from: before === begun.tree ? aim : base.tree, theirs: result, isBegun: false }
})

/** What the project was, with what others have changed in it since: what we have written is no change of anybody's. */
const editsIn = Effect.fnUntraced(function* (store: WorktreeStore, before: string, now: string, aim: string) {
  const left = new Set((yield* changesBetween(store.repository, now, aim)).map(({ path }) => path))
  const changes = yield* changesBetween(store.repository, before, now)
  return yield* applied(
    store,
    before,
    changes.filter(({ path }) => left.has(path))
  )
})

/** Files whose uncommitted changes would not be there any more, which only a person may want. */
const contestedIn = Effect.fnUntraced(function* (
  { base, store, works }: Aggregation,
  { from, theirs }: { readonly from: string; readonly theirs: string }
): Effect.fn.Return<ReadonlyArray<string>, Failing> {
  const [head = base.commit] = base.parents
  const taken = yield* takenAway(store, { head, before: base.tree, from, theirs })
  return [...new Set([...taken, ...works.flatMap(({ contested }) => contested)])]
})

/** How a refusal begins, with what is in the project already: a process may have ended while it wrote. */
const beginning = Effect.fnUntraced(function* (
  { repository }: WorktreeStore,
  { from, isBegun, theirs }: Sides,
  now: string
) {
  const { files, of } = isBegun
    ? yield* countWritten(repository, { from, to: theirs, aim: theirs }, now)
    : { files: 0, of: 0 }
  return files === 0
    ? "Nothing was written to the project"
    : `A process ended while it wrote to the project: ${files} of ${of} changed files are there, and nothing more was written`
})

const unwritten = (
  { request, store }: Aggregation,
  conflicts: ReadonlyArray<FileConflict>,
  contested: ReadonlySet<string>,
  standing: string
): string => {
  const files = new Set([...contested].map((path) => fromProject(store, path)))
  const isOfRun = ({ file, sources }: FileConflict): boolean =>
    request.others?.some((one) => one.files.includes(file) && sources.includes(one.task_id)) === true
  const taken = conflicts.filter(({ file }) => files.has(file))
  const others = conflicts.filter((one) => !taken.includes(one))
  const ofRun = others.filter(isOfRun)
  const ofSomebody = others.filter((one) => !isOfRun(one))
  return [
    ...(ofSomebody.length > 0 ? [edited(standing, ofSomebody, request.run_id)] : []),
    ...(ofRun.length > 0 ? [crossed(standing, ofRun, request.run_id)] : []),
    ...(taken.length > 0 ? [taking(taken, request.run_id)] : [])
  ].join(" ")
}

const taking = (conflicts: ReadonlyArray<FileConflict>, run: string): string =>
  `Nothing was written to the project, because it would lose changes that were not committed when the task was split: ${named(conflicts)}. If it is to lose them, do so yourself, then run \`proofline resume ${run}\`; or decide with \`proofline resume ${run} --conflict-resolution manual\`.`

const edited = (standing: string, conflicts: ReadonlyArray<FileConflict>, run: string): string =>
  `${standing}, because somebody changed it meanwhile where the subtasks did: ${named(conflicts)}. Take those changes back or commit them elsewhere, then run \`proofline resume ${run}\`; or decide yourself with \`proofline resume ${run} --conflict-resolution manual\`.`

/** What another task of the run has shown there is not to be taken back. */
const crossed = (standing: string, conflicts: ReadonlyArray<FileConflict>, run: string): string =>
  `${standing}, because another task of this run changed the same lines meanwhile: ${named(conflicts.map(({ file, sources }) => ({ file, sources: sources.slice(0, -1) })))}. Bring both together with \`proofline resume ${run} --conflict-resolution manual\`; in another run let one of them depend on the other.`

const inTheWay = (standing: string, conflicts: ReadonlyArray<FileConflict>, run: string): string =>
  `${standing}, because something that git does not know or cannot write is in the way: ${named(conflicts)}. Move it away, then run \`proofline resume ${run}\`.`
