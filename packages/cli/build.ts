// Bundles the CLI into files which need nothing but Node. dist/proofline.cjs answers what is asked often and must not wait
// for the kernel to load; for everything else it loads dist/app.cjs, or the file of a command that is asked often, and those load chunks
// beside them as a command needs them: merely parsing all of it takes longer than Node takes to start. What the launcher does not
// load at once is compressed, and takes a millisecond or two more to load. Beside them lie the grammars, dist/grammars/,
// each read when it is needed.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants } from "node:zlib"
import { Effect } from "effect"
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from "rolldown"
import { version } from "./src/base/version.ts"
import { helpPages } from "./src/commandLine/helpPages.ts"
import { writeSchemas } from "./src/documents/publishedSchemas.ts"
import { helpFile } from "./src/quick/quickHelp.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const declared: unknown = JSON.parse(readFileSync(here("package.json"), "utf8")).version
if (declared !== version) throw new Error(`package.json says ${declared}, src/base/version.ts says ${version}.`)

/** As it is published: with nothing that an earlier build left. */
const isAlone = process.argv.includes("--alone")

/** What the launcher loads; every other file has a name that only its content gives it. */
const loaded = ["app", "evidenceCheck", "stopHook"]
/** The same, each whole, with what it begins with and nothing else: the rest is the command line's. */
const alone = ["dryRun"]

/** With what these begin nobody waits for it to be unpacked: the rules of evidence take two milliseconds of a first answer's 250. */
const atOnce: ReadonlySet<string> = new Set(["app.cjs", "stopHook.cjs"])

/** In bytes of code: smaller chunks are compressed together, up to so much in a file, which takes a sixth less than each alone. */
const togetherBelow = 40_000
const togetherUpTo = 256_000

/** Effect's command line makes a segmenter as soon as it is loaded, for tables alone: half as long as Node takes to start. */
const segmentingLate = {
  name: "segmenter where one is used",
  transform: (code: string, id: string): string | null => {
    if (!id.endsWith("/effect/dist/cli/CliOutput.js")) return null
    const [declared, made] =
      /^const graphemeSegmenter = (?:\/\*#__PURE__\*\/)?(new Intl\.Segmenter\([^;]*\));$/m.exec(code) ?? []
    const used = "of graphemeSegmenter.segment("
    if (declared === undefined || !code.includes(used)) throw new Error(`${id} has no segmenter any more.`)
    return code
      .replace(declared, `let graphemes;\nconst graphemeSegmenter = () => (graphemes ??= ${made});`)
      .replaceAll(used, "of graphemeSegmenter().segment(")
  }
}

const elsewhere = "\0elsewhere"
/** What is loaded later, where it is needed, fails: whoever needs it is to start anew with the command line. */
const withoutLater: Plugin = {
  name: "without what is loaded later",
  resolveDynamicImport: () => ({ id: elsewhere }),
  load: (id) => (id === elsewhere ? `throw new Error("This is not in here.")` : null)
}

/** The files of what begins there. Plugins of a project are modules, which only `import()` can load. */
const bundled = async (
  names: ReadonlyArray<string>,
  options: OutputOptions,
  plugins: ReadonlyArray<Plugin> = []
): Promise<ReadonlyArray<OutputChunk>> => {
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, here(`src/${name}.ts`)])),
    platform: "node",
    // the oldest Node that package.json allows
    transform: { target: "node22.19" },
    // `module` first: what jsonc-parser has as `main` hides from a bundler which files it requires
    resolve: { conditionNames: ["@proofline/source", "import", "node", "default"], mainFields: ["module", "main"] },
    // who keeps the log in a database has them installed
    external: ["pg", "pg-boss"],
    plugins: [
      {
        name: "loaded by the launcher",
        resolveId: (id) =>
          [...loaded, ...alone].some((name) => id === `./${name}.ts`)
            ? { id: `${id.slice(0, -3)}.cjs`, external: true }
            : null
      },
      segmentingLate,
      ...plugins
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
  return output.map((file) => {
    if (file.type !== "chunk") throw new Error(`${file.fileName} is no code.`)
    return file
  })
}

const compressed = (text: string): Uint8Array => {
  const bytes = Buffer.from(text)
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  // the highest level takes ten times as long to make it 7 % smaller: worth it where it is published
  return brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: isAlone ? 11 : 9, [BROTLI_PARAM_SIZE_HINT]: bytes.byteLength }
  })
}

/** Those that are compressed. */
const packedOf = (chunks: ReadonlyArray<OutputChunk>): ReadonlyArray<OutputChunk> => {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const plain = new Set<string>()
  const add = (name: string): void => {
    const chunk = byName.get(name)
    if (chunk === undefined || plain.has(name)) return
    plain.add(name)
    for (const needed of chunk.imports) add(needed)
  }
  for (const name of atOnce) add(name)
  return chunks.filter(({ fileName, isEntry }) => !isEntry && !plain.has(fileName))
}

/** One compressed file. */
interface Packed {
  readonly file: string
  readonly chunks: ReadonlyArray<OutputChunk>
}

const packedIn = (chunks: ReadonlyArray<OutputChunk>): Packed => {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return { file: `${only.fileName}.br`, chunks }
  const hash = createHash("sha256")
  for (const { code } of chunks) hash.update(code)
  return { file: `chunks-${hash.digest("base64url").slice(0, 8)}.cjs.br`, chunks }
}

