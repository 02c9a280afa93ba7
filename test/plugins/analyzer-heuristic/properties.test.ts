import { it } from "@effect/vitest"
import { Analysis, analyzerActivity, composePlugins } from "@proofline/kernel"
import { analyzerHeuristic } from "@proofline/plugins/policies/analyzer-heuristic"
import { Schema } from "effect"
import { assert, describe } from "vitest"
import { analyze } from "../../../packages/plugins/src/policies/analyzer-heuristic/analyze.ts"
import { often } from "../../often.ts"

/** Pieces that mean something to a reader of prompts. */
const pieces = [
  ..."-*+•・#>|`\"'()（）「」:：;,、.。!?①②③[]{}<>_~=\\/\t\n\r\0\u0007\uFEFF\u2028\u202E\u200Dé👩🏽",
  "\r\n",
  "\n\n",
  "\n- ",
  "\n  - ",
  "\n1. ",
  "\n2) ",
  "\n- [ ] ",
  "\n- [x] ",
  "\n```\n",
  "\n## ",
  "\n    ",
  " ",
  " and ",
  ", ",
  ", and ",
  " then ",
  "First ",
  "Finally, ",
  "before that ",
  "Once it is done, ",
  "After creating ",
  "implement ",
  "Add a ",
  "fix the ",
  "write tests for it",
  "test ",
  "review ",
  "do not ",
  "with ",
  "for ",
  "in src/a.ts",
  "in src/b.ts",
  "`foo()`",
  "module ",
  "endpoints ",
  "the following: ",
  "step 1",
  "step 2",
  "before step 1",
  "all of the above",
  "login",
  "logout",
  "name",
  "Requirements: ",
  "Notes:\n",
  "as a single task",
  "five functions",
  "http://a.b/c,d",
  "ログイン",
  "検索",
  "と",
  "を",
  "の",
  "実装してください。",
  "作成し、",
  "まず",
  "次に",
  "その前に",
  "最後に",
  "それら",
  "1で作った",
  "制約:",
  "しない",
  "שלום",
  "مرحبا",
  "\uD800"
]

const Prompt = Schema.Array(Schema.Literals(pieces))
const Any = Schema.String
const Bound = Schema.Literals([0, 1, 2, 3, 5, 10])
const Checklist = Schema.Array(Schema.Literals(["login works", "検索できる", "", "src/a.ts is tested", "zzz"]))

/** Everything that holds for any prompt. */
const assertSound = (prompt: string, min_subtasks: number, max_subtasks: number, checklist: ReadonlyArray<string>) => {
  const analysis = analyze({ prompt, checklist, min_subtasks, max_subtasks })
  Schema.decodeUnknownSync(Analysis)(analysis)
  const { criteria, decomposition_reason, is_decomposable, subtasks } = analysis
  assert.deepStrictEqual(analyze({ prompt, checklist, min_subtasks, max_subtasks }), analysis)
  assert.notStrictEqual(decomposition_reason, "")
  assert.deepStrictEqual(
    criteria.map(({ criterion }) => criterion),
    ["multiple_files", "independent_parts", "explicit_enumeration", "large_scope"]
  )
  for (const { met, words } of criteria) {
    assert.strictEqual(met, words.length > 0)
    for (const word of words) assert.isTrue(prompt.includes(word) && word !== "", word)
  }
  if (!is_decomposable) {
    assert.deepStrictEqual(subtasks, [])
    return
  }
  assert.isAtLeast(subtasks.length, Math.max(2, min_subtasks))
  assert.isAtMost(subtasks.length, max_subtasks)
  assert.isTrue(criteria.some(({ met }) => met))
  assert.deepStrictEqual(
    subtasks.flatMap((subtask) => subtask.checklist).sort((one, other) => one - other),
    checklist.map((_, i) => i)
  )
  for (const { acceptance_criteria, checklist: carried, paths, prompt: own, title } of subtasks) {
    assert.isAbove(acceptance_criteria.length + carried.length, 0)
    assert.strictEqual(new Set(acceptance_criteria).size, acceptance_criteria.length)
    assert.isFalse([own, title, ...acceptance_criteria].some((text) => text.trim() === ""))
    for (const path of paths) assert.isTrue(prompt.includes(path), path)
  }
  assertOrdered(subtasks.map(({ dependencies }) => dependencies))
}

/** Numbers of other parts, each once, without a cycle. */
const assertOrdered = (dependencies: ReadonlyArray<ReadonlyArray<number>>) => {
  const open = new Set(dependencies.keys())
  dependencies.forEach((needs, i) => {
    assert.strictEqual(new Set(needs).size, needs.length)
    for (const need of needs)
      assert.isTrue(Number.isInteger(need) && need >= 1 && need <= dependencies.length && need !== i + 1)
  })
  while (open.size > 0) {
    const ready = [...open].find((i) => !dependencies[i]?.some((need) => open.has(need - 1)))
    if (ready === undefined) assert.fail(`a cycle: ${JSON.stringify(dependencies)}`)
    open.delete(ready)
  }
}

const many = { arbitrary: { runs: often(3_000) } }

