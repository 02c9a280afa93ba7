// Bundles the CLI into two files which need nothing but Node: dist/proofline.cjs answers `status`, which is asked often and
// must not wait for the kernel to load, and loads dist/app.cjs for everything else: merely parsing that takes as long as
// Node takes to start. Beside them lie the grammars, dist/grammars/, each read when it is needed.
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

/** One file of what begins there; plugins of a project are modules, which only `import()` can load. */
const bundled = async (input: string, loadWith: "import" | "require"): Promise<string> => {
  const bundle = await rolldown({
    input: here(input),
    platform: "node",
    // `module` first: what jsonc-parser has as `main` hides from a bundler which files it requires
    resolve: { conditionNames: ["@proofline/source", "import", "node", "default"], mainFields: ["module", "main"] },
    // who keeps the log in a database has them installed
    external: ["pg", "pg-boss"],
    plugins: [{ name: "app", resolveId: (id) => (id === "./app.ts" ? { id: "./app.cjs", external: true } : null) }],
    onLog: (level, log) => {
      // Effect reads `import.meta.env` where a bundler for browsers has put something there
      if (log.code === "EMPTY_IMPORT_META" && log.id?.endsWith("/effect/dist/ConfigProvider.js") === true) return
      if (level === "warn") throw new Error(`${input}: ${log.message}`)
    }
  })
  const dynamicImportInCjs = loadWith === "import"
  const { output } = await bundle.generate({ format: "cjs", minify: true, codeSplitting: false, dynamicImportInCjs })
  if (output.length !== 1) throw new Error(`${input} was bundled into ${output.length} files, not into one.`)
  return output[0].code
}

/** Whole or not at all: a build may run beside a program that starts. */
const put = (path: string, write: (path: string) => void): void => {
  write(here(`${path}.${process.pid}`))
  renameSync(here(`${path}.${process.pid}`), here(path))
}

writeSchemas()
mkdirSync(here("dist/grammars"), { recursive: true })
for (const [name, source] of Object.entries(grammarSources)) {
  put(`dist/grammars/${name}`, (path) => copyFileSync(fromPlugins.resolve(source), path))
}
// each is whole without the other, so that one of this build and one of the build before it go together
for (const [file, code] of [
  ["dist/app.cjs", await bundled("src/app.ts", "import")],
  ["dist/proofline.cjs", await bundled("src/main.ts", "require")]
] as const) {
  put(file, (path) => writeFileSync(path, code))
  process.stdout.write(`${file}: ${Math.round(code.length / 1024)} kB\n`)
}
