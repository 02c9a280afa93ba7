import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import { commandFor, print, printDocument } from "../output.ts"
import { projectPaths } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"

export interface InitOptions {
  readonly cwd?: string | undefined
  readonly json: boolean
}

/** `proofline init`: the files of a new project. What exists already is kept as it is. */
export const init = Effect.fnUntraced(function* (options: InitOptions) {
  const { root } = projectPaths(options.cwd ?? ".")
  const files = [
    { path: "proofline.yaml", text: () => readFileSync(asset("templates", "proofline.yaml"), "utf8") },
    { path: "tasks.yaml", text: () => readFileSync(asset("templates", "tasks.yaml"), "utf8") },
    { path: ".proofline/.gitignore", text: () => "state/\n" }
  ]
  const done = yield* Effect.forEach(files, ({ path, text }) =>
    Effect.try({
      try: () => ({ path, action: create(Path.join(root, path), text()) }),
      catch: (cause) =>
        stop(exitCodes.unmet, {
          code: "file_unwritable",
          message: `${Path.join(root, path)} cannot be written: ${(cause as Error).message}.`,
          hint: "Make the directory writable, or name another one with --cwd."
        })
    })
  )
  yield* options.json
    ? printDocument("init", { files: done })
    : print(
        `${done.map(({ action, path }) => `${action === "created" ? "created" : "kept   "} ${path}`).join("\n")}\n\nNext: edit tasks.yaml, then\n  ${commandFor(projectPaths(root))("run tasks.yaml --agent claude")}\n`
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
