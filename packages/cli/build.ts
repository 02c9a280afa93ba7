// Bundles the CLI into files which need nothing but Node. dist/proofline.cjs answers what is asked often and must not wait
// for the kernel to load; for everything else it loads dist/app.cjs or dist/stopHook.cjs, and those load chunks beside them
// as a command needs them: merely parsing all of it takes longer than Node takes to start. Beside them lie the grammars,
// dist/grammars/, each read when it is needed.
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { type OutputOptions, rolldown } from "rolldown"
import { helpPages } from "./src/helpPages.ts"
import { writeSchemas } from "./src/publishedSchemas.ts"
import { helpFile } from "./src/quickHelp.ts"
import { version } from "./src/version.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const declared: unknown = JSON.parse(readFileSync(here("package.json"), "utf8")).version
if (declared !== version) throw new Error(`package.json says ${declared}, src/version.ts says ${version}.`)

/** What the launcher loads; every other file has a name that only its content gives it. */
const loaded = ["app", "stopHook"]

/** The files of what begins there. Plugins of a project are modules, which only `import()` can load. */
const bundled = async (names: ReadonlyArray<string>, options: OutputOptions): Promise<ReadonlyMap<string, string>> => {
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, here(`src/${name}.ts`)])),
    platform: "node",
    // `module` first: what jsonc-parser has as `main` hides from a bundler which files it requires
    resolve: { conditionNames: ["@proofline/source", "import", "node", "default"], mainFields: ["module", "main"] },
    // who keeps the log in a database has them installed
    external: ["pg", "pg-boss"],
    plugins: [
      {
        name: "loaded by the launcher",
        resolveId: (id) =>
          loaded.some((name) => id === `./${name}.ts`) ? { id: `${id.slice(0, -3)}.cjs`, external: true } : null
      }
    ],
    onLog: (level, log) => {
      // Effect reads `import.meta.env` where a bundler for browsers has put something there
      if (log.code === "EMPTY_IMPORT_META" && log.id?.endsWith("/effect/dist/ConfigProvider.js") === true) return
      if (level === "warn") throw new Error(`${names.join(", ")}: ${log.message}`)
    }
  })
  const { output } = await bundle.generate({
    format: "cjs",
    minify: true,
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunk-[hash].cjs",
    ...options
  })
  return new Map(
    output.map((file) => {
      if (file.type !== "chunk") throw new Error(`${file.fileName} is no code.`)
      return [file.fileName, file.code]
    })
  )
}

/** Whole or not at all: a build may run beside a program that starts. */
const put = (path: string, write: (path: string) => void): void => {
  write(here(`${path}.${process.pid}`))
  renameSync(here(`${path}.${process.pid}`), here(path))
}

/** A program that runs loads chunks of the build that it began with: those of former builds stay so long, in ms. */
const keptMs = process.argv.includes("--alone") ? 0 : 24 * 60 * 60 * 1_000

writeSchemas()
execFileSync(process.execPath, [here("../plugins/pack-grammars.ts"), here("dist/grammars")])
const files = new Map([
  [helpFile, JSON.stringify(await Effect.runPromise(helpPages))] as const,
  ...(await bundled(loaded, { dynamicImportInCjs: true })),
  ...(await bundled(["main"], { codeSplitting: false, dynamicImportInCjs: false, entryFileNames: "proofline.cjs" }))
])
// what is loaded by others before those that load it: each of the launcher's is whole with the chunks that it names, so
// that one of this build and one of the build before it go together
const last = [...loaded.map((name) => `${name}.cjs`), "proofline.cjs"]
for (const [name, code] of [...files].toSorted(([a], [b]) => last.indexOf(a) - last.indexOf(b))) {
  put(`dist/${name}`, (path) => writeFileSync(path, code))
}
const before = Date.now() - keptMs
for (const name of readdirSync(here("dist"))) {
  const file = here(`dist/${name}`)
  if (name.startsWith("chunk-") && !files.has(name) && statSync(file).mtimeMs < before) rmSync(file)
}
const size = [...files.values()].reduce((bytes, code) => bytes + Buffer.byteLength(code), 0)
process.stdout.write(`dist: ${files.size} files, ${Math.round(size / 1_024)} kB\n`)
