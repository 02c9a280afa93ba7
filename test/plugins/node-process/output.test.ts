import { assert, describe, it } from "@effect/vitest"
import { boundedOutput } from "../../../packages/plugins/src/adapters/node-process/output.ts"
import { text } from "./support.ts"

const bytes = (content: string) => new TextEncoder().encode(content)

const keptOf = (limit: number, chunks: ReadonlyArray<string>): string => {
  const output = boundedOutput(limit)
  for (const chunk of chunks) output.push(bytes(chunk))
  return text(output.bytes())
}

describe("bounded output", () => {
  it.each([
    { name: "keeps nothing of nothing", limit: 8, chunks: [], kept: "" },
    { name: "keeps all below the bound", limit: 8, chunks: ["abc", "def"], kept: "abcdef" },
    { name: "keeps all at the bound", limit: 8, chunks: ["abcdefgh"], kept: "abcdefgh" },
    {
      name: "says what one byte more has cost",
      limit: 8,
      chunks: ["abcdefghi"],
      kept: "abcd\n[... 1 bytes cut ...]\nfghi"
    },
    {
      name: "keeps head and tail of many small chunks",
      limit: 8,
      chunks: [..."abcdefghijklmnopqrstuvwxyz"],
      kept: "abcd\n[... 18 bytes cut ...]\nwxyz"
    },
    {
      name: "keeps head and tail of chunks that overlap the bound",
      limit: 8,
      chunks: ["abc", "defghijk", "lmnopqrstu", "vwxyz"],
      kept: "abcd\n[... 18 bytes cut ...]\nwxyz"
    },
    { name: "takes an odd bound", limit: 5, chunks: ["abcdefg", "h"], kept: "ab\n[... 3 bytes cut ...]\nfgh" }
  ])("$name", ({ limit, chunks, kept }) => {
    assert.strictEqual(keptOf(limit, chunks), kept)
  })

  it("does not depend on how the bytes were cut into chunks", () => {
    const content = Array.from({ length: 300 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("")
    const whole = keptOf(64, [content])
    for (let size = 1; size < 100; size++) {
      const chunks = content.match(new RegExp(`.{1,${size}}`, "g")) ?? []
      assert.strictEqual(keptOf(64, chunks), whole, `chunks of ${size}`)
    }
  })

  it("does not change what it has handed out", () => {
    const output = boundedOutput(4)
    output.push(bytes("abcd"))
    const before = output.bytes()
    output.push(bytes("efghijkl"))
    assert.strictEqual(text(before), "abcd")
  })
})
