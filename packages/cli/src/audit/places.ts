import * as Path from "node:path"

/** Where a named file is. */
export type Place =
  | { readonly _tag: "there"; readonly path: string }
  /** Some file there is, but which of several is not known. */
  | { readonly _tag: "unclear" }
  /** Nowhere; where it would be, the most likely place first. */
  | { readonly _tag: "missing"; readonly places: ReadonlyArray<string> }

export interface Places {
  /** A file that a list names. */
  readonly find: (name: string, list: string) => Place
}

/**
 * Finds named files among those of a project. A name counts from the root, from the list on, or from a folder that
 * everybody knows; it may have gained another ending of its language, or have become a folder of its name.
 * `isThere`: on the disk, also where git ignores it.
 */
export const placesOf = (files: ReadonlySet<string>, isThere: (path: string) => boolean): Places => {
  const byBase = Map.groupBy(files, baseOf)
  const has = (path: string): boolean => files.has(path) || isThere(path)
  return {
    find: (name, list) => {
      const places = [...new Set(basesOf(list).map((base) => Path.posix.join(base, name)))]
      const direct = places.find(has)
      if (direct !== undefined) return { _tag: "there", path: direct }
      const alike = (byBase.get(baseOf(name)) ?? []).filter(
        (path) => path.endsWith(`/${name}`) || (path.includes("/") && name.endsWith(`/${path}`))
      )
      if (alike.length > 0) return one(alike)
      const became = places.flatMap((place) => successors(place)).filter(has)
      return became.length > 0 ? one(became) : { _tag: "missing", places }
    }
  }
}

const one = ([first, ...more]: ReadonlyArray<string>): Place =>
  first === undefined || more.length > 0 ? { _tag: "unclear" } : { _tag: "there", path: first }

const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** The root, then the folders of the list, the nearest last: most lists name paths from the root. */
const basesOf = (list: string): ReadonlyArray<string> => {
  const folders = list.split("/").slice(0, -1)
  return ["", ...folders.map((_, i) => folders.slice(0, folders.length - i).join("/"))]
}

const scripts = ["ts", "tsx", "js", "jsx", "mts", "mjs", "cts", "cjs", "vue", "svelte"]

/** What a file may be called by now: the same in a sister language, or the folder that it became. */
const successors = (path: string): ReadonlyArray<string> => {
  const [, stem = path, ending = ""] = /^(.+)\.(\w+)$/.exec(path) ?? []
  if (scripts.includes(ending))
    return scripts
      .flatMap((other) => (other === ending ? [] : [`${stem}.${other}`]))
      .concat(scripts.map((other) => `${stem}/index.${other}`))
  if (ending === "py") return [`${stem}/__init__.py`]
  if (ending === "rs") return [`${stem}/mod.rs`]
  if (ending === "yml") return [`${stem}.yaml`]
  if (ending === "yaml") return [`${stem}.yml`]
  return []
}
