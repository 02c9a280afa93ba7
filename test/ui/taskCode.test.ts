import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { countsOf, withVerdict } from "../../packages/ui/src/pages/requirements/overview.ts"
import { changedPart, diffLines } from "../../packages/ui/src/parts/code/diff.ts"
import { highlight } from "../../packages/ui/src/parts/code/highlight.ts"
import { languageOf } from "../../packages/ui/src/parts/code/language.ts"
import { linesOf, plainLines } from "../../packages/ui/src/parts/code/lines.ts"
import { visible } from "../../packages/ui/src/parts/code/visible.ts"

const textOf = (lines: ReturnType<typeof plainLines>) => lines.map((line) => line.map(({ text }) => text).join(""))

describe("the language of a file", () => {
  it("given its name, then it is known, or nothing is guessed", () => {
    const names: Readonly<Record<string, string | null>> = {
      "src/a.py": "python",
      "b.TSX": "typescript",
      "x/y.test.mjs": "javascript",
      "go.mod": null,
      "main.go": "go",
      "lib.rs": "rust",
      "A.java": "java",
      "a.c": "c",
      "a.hpp": "cpp",
      "A.cs": "csharp",
      "a.rb": "ruby",
      "a.php": "php",
      "a.kt": "kotlin",
      "a.swift": "swift",
      "a.scala": "scala",
      "run.sh": "bash",
      "a.yml": "yaml",
      "a.json": "json",
      "a.html": "xml",
      "a.css": "css",
      "a.sql": "sql",
      "README.md": "markdown",
      Dockerfile: "dockerfile",
      "deploy/Dockerfile.prod": "dockerfile",
      "Cargo.toml": "ini",
      ".env.example": "ini",
      "a.patch": "diff",
      LICENSE: null,
      "a.constructor": null,
      "": null
    }
    for (const [name, language] of Object.entries(names)) assert.strictEqual(languageOf(name), language, name)
    for (const language of Object.values(names)) {
      if (language !== null) assert.notDeepEqual(highlight(language, ["true 1 # a"]), [], language)
    }
  })

  it("given a string over several lines, then each of them has its colour", () => {
    const source = ['text = """first', "second", 'third"""', "x = 1"]
    const lines = highlight("python", source)
    assert.deepStrictEqual(textOf(lines), source)
    assert.deepStrictEqual(
      lines.slice(0, 3).map((line) => line.at(-1)?.name),
      ["hljs-string", "hljs-string", "hljs-string"]
    )
    assert.strictEqual(lines[3]?.at(-1)?.name, "hljs-number")
  })

  it.prop(
    "given any lines in any language, then each stays where it is, and no text changes",
    [
      Schema.Array(Schema.String.check(Schema.isMaxLength(30))).check(Schema.isMaxLength(8)),
      Schema.Literals(["python", "typescript", "xml", "markdown", "bash", "css", "no such language"])
    ],
    ([given, language]) => {
      const lines = given.flatMap((line) => line.split("\n"))
      assert.deepStrictEqual(textOf(highlight(language, lines)), textOf(plainLines(lines)))
    }
  )

  it("given a line that is no code any more, then it is shown plain", () => {
    const long = "let x = 1;".repeat(300)
    assert.deepStrictEqual(highlight("javascript", [long]), plainLines([long]))
    assert.notDeepEqual(highlight("javascript", ["let x = 1;"]), plainLines(["let x = 1;"]))
  })

  it("given a tree of the highlighter, then it is taken apart by lines, the innermost class wins", () => {
    const tree = {
      children: [
        { type: "text", value: "a\n" },
        {
          type: "element",
          properties: { className: ["out"] },
          children: [
            { type: "text", value: "b" },
            { type: "element", properties: { className: ["in", "x_"] }, children: [{ type: "text", value: "c\nd" }] }
          ]
        }
      ]
    } as const
    assert.deepStrictEqual(linesOf(tree), [
      [{ name: "", text: "a" }],
      [
        { name: "out", text: "b" },
        { name: "in x_", text: "c" }
      ],
      [{ name: "in x_", text: "d" }]
    ])
  })
})

describe("a text that hides something", () => {
  it("given what is not seen, then it is written out; words and emoji stay whole", () => {
    assert.strictEqual(visible("a\u202eb\u0000c\u200bd\u{e0041}"), "a⟨U+202E⟩b⟨U+0000⟩c⟨U+200B⟩d⟨U+E0041⟩")
    const whole = "👩‍💻 می‌خواهم\tü\n"
    assert.strictEqual(visible(whole), whole)
  })
})

