import { describe, expect, it } from "vitest"
import { done, scriptedAgent } from "./agent.ts"
import { achieved } from "./asked.ts"
import { project, proofline } from "./proofline.ts"

/** An interface of so many lines; what is cited is its line `cited`, and the one after it. */
const shownOf = async (length: number, cited: number) => {
  const fields = Array.from({ length: length - 2 }, (_, i) => `  readonly field${i}: number\n`).join("")
  const source = `export interface Options {\n${fields}}\n`
  const report = done({ "Add the options": `options.ts:${cited}-${cited + 1}` })
  const script = { a: [{ files: { "options.ts": source }, report }] }
  const task = { id: "a", name: "A", instruction: "Add the options.", checklist: ["Add the options"] }
  const dir = project({ ...scriptedAgent(script), "tasks.yaml": JSON.stringify({ tasks: [task] }) })
  await achieved(["run", "tasks.yaml", "--agent", "command", "--agent-command", "node agent.mjs"], dir)
  const { stdout } = await proofline(["show"], dir)
  return stdout.split("\n").flatMap((line) => /^ +(\d+ [│┃]|… .*)/.exec(line)?.[1] ?? [])
}

describe("the code of evidence, as `show` prints it", () => {
  it("given a short declaration, then all of it is there, and what is cited is marked", async () => {
    expect(await shownOf(6, 3)).toEqual(["1 │", "2 │", "3 ┃", "4 ┃", "5 │", "6 │"])
  })

  it("given lines far down in a long one, then its beginning and these are there", async () => {
    const shown = await shownOf(30, 20)
    expect(shown.slice(0, 4)).toEqual(["1 │", "… 18 more lines", "20 ┃", "21 ┃"])
    expect(shown.at(-1)).toBe("30 │")
  })
})
