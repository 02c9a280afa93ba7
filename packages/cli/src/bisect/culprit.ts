import { type AttemptTrees, type Base, endTreeOf, type ProjectTree } from "@proofline/kernel"
import { Effect } from "effect"
import type { AttemptSeen, RunTrees, TreePoint } from "./points.ts"
import { findChange, type Verdict } from "./search.ts"
import { attemptName, momentName } from "./words.ts"

/** Asks what the command comes to with a tree. */
export type Ask<E, R> = (
  tree: Base | ProjectTree,
  what: string,
  attempt: AttemptSeen | null
) => Effect.Effect<Verdict, E, R>

/** What was done between the last tree that is good and the first that is bad. */
export interface Culprit {
  /** Null: no attempt. */
  readonly attempt: AttemptSeen | null
  /** The task, also where no attempt of it is meant. */
  readonly task_id: string | null
  readonly run_id: string
  readonly version: number
  readonly good: Base | ProjectTree
  readonly bad: Base | ProjectTree
  /** Of what the attempt told, lines from and to; null: its steps are not known so well. */
  readonly lines: { readonly after: number; readonly to: number | null } | null
  /** What is uncertain about it, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** Of two neighbours, what was done between them. */
export const culpritBetween = <E, R>(
  run: RunTrees,
  good: TreePoint,
  bad: TreePoint,
  ask: Ask<E, R>
): Effect.Effect<Culprit, E, R> => {
  const { moment, run_id, version } = bad
  const plain = { run_id, version, good: good.tree, bad: bad.tree, lines: null }
  const unseen = unseenBetween(run, good, bad)
  switch (moment._tag) {
    case "after":
      return withSteps(
        {
          ...plain,
          attempt: moment.attempt,
          task_id: moment.attempt.task_id,
          notes: [
            ...unseen.map((one) => `It may also be ${attemptName(one)}, after which no tree was kept.`),
            ...amongOthers(run, moment.attempt)
          ]
        },
        moment.attempt,
        ask
      )
    case "recorded":
      return Effect.succeed({
        ...plain,
        attempt: moment.attempt,
        task_id: moment.attempt?.task_id ?? null,
        notes: moment.attempt === null ? ["It came with what was changed in the project and handed over."] : []
      })
    case "before":
    case "begin": {
      const where =
        moment._tag === "begin"
          ? `before ${run_id} began`
          : `between the attempts, before ${attemptName(moment.attempt)} began`
      const only = unseen.length === 1 ? unseen[0] : undefined
      return Effect.succeed({
        ...plain,
        attempt: only ?? null,
        task_id: only?.task_id ?? null,
        version: only?.ended ?? version,
        notes: [
          unseen.length === 0
            ? `It was changed ${where}: by a person, a command or a review, and by no attempt.`
            : `It was changed ${where}: by ${unseen.map(attemptName).join(" or ")}, after which no tree was kept, or by somebody else meanwhile.`
        ]
      })
    }
    case "together":
      return culpritAmong(run, good, bad, moment.task_id, ask)
  }
}

/** Attempts that ended between two moments, may have changed files, and left no tree. */
const unseenBetween = (run: RunTrees, good: TreePoint, bad: TreePoint): ReadonlyArray<AttemptSeen> =>
  run.attempts.filter(
    ({ ended, files, run_id, trees }) =>
      run_id === bad.run_id &&
      ended !== null &&
      ended <= bad.version &&
      (good.run_id !== bad.run_id || ended > good.version) &&
      (trees === null || endTreeOf(trees) === undefined) &&
      trees?.worktree !== true &&
      (files === null || files.length > 0)
  )

/** Whose work was there by halves. */
const amongOthers = (run: RunTrees, own: AttemptSeen): ReadonlyArray<string> => {
  if (own.trees?.among_others !== true) return []
  const others = run.attempts.filter(
    (one) =>
      one !== own &&
      one.run_id === own.run_id &&
      one.started < (own.ended ?? Number.POSITIVE_INFINITY) &&
      (one.ended ?? Number.POSITIVE_INFINITY) > own.started
  )
  const names = others.length === 0 ? "others" : others.map(attemptName).join(", ")
  return [`In the same directory ${names} were at work too: what they had done by halves is in its tree.`]
}

/** Within an attempt, by the trees that were kept while it worked. */
const withSteps = Effect.fnUntraced(function* <E, R>(culprit: Culprit, attempt: AttemptSeen, ask: Ask<E, R>) {
  const steps = attempt.trees?.steps ?? []
  if (steps.length === 0) {
    const why =
      attempt.steps === null
        ? "The agent told of no steps, so the attempt is the finest answer."
        : "No tree was kept while it worked, so the attempt is the finest answer."
    return { ...culprit, notes: [...culprit.notes, why] }
  }
  const trees = [culprit.good, ...steps.map(({ tree }) => tree), culprit.bad]
  const { bad, good, skipped } = yield* findChange(0, trees.length - 1, (index) =>
    ask(trees[index] as ProjectTree, `step ${steps[index - 1]?.step} of ${attemptName(attempt)}`, attempt)
  )
  return {
    ...culprit,
    good: trees[good] ?? culprit.good,
    bad: trees[bad] ?? culprit.bad,
    lines: { after: good === 0 ? 0 : (steps[good - 1]?.since ?? 0), to: steps[bad - 1]?.step ?? null },
    notes: skipped.length === 0 ? culprit.notes : [...culprit.notes, "Trees between these steps were skipped."]
  }
})

/** Which of several subtasks, that worked in worktrees of their own, is enough to make it fail. */
const culpritAmong = Effect.fnUntraced(function* <E, R>(
  run: RunTrees,
  good: TreePoint,
  bad: TreePoint,
  task_id: string,
  ask: Ask<E, R>
): Effect.fn.Return<Culprit, E, R> {
  const known = run.attempts.filter(
    ({ ended, run_id, task_id, trees }) =>
      run_id === bad.run_id &&
      ended !== null &&
      ended <= bad.version &&
      (good.run_id !== bad.run_id || ended > good.version) &&
      trees?.worktree === true &&
      run.completed.has(task_id)
  )
  const byTask = [...Map.groupBy(known, (one) => one.task_id).values()]
  for (const attempts of byTask.toSorted((a, b) => (a.at(-1)?.ended ?? 0) - (b.at(-1)?.ended ?? 0))) {
    const own = attempts.flatMap((attempt) => {
      const trees = attempt.trees as AttemptTrees
      const { before } = trees
      const after = endTreeOf(trees)
      return after === undefined ? [] : [{ attempt, after, before: before ?? null }]
    })
    const last = own.at(-1)
    if (last === undefined) continue
    const askEnd = ({ after, attempt }: (typeof own)[number]) =>
      ask(after, `the end of ${attemptName(attempt)}, in its worktree`, attempt)
    if ((yield* askEnd(last)) !== "bad") continue
    let found = last
    for (const one of own.slice(0, -1)) {
      if ((yield* askEnd(one)) !== "bad") continue
      found = one
      break
    }
    const { after, attempt, before } = found
    return yield* withSteps(
      {
        attempt,
        task_id: attempt.task_id,
        run_id: bad.run_id,
        version: attempt.ended ?? bad.version,
        good: before ?? good.tree,
        bad: after,
        lines: null,
        notes: []
      },
      attempt,
      ask
    )
  }
  return {
    attempt: null,
    task_id,
    run_id: bad.run_id,
    version: bad.version,
    good: good.tree,
    bad: bad.tree,
    lines: null,
    notes: [`Each subtask passes by itself: together they fail, from ${momentName(bad)} on.`]
  }
})
