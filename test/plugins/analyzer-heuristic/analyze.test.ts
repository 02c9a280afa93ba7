import { assert, describe, it } from "@effect/vitest"
import { analyze } from "../../../packages/plugins/src/policies/analyzer-heuristic/plugin.ts"
import { splits, wholes } from "./prompts.ts"

const plan = (prompt: string, more: Partial<Parameters<typeof analyze>[0]> = {}) =>
  analyze({ prompt, checklist: [], min_subtasks: 2, max_subtasks: 10, ...more })

const criterion = (prompt: string, name: string) => plan(prompt).criteria.find((found) => found.criterion === name)

describe("a prompt that names several parts", () => {
  it.each(splits.map(({ parts, prompt }) => [prompt, parts] as const))("%s", (prompt, parts) => {
    const { criteria, is_decomposable, subtasks } = plan(prompt)
    assert.deepStrictEqual(
      subtasks.map((subtask, i) => [subtask.prompt.slice(0, parts[i]?.[0].length), ...subtask.dependencies]),
      parts.map((part) => [...part])
    )
    assert.strictEqual(is_decomposable, true)
    assert.isTrue(criteria.some(({ met, words }) => met && words.length > 0))
    assert.isTrue(subtasks.every(({ acceptance_criteria }) => acceptance_criteria.length > 0))
  })
})

describe("a prompt that is one piece of work", () => {
  it.each(wholes.map((prompt) => [prompt] as const))("%s", (prompt) => {
    const { decomposition_reason, is_decomposable, subtasks } = plan(prompt)
    assert.deepStrictEqual(
      subtasks.map((subtask) => subtask.prompt),
      []
    )
    assert.strictEqual(is_decomposable, false)
    assert.notStrictEqual(decomposition_reason, "")
  })
})

