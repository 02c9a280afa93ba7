import { existsSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { documentOf, eventsOf, finish, project, proofline, start, until } from "./proofline.ts"

const addJs = "export const add = (a, b) => {\n  return a + b\n}\n"
const report = (checklist: ReadonlyArray<unknown>) => JSON.stringify({ summary: "Done.", checklist })
const asAgent = ["--agent", "command", "--agent-command", "sh agent.sh", "--max-retries", "0"]

describe("given a command of the user that runs a script which is not there yet", () => {
  it.each([
    ["and nothing else", "node check.mjs", 1, ["check.mjs"]],
    ["and says itself what has to come out", "node check.mjs | grep -qx 3", 0, ["check.mjs"]]
  ])("%s, when the agent writes the script", async (_, check, code, written) => {
    const dir = project({
      "tasks.yaml": `tasks: [{id: a, name: Add, instruction: Add., checks: ["${check}"]}]\n`,
      "agent.sh": `printf '%s' 'console.log(1 + 2)' > check.mjs\nprintf '%s' '${report([])}' > "$PROOFLINE_REPORT_FILE"\n`
    })
    const finished = await proofline(["run", "tasks.yaml", ...asAgent, "--json"], dir)
    const { data } = documentOf(finished)
    expect([finished.code, data.tasks[0].reason]).toEqual([code, code === 0 ? "" : "agents_check"])
    const events = await eventsOf(data.run_id, dir)
    const run = events.find(({ event_type }) => event_type === "VERIFICATION_RUN")
    expect(run.content.checks[0].written).toEqual(written)
  })
})

describe("given an attempt that is interrupted with Ctrl-C", () => {
  it("when the run is resumed, then the files that it had written count as work of the run", async () => {
    const done = report([{ item: "Added", status: "done", evidence: "add.js:1-3" }])
    const dir = project({
      "tasks.yaml": "tasks: [{id: a, name: Add, instruction: Add., checklist: [Added]}]\n",
      "agent.sh": [
        "if [ ! -e add.js ]; then",
        `printf '%s' '${addJs}' > add.js`,
        "touch written",
        "sleep 60",
        "fi",
        `printf '%s' '${done}' > "$PROOFLINE_REPORT_FILE"`,
        ""
      ].join("\n")
    })
    const child = start(["run", "tasks.yaml", ...asAgent], dir)
    const first = finish(child)
    await until(() => existsSync(Path.join(dir, "written")))
    child.kill("SIGINT")
    expect((await first).code).toBe(130)
    const resumed = await proofline(["resume", "--json"], dir)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(documentOf(resumed).data).toMatchObject({ status: "completed", verdict: "proven" })
  })
})
