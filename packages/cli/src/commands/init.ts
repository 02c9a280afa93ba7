import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import { initDocument } from "../documents/files.ts"
import { commandFor, print, printDocument } from "../output.ts"
import { projectPaths } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"

export interface InitOptions {
  readonly cwd?: string | undefined
  /** Language of what agents read: the phase contract and the planning guide. `en` when left out. */
  readonly lang?: "en" | "ja" | undefined
  /** Which of the built-in phase contracts; `default` when left out. */
  readonly contract?: "default" | "full" | undefined
  readonly json: boolean
}

interface ProjectFile {
  /** From the project directory, `/` separated. */
  readonly path: string
  /** Where the file may stand as well: one that is there takes its place. */
  readonly elsewhere?: string
  readonly text: () => string
}

const template = (...path: ReadonlyArray<string>) => readFileSync(asset("templates", ...path), "utf8")

const filesOf = ({ contract = "default", lang = "en" }: InitOptions): ReadonlyArray<ProjectFile> => {
  const folder = lang === "en" ? [] : [lang]
  return [
    { path: "proofline.yaml", text: () => template("proofline.yaml") },
    { path: "tasks.yaml", text: () => template("tasks.yaml") },
    { path: ".proofline/.gitignore", text: () => "state/\n" },
    {
      path: ".proofline/phase_contract.yml",
      elsewhere: ".code-intel/phase_contract.yml",
      text: () => template(...folder, contract === "default" ? "phase_contract.yml" : `phase_contract.${contract}.yml`)
    },
    {
      path: ".proofline/task_planning.md",
      elsewhere: ".code-intel/task_planning.md",
      text: () => template(...folder, "task_planning.md")
    }
  ]
}

/** `proofline init`: the files of a new project. What exists already is kept as it is. */
export const init = Effect.fnUntraced(function* (options: InitOptions) {
  const { root } = projectPaths(options.cwd ?? ".")
  const done = yield* Effect.forEach(filesOf(options), ({ elsewhere, path, text }) =>
    Effect.try({
      try: () => {
        // a new file would stand before the one the project has
        const existing = [path, elsewhere ?? path].find((candidate) => existsSync(Path.join(root, candidate))) ?? path
        return { path: existing, action: create(Path.join(root, existing), text()) }
      },
      catch: (cause) =>
        stop(exitCodes.unmet, {
          code: "file_unwritable",
          message: `${Path.join(root, path)} cannot be written: ${(cause as Error).message}.`,
          hint: "Make the directory writable, or name another one with --cwd."
        })
    })
  )
  yield* options.json
    ? printDocument(initDocument, { files: done })
    : print(
        `${done.map(({ action, path }) => `${action === "created" ? "created" : "kept   "} ${path}`).join("\n")}\n\nNext: edit tasks.yaml, then\n  ${commandFor(projectPaths(root))("run tasks.yaml --agent claude")}\nor say what must hold in the end, and let tasks be made of it, with\n  ${commandFor(projectPaths(root))("sample requirements --out requirements.yaml")}\nor name commands under \`verifiers:\` in proofline.yaml, and let the agent you have open work under\n  ${commandFor(projectPaths(root))("mcp")}\n`
      )
  return exitCodes.proven
})

/** Written whole or not at all; an existing file is never touched. */
const create = (file: string, text: string): "created" | "kept" => {
  if (existsSync(file)) return "kept"
  mkdirSync(Path.dirname(file), { recursive: true })
  const part = `${file}.${process.pid}.part`
  writeFileSync(part, text, { flag: "wx" })
  renameSync(part, file)
  return "created"
}
