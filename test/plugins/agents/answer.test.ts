import { assert, describe, it } from "@effect/vitest"
import { answerOf, lastFencedBlock } from "../../../packages/plugins/src/agents/answer.ts"

const lines = (...all: ReadonlyArray<string>): string => all.join("\n")

describe("the last fenced block", () => {
  it.each([
    { name: "is none without a fence", text: "no fence here", block: null },
    { name: "is none in nothing", text: "", block: null },
    { name: "stands between backticks", text: lines("```", "a", "b", "```"), block: "a\nb" },
    { name: "stands between tildes", text: lines("~~~", "a", "~~~"), block: "a" },
    { name: "may carry any info string", text: lines("```json title=x", "{}", "```"), block: "{}" },
    {
      name: "is the last of several",
      text: lines("```", "one", "```", "text", "~~~yaml", "two", "~~~", "end"),
      block: "two"
    },
    { name: "may be empty", text: lines("```", "one", "```", "```", "```"), block: "" },
    { name: "keeps blank lines and blanks inside", text: lines("```", "", "  a", "", "```"), block: "\n  a\n" },
    { name: "takes Windows line ends", text: "```json\r\n{}\r\n```\r\n", block: "{}" },
    {
      name: "opens after up to three blanks, which its lines lose",
      text: lines("   ```", "   a", "  b", "     c", "  ```"),
      block: "a\nb\n  c"
    },
    { name: "does not open after four", text: lines("    ```", "a", "    ```"), block: null },
    { name: "does not open after a tab or a word", text: lines("\t```", "x ```", "a", "```x`y"), block: null },
    { name: "does not open with two", text: lines("``", "a", "``"), block: null },
    {
      name: "of four contains those of three",
      text: lines("````md", "```json", "{}", "```", "````"),
      block: "```json\n{}\n```"
    },
    { name: "of tildes contains backticks", text: lines("~~~", "```", "a", "```", "~~~"), block: "```\na\n```" },
    { name: "is closed by a longer fence", text: lines("```", "a", "`````"), block: "a" },
    { name: "is not closed by a fence with words", text: lines("```", "a", "``` b", "c", "```"), block: "a\n``` b\nc" },
    {
      name: "is not closed by a fence indented by four",
      text: lines("```", "a", "    ```", "b", "```"),
      block: "a\n    ```\nb"
    },
    { name: "may end with blanks after the fence", text: lines("```", "a", "```  \t"), block: "a" },
    { name: "counts unclosed when there is no other", text: lines("text", "```json", "{}"), block: "{}" },
    {
      name: "does not count unclosed beside a closed one",
      text: lines("```", "whole", "```", "```", "cut of"),
      block: "whole"
    }
  ])("$name", ({ text, block }) => {
    assert.strictEqual(lastFencedBlock(text), block)
  })

  it("is found in megabytes of fences", () => {
    assert.strictEqual(lastFencedBlock("```\nx\n".repeat(400_000)), "x")
    assert.strictEqual(lastFencedBlock(`${"`".repeat(4_000_000)}\n`), "")
  })
})

describe("the answer", () => {
  const fenced = lines("```", "printed", "```")
  it.each([
    { name: "is the report file, as it is", report: "written\n", text: fenced, answer: "written\n" },
    {
      name: "is the block of a report file that begins with one",
      report: `\n${lines("```json", "{}", "```", "Done.")}`,
      text: fenced,
      answer: "{}"
    },
    {
      name: "is all of a report file that has one further down",
      report: `a: |\n${fenced}`,
      text: "",
      answer: `a: |\n${fenced}`
    },
    { name: "is printed when there is no file", report: null, text: fenced, answer: "printed" },
    { name: "is printed when the file is blank", report: " \n", text: fenced, answer: "printed" },
    { name: "is missing when there is neither", report: null, text: "words", answer: null },
    {
      name: "is missing when the last block is blank",
      report: null,
      text: lines(fenced, "```", "", "```"),
      answer: null
    }
  ])("$name", ({ report, text, answer }) => {
    assert.strictEqual(answerOf(report, text), answer)
  })
})
