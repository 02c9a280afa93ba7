/** What a run adds to work that takes nothing, or a tenth of a second, by the program as it is installed. */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { installedIn } from "./installed.ts"

export const workers = 4
export const sleepers = 100
export const sleepMs = 100

export interface TaskFigures {
  /** ms of CPU for one task whose agent only reports, by how many there are, with all processes that are started for it. */
  readonly idle: ReadonlyArray<{ readonly tasks: number; readonly cpuMs: number }>
  /** ms until so many agents have slept and their evidence has been judged, and until `xargs` is through with the same. */
  readonly slept: { readonly runMs: number; readonly xargsMs: number }
}

/** It says of a line that was there that it is done: what is judged does not grow with the number of tasks. */
const agent = (sleepMs: number): string =>
  [
    ...(sleepMs === 0 ? [] : [`sleep ${sleepMs / 1_000}`]),
    `printf '{"summary":"S","checklist":[{"item":"Write it","status":"done","evidence":"agent.sh:1"}]}' > "$PROOFLINE_REPORT_FILE"`,
    ""
  ].join("\n")

/** Its wall time and the processor time of all that it has started and waited for; ms. */
const timed = (cwd: string, env: NodeJS.ProcessEnv, command: ReadonlyArray<string>) => {
  const begun = performance.now()
  const printing = '"$@" > /dev/null 2>&1; echo "$?"; times'
  const { stdout } = spawnSync("sh", ["-c", printing, "sh", ...command], { cwd, env, encoding: "utf8" })
  const ms = performance.now() - begun
  const [code, , children = ""] = stdout.split("\n")
  if (code !== "0") throw new Error(`${command.join(" ")} ended with ${code}.`)
  const cpuMs = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
    0
  )
  return { ms, cpuMs }
}

/** `sizes`: how many tasks that do nothing. */
export const measureTasks = (directory: string, sizes: ReadonlyArray<number>): TaskFigures => {
  const program = installedIn(directory)
  const env = { ...process.env, XDG_CACHE_HOME: join(directory, "cache"), XDG_STATE_HOME: join(directory, "state") }
  const run = (tasks: number, sleepMs: number) => {
    const project = join(directory, `tasks-${tasks}-${sleepMs}`)
    mkdirSync(project)
    const list = Array.from(
      { length: tasks },
      (_, i) => `  - { id: t${i}, name: T, instruction: I, checklist: [Write it] }\n`
    )
    writeFileSync(join(project, "tasks.yaml"), `tasks:\n${list.join("")}`)
    writeFileSync(join(project, "agent.sh"), agent(sleepMs))
    const how = ["--agent", "command", "--agent-command", "sh ./agent.sh", "--accept", "untouched"]
    const command = [process.execPath, program, "run", "tasks.yaml", ...how, "--workers", `${workers}`]
    return timed(project, env, command)
  }
  // what was compiled is kept from here on
  run(2, 0)
  const alone = run(1, 0)
  const idle = sizes.map((tasks) => ({ tasks, cpuMs: (run(tasks, 0).cpuMs - alone.cpuMs) / (tasks - 1) }))
  const { ms: runMs } = run(sleepers, sleepMs)
  const each = `seq ${sleepers} | xargs -P ${workers} -n 1 sh -c 'sleep ${sleepMs / 1_000}'`
  return { idle, slept: { runMs, xargsMs: timed(directory, env, ["sh", "-c", each]).ms } }
}
