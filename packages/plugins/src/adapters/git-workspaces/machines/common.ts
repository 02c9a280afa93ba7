/** What a project and a run had in common last: what each of them has become since can be told by it. */
import { existsSync } from "node:fs"
import * as Path from "node:path"
import type { LogUnavailable, RunId } from "@proofline/kernel"
import { Effect } from "effect"
import { commitOf, mergeBase, type Repository } from "../../../git/repository.ts"
import { git } from "../../../git/run.ts"
import { nameOf, ownRefs } from "../../../git/runRefs.ts"
import { type Failing, type Options, refused } from "../store.ts"
import { addTrees, type Sources } from "./replica.ts"
import { noTrees, type RecordedTree, type RunTrees, readTrees } from "./trees.ts"

/** The commit that the project and the run had in common last. */
export const commonRef = (run: RunId): string => `${ownRefs}_handed/${nameOf(run)}`

/** What it is to become, once its parent is recorded as a tree of the run: nothing else tells whether that came about. */
export const nextCommonRef = (run: RunId): string => `${ownRefs}_handing/${nameOf(run)}`

/** What the run has come to, kept also where it cannot be written into the project. */
export const comeRef = (run: RunId): string => `${ownRefs}_come/${nameOf(run)}`

/** Tells that a run which is over was brought home, and so needs no refs. */
export const broughtFile = ({ stateDir }: Options, run: RunId): string =>
  Path.join(stateDir, "brought-home", nameOf(run))

/**
 * That commit, once all trees of the run are in the repository; `head` is the last of them. It is kept of a project that has handed
 * the run over, or what it was forked from. One in whose history the run's commit is has all of it, whoever merged it.
 */
export const commonOf = Effect.fnUntraced(function* (
  sources: Sources,
  options: Options,
  repository: Repository,
  run: RunId,
  told: RunTrees,
  head: RecordedTree
): Effect.fn.Return<string, Failing | LogUnavailable> {
  yield* addTrees(sources, repository.common, told.trees)
  const handed = yield* handedOf(repository, run, told)
  const here = yield* commitOf(repository, "HEAD")
  const base = here === null ? null : yield* mergeBase(repository, here, head.commit)
  if (base === head.commit) return base
  if (handed !== null) return handed
  const found = yield* commonOfOrigin(sources, options, repository, told, head)
  if (found === null) return yield* notHanded(repository, run, told, base === null ? null : head.commit)
  yield* git(repository, ["update-ref", commonRef(run), found])
  return found
})

const handedOf = Effect.fnUntraced(function* (repository: Repository, run: RunId, { trees }: RunTrees) {
  const next = yield* commitOf(repository, nextCommonRef(run))
  const handed = next === null ? null : yield* commitOf(repository, `${next}^`)
  if (next === null || !trees.some(({ commit }) => commit === handed))
    return yield* commitOf(repository, commonRef(run))
  yield* git(repository, ["update-ref", commonRef(run), next])
  yield* git(repository, ["update-ref", "-d", nextCommonRef(run)])
  return next
})

/** Of a fork: nobody has handed it over, but its first commits are those of the run that it was forked from. */
const commonOfOrigin = Effect.fnUntraced(function* (
  { log }: Sources,
  options: Options,
  repository: Repository,
  { origins, trees }: RunTrees,
  head: RecordedTree
): Effect.fn.Return<string | null, Failing> {
  const isAmong = (all: ReadonlyArray<RecordedTree>, common: string) => all.some(({ commit }) => commit === common)
  for (const origin of origins) {
    if (existsSync(broughtFile(options, origin))) return head.commit
    const common = yield* commitOf(repository, commonRef(origin))
    if (common === null) continue
    if (isAmong(trees, common)) return common
    const later = yield* Effect.orElseSucceed(readTrees(log, origin), () => noTrees)
    // the project has what came behind the fork too; what the user handed over then, the fork has not
    return isAmong(later.trees, common) ? head.commit : (trees[0] as RecordedTree).commit
  }
  return null
})

/** `commit`: what can be merged here; null: this is no clone of the project. */
const notHanded = Effect.fnUntraced(function* (
  repository: Repository,
  run: RunId,
  { origins: [origin] }: RunTrees,
  commit: string | null
): Effect.fn.Return<never, Failing> {
  const there = `the directory where ${origin === undefined ? "the run" : `${origin}, from which it was forked,`} was begun`
  if (commit !== null) {
    // nothing else keeps it until it is merged
    yield* git(repository, ["update-ref", comeRef(run), commit])
    return yield* refused(
      "checkout_not_handed",
      `This project did not hand over ${run}. Go to ${there}, or bring what the run has come to into this one: \`git merge ${commit}\`, and then \`proofline resume ${run}\`.`
    )
  }
  return yield* refused(
    "checkout_not_handed",
    `This project did not hand over ${run}, and has no commit in common with the one that did. Go to ${there}, or to a clone of it.`
  )
})
