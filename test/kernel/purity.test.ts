import { assert, describe, it } from "@effect/vitest"
import {
  chainLengths,
  composePlugins,
  definePlugin,
  emptySnapshot,
  findCycle,
  foldEvent,
  inDependencyOrder,
  makeManifest,
  type Plugin,
  plugin,
  Run,
  RunStarted,
  recall,
  retryDelayMs,
  step,
  tasksOf,
  verifyChain
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { HashMap, HashSet, Result } from "effect"
import { often } from "../often.ts"
import { type History, randomHistory } from "./support/histories.ts"
import { judge } from "./support/judge.ts"
import { forSeeds } from "./support/random.ts"
import { digest, recordedOf, replayOf } from "./support/recorded.ts"
import { stateOf } from "./support/words.ts"

/** Does something while clock, chance and timers throw; the words are what a rule must never reach for. */
const poisoned = <A>(run: () => A): A => {
  const reached = (what: string) => () => {
    throw new Error(`A pure function reached for ${what}.`)
  }
  const RealDate = globalThis.Date
  const trapped = new Proxy(RealDate, { construct: reached("new Date"), apply: reached("Date()") })
  const replacements: ReadonlyArray<readonly [object, string, unknown]> = [
    [globalThis, "Date", trapped],
    [RealDate, "now", reached("Date.now")],
    [Math, "random", reached("Math.random")],
    [performance, "now", reached("performance.now")],
    [crypto, "randomUUID", reached("crypto.randomUUID")],
    [crypto, "getRandomValues", reached("crypto.getRandomValues")],
    [globalThis, "setTimeout", reached("setTimeout")],
    [globalThis, "queueMicrotask", reached("queueMicrotask")],
    [process, "hrtime", reached("process.hrtime")],
    [process, "cwd", reached("process.cwd")]
  ]
  const before = replacements.map(
    ([object, key]) => [object, key, Object.getOwnPropertyDescriptor(object, key)] as const
  )
  for (const [object, key, value] of replacements)
    Object.defineProperty(object, key, { value, configurable: true, writable: true })
  try {
    return run()
  } finally {
    for (const [object, key, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(object, key)
      else Object.defineProperty(object, key, descriptor)
    }
  }
}

/** Freezes plain values all the way down, and looks into maps and sets without freezing their insides. */
const frozen = <A>(value: A, seen = new Set<unknown>()): A => {
  if (typeof value !== "object" || value === null || seen.has(value)) return value
  seen.add(value)
  if (HashMap.isHashMap(value)) for (const inner of HashMap.values(value)) frozen(inner, seen)
  else if (HashSet.isHashSet(value)) return value
  else {
    for (const inner of Object.values(value)) frozen(inner, seen)
    Object.freeze(value)
  }
  return value
}

/** A result as text; maps and sets by what they hold. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    HashMap.isHashMap(inner)
      ? [...inner].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
      : HashSet.isHashSet(inner)
        ? [...inner].sort()
        : inner
  )

const corpus: Array<History> = []
forSeeds(often(250), (random, seed) => {
  corpus.push(randomHistory(random, { wild: seed % 2 === 0, cannot: seed % 3 === 0, commands: 40 }))
})

const twiceTheSame = (compute: () => unknown): void => {
  const first = shown(poisoned(compute))
  assert.strictEqual(shown(poisoned(compute)), first)
}

/** Decides everything again that a history has decided, on frozen inputs. */
const decideAgain = (history: History): void => {
  const { composition } = history
  for (const { before, command, step: then } of history.taken) {
    frozen([before, command, then])
    twiceTheSame(() => step(composition, before, command))
    assert.strictEqual(shown(poisoned(() => Result.getOrThrow(step(composition, before, command)))), shown(then))
    twiceTheSame(() => then.events.reduce((now, event) => foldEvent(composition, now, event), before))
    twiceTheSame(() => recall(composition, before, then.events))
  }
  for (const { before, command } of history.refused) {
    twiceTheSame(() => {
      const decided = step(composition, frozen(before), frozen(command))
      return Result.isFailure(decided) ? { ...decided.failure } : "accepted"
    })
  }
}

describe("the rules", () => {
  it("come to the same decision again, with no clock, no chance and nothing changed under their hands", () => {
    assert.isAbove(corpus.flatMap(({ taken }) => taken).length, often(3_000))
    assert.isAbove(corpus.flatMap(({ refused }) => refused).length, often(300))
    for (const history of corpus) decideAgain(history)
  })

  it("read, verify and replay a log without clock or chance", () => {
    for (const { composition, taken } of corpus.slice(0, 60)) {
      const batches = taken.map((one) => one.step.events).filter((batch) => batch.length > 0)
      const log = frozen(recordedOf(composition, batches))
      const manifest = makeManifest(composition)
      twiceTheSame(() => recordedOf(composition, batches))
      twiceTheSame(() => log.map((event) => manifest.decode(event)))
      twiceTheSame(() => verifyChain(log, digest.sha256))
      twiceTheSame(() => {
        return replayOf(composition, log).snapshot
      })
    }
  })

  it("order and measure tasks without changing them", () => {
    for (const { snapshot } of corpus) {
      const specs = frozen(tasksOf(stateOf(snapshot)).map(({ spec }) => spec))
      twiceTheSame(() => [findCycle(specs), inDependencyOrder(specs), [...chainLengths(specs)]])
      twiceTheSame(() => retryDelayMs(stateOf(snapshot).run.config, 3))
    }
  })
})

describe("the poison itself", () => {
  const Impure = plugin("impure", { state: null, after: [Run] })
  const impure = (reach: () => unknown): Plugin =>
    definePlugin(Impure, {
      version: "1",
      parts: [
        Impure.follow(RunStarted, () => {
          reach()
          return null
        })
      ]
    })

  it("finds whatever a plugin's hook reaches for", () => {
    for (const reach of [
      () => Date.now(),
      () => new Date(),
      () => Date(),
      () => Math.random(),
      () => crypto.randomUUID(),
      () => performance.now(),
      () => setTimeout(() => {}, 0),
      () => process.cwd()
    ]) {
      const composition = composePlugins([impure(reach)])
      assert.throws(
        () => poisoned(() => step(composition, emptySnapshot(composition), aRun([aTask("a")]))),
        "A pure function reached for"
      )
    }
    assert.isAbove(Date.now(), 0)
    assert.isString(crypto.randomUUID())
  })

  it("finds a rule that changes what it was given", () => {
    const composition = composePlugins([judge])
    const before = frozen(emptySnapshot(composition))
    assert.throws(() => {
      ;(stateOf(before).run as { name: string }).name = "changed"
    }, TypeError)
  })
})
