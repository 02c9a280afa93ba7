import { assert, describe, it } from "@effect/vitest"
import { analysisOf } from "../../../packages/plugins/src/policies/analyzer-agent/analysis.ts"
import { fittingPart } from "../../../packages/plugins/src/policies/analyzer-agent/contract.ts"

type Part = Parameters<typeof analysisOf>[1]["parts"][number]

const aPart = (over: Partial<Part> = {}): Part => ({
  prompt: "Do it.",
  dependencies: [],
  acceptance_criteria: ["Done"],
  ...over
})

/** What is made of these parts of a task that says this. */
const made = (prompt: string, parts: ReadonlyArray<Partial<Part>>, checklist: ReadonlyArray<string> = []) =>
  analysisOf(
    { prompt, checklist },
    { is_decomposable: true, decomposition_reason: " It has parts. ", criteria: [], parts: parts.map(aPart) }
  )

const firstOf = (part: Partial<Part>, prompt = "") => made(prompt, [part]).subtasks[0]

describe("a part as an agent names it", () => {
  it("has its prompt without blanks around it, and each criterion once, in one line", () => {
    assert.deepInclude(firstOf({ prompt: "\n Do it. \n", acceptance_criteria: [" a \n\n b ", "a b", "  "] }), {
      prompt: "Do it.",
      acceptance_criteria: ["a b"]
    })
    assert.strictEqual(made("", [{}]).decomposition_reason, "It has parts.")
  })

  it("is judged by what it was asked where nothing is said, in at most 300 characters", () => {
    const judgedBy = (prompt: string) => firstOf({ prompt, acceptance_criteria: [] })?.acceptance_criteria
    assert.deepStrictEqual(judgedBy("x".repeat(300)), ["x".repeat(300)])
    assert.deepStrictEqual(judgedBy("x".repeat(301)), [`${"x".repeat(299)}…`])
    assert.deepStrictEqual(judgedBy(`${"x".repeat(290)} ${" ".repeat(5)}y${"z".repeat(20)}`), [
      `${"x".repeat(290)} y${"z".repeat(7)}…`
    ])
  })

  it.each<[string, string, string]>([
    [" Log in ", "Do it.", "Log in"],
    ["", "\n  \n## Add a menu\nIt opens.", "Add a menu"],
    ["", "- Add a menu", "Add a menu"],
    ["", "12. Add a menu", "Add a menu"],
    ["", "3)  Add a menu", "Add a menu"],
    ["", "x - Add a menu", "x - Add a menu"],
    ["", "-Add a menu", "-Add a menu"],
    ["", "y".repeat(72), "y".repeat(72)],
    ["", "y".repeat(73), `${"y".repeat(71)}…`]
  ])("has a title in one short line: %j, %j", (title, prompt, expected) => {
    assert.strictEqual(firstOf({ title, prompt })?.title, expected)
  })

  it("has what it needs and proves in order, each once", () => {
    const parts = [{}, {}, { dependencies: [2, 1, 2], checklist: [2, 1] }]
    assert.deepInclude(made("", parts, ["a", "b"]).subtasks[2], { dependencies: [1, 2], checklist: [0, 1] })
  })

  it.each([
    ["review", false],
    ["research", false],
    ["implementation", true]
  ] as const)("changes files unless it asks for information: %s", (type, changes_files) => {
    assert.strictEqual(firstOf({ type })?.changes_files, changes_files)
  })

  it.each<[string, string, ReadonlyArray<string>]>([
    ["src/a.ts", "Change src/a.ts.", ["src/a.ts"]],
    [" ././src/a.ts ", "Change ./src/a.ts.", ["src/a.ts"]],
    ["src\\a.ts", "Change src/a.ts, please", ["src/a.ts"]],
    ["a.ts", "Change src/a.ts", []],
    ["a.ts", "Change src/a.ts and a.ts", ["a.ts"]],
    ["a.ts", "Change a.tsx", []],
    ["a.t", "Change a.t.s", []],
    ["a.ts", "Change my-a.ts", []],
    ["/etc/a.ts", "Change /etc/a.ts", []],
    ["../a.ts", "Change ../a.ts", []],
    ["", "Change it", []]
  ])("has the files that the user names: %j of %j", (path, prompt, paths) => {
    assert.deepStrictEqual(firstOf({ paths: [path] }, prompt)?.paths, paths)
    assert.deepStrictEqual(made("", [{ paths: [path] }], [prompt]).subtasks[0]?.paths, paths)
  })
})

