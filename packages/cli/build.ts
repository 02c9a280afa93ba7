// Bundles the CLI into one file, dist/proofline.cjs, which needs nothing but Node.
//
// The file holds two programs: `status`, which is asked often and must not wait for the kernel to load, and everything
// else. The latter stands in a comment and is read and compiled when it is wanted: merely parsing it takes as long as
// Node takes to start. Beside it lie the grammars, dist/grammars/, each read when it is needed.
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { grammarSources } from "@proofline/plugins/adapters/tree-sitter/grammars"
import { rolldown } from "rolldown"
import { writeSchemas } from "./src/publishedSchemas.ts"
import { version } from "./src/version.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const declared: unknown = JSON.parse(readFileSync(here("package.json"), "utf8")).version
if (declared !== version) throw new Error(`package.json says ${declared}, src/version.ts says ${version}.`)

const fromPlugins = createRequire(here("../plugins/package.json"))

const bundled = async (input: string): Promise<string> => {
  const bundle = await rolldown({
    input: here(input),
    platform: "node",
    resolve: { conditionNames: ["@proofline/source", "import", "node", "default"] },
    onLog: (level, log) => {
      if (level === "warn") throw new Error(`${input}: ${log.message}`)
    }
  })
  const { output } = await bundle.generate({ format: "cjs", minify: true, codeSplitting: false })
  if (output.length !== 1) throw new Error(`${input} was bundled into ${output.length} files, not into one.`)
  return output[0].code
}

/** As JSON in plain ASCII that cannot end a comment. */
const asComment = (code: string): string =>
  JSON.stringify(code)
    .replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll("*/", "*\\/")

const text = `#!/usr/bin/env node
"use strict"
const status = (module, exports) => {${await bundled("src/status.ts")}
}
const app = (module, exports) => {
  const { compileFunction } = require("node:vm")
  const lastLine = require("node:fs").readFileSync(__filename, "latin1").trimEnd().split("\\n").pop()
  const code = JSON.parse(lastLine.slice(2, -2))
  const names = ["module", "exports", "require", "__filename", "__dirname", "hostImport"]
  const program = compileFunction(code, names, { filename: __filename })
  program(module, exports, require, __filename, __dirname, (url) => import(url))
}
const load = (program) => {
  const module = { exports: {} }
  program(module, module.exports)
  return module.exports
}
const args = process.argv.slice(2)
const quick = args[0] === "status" ? load(status) : null
const options = quick === null ? null : quick.statusOptions(args.slice(1))
const exitCode = options === null ? null : quick.status(options)
if (exitCode === null) load(app).start(args)
else process.exitCode = exitCode
/*${asComment(await bundled("src/app.ts"))}*/
`

writeSchemas()
mkdirSync(here("dist/grammars"), { recursive: true })
for (const [name, source] of Object.entries(grammarSources)) {
  copyFileSync(fromPlugins.resolve(source), here(`dist/grammars/${name}.${process.pid}`))
  renameSync(here(`dist/grammars/${name}.${process.pid}`), here(`dist/grammars/${name}`))
}
// whole or not at all: a build may run beside a program that starts
writeFileSync(here(`dist/proofline.cjs.${process.pid}`), text, { mode: 0o755 })
renameSync(here(`dist/proofline.cjs.${process.pid}`), here("dist/proofline.cjs"))
process.stdout.write(`dist/proofline.cjs: ${Math.round(text.length / 1024)} kB\n`)
