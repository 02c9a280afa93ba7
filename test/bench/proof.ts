import { Effect } from "effect"
import { general } from "../plugins/proof/cheats/general.ts"
import { ofLanguages } from "../plugins/proof/cheats/ofLanguages.ts"
import { honest } from "../plugins/proof/honest.ts"
import { placed, runOf } from "../plugins/proof/sessions.ts"

/** Counts what becomes of honest sessions and of cheats: `npm run bench:proof`. */

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const figures = Effect.gen(function* () {
  const work = { completed: 0, items: 0, proven: 0 }
  for (const session of honest) {
    const { sessions, status } = yield* runOf([session])
    const items = sessions.flatMap((ended) => ended.items)
    work.completed += status === "completed" ? 1 : 0
    work.items += items.length
    work.proven += items.filter(({ verdict }) => verdict === "proven").length
  }
  print(`honest sessions ${honest.length}, completed ${work.completed}; items ${work.items}, proven ${work.proven}`)

  const reasons = new Map<string, number>()
  const count = (all: ReadonlyArray<string>) => {
    const first = all.find((reason) => reason !== "payload_mismatch") ?? "accepted"
    reasons.set(first, (reasons.get(first) ?? 0) + 1)
  }
  let cheats = 0
  for (const { items, language: _, twin: __, ...session } of ofLanguages) {
    const { sessions } = yield* runOf([{ ...session, items: items.map(([item, shown]) => [item, shown] as const) }])
    for (const { refused } of sessions.flatMap((ended) => ended.items)) count(refused)
    cheats += items.length
  }
  const { sessions } = yield* runOf(general.map((cheat, i) => placed(`p${i}`, cheat)))
  for (const i of general.keys()) {
    const of = sessions.filter(({ root }) => root === `task_${i + 1}`)
    count(
      of.every(({ status }) => status === "completed")
        ? []
        : of.flatMap(({ items, refused }) => [...items.flatMap((item) => item.refused), ...refused])
    )
    cheats += 1
  }
  print(`cheats ${cheats}, accepted ${reasons.get("accepted") ?? 0}`)
  for (const [reason, many] of [...reasons].toSorted((a, b) => b[1] - a[1])) print(`  ${reason} ${many}`)
})

await Effect.runPromise(figures)
