import { spawn } from "node:child_process"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { caller } from "./mcpClient.ts"
import { afterwards, type Finished, finish, launcher, project } from "./proofline.ts"
import { explored, files } from "./sessionStage.ts"

/** More than a pipe holds: whoever has written it knows that it is being read. */
const padding = " ".repeat(200_000)

/**
 * What comes before the program: another one that has the same pipe, and has it answer at once where it is empty, as many do
 * whose output or input is piped. `$1`: a file that says that it has.
 */
const sharing = `
exec 3<&0
"$0" -e 'process.stdin; require("fs").writeFileSync(process.argv[1], ""); setInterval(() => {}, 1e6)' "$1" <&3 >/dev/null 2>&1 &
other=$!
until [ -e "$1" ]; do :; done
shift
"$0" "$@" <&3 3<&-
code=$?
kill $other
exit $code
`

/** Runs the program with a pipe for standard input into which a text is written in two halves. */
const slowly = async (
  dir: string,
  args: ReadonlyArray<string>,
  [first, second]: readonly [string, string],
  env: Readonly<Record<string, string>> = {}
): Promise<Finished> => {
  const ready = Path.join(dir, "ready")
  const child = spawn("sh", ["-c", sharing, process.execPath, ready, launcher, ...args], {
    cwd: dir,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"]
  })
  afterwards(() => child.kill("SIGKILL"))
  const ended = finish(child)
  const { stdin } = child
  // whoever has enough does not wait for the rest
  stdin.on("error", () => {})
  await new Promise((taken) => stdin.write(first, taken))
  stdin.end(second)
  return ended
}

describe("standard input that comes in parts", () => {
  it("is read to its end by call", async () => {
    const dir = project(files)
    const { token } = await caller(dir, "ann")
    const text = JSON.stringify({ data: explored })
    const halves = [`{${padding}`, text.slice(1)] as const
    const { code, stdout } = await slowly(dir, ["call", "submit_phase", "-"], halves, { PROOFLINE_TOKEN: token })
    expect(JSON.parse(stdout).data, stdout).toMatchObject({ ok: true, answer: { phase: "READY_PLAN" } })
    expect(code).toBe(0)
  })

  it("is read to its end by chunk, and by the Stop hook", async () => {
    const dir = project(files)
    // without the second half there is nothing to do, which is refused
    const prompt = [padding, "Write logout."] as const
    const plan = await slowly(dir, ["chunk", "-", "--plan", "--analyzer", "heuristic", "--json"], prompt)
    expect(plan.code, plan.stderr).toBe(0)

    const other = project(files)
    await caller(other, "claude-code")
    const said = JSON.stringify({ session_id: "s", cwd: other, hook_event_name: "Stop" })
    const unset = { CLAUDE_PROJECT_DIR: "", PROOFLINE_ATTEMPT: "", PROOFLINE_TOKEN: "" }
    const halves = [`{${padding}`, said.slice(1)] as const
    const { stdout } = await slowly(other, ["hook", "claude-stop"], halves, unset)
    expect(JSON.parse(stdout)).toMatchObject({ decision: "block" })
  })

  it("is refused where it is more than anybody writes", async () => {
    const dir = project(files)
    const { token } = await caller(dir, "ann")
    const endless = ["{", " ".repeat(17 * 1024 * 1024)] as const
    const { code, stdout } = await slowly(dir, ["call", "submit_phase", "-"], endless, { PROOFLINE_TOKEN: token })
    expect([code, JSON.parse(stdout).data.problems[0].code]).toEqual([2, "arguments_unreadable"])
    expect(JSON.parse(stdout).data.problems[0].message).toContain("longer than 16777216 bytes")
  })
})
