import { dirname, join } from "node:path"
import { importsOf, type Source } from "./sources.ts"

export interface Place {
  /** What has layers, from the root of the repository. */
  readonly path: string
  /** Its folders, or files in it, of which each knows only those before it. Whatever else is there stands above all of them. */
  readonly layers: ReadonlyArray<string>
  /** Every folder has to be one of them. */
  readonly isWhole: boolean
  /** Those of them whose files do not know each other. */
  readonly apart: ReadonlyArray<string>
}

export const places: ReadonlyArray<Place> = [
  {
    path: "packages/plugins/src/policies/evidence",
    // code, tests in it, what an item asks for, what a change comes to
    layers: ["code", "tests", "asked", "work"],
    isWhole: false,
    apart: []
  },
  {
    path: "packages/cli/src",
    layers: [
      // where the package lies; the bundle is as deep in it as this file, which can be in no folder
      "assets.ts",
      // what needs no project: paths, problems, exit codes, the words of flags
      "base",
      // this process: how its code is loaded, where it prints, how it ends
      "process",
      "telemetry",
      // a project: its settings and files, its log, its plugins as one
      "project",
      // what is found in files of others
      "clients",
      "audit",
      "imported",
      "detected",
      // what is printed, as JSON and as text
      "documents",
      "render",
      "docs",
      "drill",
      // what is answered without the kernel
      "quick",
      // runs as the log has them
      "reading",
      "moving",
      "bisect",
      // what agents work with that come by themselves
      "sessions",
      "serving",
      // who starts runs and goes on with them, and who works
      "driving",
      "attached",
      "doctor",
      "commands",
      // flags and help; above it only files with which the process starts
      "commandLine"
    ],
    isWhole: true,
    apart: ["commands"]
  }
]

/** The layer of a path; null: of the place, and in none; undefined: of something else. */
export const layerOf = (place: Place, path: string): string | null | undefined => {
  if (!path.startsWith(`${place.path}/`)) return undefined
  const [first = ""] = path.slice(place.path.length + 1).split("/")
  return place.layers.includes(first) ? first : null
}

/** One sentence for every import that leads from a layer to something above it, or to a file that is to be apart. */
export const upwardIn =
  (place: Place) =>
  ({ path, text }: Source): ReadonlyArray<string> => {
    const from = layerOf(place, path)
    if (from == null) return []
    return importsOf(text).flatMap(({ specifier }) => {
      if (!specifier?.startsWith(".")) return []
      const to = layerOf(place, join(dirname(path), specifier))
      const isAbove = to === null || (to !== undefined && place.layers.indexOf(to) > place.layers.indexOf(from))
      return isAbove || (to === from && place.apart.includes(from)) ? [`${path} may not import ${specifier}.`] : []
    })
  }

/** Folders of a place that have no layer. */
export const unplacedIn = (place: Place, sources: ReadonlyArray<Source>): ReadonlyArray<string> => [
  ...new Set(
    sources.flatMap(({ path }) => {
      const [folder = "", ...below] = path.slice(place.path.length + 1).split("/")
      return below.length > 0 && layerOf(place, path) === null ? [folder] : []
    })
  )
]
