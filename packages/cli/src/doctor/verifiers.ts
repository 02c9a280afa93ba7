import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { keysIn, parseTasks } from "@proofline/plugins/adapters/project-files"
import { programsOf } from "@proofline/plugins/policies/execution"
import { Effect } from "effect"
import { answersWithinMs } from "../base/answersWithin.ts"
import type { ProjectPaths } from "../base/paths.ts"
import type { ProjectConfig } from "../project/files.ts"
import { oneLine } from "../render/style.ts"
import type { Finding } from "./Finding.ts"

/** Whether the programs that the verifiers start are found, by the shell that will run them. */
export const lookAtVerifiers = (
  { verifiers }: ProjectConfig,
  { root }: ProjectPaths
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.sync(() => {
    const programs = verifiers.map((command) => ({ command, programs: programsOf(command) }))
    const unknown = unknownAmong([...new Set(programs.flatMap((one) => one.programs))], root)
    const place = placeIn(Path.join(root, "proofline.yaml"))
    return programs.flatMap((one) =>
      one.programs
        .filter((program) => unknown.has(program))
        .map(
          (program): Finding => ({
            code: "verifier_missing",
            severity: "error",
            message: `The verifier \`${oneLine(one.command, 120)}\` starts \`${program}\`, which ${program.includes("/") ? "is no program in the project" : "is not on PATH"}: no work can pass it.`,
            place,
            fix: `Install ${program}, or write the command that verifies this project under \`verifiers\`.`
          })
        )
    )
  })

/** The same of the checks in tasks.yaml; a path may be what a task is to make. */
export const lookAtChecks = ({ root }: ProjectPaths): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.sync(() => {
    const file = Path.join(root, "tasks.yaml")
    const tasks = existsSync(file) ? parseTasks(readFileSync(file, "utf8"), "tasks.yaml").tasks : null
    const checks = (tasks?.tasks ?? []).flatMap(({ checklist, checks, id }) =>
      [...checks, ...checklist.flatMap(({ check }) => check ?? [])].map((command) => ({
        ...{ command, id },
        programs: programsOf(command).filter((program) => !program.includes("/"))
      }))
    )
    const unknown = unknownAmong([...new Set(checks.flatMap(({ programs }) => programs))], root)
    return checks.flatMap(({ command, id, programs }) =>
      programs
        .filter((program) => unknown.has(program))
        .map(
          (program): Finding => ({
            code: "check_missing",
            severity: "warning",
            message: `A check of the task ${oneLine(id, 80)}, \`${oneLine(command, 120)}\`, starts \`${program}\`, which is not on PATH: as things are nothing can pass it.`,
            place: "tasks.yaml",
            fix: `Install ${program}, or write another command under \`checks\`.`
          })
        )
    )
  })

const placeIn = (file: string): string => {
  const line = existsSync(file) ? keysIn(readFileSync(file, "utf8")).get("verifiers")?.line : undefined
  return line === undefined ? "proofline.yaml" : `proofline.yaml:${line}`
}

/** Each that is none of its own words, no function, no builtin and on no path of it is printed. */
const script = 'for program in "$@"; do command -v "$program" >/dev/null 2>&1 || printf "%s\\n" "$program"; done'

const unknownAmong = (programs: ReadonlyArray<string>, cwd: string): ReadonlySet<string> => {
  if (programs.length === 0) return new Set()
  const { status, stdout } = spawnSync("/bin/sh", ["-c", script, "sh", ...programs], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: answersWithinMs
  })
  return new Set(status === 0 ? stdout.split("\n").filter((line) => line !== "") : [])
}
