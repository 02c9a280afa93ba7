import { existsSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { type ProjectPaths, projectPaths } from "../base/paths.ts"
import type { Problem } from "../base/problems.ts"
import { commandFor } from "../process/output.ts"
import { type ConfigRead, readConfig } from "../project/files.ts"
import { projectContract } from "../project/phaseContract.ts"
import { projectMessages } from "../project/projectMessages.ts"
import type { Finding } from "./Finding.ts"

/** What is wrong with the files in which a project is set up. */
export const lookAtSettings = Effect.fnUntraced(function* (
  paths: ProjectPaths
): Effect.fn.Return<{ readonly read: ConfigRead; readonly findings: ReadonlyArray<Finding> }> {
  const read = yield* readConfig(paths)
  const contract = yield* projectContract(paths, read.config?.pull.contract, { isQuiet: true }).pipe(
    Effect.andThen(projectMessages(paths, { isQuiet: true })),
    Effect.as([]),
    Effect.catch(({ problems }) => Effect.succeed(problems))
  )
  const findings = [
    ...[...read.problems, ...contract].map((problem) => findingOf(problem, "error", paths)),
    ...read.warnings.map((problem) => findingOf(problem, "warning", paths))
  ]
  const isSetUp = ["proofline.yaml", ".proofline"].some((name) => existsSync(Path.join(paths.root, name)))
  return { read, findings: isSetUp ? findings : [...findings, notSetUp(paths)] }
})

/** What is wrong with an input file, as a finding at its place. */
export const findingOf = (
  { code, column, file, hint, line, message }: Problem,
  severity: Finding["severity"],
  { root }: ProjectPaths
): Finding => ({
  code,
  severity,
  message,
  place: [file ?? root, line, column].filter((part) => part !== undefined).join(":"),
  fix:
    hint === ""
      ? `Mend it; \`proofline validate ${file ?? "proofline.yaml"}\` tells everything that is wrong with it.`
      : hint
})

const notSetUp = (paths: ProjectPaths): Finding => ({
  code: "project_new",
  severity: "note",
  message: "There is no proofline.yaml, and no .proofline: everything is as it is by default.",
  place: paths.root,
  fix: `${commandFor(projectPaths(paths.root))("init")} writes them, with the agents and the test command that are found.`
})