/** Each large one alone, the others together. */
const packedFiles = (chunks: ReadonlyArray<OutputChunk>): ReadonlyArray<Packed> => {
  const isSmall = ({ code }: OutputChunk): boolean => code.length < togetherBelow
  const files: Array<Array<OutputChunk>> = []
  let room = 0
  for (const chunk of chunks.filter(isSmall).toSorted((a, b) => a.code.length - b.code.length)) {
    if (chunk.code.length > room) {
      files.push([])
      room = togetherUpTo
    }
    files.at(-1)?.push(chunk)
    room -= chunk.code.length
  }
  return [...chunks.filter((chunk) => !isSmall(chunk)).map((chunk) => [chunk]), ...files].map(packedIn)
}

/** How a chunk is loaded that is compressed, by its name. */
const callsOf = ({ chunks, file }: Packed): ReadonlyArray<readonly [name: string, call: string]> =>
  chunks.map(({ fileName }, i) => [fileName, `require("./${file}")${chunks.length === 1 ? "" : `.c${i}()`}`])

/** Some chunks as one: each is carried out when it is first asked for. */
const together = (codes: ReadonlyArray<string>): string =>
  [
    // as Node does: what failed is carried out again when it is asked for again
    "const once=(f)=>{let m;return()=>{if(m===undefined){m={exports:{}};try{f(m,m.exports)}catch(e){m=undefined;throw e}}return m.exports}}",
    ...codes.map((code, i) => `exports.c${i}=once(c${i});function c${i}(module,exports){${code}\n}`)
  ].join("\n")

/**
 * `import()` takes no files that Node does not know; `require` learns to read them in src/process/packedCode.ts. `calls`: what
 * loads a chunk, by its name.
 */
const callingPacked = (code: string, calls: ReadonlyMap<string, string>): string =>
  code.replace(/\b(import|require)\((["'`])\.\/([\w-]+\.cjs)\2\)/g, (plain, how, _quote, name) => {
    const call = calls.get(name)
    if (call === undefined) return plain
    return how === "import" ? `Promise.resolve().then(()=>${call})` : call
  })

/** Whether a chunk is called in a way that is not known here. */
const callsPlain = (code: string, calls: ReadonlyMap<string, string>): boolean =>
  [...code.matchAll(/\/([\w-]+\.cjs)["'`]/g)].some(([, name = ""]) => calls.has(name))

/** Whole or not at all: a build may run beside a program that starts. */
const put = (path: string, write: (path: string) => void): void => {
  write(here(`${path}.${process.pid}`))
  renameSync(here(`${path}.${process.pid}`), here(path))
}

/** A program that runs loads chunks of the build that it began with: those of former builds stay so long, in ms. */
const keptMs = isAlone ? 0 : 24 * 60 * 60 * 1_000

writeSchemas()
// tests that pack it have no minute for the last tenth
const isSmallest = isAlone && process.env["PROOFLINE_PACK"] !== "quick"
execFileSync(process.execPath, [
  here("../plugins/pack-grammars.ts"),
  here("dist/grammars"),
  ...(isSmallest ? ["--smallest"] : [])
])
const chunks = await bundled(loaded, { dynamicImportInCjs: true })
const packed = packedFiles(packedOf(chunks))
const calls = new Map(packed.flatMap(callsOf))
const launcher = await bundled(["main"], {
  codeSplitting: false,
  dynamicImportInCjs: false,
  entryFileNames: "proofline.cjs"
})
const whole = await Promise.all(
  alone.map((name) => bundled([name], { codeSplitting: false, entryFileNames: "[name].cjs" }, [withoutLater]))
)
const codeOf = ({ code, fileName }: OutputChunk): string => {
  const called = callingPacked(code, calls)
  if (callsPlain(called, calls)) throw new Error(`${fileName} loads what is compressed.`)
  return called
}
const files = new Map<string, string | Uint8Array>([
  [helpFile, compressed(JSON.stringify(await Effect.runPromise(helpPages)))],
  ...[...chunks, ...launcher, ...whole.flat()]
    .filter(({ fileName }) => !calls.has(fileName))
    .map((chunk) => [chunk.fileName, codeOf(chunk)] as const),
  ...packed.map((one) => {
    const codes = one.chunks.map(codeOf)
    return [one.file, compressed(codes.length === 1 ? codes.join("") : together(codes))] as const
  })
])
// what is loaded by others before those that load it: each of the launcher's is whole with the chunks that it names, so
// that one of this build and one of the build before it go together
const last = [...alone.map((name) => `${name}.cjs`), ...loaded.map((name) => `${name}.cjs`), "proofline.cjs"]
for (const [name, code] of [...files].toSorted(([a], [b]) => last.indexOf(a) - last.indexOf(b))) {
  put(`dist/${name}`, (path) => writeFileSync(path, code))
}
const before = Date.now() - keptMs
for (const name of readdirSync(here("dist"))) {
  const file = here(`dist/${name}`)
  const stat = statSync(file)
  if (stat.isFile() && !files.has(name) && stat.mtimeMs < before) rmSync(file)
}
const size = [...files.values()].reduce((bytes, file) => bytes + Buffer.byteLength(file), 0)
process.stdout.write(`dist: ${files.size} files, ${Math.round(size / 1_024)} kB\n`)
