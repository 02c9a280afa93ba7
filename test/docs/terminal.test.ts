import { assert, describe, it } from "@effect/vitest"
import { drawingOf, rowsOf } from "./terminal.ts"

const esc = "\u001b["

describe("what was printed on a terminal", () => {
  it("given colours over several pieces, has them where they stood", () => {
    const rows = rowsOf(
      [
        { at: 10, text: `${esc}32m✔ pro` },
        { at: 20, text: `ven${esc}39m  ${esc}1mitem${esc}22m\r\nnext\r\n\r\n` }
      ],
      80
    )
    assert.deepStrictEqual(
      rows.map(({ at, spans }) => [at, spans.map(({ column, isBold, text }) => [column, text, isBold])]),
      [
        [
          10,
          [
            [0, "✔ proven", false],
            [8, "  ", false],
            [10, "item", true]
          ]
        ],
        [20, [[0, "next", false]]]
      ]
    )
    assert.strictEqual(new Set(rows.flatMap(({ spans }) => spans.map(({ color }) => color))).size, 2)
  })

  it("given a line that is wider, goes on in the next one", () => {
    assert.deepStrictEqual(
      rowsOf([{ at: 0, text: "abcdefg" }], 3).map(({ spans }) => spans.map(({ text }) => text).join("")),
      ["abc", "def", "g"]
    )
  })

  it("given anything that steers the screen, is none that can be drawn", () => {
    for (const text of [`a${esc}2K`, "a\rb", "\b"]) assert.throws(() => rowsOf([{ at: 0, text }], 80), /steered/)
  })

  it("is drawn with every word, nothing of it markup, and no wait longer than a blink", () => {
    const svg = drawingOf(
      rowsOf(
        [
          { at: 0, text: "<b>&amp;\n" },
          { at: 60_000, text: "late" }
        ],
        20
      ),
      20,
      "A <title>"
    )
    assert.include(svg, "&lt;b&gt;&amp;amp;")
    assert.include(svg, "<title>A &lt;title&gt;</title>")
    assert.deepStrictEqual(
      [...svg.matchAll(/dur="([\d.]+)s"/g)].map(([, s]) => s),
      ["0.70"]
    )
  })
})
