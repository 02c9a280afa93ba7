/** What a run adds to work that takes nothing, or a tenth of a second, by the program as it is installed. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { processIds, readProc, readStat } from "../../packages/plugins/src/processes/proc.ts"
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

/** Its wall time and the processor time of all that it has started; ms. */
const timed = async (cwd: string, env: NodeJS.ProcessEnv, command: ReadonlyArray<string>) => {
  const begun = performance.now()
  const printing = '"$@" > /dev/null 2>&1; echo "$?"; times'
  const shell = spawn("sh", ["-c", printing, "sh", ...command], { cwd, env, stdio: ["ignore", "pipe", "ignore"] })
  const starter = starterBelow(shell.pid ?? 0)
  const looking = setInterval(starter.look, lookMs)
  const [stdout] = await Promise.all([text(shell.stdout), once(shell, "close")])
  clearInterval(looking)
  const ms = performance.now() - begun
  const [code, , children = ""] = stdout.split("\n")
  if (code !== "0") throw new Error(`${command.join(" ")} ended with ${code}.`)
  const cpuMs = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
    0
  )
  return { ms, cpuMs: cpuMs + starter.cpuMs() }
}

/** What it has not taken when it was last looked at is not counted. */
const lookMs = 20
/** Of Linux, whatever the machine. */
const tickMs = 10

/**
 * On Linux another process starts programs for Proofline, and ends after it: nobody waits for it, so that no shell counts
 * what it takes, and all that it has started.
 */
const starterBelow = (shell: number) => {
  let pid: number | undefined
  let ticks = 0
  return {
    look: (): void => {
      pid ??= processIds().find(
        (pid) => readProc(pid, "comm") === "proofline-start\n" && parentOf(parentOf(pid)) === shell
      )
      const fields = pid === undefined ? [] : (readProc(pid, "stat")?.split(") ").at(-1)?.split(" ") ?? [])
      // of its own and of those that it has waited for, in the system and outside
      if (fields.length > 0) ticks = fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0)
    },
    cpuMs: () => ticks * tickMs
  }
}

const parentOf = (pid: number): number => readStat(pid)?.parent ?? 0

/** `sizes`: how many tasks that do nothing. */
export const measureTasks = async (directory: string, sizes: ReadonlyArray<number>): Promise<TaskFigures> => {
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
  await run(2, 0)
  const alone = await run(1, 0)
  const idle: Array<TaskFigures["idle"][number]> = []
  for (const tasks of sizes) idle.push({ tasks, cpuMs: ((await run(tasks, 0)).cpuMs - alone.cpuMs) / (tasks - 1) })
  const { ms: runMs } = await run(sleepers, sleepMs)
  const each = `seq ${sleepers} | xargs -P ${workers} -n 1 sh -c 'sleep ${sleepMs / 1_000}'`
  const { ms: xargsMs } = await timed(directory, env, ["sh", "-c", each])
  return { idle, slept: { runMs, xargsMs } }
}
