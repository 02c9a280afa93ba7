import { assert, describe, it } from "@effect/vitest"
import { inFileOrder } from "../../../packages/kernel/src/modules/chunking/fileOrder.ts"
import { fileUses } from "../../../packages/kernel/src/modules/tasks/fileNames.ts"
import { anAnalysis, aPart } from "../support/chunks.ts"

type Part = Parameters<typeof aPart>[1]

/** What each part depends on, by number from 1. */
const needs = (prompt: string, ...parts: ReadonlyArray<Part>) =>
  inFileOrder(prompt, anAnalysis(parts.map((part, i) => aPart(`part ${i + 1}`, part)))).subtasks.map(
    ({ dependencies }) => dependencies
  )

const prompts = (...texts: ReadonlyArray<string>) => texts.map((prompt) => ({ prompt }))

describe("what a text says of a file", () => {
  for (const [text, use] of [
    ["Add a function to src/a.js", "written"],
    ["Create a.js", "written"],
    ["Implement these in a.js:", "written"],
    ["Update `a.js` and the docs", "written"],
    ["Move the parser from a.js", "written"],
    ["次の関数を a.js に追加してください", "written"],
    ["the a.js file", "named"],
    ["Create it with the helpers of a.js", "written"],
    ["Create it, using helpers from a.js", "read"],
    ["Write the login like a.js does", "read"],
    ["Write the login, see a.js", "read"],
    ["Write the login as described in a.js", "read"],
    ["Write the login without touching a.js", "read"],
    ["a.js を参照して実装する", "read"],
    ["Read a.js. Then change a.js", "written"],
    ["Change a.js. Then read a.js", "written"],
    ["Move the parser from the file a.js", "written"],
    ["Move it from the top, using a.js", "read"],
    ["Use the helpers. a.js is new", "named"],
    ["Use version 1.2, that is a.js", "read"],
    [`Use ${"them ".repeat(30)}a.js`, "named"]
  ] as const) {
    it(`when it is ${JSON.stringify(text)}, then the file is ${use}`, () => {
      assert.deepStrictEqual([...fileUses(text).values()], [use])
    })
  }

  it("when it names a product, an address or a member, then it names no file", () => {
    assert.deepStrictEqual([...fileUses("Port it to Node.js as on https://a.example/b.js with console.log").keys()], [])
  })
})

describe("the names of files in a text", () => {
  it.each<[string, ReadonlyArray<string>]>([
    ["Change ././a.js", ["a.js"]],
    ["Change src/./a.js", ["src/./a.js"]],
    ["Change a.js... please", ["a.js"]],
    ["Change src\\a.js", ["src/a.js"]],
    ["See www.example.com/b.js", []],
    ["See ftp://example.com/b.js", []],
    [`Change ${"x/".repeat(150)}a.js`, []],
    ["Change the Dockerfile and Makefile", ["Dockerfile", "Makefile"]]
  ])("are paths of the project: %s", (text, names) => {
    assert.deepStrictEqual([...fileUses(text).keys()], names)
  })
})

describe("given parts that write one file", () => {
  it("when each names it, then each depends on the one before", () => {
    assert.deepStrictEqual(needs("", ...prompts("Add add to a.js", "Add sub to ./a.js", "Add mul to a.js")), [
      [],
      [1],
      [2]
    ])
  })

  it("when it is named once, before the list, then it counts for all of them", () => {
    const prompt = "Implement these functions in shared.js:\n\n- add(a, b)\n- sub(a, b)\n* mul(a, b)\n"
    const parts = prompts("Implement add(a, b)", "Implement sub(a, b)", "Implement mul(a, b)")
    assert.deepStrictEqual(needs(prompt, ...parts), [[], [1], [2]])
    assert.deepStrictEqual(needs("shared.js に次の関数を実装してください：\n- add\n- sub", ...prompts("add", "sub")), [
      [],
      [1]
    ])
  })

  it("when it is named in the line of the list or in a sentence of its own, then too", () => {
    const parts = prompts("Implement add", "Implement sub")
    assert.deepStrictEqual(needs("Implement these functions in shared.js: add and sub", ...parts), [[], [1]])
    assert.deepStrictEqual(needs("Implement add and sub. Put everything into shared.js.", ...parts), [[], [1]])
  })

  it("when two lists name a file each, then each counts for its own list", () => {
    const prompt = "Implement these in a.js:\n- add\n- sub\n\nImplement these in b.js:\n- mul\n- div\n"
    const context = "\n\nContext: Implement these in a.js: Implement these in b.js:"
    const parts = prompts(`Do add${context}`, `Do sub${context}`, `Do mul${context}`, `Do div${context}`)
    assert.deepStrictEqual(needs(prompt, ...parts), [[], [1], [], [3]])
  })

  it("when an agent lists it under paths alone, then too", () => {
    assert.deepStrictEqual(needs("", { paths: ["a.js"] }, { paths: ["b.js"] }, { paths: ["a.js"] }), [[], [], [1]])
  })

  it("when they depend on each other already, in whatever order, then nothing is added and nothing goes round", () => {
    const chain = [
      { prompt: "Add add to a.js", dependencies: [3] },
      { prompt: "Document it" },
      { prompt: "Add sub to a.js", dependencies: [2] }
    ]
    assert.deepStrictEqual(needs("", ...chain), [[3], [], [2]])
  })

  it("when the plan cannot be run, then it is left to be refused", () => {
    const circle = [
      { prompt: "Add add to a.js", dependencies: [2] },
      { prompt: "Add sub to a.js", dependencies: [1] }
    ]
    assert.deepStrictEqual(needs("", ...circle), [[2], [1]])
  })
})