describe("the checklist of the task", () => {
  it("is shared whole: what no part has goes to the one whose words it shares, in order", () => {
    const parts = [{ prompt: "Add the login" }, { prompt: "Add the logout", checklist: [3] }]
    const { subtasks } = made("", parts, ["logout works", "login works", "it is fast", "nothing else"])
    assert.deepStrictEqual(
      subtasks.map(({ checklist }) => checklist),
      [[1], [0, 2, 3]]
    )
  })

  it("is all that a part is judged by that names no criterion; what is about something else says nothing of it", () => {
    const none = { acceptance_criteria: [] }
    const parts = [
      { ...none, prompt: "Add the menu", checklist: [1] },
      { ...none, prompt: "Add the logo" },
      { ...none, prompt: "Add the footer" },
      { ...none, prompt: "Add the search" }
    ]
    const { subtasks } = made("", parts, ["It opens", "logo is blue", "nobody complains"])
    assert.deepStrictEqual(
      subtasks.map(({ acceptance_criteria, checklist }) => [acceptance_criteria, checklist]),
      [
        [[], [0]],
        [[], [1]],
        [["Add the footer"], []],
        [["Add the search"], [2]]
      ]
    )
  })

  it.each<[string, ReadonlyArray<string>, number]>([
    ["the menu opens", ["menu", "logo"], 0],
    ["nothing of it", ["menu", "logo"], 1],
    ["the user can log out", ["user login", "user logout"], 1],
    ["userName is shown", ["the name", "the mail"], 0],
    ["menu", ["menu", "menu"], 0],
    // what only one has says more than what all have
    ["menu page", ["page", "page menu", "page logo"], 1],
    ["検索結果", ["通知", "検索"], 1],
    ["it is so", ["it", "is so"], 1]
  ])("fits by rare words: %s", (item, texts, at) => {
    assert.strictEqual(fittingPart(item, texts), at)
  })
})

describe("the criteria, where the agent says nothing of them", () => {
  const met = (prompt: string, ...parts: ReadonlyArray<Partial<Part>>) =>
    made(prompt, parts).criteria.flatMap((found) => (found.met ? [[found.criterion, ...found.words]] : []))
  const chain = [{ prompt: "a" }, { prompt: "b", dependencies: [1] }]

  it("are what the plan shows", () => {
    assert.deepStrictEqual(met("", ...chain), [])
    assert.deepStrictEqual(met("", { prompt: "a" }, { prompt: "b" }), [["independent_parts"]])
    assert.deepStrictEqual(met("Do a and b", ...chain), [["explicit_enumeration", "a", "b"]])
    assert.deepStrictEqual(met("Do b", { prompt: "b" }), [])
    const files = [{ paths: ["a.ts"] }, { paths: ["b.ts"], dependencies: [1] }]
    assert.deepStrictEqual(met("a.ts, b.ts", ...files), [["multiple_files", "a.ts", "b.ts"]])
    assert.deepStrictEqual(met("a.ts", { paths: ["a.ts"] }, { paths: ["a.ts"], dependencies: [1] }), [])
    const five = Array.from({ length: 5 }, (_, i) => ({ dependencies: i === 0 ? [] : [i] }))
    assert.deepStrictEqual(met("", ...five), [["large_scope"]])
    assert.deepStrictEqual(met("", ...five.slice(1)), [])
  })

  it("are not judged where the plan does not show them, and where there is no plan", () => {
    assert.deepStrictEqual(made("", chain).criteria, [])
    const criteria = [{ criterion: "large_scope" as const, met: false, words: [] }]
    const whole = { is_decomposable: false, decomposition_reason: "It is one thing.", criteria, parts: [] }
    assert.deepStrictEqual(analysisOf({ prompt: "a", checklist: [] }, whole).criteria, criteria)
  })
})
