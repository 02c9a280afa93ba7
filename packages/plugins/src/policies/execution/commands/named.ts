import { isOperator, shellWords } from "../../../text/shell.ts"

/** A script of a package file that a command runs by its name. */
export interface NamedScript {
  /** The package file. */
  readonly path: string
  readonly script: string
}

/** What a command names directly: paths relative to the project that may be files of it, and scripts. */
export interface Named {
  readonly paths: ReadonlyArray<string>
  readonly scripts: ReadonlyArray<NamedScript>
}

/** What a shell command names directly. Nothing is asked of the disk: most of the paths are none. */
export const namedBy = (command: string, root: string): Named => {
  const words = shellWords(command)
  return namedIn(words, foldersOf(words), root)
}

/** What a word of a command may mean as a path of the project, behind this word, in a command that goes to these folders. */
export const pathsOf = (
  word: string,
  before: string,
  goesTo: ReadonlyArray<string>,
  root: string
): ReadonlyArray<string> =>
  ["", ...goesTo].flatMap((folder) => candidates(word, before).flatMap((path) => within(folder, path, root) ?? []))

/** What some words of a command name, which goes to these folders. */
export const namedIn = (words: ReadonlyArray<string>, goesTo: ReadonlyArray<string>, root: string): Named => {
  const folders = ["", ...goesTo]
  const inFolders = (path: string) => folders.flatMap((folder) => within(folder, path, root) ?? [])
  const paths = words.flatMap((word, i) => [
    ...candidates(word, words[i - 1] ?? "").flatMap(inFolders),
    ...(buildFiles[word] ?? []).flatMap(inFolders)
  ])
  const scripts = words.flatMap((word, i) => {
    const manager = managers[word]
    if (manager === undefined) return word === "--run" ? scriptsIn("package.json", words[i + 1], inFolders) : []
    return scriptsIn(manager, scriptAfter(words.slice(i + 1)), inFolders)
  })
  return { paths: [...new Set(paths)], scripts }
}

/** Programs that find what they do in a file of the project. */
const buildFiles: Readonly<Record<string, ReadonlyArray<string>>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  rake: ["Rakefile"],
  task: ["Taskfile.yml", "Taskfile.yaml"]
}

/** Programs that run scripts of a package file. */
const managers: Readonly<Record<string, string>> = {
  npm: "package.json",
  pnpm: "package.json",
  yarn: "package.json",
  bun: "package.json",
  composer: "composer.json"
}

/** Where the command goes before it runs something. */
export const foldersOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.flatMap((word, i) => {
    const [, attached] = /^--(?:prefix|cwd|dir|directory)=(.+)$/.exec(word) ?? []
    const next = /^(?:cd|pushd|-C|--prefix|--cwd|--dir|--directory)$/.test(word) ? words[i + 1] : undefined
    return attached ?? next ?? []
  })

const modules = [".js", ".cjs", ".mjs", ".ts"]

/** What a word may mean as a path. */
const candidates = (word: string, before: string): ReadonlyArray<string> => {
  if (before === "-m") {
    const path = word.replaceAll(".", "/")
    return [`${path}.py`, `${path}/__main__.py`]
  }
  const value = /^(?:--?)?[\w-]+=(.+)$/.exec(word)?.[1]
  const attached = /^-[A-Za-z](.+)$/.exec(word)?.[1]
  const bare = word.replace(/::.*$/, "")
  const isModule = /^(?:node|bun|tsx|deno|ts-node)$/.test(before) && !/\.\w+$/.test(bare)
  return [
    ...(bare === "" || bare.startsWith("-") ? [] : [bare]),
    ...(value === undefined ? [] : [value]),
    ...(attached === undefined || attached.includes("=") ? [] : [attached]),
    ...(isModule ? modules.map((ending) => `${bare}${ending}`) : [])
  ]
}

/** The script that a package manager is told to run; undefined: none. */
const scriptAfter = (words: ReadonlyArray<string>): string | undefined => {
  const end = words.findIndex((word) => isOperator(word))
  const own = words.slice(0, end === -1 ? words.length : end)
  const named = own.filter(
    (word, i) => !word.startsWith("-") && !/^(?:--prefix|--cwd|--dir|-C)$/.test(own[i - 1] ?? "")
  )
  const [first, second] = named
  if (first === "run" || first === "run-script" || first === "exec") return first === "exec" ? undefined : second
  return first === "t" || first === "tst" ? "test" : first
}

const scriptsIn = (
  file: string,
  script: string | undefined,
  inFolders: (path: string) => ReadonlyArray<string>
): ReadonlyArray<NamedScript> =>
  script === undefined
    ? []
    : inFolders(file).flatMap((path) =>
        // what runs before and after it belongs to it
        [`pre${script}`, script, `post${script}`].map((name) => ({ path, script: name }))
      )

/** A path of the project; null: it is none, or leads out of it. */
const within = (folder: string, word: string, root: string): string | null => {
  if (/[*?[\]{}$~\n\0]/.test(word) || word.length > 1_000) return null
  const absolute = word.startsWith(`${root}/`) ? word.slice(root.length + 1) : null
  if (word.startsWith("/") && absolute === null) return null
  const path: Array<string> = []
  for (const segment of `${absolute === null ? `${folder}/` : ""}${absolute ?? word}`.split("/")) {
    if (segment === "..") {
      if (path.pop() === undefined) return null
    } else if (segment !== "" && segment !== ".") path.push(segment)
  }
  return path.length === 0 ? null : path.join("/")
}

/** The text of a script in a package file; null: there is none. */
export const scriptIn = (packageFile: string, script: string): string | null => {
  const found = parsed(packageFile)?.scripts?.[script]
  if (found === undefined) return null
  return typeof found === "string" ? found : JSON.stringify(found)
}

/** The package file with the text that a script had; null: it cannot be read. */
export const withScript = (packageFile: string, before: string, script: string): string | null => {
  const now = parsed(packageFile)
  const then = parsed(before)?.scripts?.[script]
  return now === null || then === undefined
    ? null
    : `${JSON.stringify({ ...now, scripts: { ...now.scripts, [script]: then } }, null, 2)}\n`
}

interface PackageFile {
  readonly scripts?: Readonly<Record<string, unknown>>
}

const parsed = (text: string): PackageFile | null => {
  try {
    const found: unknown = JSON.parse(text)
    return isPackageFile(found) ? found : null
  } catch {
    return null
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isPackageFile = (value: unknown): value is PackageFile =>
  isRecord(value) && (value["scripts"] === undefined || isRecord(value["scripts"]))