describe("given a file that is named for several parts", () => {
  const parts = prompts("Implement add", "Implement sub")
  const asked = { changes_files: false }

  it.each<[string, prompt: string, parts: ReadonlyArray<Part>, expected: ReadonlyArray<ReadonlyArray<number>>]>([
    ["is only read by them", "Implement these, using helpers from shared.js:\n- add\n- sub", parts, [[], []]],
    [
      "is read by them, and one writes it",
      "Implement these like shared.js:\n- add\n- sub",
      prompts("Implement add", "Implement sub in shared.js"),
      [[], [1]]
    ],
    [
      "is asked about, and nothing changes it",
      "Explain these in shared.js:\n- add\n- sub",
      [
        { prompt: "Explain add", ...asked },
        { prompt: "Explain sub", ...asked }
      ],
      [[], []]
    ],
    [
      "is written, and the sentence before reads another",
      "Do it like a.js. Implement these in b.js:\n- add\n- sub",
      prompts("Implement add", "Implement sub", "Change a.js"),
      [[], [1], []]
    ],
    [
      "has a list with blank lines and lines that go on",
      "Implement these in a.js:\n\n- add\n  with care\n\n- sub",
      parts,
      [[], [1]]
    ],
    ["has a list that ends before others", "Implement these in a.js:\n- add\nThen also:\n- sub", parts, [[], []]],
    ["has a list with boxes and numbers", "Implement these in a.js:\n1. [x] add\n2) [ ] `sub`", parts, [[], [1]]],
    [
      "is named again by a part that writes it",
      "Put add and sub into a.js.",
      prompts("Implement add in a.js", "Implement sub"),
      [[], []]
    ],
    [
      "is named in an entry that ends in a colon",
      "- Fix this in a.js: add\n- sub",
      prompts("Fix this in a.js: add", "sub"),
      [[], []]
    ],
    ["is named in a heading", "# Fix this in a.js: add\nsub", prompts("Fix this in a.js: add", "sub"), [[], []]],
    ["is named with a line number", "Fix a.js:10 and sub", prompts("Fix a.js:10", "sub"), [[], []]],
    [
      "is named in a line that goes on, with a list below",
      "Implement in a.js: add\n- sub\n- mul",
      prompts("Implement add", "Implement sub", "Implement mul"),
      [[], [1], [2]]
    ],
    ["is only read by the whole", "Implement add and sub like shared.js.", parts, [[], []]]
  ])("when it %s", (_, prompt, parts, expected) => {
    assert.deepStrictEqual(needs(prompt, ...parts), expected)
  })

  it("when a part waits for it through others already, then nothing is added, and numbers are in order", () => {
    const through = [{ prompt: "Change a.js" }, { prompt: "x", dependencies: [1] }]
    assert.deepStrictEqual(needs("", ...through, { prompt: "Change a.js", dependencies: [2] }), [[], [1], [2]])
    const other = [{ prompt: "Change a.js" }, { prompt: "x" }]
    assert.deepStrictEqual(needs("", ...other, { prompt: "Change a.js", dependencies: [2] }), [[], [], [1, 2]])
  })

  it("when the task is not split, then nothing is told of its parts", () => {
    const analysis = anAnalysis([aPart("a", { prompt: "Change a.js" }), aPart("b", { prompt: "Change a.js" })], {
      is_decomposable: false
    })
    assert.strictEqual(inFileOrder("", analysis), analysis)
  })
})

describe("given parts that read one file", () => {
  it("when none of them writes it, then they depend on nothing", () => {
    const parts = prompts("Create a.js using helpers from shared.js", "Create b.js using helpers from shared.js")
    assert.deepStrictEqual(needs("", ...parts), [[], []])
  })

  it("when one of them writes it, then the others wait for it, or it for them", () => {
    const parts = prompts("Create a.js like shared.js", "Add x to shared.js", "Create b.js like shared.js")
    assert.deepStrictEqual(needs("", ...parts), [[], [1], [2]])
  })

  it("when parts only ask for information, then they read what they name", () => {
    const asks = { changes_files: false }
    assert.deepStrictEqual(needs("", { prompt: "Explain a.js", ...asks }, { prompt: "Review a.js", ...asks }), [[], []])
  })
})
