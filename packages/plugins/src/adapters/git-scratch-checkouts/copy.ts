import { spawn } from "node:child_process"
import { constants, type Stats } from "node:fs"
import {
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile
} from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { movedText } from "../../git/dependencies.ts"
import { isWithin, wordsOf } from "../../git/paths.ts"
import { CheckoutRefused } from "../../port/index.ts"

/** More is not copied: it would take too long for what it shows. */
const maxFiles = 200_000
const maxBytes = 2 * 1024 * 1024 * 1024

interface Places {
  /** The directory to which the paths are relative, links resolved. */
  readonly from: string
  readonly to: string
  /** Never copied. */
  readonly state: string
}

/** Copies files and folders with everything in them: modes, times and links stay what they are. */
export const copyAll = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>,
  places: Places
): Effect.fn.Return<void, CheckoutRefused> {
  const plan = yield* tried(places, () => planOf(paths, places))
  yield* copy(plan.copied, places)
  yield* tried(places, () => mend(plan, places))
})

const tried = <A>({ to }: Places, run: () => Promise<A>): Effect.Effect<A, CheckoutRefused> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      cause instanceof CheckoutRefused
        ? cause
        : new CheckoutRefused({ message: `The project could not be copied to ${to}: ${wordsOf(cause)}.` })
  })

interface Plan {
  /** What is copied as a whole. */
  readonly copied: Array<string>
  /** Links that would lead elsewhere from the copy. */
  readonly links: Array<{ readonly path: string; readonly target: string }>
  /** Small files that may name the directory they lie in. */
  readonly named: Array<string>
  files: number
  bytes: number
}

const planOf = async (paths: ReadonlyArray<string>, places: Places): Promise<Plan> => {
  const plan: Plan = { copied: [], links: [], named: [], files: 0, bytes: 0 }
  const state = await realpath(places.state).catch(() => places.state)
  for (const path of paths) await include(path.replace(/\/$/, ""), true, plan, { ...places, state })
  return plan
}

/** Counts what is there and looks at it; `isWhole`: nobody copies what is around it. */
const include = async (path: string, isWhole: boolean, plan: Plan, places: Places): Promise<void> => {
  const file = Path.join(places.from, path)
  const found = await lstat(file).catch(() => null)
  if (found === null || isWithin(places.state, file) || isLeftOut(path)) return
  count(found, plan)
  if (found.isDirectory()) return includeFolder(path, isWhole, plan, places)
  // pipes and sockets are not copied
  if (!found.isFile() && !found.isSymbolicLink()) return
  if (isWhole) plan.copied.push(path)
  if (found.isSymbolicLink()) await includeLink(path, plan, places)
  else if (found.size <= maxNamedBytes && mayName(path)) plan.named.push(path)
}

const includeFolder = async (path: string, isWhole: boolean, plan: Plan, places: Places): Promise<void> => {
  const names = await readdir(Path.join(places.from, path))
  // a folder is copied as a whole unless something in it is not
  const isSplit =
    isWithin(Path.join(places.from, path), places.state) || names.some((name) => isLeftOut(Path.join(path, name)))
  if (isWhole && !isSplit) plan.copied.push(path)
  for (const name of names) await include(Path.join(path, name), isWhole && isSplit, plan, places)
}

/** The link of a submodule or a worktree to its repository, which a copy has not. */
const isLeftOut = (path: string): boolean => Path.basename(path) === ".git"

const count = ({ size }: Stats, plan: Plan): void => {
  plan.files++
  plan.bytes += size
  if (plan.files > maxFiles || plan.bytes > maxBytes) {
    throw new CheckoutRefused({
      message: `What git ignores in the project is too much to be copied: more than ${maxFiles} files or ${maxBytes / 1024 ** 3} GiB.`
    })
  }
}

