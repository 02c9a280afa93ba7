// Draws what the tutorial prints on a terminal, from a run of its own blocks: `npm run --silent docs:images`.
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Block, blocksOf, commandsIn, isTried } from "./blocks.ts"
import { drawingOf, type Printed, rowsOf } from "./terminal.ts"

const launcher = fileURLToPath(new URL("../../packages/cli/bin/proofline.cjs", import.meta.url))
const images = fileURLToPath(new URL("../../docs/images/", import.meta.url))
const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "")
const columns = 108

/** Which command of the tutorial becomes which drawing: the one that begins so, and up to the line that says this. */
const drawn: ReadonlyArray<readonly [name: string, begins: string, title: string, last?: string]> = [
  [
    "run",
    "proofline run tasks.yaml --agent command",
    "A run: the first report is refused with every reason, the second one is proven",
    "run completed"
  ],
  ["verify", "sed -i.bak", "A line is changed, and verify says which receipt does not hold any more"]
]

const scratch = mkdtempSync(join(tmpdir(), "proofline-recordings-"))
const bin = join(scratch, "bin")

/** A command on a terminal of its own, with everything that it prints and when. */
const printedBy = (command: string, cwd: string): Promise<ReadonlyArray<Printed>> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const printed: Array<Printed> = []
    const { NO_COLOR, ...env } = process.env
    const child = spawn("script", ["-qfec", `stty cols ${columns} rows 50; ${command}`, "/dev/null"], {
      cwd,
      // without CI lines would be drawn anew in place
      env: { ...env, CI: "1", TERM: "xterm-256color", PATH: [bin, process.env["PATH"] ?? ""].join(delimiter) },
      stdio: ["pipe", "pipe", "inherit"]
    })
    // whoever is asked takes what is proposed
    child.stdin.end("\n".repeat(20))
    child.stdout.on("data", (chunk) => printed.push({ at: performance.now() - begun, text: String(chunk) }))
    child.on("error", reject)
    child.on("close", () => resolve(printed))
  })

/** As whoever has installed it sees it. */
const asInstalled = (text: string): string => text.replaceAll(`${root}/proofline`, "proofline")

const promptOf = (command: string): string => `\u001b[32m$\u001b[39m \u001b[1m${command}\u001b[22m\n`

let dir = scratch
const carryOut = async (block: Block): Promise<void> => {
  if (block.file !== "") {
    mkdirSync(dirname(join(dir, block.file)), { recursive: true })
    return writeFileSync(join(dir, block.file), block.text)
  }
  if (block.language !== "sh") return
  for (const command of commandsIn(block.text)) {
    const [name, , title, last] = drawn.find(([, begins]) => command.startsWith(begins)) ?? []
    const printed = await printedBy(command, dir)
    const [, into] = /&& cd (\S+)/.exec(command) ?? []
    if (into !== undefined) dir = join(dir, into)
    if (name === undefined || title === undefined) continue
    const after = name === "verify" ? ["proofline verify"] : []
    const more = await Promise.all(after.map(async (one) => [one, await printedBy(one, dir)] as const))
    const first = printed[0]?.at ?? 0
    const shown = [
      { at: first, text: promptOf(command) },
      ...printed,
      ...more.flatMap(([one, said]) => {
        const end = printed.at(-1)?.at ?? first
        return [{ at: end + 500, text: promptOf(one) }, ...said.map(({ at, text }) => ({ at: end + 500 + at, text }))]
      })
    ].map(({ at, text }) => ({ at, text: asInstalled(text) }))
    const rows = rowsOf(shown, columns)
    const end = rows.findIndex(({ spans }) => last !== undefined && spans.some(({ text }) => text.includes(last)))
    writeFileSync(join(images, `${name}.svg`), drawingOf(end < 0 ? rows : rows.slice(0, end + 1), columns, title))
    process.stdout.write(`docs/images/${name}.svg\n`)
  }
}

try {
  mkdirSync(bin)
  writeFileSync(join(bin, "proofline"), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`, { mode: 0o755 })
  for (const block of blocksOf("docs/tutorial.md").filter(isTried)) await carryOut(block)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
