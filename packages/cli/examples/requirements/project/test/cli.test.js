import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"

const cli = fileURLToPath(new URL("../src/cli.js", import.meta.url))
const data = (name) => fileURLToPath(new URL(`../data/${name}`, import.meta.url))
const run = (...args) => spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" })

describe("the command line", () => {
  it("prints what has to be used up and what is to be bought", () => {
    const { status, stdout } = run(data("stock.txt"), data("pancakes.txt"), "2026-05-04")
    assert.equal(status, 0)
    assert.equal(
      stdout,
      "To be used up by 2026-05-07:\n  yoghurt, 150 g (2026-05-02)\n  milk, 300 ml (2026-05-05)\n  eggs, 2 (2026-05-07)\nTo be bought:\n  eggs, 1\n"
    )
  })

  it("says how it is used when something is left out", () => {
    const { status, stderr } = run(data("stock.txt"))
    assert.equal(status, 2)
    assert.match(stderr, /^Usage: node src\/cli\.js <stock> <recipe> <today>$/m)
  })
})
