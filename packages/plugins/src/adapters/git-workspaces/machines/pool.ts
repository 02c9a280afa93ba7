import { mkdir, readdir, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import type { LogUnavailable, RunId } from "@proofline/kernel"
import { Effect, Exit, Scope, Semaphore } from "effect"
import { removeTree } from "../../../git/removeTree.ts"
import { isAbandoned, newName } from "../../../processes/names.ts"
import { attempt, type Failing } from "../store.ts"
import { type Begun, beginIn, type Checkout, makeCheckout } from "./checkout.ts"
import { makeReplica, type Replica, type Sources } from "./replica.ts"
import { type RunTrees, readTrees } from "./trees.ts"

/** A run on this machine with those that it drives: their commits, and checkouts in which nobody works now. */
interface Local<A> {
  readonly replica: Replica
  readonly directory: string
  free: ReadonlyArray<Furnished<A>>
  /** How many are at it now: while somebody is, its commits stay. */
  users: number
}

/** A checkout with what was made for it once. */
interface Furnished<A> {
  readonly checkout: Checkout
  readonly made: A
  /** Of the run and its agents, for which it was made. */
  readonly key: string
  readonly scope: Scope.Closeable
}

export interface Opened<A> {
  readonly begun: Begun
  readonly made: A
  readonly trees: RunTrees
}

/** Checkouts of runs on this machine, each with something of its own that is made once. */
export interface RunCheckouts<A, E> {
  /**
   * A checkout of what the run stands on, for one piece of work, until the scope closes. It is used again when the work
   * has come to its end, and thrown away when that was interrupted: something of it may still be at work there.
   */
  readonly open: (run: RunId) => Effect.Effect<Opened<A>, E | Failing | LogUnavailable, Scope.Scope>
  /** What the log says of the trees of a run now; its commits are in the checkouts of `at`, the run itself when left out. */
  readonly trees: (run: RunId, at?: RunId) => Effect.Effect<RunTrees, Failing | LogUnavailable>
}

/** Runs that no other drives of which commits and checkouts are kept while nobody works in them. */
const keptRuns = 8

export const makeRunCheckouts = Effect.fnUntraced(function* <A, E>(
  sources: Sources,
  directory: string,
  make: (begun: Begun, trees: RunTrees) => Effect.Effect<A, E, Scope.Scope>
): Effect.fn.Return<RunCheckouts<A, E>, Failing, Scope.Scope> {
  const own = yield* Effect.acquireRelease(
    attempt(`${directory} cannot be made`, async () => {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await writeFile(Path.join(directory, ".gitignore"), "*\n")
      // what workers that were killed have left
      for (const name of await readdir(directory))
        if (isAbandoned(name, "checkout")) await removeTree(Path.join(directory, name))
      return Path.join(directory, newName("checkout"))
    }),
    (made) => Effect.promise(() => removeTree(made))
  )
  const runs = new Map<RunId, Local<A>>()
  const oneAtATime = yield* Semaphore.make(1)
  let made = 0

  const first = new Map<RunId, RunId>()
  /** The run that drives it, or whoever drives that: the work of the one merges what the other has come to. */
  const firstOf = (run: RunId): Effect.Effect<RunId, LogUnavailable> =>
    Effect.gen(function* () {
      const known = first.get(run)
      if (known !== undefined) return known
      const { parent, version } = yield* readTrees(sources.log, run)
      const found = parent === null ? run : yield* firstOf(parent)
      // one that has not begun may yet be driven
      if (version > 0) first.set(run, found)
      return found
    })

  const local = Effect.fnUntraced(function* (run: RunId) {
    const known = runs.get(run)
    const folder = Path.join(own, String(++made))
    const one: Local<A> = known ?? {
      replica: yield* makeReplica(sources, Path.join(folder, "commits")),
      directory: folder,
      free: [],
      users: 0
    }
    one.users++
    // the last is the one that was used last
    runs.delete(run)
    runs.set(run, one)
    return one
  })

  const use = (run: RunId) =>
    Effect.acquireRelease(oneAtATime.withPermit(Effect.flatMap(firstOf(run), local)), (one) =>
      Effect.suspend(() => {
        one.users--
        return tidy
      })
    )

  const discard = ({ checkout, scope }: Pick<Furnished<A>, "checkout" | "scope">) =>
    Effect.andThen(
      Scope.close(scope, Exit.void),
      Effect.promise(() => removeTree(checkout.directory))
    )

  /** The runs that were worked on longest ago give way. */
  const tidy = Effect.suspend(() => {
    const idle = [...runs].filter(([, { users }]) => users === 0)
    const gone = idle.slice(0, Math.max(0, idle.length - keptRuns))
    for (const [run] of gone) runs.delete(run)
    return Effect.forEach(gone, ([, { directory, free }]) =>
      Effect.andThen(
        Effect.forEach(free, discard),
        Effect.promise(() => removeTree(directory))
      )
    )
  })

  const furnish = Effect.fnUntraced(function* (
    run: RunId,
    { directory, replica }: Local<A>,
    trees: RunTrees,
    key: string
  ) {
    const checkout = yield* makeCheckout(replica, Path.join(directory, String(++made)))
    const scope = yield* Scope.make()
    return yield* beginIn(checkout, run, trees).pipe(
      Effect.bindTo("begun"),
      Effect.bind("made", ({ begun }) => Scope.provide(make(begun, trees), scope)),
      Effect.map(({ begun, made }) => ({ begun, furnished: { checkout, key, scope, made } satisfies Furnished<A> })),
      Effect.onExit((exit) => (Exit.isFailure(exit) ? discard({ checkout, scope }) : Effect.void))
    )
  })

  const reuse = (run: RunId, furnished: Furnished<A>, trees: RunTrees) =>
    beginIn(furnished.checkout, run, trees).pipe(
      Effect.map((begun) => ({ begun, furnished })),
      Effect.onExit((exit) => (Exit.isFailure(exit) ? discard(furnished) : Effect.void))
    )

  return {
    trees: (run, at = run) => Effect.scoped(Effect.flatMap(use(at), ({ replica }) => replica.bring(run))),
    open: Effect.fnUntraced(function* (run) {
      const one = yield* use(run)
      const trees = yield* one.replica.bring(run)
      // what is made for a checkout depends on what the user has handed over, too
      const key = JSON.stringify([run, trees.agents, trees.trees.findLast(({ by }) => by === null)?.commit ?? null])
      const usable = one.free.find((free) => free.key === key)
      one.free = one.free.filter((free) => free !== usable)
      const { begun, furnished } = yield* Effect.acquireRelease(
        usable === undefined
          ? furnish(run, one, trees, key)
          : // nobody knows what work has left of it
            Effect.catch(reuse(run, usable, trees), () => furnish(run, one, trees, key)),
        ({ furnished }, exit) =>
          Effect.suspend(() => {
            if (Exit.isFailure(exit)) return discard(furnished)
            one.free = [...one.free, furnished]
            return Effect.void
          }),
        { interruptible: true }
      )
      return { begun, made: furnished.made, trees }
    })
  }
})
