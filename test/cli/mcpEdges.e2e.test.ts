import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { initialize, piped, request } from "./mcpPipe.ts"
import { afterwards, isGone, project, until } from "./proofline.ts"
import { newestLog } from "./sessionStage.ts"

/** Ignores TERM, and so does what it starts, one of it out of its group; fails at once before there is work. */
const stubborn = `[ -e go ] || exit 1
trap '' TERM
sh -c 'echo $$ >> pids; while :; do sleep 1; done' &
setsid sh -c 'echo $$ >> pids; while :; do sleep 1; done' &
echo $$ >> pids
while :; do sleep 1; done
`

describe("`proofline mcp`", () => {
  it("given a line over the limit, when it comes, then it is refused under its id and the next one is answered", async () => {
    const server = piped(project({}))
    await server.write(initialize())
    expect(await server.next()).toMatchObject({ id: 0, result: { protocolVersion: "2025-11-25" } })
    for (const [id, size] of [2, 20].entries()) {
      const data = "x".repeat(size * 1024 * 1024)
      await server.write(request("tools/call", { name: "submit_phase", arguments: { data } }, id))
      expect(await server.next()).toMatchObject({ id, error: { code: -32600 } })
      await server.write(request("ping", {}, "behind it"))
      expect(await server.next()).toEqual({ jsonrpc: "2.0", id: "behind it", result: {} })
    }
    server.end()
    expect(await server.ended).toBe(0)
    expect(server.stderr()).toBe("")
  })

  it.skipIf(process.platform !== "linux")(
    "given a verification that runs, when standard input ends, then the server ends at once and leaves nothing of it",
    async () => {
      const dir = project({
        "src/a.py": "def a():\n    return 1\n",
        "verify.sh": stubborn,
        "proofline.yaml": 'verifiers: ["sh verify.sh"]\n'
      })
      const server = piped(dir)
      await server.write(initialize())
      await server.next()
      await server.call("submit_phase", {
        data: { explored_files: ["src/a.py"], findings: ["src/a.py: one function"] }
      })
      await server.call("submit_phase", { data: { tasks: [{ id: "t", description: "Say two", status: "pending" }] } })
      writeFileSync(Path.join(dir, "src/a.py"), "def a():\n    return 2\n")
      await server.call("complete_task", { task_id: "t", data: { summary: "It says two", checklist: [] } })
      expect(await server.call("submit_phase", { data: { summary: "All is done" } })).toMatchObject({
        phase: "POST_IMPL_VERIFY"
      })
      // what the verifier says at the base is recorded when it is known
      await until(async () => (await newestLog(dir)).some(({ event_type }) => event_type === "BASE_CHECKED"))
      writeFileSync(Path.join(dir, "go"), "")
      await server.write(request("tools/call", { name: "submit_phase", arguments: { data: {} } }, "verify"))
      const pids = () => (existsSync(Path.join(dir, "pids")) ? read(dir, "pids").trim().split("\n").map(Number) : [])
      afterwards(() => {
        for (const pid of pids()) if (!isGone(pid)) process.kill(pid, "SIGKILL")
      })
      await until(() => pids().length === 3)
      server.end()
      await until(() => isGone(server.pid))
      await until(() => pids().every(isGone))
      expect(await server.ended).toBe(0)
      expect(server.stderr()).toBe("")
      const events = (await newestLog(dir)).map(({ event_type }) => event_type)
      expect(events.at(-1)).toBe("SESSION_CLOSED")
      expect(events).not.toContain("PHASE_VERIFIED")
    }
  )

  it("given open tasks, when a client asks what task_id of a prompt may be, then it is told them", async () => {
    const server = piped(project({ "src/a.py": "def a():\n    return 1\n" }))
    await server.write(initialize())
    await server.next()
    await server.call("submit_phase", { data: { explored_files: ["src/a.py"], findings: ["src/a.py: one function"] } })
    const tasks = ["auth", "docs"].map((id) => ({ id, description: `Do ${id}`, status: "pending" }))
    await server.call("submit_phase", { data: { tasks } })
    const completed = async (value: string) => {
      const ref = { type: "ref/prompt", name: "implement" }
      await server.write(request("completion/complete", { ref, argument: { name: "task_id", value } }))
      return (await server.next()).result.completion
    }
    expect(await completed("")).toEqual({ values: ["auth", "docs"], total: 2, hasMore: false })
    expect(await completed("D")).toEqual({ values: ["docs"], total: 1, hasMore: false })
    server.end()
    expect(await server.ended).toBe(0)
  })
})

const read = (dir: string, name: string): string => readFileSync(Path.join(dir, name), "utf8")
