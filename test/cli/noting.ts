import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { type Finished, finish, project, start } from "./proofline.ts"

/** Notes every module that a program asks for, whoever asks. */
const noting = `
const { appendFileSync } = require("node:fs")
require("node:module").registerHooks({
  resolve: (specifier, context, next) => {
    appendFileSync(process.env.NOTES, specifier + "\\n")
    return next(specifier, context)
  }
})
`

/** How a command ends in a process of its own, and the modules that were asked for in it. */
export const loadedBy = async (
  args: ReadonlyArray<string>,
  cwd: string,
  input?: string,
  env: Readonly<Record<string, string>> = {}
): Promise<{ readonly finished: Finished; readonly loaded: ReadonlyArray<string> }> => {
  const dir = project({ "noting.cjs": noting, notes: "" })
  const notes = Path.join(dir, "notes")
  const own = { ...env, NOTES: notes, NODE_OPTIONS: `--require=${Path.join(dir, "noting.cjs")}` }
  const finished = await finish(start(args, cwd, own, input))
  return { finished, loaded: readFileSync(notes, "utf8").trim().split("\n") }
}
