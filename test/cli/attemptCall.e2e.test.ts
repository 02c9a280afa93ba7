import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { git } from "../plugins/git-workspaces/support.ts"
import { launcher, project, proofline } from "./proofline.ts"

const analysis = JSON.stringify({
  is_decomposable: true,
  decomposition_reason: "Two files.",
  subtasks: ["one", "two"].map((name) => ({
    prompt: `Write ${name}.py`,
    dependencies: [],
    acceptance_criteria: ["add() adds"]
  }))
})

describe("given an agent without an MCP client, in a worktree of its own", () => {
  it("asks back by `proofline call` from where it works", async () => {
    const room = project({ "analysis.json": analysis })
    const dir = project({ "readme.md": "Nothing yet.\n", ".gitignore": ".proofline\n" })
    git(dir, "init", "--quiet", "--initial-branch", "main")
    git(dir, "add", "--all")
    git(dir, "commit", "--quiet", "--message", "base")
    writeFileSync(
      Path.join(room, "agent.sh"),
      `case "$PROOFLINE_ROLE" in
analyze) cat '${room}/analysis.json' > "$PROOFLINE_REPORT_FILE" ;;
review) echo '{"judgment": "PASS"}' > "$PROOFLINE_REPORT_FILE" ;;
*)
  printf 'def add(a, b):\\n    return a + b\\n' > "$PROOFLINE_TASK_ID.py"
  for lines in 1-9 1-2; do
    '${process.execPath}' '${launcher}' call complete_task "{\\"task_id\\": \\"$PROOFLINE_TASK_ID\\", \\"data\\": {\\"summary\\": \\"Done.\\", \\"checklist\\": [{\\"item\\": \\"add() adds\\", \\"status\\": \\"done\\", \\"evidence\\": \\"$PROOFLINE_TASK_ID.py:$lines\\"}]}}" >> '${room}/said' 2>&1
    echo "code $?" >> '${room}/said'
  done ;;
esac
`
    )
    const agent = ["--agent", "command", "--agent-command", `sh '${room}/agent.sh'`, "--retry-delay", "0s", "--json"]
    const args = ["chunk", "Write one.py. Write two.py.", "--analyzer", "agent", "--workspace", "worktree", ...agent]
    const ended = await proofline(args, dir)
    const said = readFileSync(Path.join(room, "said"), "utf8")
    expect(ended.code, `${ended.stderr}${said}`).toBe(0)
    expect(said).not.toContain("token_unknown")
    expect(said.match(/code \d/g)?.toSorted(), said).toEqual(["code 0", "code 0", "code 1", "code 1"])
  })
})

describe("given a token in the environment of whoever looks after the project", () => {
  it("does not reach the commands of checks, whose output is kept", async () => {
    const dir = project({
      "tasks.yaml":
        "tasks:\n  - id: t1\n    name: X\n    instruction: Do it.\n    checks: ['test -e made && ! env | grep PROOFLINE_TOKEN']\n"
    })
    const token = "of-the-operator-0123456789abcdefghijk"
    const agent = ["--agent", "command", "--agent-command", "touch made", "--max-retries", "0", "--json"]
    const ended = await proofline(["run", "tasks.yaml", ...agent], dir, { PROOFLINE_TOKEN: token })
    expect(ended.code, ended.stdout).toBe(0)
  })
})
