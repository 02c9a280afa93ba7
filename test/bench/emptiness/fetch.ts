import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Origin } from "./sources.ts"

/** Where the corpus is kept between runs; outside of the repository. */
export const cacheDirectory = (): string => process.env["PROOFLINE_CORPUS"] ?? join(tmpdir(), "proofline-corpus")

export type Fetched =
  | { readonly _tag: "Available"; readonly directory: string; readonly version: string }
  /** `why` is a sentence for the reader; the corpus goes on without it. */
  | { readonly _tag: "Unavailable"; readonly why: string }

/** The files of an origin, fetched when they are not in the cache yet. Only whole fetches are kept. */
export const fetchOrigin = (origin: Origin, cache: string): Fetched => {
  const directory = join(cache, "sources", `${origin.kind}-${origin.name.replaceAll("/", "+")}`)
  const marker = `${directory}.version`
  if (existsSync(marker)) return { _tag: "Available", directory, version: readFileSync(marker, "utf8") }
  const failed = `${directory}.unavailable`
  if (existsSync(failed) && Date.now() - statSync(failed).mtimeMs < retryAfterMs)
    return { _tag: "Unavailable", why: readFileSync(failed, "utf8") }
  const work = `${directory}.partial`
  rmSync(work, { recursive: true, force: true })
  mkdirSync(join(work, "out"), { recursive: true })
  try {
    const version = fetchers[origin.kind](origin.name, work, cache)
    rmSync(directory, { recursive: true, force: true })
    renameSync(join(work, "out"), directory)
    writeFileSync(marker, version)
    return { _tag: "Available", directory, version }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    writeFileSync(failed, why)
    return { _tag: "Unavailable", why }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** What could not be had is asked for again after an hour. */
const retryAfterMs = 3_600_000

/** Puts the files below `<work>/out` and answers with the version it got. */
type Fetcher = (name: string, work: string, cache: string) => string

const npm: Fetcher = (name, work) => {
  const packed = run("npm", ["pack", name, "--json", "--ignore-scripts", "--pack-destination", work], work)
  const [entry] = Object.values(JSON.parse(packed) as Record<string, { readonly version: string }>)
  const archive = found(work, /\.tgz$/)
  run("tar", ["-xzf", archive, "-C", join(work, "out"), "--strip-components=1", "--no-same-owner"], work)
  return entry?.version ?? "unknown"
}

const deb: Fetcher = (name, work) => {
  run("apt-get", ["download", "-qq", name], work)
  const archive = found(work, /\.deb$/)
  run("dpkg-deb", ["-x", archive, join(work, "out")], work)
  return /_([^_]+)_/.exec(archive)?.[1] ?? "unknown"
}

const debSource: Fetcher = (name, work, cache) => {
  run("apt-get", ["source", "-qq", "--tar-only", "--download-only", name], work, { APT_CONFIG: sourceLists(cache) })
  const archives = readdirSync(work).filter((file) => /(?:\.orig|_[^_]*)(?:-[\w-]+)?\.tar\.\w+$/.test(file))
  const upstream = archives.filter((file) => !file.includes(".debian.tar."))
  if (upstream.length === 0) throw new Error(`the source package ${name} has no archive`)
  for (const archive of upstream) {
    const into = join(work, "out", archive.replace(/\.tar\.\w+$/, ""))
    mkdirSync(into)
    run("tar", ["-xf", join(work, archive), "-C", into, "--no-same-owner"], work)
  }
  return /_([^_]+?)(?:\.orig.*)?\.tar\.\w+$/.exec(upstream[0] ?? "")?.[1] ?? "unknown"
}

/** The installed one, copied, so that the corpus stays the same when it is updated. */
const python: Fetcher = (_, work) => {
  const code = "import sys, sysconfig; print(sysconfig.get_paths()['stdlib']); print(sys.version.split()[0])"
  const [from = "", version = "unknown"] = run("python3", ["-c", code], work).trim().split("\n")
  cpSync(from, join(work, "out"), {
    recursive: true,
    filter: (path) => !/(?:site-packages|dist-packages|__pycache__|lib2to3\/tests|\/test\/|\.so$|\.a$)/.test(path)
  })
  return version
}

const fetchers: Readonly<Record<Origin["kind"], Fetcher>> = { npm, deb, "deb-src": debSource, python }

/** Lists of packages of its own, with sources: what the machine has configured is only read. */
const sourceLists = (cache: string): string => {
  const root = join(cache, "apt")
  const config = join(root, "apt.conf")
  if (existsSync(config)) return config
  const parts = join(root, "parts")
  for (const directory of ["lists/partial", "archives/partial", "parts"])
    mkdirSync(join(root, directory), { recursive: true })
  const configured = "/etc/apt/sources.list.d"
  for (const file of existsSync(configured) ? readdirSync(configured) : [])
    if (file.endsWith(".sources"))
      writeFileSync(
        join(parts, file),
        readFileSync(join(configured, file), "utf8").replaceAll(/^Types:.*$/gm, "Types: deb-src")
      )
  if (existsSync("/etc/apt/sources.list"))
    writeFileSync(
      join(parts, "main.list"),
      readFileSync("/etc/apt/sources.list", "utf8").replaceAll(/^deb /gm, "deb-src ")
    )
  const draft = `${config}.draft`
  const settings = {
    "Dir::Etc::sourcelist": "/dev/null",
    "Dir::Etc::sourceparts": parts,
    "Dir::State::lists": join(root, "lists"),
    "Dir::Cache": root,
    "Dir::Cache::archives": join(root, "archives")
  }
  writeFileSync(
    draft,
    Object.entries(settings)
      .map(([key, value]) => `${key} "${value}";\n`)
      .join("")
  )
  run("apt-get", ["update", "-qq"], root, { APT_CONFIG: draft })
  renameSync(draft, config)
  return config
}

const found = (directory: string, name: RegExp): string => {
  const file = readdirSync(directory).find((entry) => name.test(entry))
  if (file === undefined) throw new Error(`nothing was downloaded that matches ${name}`)
  return join(directory, file)
}

/** Runs a program and answers with what it printed; throws a sentence that names it when it fails. */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  input = ""
): string => {
  const result = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    input,
    encoding: "utf8",
    maxBuffer: 1 << 30,
    timeout: 300_000
  })
  if (result.error !== undefined) throw new Error(`${program} could not be run: ${result.error.message}`)
  if (result.status !== 0) {
    const said = result.stderr.trim().split("\n").slice(-2).join(" ")
    throw new Error(`${program} ${args[0] ?? ""} ended with ${result.status ?? result.signal}: ${said}`)
  }
  return result.stdout
}
