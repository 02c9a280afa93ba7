import { lstatSync, readlinkSync, type Stats } from "node:fs"
import * as Path from "node:path"
import type { WriteTarget } from "../../port/index.ts"
import { differentlyEncoded, isWithin, resolved } from "./places.ts"

/** What git and Proofline keep for themselves proves nothing about the project, and is nobody else's to write. */
export const isHousekeeping = (segments: ReadonlyArray<string>): boolean =>
  segments.includes(".git") || (segments[0] === ".proofline" && (segments[1] === "state" || segments[1] === "heads"))

/** Where a path leads. Never throws. */
export const targetOf = (root: string, path: string): WriteTarget => {
  if (path.trim() === "") return unnamed("The path is empty. Name a file, relative to the project.")
  if (path.includes("\0") || !path.isWellFormed()) return unnamed("The path holds characters that no file name has.")
  try {
    return lookAt(root, path)
  } catch (cause) {
    // without the system's call and its path
    const said = (cause as Error).message.split(", ")[0]
    return unnamed(`${shown(path)} cannot be looked at: ${said}. Name another file.`)
  }
}

const lookAt = (root: string, path: string): WriteTarget => {
  const realRoot = resolved(root)
  const plain = Path.resolve(root, path)
  const physical = follow(Path.isAbsolute(path) ? "/" : realRoot, path)
  const lexical = follow("/", plain)
  if (physical === "circle" || lexical === "circle") return unnamed(`${shown(path)} leads through a link to itself.`)
  if (!isWithin(realRoot, physical.resolvedPath) || !isWithin(realRoot, lexical.resolvedPath)) {
    return { ...unnamed(`${shown(path)} lies outside the project. Name a file inside.`), fault: "outside_root" }
  }
  // some resolve `..` by name, some on disk: behind a link these are two places
  if (physical.resolvedPath !== lexical.resolvedPath) {
    return unnamed(`${shown(path)} goes up (..) behind a link, so that two places are meant. Write it without "..".`)
  }
  const { found, onFile } = lexical
  const existing = onFile ?? lexical.resolvedPath
  const target = Path.join(withTrueNames(realRoot, existing), Path.relative(existing, lexical.resolvedPath))
  const named = Path.relative(realRoot, target).split(Path.sep).join("/") || "."
  const spelled = isWithin(Path.resolve(root), plain) ? Path.relative(Path.resolve(root), plain) : ""
  const kind = kindOf(found)
  if (isKept(named) || isKept(spelled.split(Path.sep).join("/"))) {
    const message = `${shown(path)} belongs to git or to Proofline, not to the project. Leave it as it is.`
    return { path: named, kind, fault: "housekeeping", message }
  }
  if (onFile !== null) {
    const file = Path.relative(realRoot, onFile).split(Path.sep).join("/")
    return { path: named, kind, fault: "invalid", message: `${file} is no directory; nothing can lie in it.` }
  }
  return { path: named, kind, fault: null, message: said(realRoot, named, kind) }
}

const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path)

const unnamed = (message: string): WriteTarget => ({ path: null, kind: "other", fault: "invalid", message })

/** In any case of letters: on some disks `.GIT` is `.git`, and git itself takes no such name. */
const isKept = (path: string): boolean => isHousekeeping(path.toLowerCase().split("/"))

interface Place {
  /** Absolute, without links. */
  readonly resolvedPath: string
  readonly found: Stats | undefined
  /** The file that the path treats as a directory. */
  readonly onFile: string | null
}

/** As many links as Linux follows. */
const linksMax = 40

/** Goes a path step by step, also where nothing is: to where a file would be made, and through links that dangle. */
const follow = (from: string, path: string): Place | "circle" => {
  const names = path.split(Path.sep).reverse()
  let resolvedPath = from
  let found: Stats | undefined = lstatSync(from)
  let onFile: string | null = null
  let links = 0
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (name === "" || name === ".") continue
    if (name === "..") {
      resolvedPath = Path.dirname(resolvedPath)
      onFile = null
    } else {
      if (found !== undefined && !found.isDirectory()) onFile = resolvedPath
      resolvedPath = Path.join(resolvedPath, name)
    }
    found = onFile === null ? lstatSync(resolvedPath, { throwIfNoEntry: false }) : undefined
    if (found?.isSymbolicLink() !== true) continue
    links += 1
    if (links > linksMax) return "circle"
    const target = readlinkSync(resolvedPath)
    names.push(...target.split(Path.sep).reverse())
    resolvedPath = Path.isAbsolute(target) ? "/" : Path.dirname(resolvedPath)
    found = lstatSync(resolvedPath)
  }
  return { resolvedPath, found, onFile }
}

/** The names on disk of what exists: where `SRC` is found as `src`, they are one folder and have one name. */
const withTrueNames = (root: string, place: string): string => {
  const rest: Array<string> = []
  for (let at = place; isWithin(root, at); at = Path.dirname(at)) {
    if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) return Path.join(resolved(at), ...rest)
    rest.unshift(Path.basename(at))
  }
  return place
}

const kindOf = (found: Stats | undefined): WriteTarget["kind"] =>
  found === undefined ? "missing" : found.isFile() ? "file" : found.isDirectory() ? "directory" : "other"

const said = (root: string, path: string, kind: WriteTarget["kind"]): string => {
  switch (kind) {
    case "file":
      return `${path} is a file of the project.`
    case "directory":
      return `${path} is a directory of the project.`
    case "other":
      return `${path} is neither a file nor a directory.`
    case "missing": {
      const form = differentlyEncoded(root, path)
      return form === null
        ? `${path} does not exist yet.`
        : `${path} does not exist. A file whose name differs only in Unicode normalisation does (${form}).`
    }
  }
}
