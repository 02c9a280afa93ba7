import { assert, describe, it } from "@effect/vitest"
import { inFileOrder } from "../../../packages/kernel/src/modules/chunking/fileOrder.ts"
import { analyze } from "../../../packages/plugins/src/policies/analyzer-heuristic/analyze.ts"
import { splits, wholes } from "./prompts.ts"

const plan = (prompt: string, more: Partial<Parameters<typeof analyze>[0]> = {}) =>
  analyze({ prompt, checklist: [], min_subtasks: 2, max_subtasks: 10, ...more })

describe("a prompt that names several parts", () => {
  it.each(splits)("%s", (given) => {
    const [prompt = "", parts = ""] = given.split(" ⇒ ")
    // as the plugin does: parts that write one file are put one after the other
    const { criteria, subtasks } = inFileOrder(prompt, plan(prompt))
    const shown = subtasks.map(({ dependencies, prompt: own }) =>
      [own.split("\n\n")[0], ...(dependencies.length > 0 ? [`←${dependencies.join(",")}`] : [])].join(" ")
    )
    assert.deepStrictEqual(shown, parts.split(" ¦ "))
    assert.isTrue(criteria.some(({ met, words }) => met && words.length > 0))
  })
})

describe("a prompt that is one piece of work, as far as its words say plainly", () => {
  it.each(wholes)("%s", (prompt) => {
    const { decomposition_reason, is_decomposable, subtasks } = plan(prompt)
    assert.deepStrictEqual(subtasks, [])
    assert.strictEqual(is_decomposable, false)
    assert.match(decomposition_reason, /`--analyzer agent` lets an agent read it\.$|because it says so/)
  })
})