describe("any prompt", () => {
  it("with characters nobody sees is answered soundly", () => {
    assertSound("five functionswith \uFEFFfive functions", 5, 2, [])
    assertSound("Write five\u200B functions with\uFEFF tests", 2, 10, [])
  })

  it.prop(
    "made of words that mean something is answered soundly",
    [Prompt, Bound, Bound, Checklist],
    ([words, min, max, checklist]) => assertSound(words.join(""), min, max, checklist),
    many
  )

  it.prop(
    "made of requests is answered soundly",
    [Schema.Array(Schema.Literals(pieces.filter((piece) => /[a-zぁ-ん]/u.test(piece)))), Bound, Bound],
    ([words, min, max]) => assertSound(words.map((word) => `Implement ${word}`).join(". "), min, max, ["a", "login"]),
    many
  )

  it.prop("made of any characters is answered soundly", [Any], ([prompt]) => assertSound(prompt, 2, 10, ["a"]), many)

  const unit = 'Implement login, logout and sessions. まずAを定義し、次にBを実装する。 - ( "` 1. a) '
  // in the full run each as long as the longest prompt that is read
  const repeated = [
    unit,
    "- Add a page\n",
    "a",
    "実装",
    "AとBを",
    "(",
    "` ",
    "'a \"b ",
    "add a, ",
    "a: ",
    "a/",
    "1) a 2) b "
  ].concat([
    "```\n",
    "<!--\n",
    "## Add a\n\nFix the b.\n",
    "Notes: a\n",
    "Add x\n",
    "\r\n",
    "*",
    "> ",
    "[",
    "<a ",
    "a\n=\n"
  ])
  it.each(repeated)("of nothing but %j is answered soundly", (text) =>
    assertSound(text.repeat(Math.floor(often(50_000) / text.length)), 2, 10, ["login"])
  )
  it("of deeper and deeper points is answered soundly", () =>
    assertSound(Array.from({ length: 400 }, (_, i) => `${" ".repeat(i)}- Add a page`).join("\n"), 2, 10, []))
})

describe("what a prompt splits into", () => {
  const Thing = Schema.Literals(["login", "search", "checkout", "export", "billing", "archive", "timeline", "upload"])
  const Things = Schema.Array(Thing)

  const listOf = (things: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(things)]
  const count = (prompt: string) =>
    analyze({ prompt, checklist: [], min_subtasks: 2, max_subtasks: 10 }).subtasks.length

  it.prop("is the same in prose, in a list and in numbers", [Things], ([some]) => {
    const things = listOf(some)
    if (things.length < 3) return
    const prose = `Implement ${things.slice(0, -1).join(", ")} and ${things.at(-1)}`
    const list = `Implement the following:\n${things.map((thing) => `- ${thing}`).join("\n")}`
    const numbers = `Implement ${things.map((thing, i) => `(${i + 1}) ${thing}`).join(", ")}`
    const japanese = `${things.join("、")}を実装してください。`
    for (const prompt of [prose, list, numbers, japanese]) assert.strictEqual(count(prompt), things.length, prompt)
  })

  it.prop("tells each part the place that is said once, before, above, at or after the end", [Things], ([some]) => {
    const things = listOf(some)
    if (things.length < 3) return
    const prose = `${things.slice(0, -1).join(", ")} and ${things.at(-1)}`
    const comma = things.join(", ")
    const points = things.map((thing) => `- ${thing}`).join("\n")
    const numbers = things.map((thing, i) => `(${i + 1}) ${thing}`).join(", ")
    const verbs = `add ${things.slice(0, -1).join(", fix ")} and remove ${things.at(-1)}`
    const at = "src/place.ts"
    for (const prompt of [
      `In ${at}, implement ${prose}`,
      `Implement ${prose} in ${at}`,
      `Implement ${comma}, all in ${at}`,
      `Implement the following functions: ${comma} in ${at}`,
      `Write tests for: ${comma} in ${at}`,
      `Implement ${numbers} in ${at}`,
      `Implement the following in ${at}:\n${points}`,
      `Implement the following:\n${points}\nin ${at}`,
      `Implement the following:\n${points}\n\nin ${at}`,
      `${points}\nImplement these in ${at}.`,
      `Do the following: ${verbs} in ${at}`,
      `${things.join("、")}を ${at} に実装してください。`,
      `次の機能を ${at} に実装してください：\n${points}`,
      `次の機能を実装してください：\n${points}\n${at} に置くこと。`
    ]) {
      const { subtasks } = analyze({ prompt, checklist: [], min_subtasks: 2, max_subtasks: 10 })
      assert.strictEqual(subtasks.length, things.length, prompt)
      for (const part of subtasks) assert.include(part.prompt, at, prompt)
    }
  })

  it.prop("does not depend on line ends", [Prompt], ([words]) => {
    const prompt = words.join("").replaceAll("\r", "")
    assert.strictEqual(count(prompt.replaceAll("\n", "\r\n")), count(prompt))
  })

  it.prop("is nothing of what stands in a fence or a quotation", [Things], ([some]) => {
    const things = listOf(some)
    const inside = things.map((thing) => `- Implement ${thing}`).join("\n")
    assert.strictEqual(count(`Fix the crash.\n\n\`\`\`\n${inside}\n\`\`\``), 0)
    assert.strictEqual(count(`Fix the crash.\n\n${inside.replaceAll(/^/gm, "> ")}`), 0)
    assert.strictEqual(count(`Change the title to "Implement ${things.join(", ")} and more"`), 0)
  })

  it.prop(
    "does not change when an order word is wrapped in another word",
    [Thing, Thing, Schema.Literals(["then", "first", "finally", "after", "before", "all", "it", "next", "also"])],
    ([one, other, word]) => {
      const needs = analyze({
        prompt: `Implement the ${one} page for x${word}x. Implement the ${other} form for q${word}q.`,
        checklist: [],
        min_subtasks: 2,
        max_subtasks: 10
      }).subtasks.map(({ dependencies }) => dependencies)
      assert.deepStrictEqual(needs, [[], []])
    }
  )
})

describe("the plugin", () => {
  it("is the activity that the configuration names", () => {
    assert.strictEqual(analyzerHeuristic.name, analyzerActivity("heuristic"))
    assert.isTrue(composePlugins([analyzerHeuristic]).activities.has("analyzer-heuristic"))
  })
})
