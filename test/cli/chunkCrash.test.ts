import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { often } from "../often.ts"
import { contentOf, leftOf, ownOf } from "../plugins/git-workspaces/support.ts"
import { bigTask, gitStage, logOf, type Stage, stage } from "./chunkStage.ts"
import { documentOf, finish, isGone, proofline, start, until } from "./proofline.ts"

/**
 * A scripted agent. It notes beside the project what it was asked and who is at work, starts a helper, does not listen
 * to TERM, works for a moment, and fails where what it builds on is missing. What it does can be done twice.
 */
const agent = `#!/bin/sh
trap '' TERM
here=$(dirname "$0")
echo "$$" >> "$here/pids"
sleep 300 &
echo "$!" >> "$here/pids"
echo "$PROOFLINE_ROLE $PROOFLINE_TASK_ID" >> "$here/asked"
i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done
if [ "$PROOFLINE_ROLE" = analyze ]; then
  cat "$here/plan.json" > "$PROOFLINE_REPORT_FILE"
  exit 0
fi
n=\${PROOFLINE_TASK_ID##*-}
case $n in
  3) grep -q "part 1" part1.txt || exit 7 ;;
  4) grep -q "part 2" part2.txt && grep -q "part 3" part3.txt || exit 7 ;;
esac
echo "part $n" > part$n.txt
[ $n = 3 ] && { grep -q "and 3" part1.txt || echo "and 3" >> part1.txt; }
i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done
printf '{"summary":"","checklist":[{"item":"part %s is there","status":"done","evidence":"part%s.txt:1"}]}' $n $n > "$PROOFLINE_REPORT_FILE"
`
const plan = {
  is_decomposable: true,
  decomposition_reason: "four parts",
  subtasks: [[], [], [1], [2, 3]].map((dependencies, i) => ({
    prompt: `Write part${i + 1}.txt`,
    dependencies,
    acceptance_criteria: [`part ${i + 1} is there`]
  }))
}
const files = { "mine.txt": "committed\n", "part1.txt.bak": "old\n" }
const made = {
  ...files,
  "mine.txt": "not committed\n",
  "part1.txt": "part 1\nand 3\n",
  "part2.txt": "part 2\n",
  "part3.txt": "part 3\n",
  "part4.txt": "part 4\n"
}

const lines = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").filter(Boolean) : [])
const events = (dir: string) => {
  try {
    return logOf(dir)
  } catch {
    // there is no log yet
    return []
  }
}

/** A fixed sequence of numbers in [0, 1), so that a failing moment can be told again. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

/** One run that is killed again and again until `kills` is used up, and then goes on to its end. Answers the kills left. */
const killed = async (on: Stage, more: ReadonlyArray<string>, next: () => number, kills: number, seed: string) => {
  writeFileSync(Path.join(on.room, "agent.sh"), agent, { mode: 0o755 })
  writeFileSync(Path.join(on.room, "plan.json"), JSON.stringify(plan))
  writeFileSync(Path.join(on.dir, "mine.txt"), "not committed\n")
  const own = () => (existsSync(Path.join(on.dir, ".git")) ? ownOf(on.repository) : [])
  const before = own()
  const begin = [
    ...["chunk", bigTask, "--agent", "command", "--agent-command", `${on.room}/agent.sh`, "--retry-delay", "0s"],
    ...["--analyzer", "agent", "--json", ...more]
  ]
  const asked = () => lines(Path.join(on.room, "asked"))
  /** How often was asked for what is completed, as the log had it at the last kill. */
  let settled: ReadonlyArray<readonly [string, number]> = []
  for (let known = 0; ; ) {
    const run = events(on.dir)[0]?.stream
    const child = start(run === undefined ? begin : ["resume", run, "--json"], on.dir)
    let hasEnded = false
    const ended = finish(child).finally(() => {
      hasEnded = true
    })
    if (kills > 0) {
      // a moment of its life: some event, or while it starts
      const isEarly = next() < 0.1
      const target = isEarly ? 0 : known + 1 + Math.floor(next() * 30)
      await until(() => hasEnded || events(on.dir).length >= target)
      const delay = next() * (isEarly ? 300 : 40)
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, delay))])
      if (!hasEnded && child.kill("SIGKILL")) kills--
    }
    const finished = await ended
    await until(() => lines(Path.join(on.room, "pids")).map(Number).every(isGone))
    const log = events(on.dir)
    expect(log.length, seed).toBeGreaterThanOrEqual(known)
    known = log.length
    expect(
      log.map(({ version }) => version),
      seed
    ).toEqual(log.map((_, i) => i + 1))
    if (known > 0) {
      const replayed = await proofline(["replay", "--json"], on.dir)
      expect(replayed.code, `${seed}: ${replayed.stdout}`).toBe(0)
    }
    expect(own(), seed).toEqual(before)
    // what was completed was not asked for again
    for (const [task, times] of settled) expect(asked().filter((line) => line === task).length, seed).toBe(times)
    const isOver = ({ event_type }: { event_type: string }) => event_type === "SUBTASK_COMPLETE"
    settled = log.filter(isOver).map(({ content }) => {
      const key = `work ${content.subtask_id}`
      return [key, asked().filter((line) => line === key).length]
    })
    expect(new Set(settled.map(([task]) => task)).size, seed).toBe(settled.length)
    if (finished.code === null) continue
    expect(finished.code, `${seed}: ${finished.stdout} ${finished.stderr}`).toBe(0)
    expect(documentOf(finished).data.status).toBe("completed")
    expect(contentOf(on.dir), seed).toEqual(made)
    if (before.length > 0) expect(leftOf(on.repository), seed).toEqual([])
    return kills
  }
}

describe("kill -9 of a run in parts", () => {
  it.each([
    ["in the project", [], stage, often(7)],
    ["in worktrees", ["--workspace", "worktree"], gitStage, often(8)]
  ] as const)(
    "%s loses nothing, repeats nothing completed, leaves nothing behind",
    { timeout: 240_000 },
    async (_, more, make, kills) => {
      const given = Number(process.env["PROOFLINE_SEED"] ?? Date.now() % 1_000_000)
      const next = random(given)
      for (let left: number = kills; left > 0; ) left = await killed(make({}, files), more, next, left, `seed ${given}`)
    }
  )
})