const includeLink = async (path: string, plan: Plan, { from, to }: Places): Promise<void> => {
  const link = await readlink(Path.join(from, path))
  const target = Path.resolve(from, Path.dirname(path), link)
  const isInside = isWithin(from, target)
  if (Path.isAbsolute(link) === isInside)
    plan.links.push({ path, target: isInside ? Path.join(to, Path.relative(from, target)) : target })
}

const maxNamedBytes = 256 * 1024

/** Programs and settings of installed packages, which name the place where they are installed. */
const mayName = (path: string): boolean =>
  /(?:^|\/)(?:\.bin|bin|Scripts)\/[^/]+$|\.(?:pth|cfg|egg-link)$|(?:^|\/)(?:direct_url\.json|__editable__[^/]*)$/.test(
    path
  )

const mend = async ({ links, named }: Plan, { from, to }: Places): Promise<void> => {
  for (const { path, target } of links) {
    await rm(Path.join(to, path), { force: true })
    await symlink(target, Path.join(to, path))
  }
  for (const path of named) {
    const bytes = await readFile(Path.join(from, path))
    if (bytes.includes(0) || !bytes.includes(from)) continue
    const { atime, mode, mtime } = await lstat(Path.join(from, path))
    await rm(Path.join(to, path), { force: true })
    await writeFile(Path.join(to, path), movedText(bytes, from, to), { mode })
    await utimes(Path.join(to, path), atime, mtime)
  }
}

/** Files and folders. Where `cp` of this system can share the content, it does. */
const copy = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, places: Places) {
  const free: Array<string> = []
  for (const path of paths) if (yield* tried(places, () => isFree(Path.join(places.to, path)))) free.push(path)
  if (process.platform === "linux") {
    // what comes into the same folder is copied by the same program
    for (const [folder, those] of Map.groupBy(free, Path.dirname))
      for (let i = 0; i < those.length; i += copiedAtOnce)
        yield* cpProgram(those.slice(i, i + copiedAtOnce), Path.join(places.to, folder), places)
    return
  }
  for (const path of free)
    yield* tried(places, () =>
      cp(Path.join(places.from, path), Path.join(places.to, path), {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
        mode: constants.COPYFILE_FICLONE
      })
    )
})

/** Whether nothing is there; what is there is part of the commit. The folder around it is there afterwards. */
const isFree = async (to: string): Promise<boolean> => {
  await mkdir(Path.dirname(to), { recursive: true })
  const there = await lstat(to).catch(() => null)
  if (there === null) return true
  // an empty folder stands where a submodule goes
  if (!there.isDirectory() || (await readdir(to)).length > 0) return false
  await rm(to, { recursive: true })
  return true
}

/** So many paths fit into a command line of any system, however long they are. */
const copiedAtOnce = 200

const cpProgram = (
  paths: ReadonlyArray<string>,
  folder: string,
  { from }: Places
): Effect.Effect<void, CheckoutRefused> =>
  Effect.callback<void, CheckoutRefused>((resume) => {
    const child = spawn("cp", ["-a", "--reflink=auto", "-t", folder, "--", ...paths.map((path) => `./${path}`)], {
      cwd: from,
      stdio: ["ignore", "ignore", "pipe"]
    })
    const said: Array<Buffer> = []
    child.stderr.on("data", (chunk) => said.push(chunk))
    const failed = (why: string) =>
      resume(
        Effect.fail(
          new CheckoutRefused({
            message: `${Path.join(from, paths[0] ?? "")} could not be copied to ${folder}: ${why}.`
          })
        )
      )
    child.once("error", (cause) => failed(wordsOf(cause)))
    child.once("close", (code) =>
      code === 0
        ? resume(Effect.void)
        : failed(Buffer.concat(said).toString().trim().split("\n")[0] ?? `exit code ${code}`)
    )
    return Effect.callback<void>((done) => {
      if (child.exitCode !== null || child.signalCode !== null) return done(Effect.void)
      child.once("close", () => done(Effect.void))
      child.kill("SIGKILL")
    })
  })