describe("lines then and now", () => {
  const Lines = Schema.Array(Schema.Literals(["a", "b", "c", ""])).check(Schema.isMaxLength(12))

  it("given what went, what came and what changed, then each is told as what it is", () => {
    assert.deepStrictEqual(
      diffLines(["head", "gone", "same", "old", "tail"], ["head", "same", "new", "tail", "more"]).map(
        ({ is, kind, was }) => [kind, was?.text, is?.text]
      ),
      [
        ["same", "head", "head"],
        ["removed", "gone", undefined],
        ["same", "same", "same"],
        ["changed", "old", "new"],
        ["same", "tail", "tail"],
        ["added", undefined, "more"]
      ]
    )
  })

  it.prop(
    "given any two texts, then both can be read off in order, and as many lines as possible stay the same",
    [Lines, Lines],
    ([then, now]) => {
      const rows = diffLines(then, now)
      assert.deepStrictEqual(
        rows.flatMap(({ was }) => (was === null ? [] : [was])),
        then.map((text, index) => ({ index, text }))
      )
      assert.deepStrictEqual(
        rows.flatMap(({ is }) => (is === null ? [] : [is])),
        now.map((text, index) => ({ index, text }))
      )
      for (const { is, kind, was } of rows) if (kind === "same") assert.strictEqual(was.text, is.text)
      assert.strictEqual(rows.filter(({ kind }) => kind === "same").length, longest(then, now))
    }
  )

  it("given far too much to compare, then the equal ends are still the same", () => {
    const many = (mark: string) => Array.from({ length: 1_500 }, (_, i) => `${mark}${i}`)
    const rows = diffLines(["x", ...many("a"), "y"], ["x", ...many("b"), "y"])
    assert.deepStrictEqual([rows[0]?.kind, rows.at(-1)?.kind, rows.length], ["same", "same", 1_502])
  })

  it.prop(
    "given any two lines, then the parts make the line, and what surrounds is common",
    [Schema.String, Schema.String],
    ([a, b]) => {
      const [before, , after] = changedPart(a, b)
      assert.strictEqual(changedPart(a, b).join(""), a)
      assert.isTrue(b.startsWith(before) && b.endsWith(after))
    }
  )
})

/** Length of a longest common subsequence, as its definition says. */
const longest = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  let row = b.map(() => 0)
  for (const x of a) {
    const next: Array<number> = []
    for (const [j, y] of b.entries())
      next.push(x === y ? (row[j - 1] ?? 0) + 1 : Math.max(row[j] ?? 0, next[j - 1] ?? 0))
    row = next
  }
  return row.at(-1) ?? 0
}

describe("requirements by verdict", () => {
  const criterion = (id: string, verdict: string) => ({ id, criterion: id, verdict, message: "", tasks: [] })
  const requirement = (id: string, ...verdicts: ReadonlyArray<string>) => ({
    id,
    name: null,
    description: "",
    priority: "required",
    verdict: "unproven" as const,
    criteria: verdicts.map((verdict, i) => criterion(`${id}.${i + 1}`, verdict))
  })
  const all = [requirement("r1", "proven", "refuted"), requirement("r2", "proven"), requirement("r3", "something new")]

  it("given criteria, then they are counted, an unknown verdict as unproven", () => {
    assert.deepStrictEqual(countsOf(all.flatMap(({ criteria }) => criteria)), {
      proven: 2,
      refuted: 1,
      stale: 0,
      unproven: 1
    })
  })

  it("given a verdict, then only its criteria are left, and no empty requirement", () => {
    assert.deepStrictEqual(
      withVerdict(all, "refuted").map(({ criteria, id }) => [id, criteria.map((one) => one.id)]),
      [["r1", ["r1.2"]]]
    )
    assert.deepStrictEqual(
      withVerdict(all, "unproven").map(({ id }) => id),
      ["r3"]
    )
    assert.strictEqual(withVerdict(all, null), all)
  })
})

describe("grammars of our own", () => {
  const coloured = (language: string, ...lines: ReadonlyArray<string>) =>
    highlight(language, lines).flatMap((line) =>
      line.flatMap(({ name, text }) => (name === "" ? [] : [`${name.replace("hljs-", "")}:${text}`]))
    )

  it("given Scala, then its words, names, strings and nested comments have their colours", () => {
    assert.deepStrictEqual(
      coloured("scala", "object Till {", `  def sum(a: Int) = s"\${a} of $b" // why`, "  /* a /* b */ c */ 1 }"),
      [
        "keyword:object",
        "title class_:Till",
        "keyword:def",
        "title function_:sum",
        "type:Int",
        'string:s"',
        `subst:\${a}`,
        "string: of ",
        "subst:$b",
        'string:"',
        "comment:// why",
        "comment:/* a ",
        "comment:/* b */",
        "comment: c */",
        "number:1"
      ]
    )
  })

  it("given a Dockerfile, then its words, strings and variables have their colours", () => {
    assert.deepStrictEqual(coloured("dockerfile", "FROM node AS build # base", `RUN echo "x" \${HOME}`), [
      "keyword:FROM",
      "keyword:AS",
      "comment:# base",
      "keyword:RUN",
      'string:"x"',
      `variable:\${HOME}`
    ])
  })
})
