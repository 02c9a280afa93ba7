import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { judged, type Work } from "./works.ts"

const doc = "/** The sum of two numbers, without a carry. */\nexport const add = (a, b) => a + b\n"

/** Named as commits of real projects are. */
const works: ReadonlyArray<Work> = [
  {
    name: "documentation of code",
    before: { "add.js": "export const add = (a, b) => a + b\n" },
    after: { "add.js": doc },
    told: [
      ["Docs for add", "add.js:1"],
      ["maths: add docs for add()", "add.js:1"],
      ["Clarify documentation that add() takes two numbers", "add.js:1"],
      ["Improve comments", "add.js:1", /only comments/],
      ["Docs on the page can be searched", "add.js:1", /only comments/],
      ["docs: implement a page that lists add()", "add.js:1", /only comments/],
      ["Improve comments of articles", "add.js:1", /only comments/],
      ["maths: add a carry to add()", "add.js:1", /only comments/]
    ]
  },
  {
    name: "a mark that another comment of the file has",
    before: {
      "s.ts": "export interface S {\n  /** @internal */\n  a: number\n  /**\n   * All of them.\n   */\n  b: number\n}\n"
    },
    after: {
      "s.ts":
        "export interface S {\n  /** @internal */\n  a: number\n  /**\n   * All of them.\n   * @internal\n   */\n  b: number\n  /** @internal */\n}\n"
    },
    told: [
      ["Mark b as internal", "s.ts:6"],
      ["Mark b as internal", "s.ts:2", /None of these/]
    ]
  },
  {
    name: "a condition of the compiler",
    before: {
      "c.swift": "#if os(macOS)\nlet poll = 1\n#endif\n",
      "d.swift": "let a = 1\n",
      "e.cs": "#if WINDOWS\nclass E { int a = 1; }\n#endif\n"
    },
    after: {
      "c.swift": "#if os(macOS) || os(FreeBSD)\nlet poll = 1\n#endif\n",
      "d.swift": "let a = 1\n#if os(FreeBSD)\n\n#endif\n",
      "e.cs": "#if WINDOWS || FREEBSD\nclass E { int a = 1; }\n#endif\n"
    },
    told: [
      ["Add FreeBSD compilation support", "c.swift:1"],
      ["Enable E on FreeBSD", "e.cs:1"],
      ["Add FreeBSD compilation support", "d.swift:2", /Empty implementation/],
      ["Add Android compilation support", "c.swift:1", /Empty implementation/]
    ]
  },
  {
    name: "where a file belongs",
    before: {
      "A.cs": "namespace Shop.Core.Cart;\n\nclass A { int a = 1; }\n",
      "I.php": "<?php\nnamespace Shop\n\ninterface I {}\n",
      "N.cs": "class N { int a = 1; }\n"
    },
    after: {
      "A.cs": "namespace Shop.Settings;\n\nclass A { int a = 1; }\n",
      "I.php": "<?php\nnamespace Shop;\n\ninterface I {}\n",
      "N.cs": "namespace Shop;\nclass N { int a = 1; }\n"
    },
    told: [
      ["Fix the namespace of A", "A.cs:1"],
      ["Add missing semicolon to namespace declaration", "I.php:2"],
      ["Add a discount to A", "A.cs:1", /only imports/],
      ["Move N to the namespace Shop and implement it there", "N.cs:1", /only imports/]
    ]
  },
  {
    name: "what is named by its kind too",
    before: {},
    after: {
      "FlashInterface.php":
        "<?php\nnamespace Shop;\n\ninterface FlashInterface\n{\n    public function next(string $key, $value): void;\n}\n",
      "mail.ts": "export class Mail {\n  send() {\n    return queue(this)\n  }\n}\n"
    },
    told: [
      ["Add Flash interface", "FlashInterface.php:4-7"],
      ["Add Letter class", "mail.ts:1-5", /asks for Letter/],
      ["Add Flash class", "mail.ts:1-5", /asks for Flash/]
    ]
  },
  {
    name: "declarations in another order",
    before: {
      "R.php":
        "<?php\nclass R\n{\n    public function b()\n    {\n        return 2;\n    }\n\n    public function a()\n    {\n        return 1;\n    }\n}\n"
    },
    after: {
      "R.php":
        "<?php\nclass R\n{\n    public function a()\n    {\n        return 1;\n    }\n\n    public function b()\n    {\n        return 2;\n    }\n}\n"
    },
    told: [
      ["Rearrange methods in R", "R.php:4-12"],
      ["Move a() next to b()", "R.php:4-12"],
      ["Add a() to R", "R.php:4-7", /shows too little/]
    ]
  },
  {
    name: "what a build only names",
    before: {
      "build.gradle.kts":
        "kotlin {\n  sourceSets {\n    val iosMain by getting {}\n    for (it in listOf(iosMain)) {\n      it.dependsOn(common)\n    }\n  }\n}\n"
    },
    after: {
      "build.gradle.kts":
        "kotlin {\n  sourceSets {\n    val iosMain by getting {}\n    val tvosMain by getting {}\n    for (it in listOf(iosMain, tvosMain)) {\n      it.dependsOn(common)\n    }\n  }\n}\n"
    },
    told: [["Compile for tvOS", "build.gradle.kts:4-7"]]
  }
]

describe("work as real projects have it", () => {
  it.live.each(works)("when it is judged, then what shows it is accepted, and nothing else: $name", (work) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged([work]), [])
    })
  )
})
