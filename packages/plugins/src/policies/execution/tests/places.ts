import picomatch from "picomatch"
import { shellWords } from "../../../text/shell.ts"
import { foldersOf, pathsOf } from "../commands/named.ts"

/** Where reports of test runners may lie. Paths are relative to the project. */
export interface ReportPlace {
  /** Empty: the project itself. */
  readonly folder: string
  /** How many folders below it are looked into. */
  readonly depth: number
  readonly isReport: (path: string) => boolean
}

/** Where a command may write reports: as the user says, as it says itself, and where runners usually write them. */
export const reportPlaces = (
  command: string,
  patterns: ReadonlyArray<string>,
  directory: string
): ReadonlyArray<ReportPlace> => {
  const words = shellWords(command)
  const folders = [...new Set(["", ...foldersOf(words).flatMap((folder) => pathsOf(folder, "", [], directory))])]
  const named = namedReports(words, folders, directory)
  return [
    ...patterns.flatMap(ofGlob),
    ...[...new Set(named)].map((path) => ({
      folder: folderOf(path),
      depth: 0,
      isReport: (one: string) => one === path
    })),
    ...folders.flatMap(usual)
  ]
}

const anyDepth = 20

/** Nothing for what is no glob. */
const ofGlob = (pattern: string): ReadonlyArray<ReportPlace> => {
  const glob = pattern.replace(/^\.\//, "")
  try {
    const { base } = picomatch.scan(glob)
    const folder = base === glob ? folderOf(glob) : base
    const below = glob.slice(folder === "" ? 0 : folder.length + 1).split("/").length - 1
    const depth = glob.includes("**") || /[{(]/.test(glob) ? anyDepth : below
    return [{ folder, depth, isReport: picomatch(glob, { dot: true }) }]
  } catch {
    return []
  }
}

const folderOf = (path: string): string => path.split("/").slice(0, -1).join("/")

/** Options whose value is a report, whatever it is called. */
const option = /^--?(?:[\w-]*(?:junit|xml|json|report|output|destination|outfile)[\w.-]*|o)(?==|$)/i

const namedReports = (
  words: ReadonlyArray<string>,
  folders: ReadonlyArray<string>,
  directory: string
): ReadonlyArray<string> =>
  words.flatMap((word, i) => {
    const isValue = option.test(word) ? word.includes("=") : option.test(words[i - 1] ?? "") && !word.startsWith("-")
    const value = word.slice(word.indexOf("=") + 1)
    return pathsOf(value, "", folders, directory)
      .concat(value === word ? [] : pathsOf(value.slice(value.indexOf(":") + 1), "", folders, directory))
      .filter((path) => isValue || /\.(?:xml|json)$/.test(path))
  })

const inRoot =
  /^(?:junit[^/]*\.xml|test-report[^/]*\.(?:xml|json)|test-results\.(?:xml|json)|TEST-[^/]*\.xml|report\.xml|\.report\.json)$/

/** Folders that runners and build tools write reports into. */
const kept = [
  "test-results",
  "test-reports",
  "reports",
  ".vitest",
  "target/surefire-reports",
  "target/failsafe-reports",
  "build/test-results"
]

const usual = (folder: string): ReadonlyArray<ReportPlace> => {
  const within = folder === "" ? "" : `${folder}/`
  return [
    { folder, depth: 0, isReport: (path) => inRoot.test(path.slice(within.length)) },
    ...kept.map((name) => ({
      folder: `${within}${name}`,
      depth: 1,
      isReport: (path: string) => /\.(?:xml|json)$/.test(path)
    }))
  ]
}