describe("the parts", () => {
  const promptsOf = (prompt: string, more = {}) => plan(prompt, more).subtasks.map((subtask) => subtask.prompt)

  it.each([
    ["Add a search box.\nAdd a filter panel.\n\nConstraints:\n- No new dependencies", "Limits:\n- No new dependencies"],
    [
      "検索画面を作成してください。一覧画面を作成してください。\n\n制約: 外部ライブラリは使わない",
      "制約:\n- 外部ライブラリは使わない"
    ],
    ["Add a cache and do not change the tests. Add a menu.", "Limits:\n- do not change the tests."],
    ["We move to GraphQL.\n\n- Add a schema\n- Add resolvers", "Context: We move to GraphQL."],
    ["## Out of scope\n- Auth\n\n## Tasks\n- Add a schema\n- Add resolvers", "Limits:\n- Out of scope: Auth"],
    ["Do not:\n- add auth\n- add tests\n\nAdd a menu. Add a logo.", "Limits:\n- Do not: add auth\n- Do not: add tests"],
    ["# Notes app\n\n## Editor\nAdd an editor.\n\n## Search\nAdd a search box.", "Context: Notes app"],
    [
      "- login\n- logout\n\nImplement these in src/auth.ts with tests.",
      "Context: Implement these in src/auth.ts with tests."
    ]
  ])("carry what is said for all of them, and it becomes no part: %s", (prompt, end) => {
    const prompts = promptsOf(prompt)
    assert.strictEqual(prompts.length, 2)
    for (const own of prompts) assert.isTrue(own.endsWith(end), own)
  })

  it.each([
    ["Add f, add g and fix h in src/m.ts.", ["Add f in src/m.ts", "Add g in src/m.ts", "Fix h in src/m.ts"]],
    [
      "Add (1) a search box and (2) an export button to src/app.tsx",
      ["Add a search box to src/app.tsx", "Add an export button to src/app.tsx"]
    ],
    [
      "Update these files for the new API:\n- src/a.ts\n- src/b.ts",
      ["Update these files for the new API: src/a.ts", "Update these files for the new API: src/b.ts"]
    ],
    ["Write tests for: login, logout and search", ["login", "logout", "search"].map((one) => `Write tests for ${one}`)],
    // each has its own
    [
      "Do the following: add f in src/f.ts, add g in src/g.ts and fix h in src/h.ts",
      ["add f in src/f.ts", "add g in src/g.ts", "fix h in src/h.ts"]
    ],
    // the last may be meant alone
    [
      "(1) parse the file (2) write the result to out.json",
      ["parse the file", "write the result to out.json"].map(
        (one) => `${one}\n\nContext: (1) parse the file (2) write the result to out.json`
      )
    ],
    [
      "以下のファイルにヘッダーを追加してください：\n- a.txt\n- b.txt",
      ["以下のファイルにヘッダーを追加する：a.txt", "以下のファイルにヘッダーを追加する：b.txt"]
    ]
  ])("are told what is said once for all of them: %s", (prompt, prompts) => {
    assert.deepStrictEqual(promptsOf(prompt), prompts)
  })

  it.each([
    ["Create src/queue.ts. Fix the menu.", ["`src/queue.ts` exists"]],
    ["Implement the policy in src/retry.ts. Fix the menu.", ["Done: Implement the policy in src/retry.ts"]],
    ["Write tests for the policy. Fix the menu.", ["The tests exist and pass: tests for the policy"]],
    [
      "- Add an importer\n  - reads CSV\n  - skips empty rows\n- Add a menu",
      ["Done: Add an importer", "reads CSV", "skips empty rows"]
    ],
    ["Add and remove products. Fix the menu.", ["Done: Add and remove products"]],
    ["Show all products. Fix the menu.", ["Done: Show all products"]],
    ["Review src/a.ts for races. Fix the menu.", ["The answer is there: Review src/a.ts for races"]],
    ["src/a.tsを作成してください。ロゴを追加してください。", ["`src/a.ts` が存在する"]],
    ["検索を実装してください。ロゴを追加してください。", ["完了している: 検索を実装する"]],
    ["テストを書いてください。ロゴを追加してください。", ["テストが存在し、成功する: テスト"]],
    // they are there, and it is another thing that is to be made
    [
      "以下のファイルにヘッダーを追加してください：\n- a.txt\n- b.txt",
      ["完了している: 以下のファイルにヘッダーを追加する：a.txt"]
    ],
    ["# Notes app\n\n## Search\nFind notes by title.\n\n## Sharing\nCreate a link.", ["Done: Find notes by title"]]
  ])("have criteria that can be checked: %s", (prompt, criteria) => {
    assert.deepStrictEqual(plan(prompt).subtasks[0]?.acceptance_criteria, criteria)
  })

  it("change files unless they only ask for information", () => {
    const changes = (prompt: string) => plan(prompt).subtasks.map(({ changes_files }) => changes_files)
    assert.deepStrictEqual(
      changes("Review src/a.ts for races. Investigate why it grows and write the findings to docs/a.md. Fix the menu."),
      [false, true, true]
    )
    assert.deepStrictEqual(changes("src/a.tsをレビューしてください。キャッシュの問題を調査してください。"), [
      false,
      false
    ])
  })

  it("are judged by the user's items alone, where these say what must be true of them", () => {
    const prompt = "1. Set retries to 5 in src/config.js\n2. Set host to b in src/host.js\n3. Add the logo"
    const { subtasks } = plan(prompt, { checklist: ["Retries are 5", "Nobody complains"] })
    assert.deepStrictEqual(
      subtasks.map(({ acceptance_criteria, checklist }) => [acceptance_criteria, checklist]),
      [
        [[], [0]],
        [["Done: Set host to b in src/host.js"], []],
        // the item is about something else
        [["Done: Add the logo"], [1]]
      ]
    )
  })

  it.each([
    [
      "Implement login, logout and session management",
      [
        "Users can log out",
        "Sessions expire after an hour",
        "Wrong passwords are refused at login",
        "The changelog is new"
      ],
      [[2], [0], [1, 3]]
    ],
    [
      "検索、通知を実装し、決済を実装してください。",
      ["検索結果が空のとき案内を出す", "通知は一日一回まで", "お知らせを更新した"],
      [[0], [1], [2]]
    ],
    // to the part that runs last, not to the last number
    ["Deploy the preview site, but before that, fix the broken links.", ["Nobody complains"], [[0], []]]
  ])(
    "share the task's checklist by its words, each item once, the rest with the last: %s",
    (prompt, checklist, given) => {
      assert.deepStrictEqual(
        plan(prompt, { checklist }).subtasks.map((subtask) => subtask.checklist),
        given
      )
    }
  )

  it("are joined evenly above max_subtasks, in order of execution, and keep their words and criteria", () => {
    const { subtasks } = plan(
      "1. Add a menu after step 3\n2. Add a banner\n3. Add a logo before step 1\n4. Add a footer for step 1",
      { max_subtasks: 2 }
    )
    assert.deepStrictEqual(
      subtasks.map(({ dependencies, prompt }) => [prompt, ...dependencies]),
      [["Add a banner\nAdd a logo before step 1"], ["Add a menu after step 3\nAdd a footer for step 1", 1]]
    )
    assert.strictEqual(subtasks.flatMap(({ acceptance_criteria }) => acceptance_criteria).length, 4)
  })

  it.each([
    ["Implement login and logout", { min_subtasks: 3 }, "2 parts are named, fewer than the 3"],
    ["Implement login and logout", { max_subtasks: 1 }, "At most 1 parts are allowed"],
    [
      "Pay with a card from the cart. Add a logo. Fix the menu.",
      {},
      'belong to no part: "Pay with a card from the cart."'
    ],
    ["Create a.ts and b.ts as a single task", {}, '"as a single task"'],
    ["- Add a page\n".repeat(201), {}, "no more than 200 parts"],
    ["a ".repeat(60_000), {}, "no more than 50000 characters"]
  ])("are not made for a reason that is said: %s", (prompt, limits, reason) => {
    const { decomposition_reason, is_decomposable } = plan(prompt, limits)
    assert.strictEqual(is_decomposable, false)
    assert.include(decomposition_reason, reason)
  })
})

describe("the criteria", () => {
  const met = (prompt: string) =>
    plan(prompt).criteria.flatMap((found) => (found.met ? [[found.criterion, ...found.words]] : []))

  it.each([
    [
      "Refactor src/a.ts, src/b.ts, src/c.ts, src/d.ts and src/e.ts",
      ["multiple_files", "independent_parts", "explicit_enumeration", "large_scope"].map((name) => [
        name,
        ...["a", "b", "c", "d", "e"].map((file) => `src/${file}.ts`)
      ])
    ],
    ["First add a menu, then add a logo", [["explicit_enumeration", "add a menu", "add a logo"]]],
    ["Write seven functions for dates.", [["large_scope", "seven functions"]]],
    ["5つの関数を書いてください。", [["large_scope", "5つの関数"]]]
  ])("are told with the words that led there: %s", (prompt, found) => {
    assert.deepStrictEqual(met(prompt), found)
  })
})
