import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { daily } from "../../often.ts"
import { type Cheat, general, texts, undone } from "./cheats/general.ts"
import { type Cheats, ofLanguages } from "./cheats/ofLanguages.ts"
import { type Ended, placed, runOf } from "./sessions.ts"

/** Items that were accepted, or refused for another reason; and real work that was not accepted. */
const wrongIn = ({ items, twin: [twin] }: Cheats, ended: Ended | undefined): ReadonlyArray<string> => [
  ...items.flatMap(([item, shown, reasons], i) => {
    const { refused = [] } = ended?.items[i] ?? {}
    return refused.length > 0 && refused.every((reason) => reasons.includes(reason))
      ? []
      : [`${item} (${JSON.stringify(shown)}): ${refused.join(", ") || "accepted"}`]
  }),
  ...(ended?.items[items.length]?.refused ?? ["missing"]).map((reason) => `${twin}: ${reason}`)
]

describe("work that is only pretended", () => {
  it.live.each(daily([...Map.groupBy(ofLanguages, ({ language }) => language)], 4))(
    "when it is run, then every item is refused, with its reason, and real work beside it is not: %s",
    ([, cheats]) =>
      Effect.gen(function* () {
        const sessions = cheats.map(({ items, twin, ...session }, i) =>
          placed(`p${i}`, { ...session, items: [...items.map(([item, shown]) => [item, shown] as const), twin] })
        )
        const run = yield* runOf(sessions)
        assert.notStrictEqual(run.status, "completed")
        assert.deepStrictEqual(
          cheats.flatMap((cheat, i) => wrongIn(cheat, run.sessions[i])),
          []
        )
      })
  )

  /** Reasons of the task, which is the last one of its session. */
  const wrongOf = (cheats: ReadonlyArray<Cheat>, ended: ReadonlyArray<Ended>): ReadonlyArray<string> =>
    cheats.flatMap(({ name, reasons }, i) => {
      const of = ended.filter(({ root }) => root === `task_${i + 1}`)
      const last = of.at(-1)
      const given = [...(last?.refused ?? []), ...(last?.items.flatMap(({ refused }) => refused) ?? [])]
      return of.every(({ status }) => status === "completed")
        ? [`${name}: completed`]
        : given.some((reason) => reasons.includes(reason))
          ? []
          : [`${name}: ${given.join(", ")} ${last?.said.join(" ")}`]
    })

  it.live("when it is run, then no task is completed, each with its reason", () =>
    Effect.gen(function* () {
      const cheats = daily(general, 6)
      const run = yield* runOf(cheats.map((cheat, i) => placed(`p${i}`, cheat)))
      assert.notStrictEqual(run.status, "completed")
      assert.deepStrictEqual(wrongOf(cheats, run.sessions), [])
    })
  )

  it.live("when a change in a text without a grammar matters, then it is accepted where others are refused", () =>
    Effect.gen(function* () {
      const run = yield* runOf(texts.map(({ twin }, i) => placed(`p${i}`, twin)))
      assert.deepStrictEqual(
        run.sessions.flatMap(({ said, session: { name } }) => said.map((words) => `${name}: ${words}`)),
        []
      )
      assert.strictEqual(run.status, "completed")
    })
  )

  it.live("when evidence is strict, then what is ignored is refused too", () =>
    Effect.gen(function* () {
      const ignored = general.filter(({ reasons }) => reasons.includes("ignored"))
      const run = yield* runOf(
        ignored.map((cheat, i) => placed(`p${i}`, cheat)),
        { strict: true }
      )
      assert.deepStrictEqual(wrongOf(ignored, run.sessions), [])
    })
  )

  it.live("when the working agent judges its own work, then no criterion is shown by that", () =>
    Effect.gen(function* () {
      const session = {
        name: "self-judged",
        after: { "a.js": "export const login = (user) => open(user)\n" },
        items: [["Write login", "a.js:1"]],
        validation: ["Wrong passwords are refused"]
      } as const
      const run = yield* runOf([session], { isSelfJudged: true })
      assert.notStrictEqual(run.status, "completed")
    })
  )

  it.live("when what was accepted is undone by a later task, then the run is not completed", () =>
    Effect.gen(function* () {
      for (const cheat of undone) assert.notStrictEqual((yield* runOf([cheat])).status, "completed", cheat.name)
    })
  )
})