describe("the parts", () => {
  it("carry what limits all of them, and no limit becomes a part", () => {
    const { subtasks } = plan(
      "Add a search box.\nAdd a filter panel.\n\nConstraints:\n- Do not touch src/legacy\n- No new dependencies"
    )
    assert.strictEqual(subtasks.length, 2)
    for (const { prompt } of subtasks)
      assert.isTrue(prompt.endsWith("Limits:\n- Do not touch src/legacy\n- No new dependencies"), prompt)
  })

  it("carry limits in Japanese too", () => {
    const { subtasks } = plan(
      "検索画面を作成してください。一覧画面を作成してください。\n\n制約: 外部ライブラリは使わない"
    )
    assert.deepStrictEqual(
      subtasks.map(({ prompt }) => prompt),
      [
        "検索画面を作成する\n\n制約:\n- 外部ライブラリは使わない",
        "一覧画面を作成する\n\n制約:\n- 外部ライブラリは使わない"
      ]
    )
  })

  it("have the points below them as criteria, each by itself", () => {
    const { subtasks } = plan(
      "- Add an importer\n  - reads CSV\n  - skips empty rows\n- Add an exporter\n  - writes JSON"
    )
    assert.deepStrictEqual(
      subtasks.map(({ acceptance_criteria }) => acceptance_criteria),
      [
        ["Added: an importer", "reads CSV", "skips empty rows"],
        ["Added: an exporter", "writes JSON"]
      ]
    )
  })

  it("have criteria of the files and the tests that are named for them", () => {
    const { subtasks } = plan(
      "Create src/queue.ts. Implement the retry policy in src/retry.ts. Write tests for the retry policy."
    )
    assert.deepStrictEqual(
      subtasks.map(({ acceptance_criteria, paths }) => [acceptance_criteria, paths]),
      [
        [["`src/queue.ts` exists"], ["src/queue.ts"]],
        [["`src/retry.ts` exists and has what was asked for: the retry policy in src/retry.ts"], ["src/retry.ts"]],
        [["The tests exist and pass: tests for the retry policy"], []]
      ]
    )
    assert.deepStrictEqual(subtasks[2]?.dependencies, [2])
  })

  it.each([
    ["Add and remove products. Fix the menu.", "Added and removed: products"],
    ["Create, update and delete users. Fix the menu.", "Created, updated and deleted: users"],
    ["Show all products. Fix the menu.", "Shown: all products"],
    ["Fix the flaky test in a.test.ts. Fix the menu.", "Fixed, and passing: the flaky test in a.test.ts"],
    ["Write a test for a.ts. Fix the menu.", "The tests exist and pass: a test for a.ts"],
    ["壊れたテストを修正してください。ロゴを追加してください。", "壊れたテストが修正され、成功する"]
  ])("have a criterion of all that is asked for, and only of that: %s", (prompt, first) => {
    assert.deepStrictEqual(plan(prompt).subtasks[0]?.acceptance_criteria, [first])
  })

  it("make what a described program is to find, rather than answer", () => {
    const { subtasks } = plan("# Notes app\n\n## Search\nFind notes by title.\n\n## Sharing\nCreate a link to a note.")
    assert.deepStrictEqual(
      subtasks.map(({ acceptance_criteria, changes_files }) => [acceptance_criteria[0], changes_files]),
      [
        ["Found: notes by title", true],
        ["Created: a link to a note", true]
      ]
    )
  })

  it("say what would belong to none of them, and then there are none", () => {
    assert.strictEqual(
      plan("Pay with a card from the cart. Add a logo. Fix the menu.").decomposition_reason,
      'The task is not split because this would belong to no part: "Pay with a card from the cart.".'
    )
  })

  it("change files unless they only ask for information", () => {
    const { subtasks } = plan(
      "Review src/a.ts for races. Investigate why the cache grows and write the findings to docs/cache.md. Fix the typo in docs/b.md."
    )
    assert.deepStrictEqual(
      subtasks.map(({ changes_files }) => changes_files),
      [false, true, true]
    )
    assert.deepStrictEqual(
      plan("src/a.tsをレビューしてください。キャッシュの問題を調査してください。").subtasks.map(
        ({ changes_files }) => changes_files
      ),
      [false, false]
    )
  })

  it("share the items of the task's checklist by their words, each once, the rest with the last", () => {
    const checklist = [
      "Users can log out",
      "Sessions expire after an hour",
      "Wrong passwords are refused at login",
      "The changelog is up to date"
    ]
    const { subtasks } = plan("Implement login, logout and session management", { checklist })
    assert.deepStrictEqual(
      subtasks.map((subtask) => subtask.checklist),
      [[2], [0], [1, 3]]
    )
  })

  it("share a checklist in Japanese", () => {
    const checklist = ["検索結果が空のとき案内を出す", "通知は一日一回まで", "お知らせを更新した"]
    const { subtasks } = plan("検索、通知を実装し、決済を実装してください。", { checklist })
    assert.deepStrictEqual(
      subtasks.map((subtask) => subtask.checklist),
      [[0], [1], [2]]
    )
  })

  it("give what fits nothing to the part that runs last, not to the last number", () => {
    const { subtasks } = plan("Before implementing the UI, define the API types.", { checklist: ["Nobody complains"] })
    assert.deepStrictEqual(
      subtasks.map((subtask) => subtask.checklist),
      [[0], []]
    )
  })
})

describe("the number of parts", () => {
  const five = "Implement login, logout, search, export and import in five steps"

  it("below min_subtasks means one piece, with a reason", () => {
    const { decomposition_reason, is_decomposable } = plan("Implement login and logout", { min_subtasks: 3 })
    assert.strictEqual(is_decomposable, false)
    assert.strictEqual(
      decomposition_reason,
      "2 parts are named, fewer than the 3 that make splitting worth while (min_subtasks)."
    )
  })

  it("above max_subtasks joins neighbours and keeps their words and criteria", () => {
    const all = plan("Do this:\n1. Add a.ts\n2. Fix the menu\n3. Add b.ts\n4. Remove the banner\n5. Update the logo", {
      max_subtasks: 2
    })
    const text = all.subtasks.map(({ prompt }) => prompt).join("\n")
    assert.strictEqual(all.subtasks.length, 2)
    for (const words of ["Add a.ts", "Fix the menu", "Add b.ts", "Remove the banner", "Update the logo"])
      assert.include(text, words)
    assert.strictEqual(all.subtasks.flatMap(({ acceptance_criteria }) => acceptance_criteria).length, 5)
  })

  it("joins those that name one file first", () => {
    const { subtasks } = plan("Add a cache.\nFix src/a.ts.\nDocument src/a.ts.\nRemove the banner.", {
      max_subtasks: 3
    })
    assert.deepStrictEqual(
      subtasks.map(({ prompt }) => prompt),
      ["Add a cache", "Fix src/a.ts\nDocument src/a.ts", "Remove the banner"]
    )
  })

  it("joins in order of execution, so that no circle is closed", () => {
    const { subtasks } = plan(
      "1. Add a menu after step 3\n2. Add a banner\n3. Add a logo before step 1\n4. Add a footer for step 1",
      {
        max_subtasks: 2
      }
    )
    assert.deepStrictEqual(
      subtasks.map(({ dependencies, prompt }) => [prompt, ...dependencies]),
      [["Add a banner"], ["Add a logo before step 1\nAdd a menu after step 3\nAdd a footer for step 1"]]
    )
  })

  it("is one when no more is allowed", () => {
    assert.strictEqual(plan(five, { max_subtasks: 1 }).is_decomposable, false)
  })
})

describe("the criteria", () => {
  it("are the four, each once, with the words that led there", () => {
    const { criteria } = plan("Refactor src/a.ts, src/b.ts, src/c.ts, src/d.ts and src/e.ts")
    assert.deepStrictEqual(
      criteria.map(({ criterion: name, met }) => [name, met]),
      [
        ["multiple_files", true],
        ["independent_parts", true],
        ["explicit_enumeration", true],
        ["large_scope", true]
      ]
    )
    assert.deepStrictEqual(criteria[0]?.words, ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts"])
  })

  it("see no independent parts in a chain", () => {
    assert.strictEqual(criterion("First add a.ts, then add b.ts", "independent_parts")?.met, false)
    assert.strictEqual(criterion("First add a.ts, then add b.ts", "explicit_enumeration")?.met, true)
  })

  it("see a large scope in a count, though nothing is named that could be a part", () => {
    const { criteria, is_decomposable } = plan("Write seven functions for dates.")
    assert.strictEqual(is_decomposable, false)
    assert.deepStrictEqual(criteria[3], { criterion: "large_scope", met: true, words: ["seven functions"] })
    assert.deepStrictEqual(criterion("5つの関数を書いてください。", "large_scope")?.words, ["5つの関数"])
  })

  it("say which words ask for one piece", () => {
    assert.include(plan("Create a.ts and b.ts as a single task").decomposition_reason, "as a single task")
    assert.strictEqual(plan("Create a single task view and a single commit view").subtasks.length, 2)
  })
})

describe("words that are part of other words", () => {
  it.each([
    ["Implement authentication. Implement authorization.", [[], []]],
    ["Add a call button. Add a tallies page.", [[], []]],
    ["Implement the strengthening of passwords. Implement lasting sessions.", [[], []]],
    ["Add a button to the firsthand report. Add a nextgen theme.", [[], []]]
  ])("mean nothing by themselves: %s", (prompt, dependencies) => {
    assert.deepStrictEqual(
      plan(prompt).subtasks.map((subtask) => [...subtask.dependencies]),
      dependencies
    )
  })

  it("decide no more by a question mark than by its lack", () => {
    const parts = (prompt: string) => plan(prompt).subtasks.map((subtask) => subtask.prompt)
    assert.deepStrictEqual(
      parts("Can you add a header, a footer and a sidebar?"),
      parts("Add a header, a footer and a sidebar")
    )
  })
})
