import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { exceptions, rooms } from "./rooms.ts"

export interface Token {
  readonly kind: "word" | "text" | "template" | "regex" | "sign" | "comment"
  /** For texts and templates what stands between the quotes. */
  readonly text: string
  readonly line: number
}

/** Stands in the text of a template for what is filled in. */
const hole = "\u0000"

/** The words, texts and signs of a TypeScript source, comments included. Enough to find names and imports, no more. */
export const tokensOf = (source: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  let at = 0
  let line = 1
  const add = (kind: Token["kind"], end: number, text = source.slice(at, end)): void => {
    tokens.push({ kind, text, line })
    line += source.slice(at, end).split("\n").length - 1
    at = end
  }
  const endOf = (quote: string): number => {
    let end = at + 1
    while (end < source.length && source[end] !== quote) end += source[end] === "\\" ? 2 : 1
    return end + 1
  }
  /** Whether a slash here begins a regular expression: a division follows a value. */
  const beginsRegex = (): boolean => {
    const last = tokens.findLast(({ kind }) => kind !== "comment")
    if (last === undefined) return true
    if (last.kind === "word") return /^(return|case|typeof|in|of|yield|await|new|void|delete|else|do)$/.test(last.text)
    return last.kind === "sign" && !/^[)\]}]$/.test(last.text)
  }
  const endOfRegex = (): number => {
    let end = at + 1
    for (let inClass = false; end < source.length && (inClass || source[end] !== "/"); end++) {
      if (source[end] === "\\") end++
      else if (source[end] === "[") inClass = true
      else if (source[end] === "]") inClass = false
    }
    return end + 1
  }
  /** Scans code up to the brace that closes a template's hole, or to the end. */
  const scan = (inTemplate: boolean): void => {
    let depth = 0
    while (at < source.length) {
      const here = source[at] as string
      const word = /[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*/uy
      word.lastIndex = at
      if (here === "\n") line++
      if (/\s/.test(here)) at++
      else if (source.startsWith("//", at)) add("comment", endOfLine(source, at))
      else if (source.startsWith("/*", at)) add("comment", source.indexOf("*/", at) + 2)
      else if (here === '"' || here === "'") add("text", endOf(here), source.slice(at + 1, endOf(here) - 1))
      else if (here === "`") template()
      else if (here === "/" && beginsRegex()) add("regex", endOfRegex())
      else if (word.test(source)) add("word", word.lastIndex)
      else {
        if (here === "{") depth++
        if (here === "}" && depth-- === 0 && inTemplate) return
        add("sign", at + 1)
      }
    }
  }
  const template = (): void => {
    const begin = { at, line }
    let text = ""
    at++
    while (at < source.length && source[at] !== "`") {
      if (source[at] === "$" && source[at + 1] === "{") {
        text += hole
        at += 2
        scan(true)
      } else if (source[at] === "\\") at++
      else text += source[at]
      if (source[at] === "\n") line++
      at++
    }
    at++
    tokens.push({ kind: "template", text, line: begin.line })
  }
  scan(false)
  return tokens
}

const endOfLine = (source: string, from: number): number => {
  const end = source.indexOf("\n", from)
  return end === -1 ? source.length : end
}

export interface Import {
  /** Null: it cannot be told before the program runs. */
  readonly specifier: string | null
  readonly line: number
  readonly kind: "static" | "type" | "dynamic" | "re-export" | "side effect"
}

const known = new Map<string, ReadonlyArray<Import>>()

/** Every way in which a module can reach another. Each rule asks again for all of them. */
export const importsOf = (source: string): ReadonlyArray<Import> => {
  const found = known.get(source) ?? readImports(source)
  known.set(source, found)
  return found
}

const readImports = (source: string): ReadonlyArray<Import> => {
  const tokens = tokensOf(source).filter(({ kind }) => kind !== "comment")
  const found: Array<Import> = []
  const is = (i: number, text: string) => tokens[i]?.text === text && tokens[i]?.kind !== "text"
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== "word" || is(i - 1, ".") || is(i + 1, ":")) continue
    const line = token.line
    if (token.text === "import") {
      const next = tokens[i + 1]
      if (next?.kind === "text") found.push({ specifier: next.text, line, kind: "side effect" })
      else if (is(i + 1, "(")) {
        const named =
          tokens[i + 2]?.kind === "text" || (tokens[i + 2]?.kind === "template" && !tokens[i + 2]?.text.includes(hole))
        found.push({
          specifier: named && (is(i + 3, ")") || is(i + 3, ",")) ? (tokens[i + 2]?.text as string) : null,
          line,
          kind: "dynamic"
        })
      } else {
        const from = fromAfter(i + 1)
        const isType = is(i + 1, "type") && !is(i + 2, "from") && !is(i + 2, ",")
        if (from !== null) found.push({ specifier: from, line, kind: isType ? "type" : "static" })
      }
    } else if (token.text === "export") {
      const isType = is(i + 1, "type")
      const begin = isType ? i + 2 : i + 1
      if (!is(begin, "*") && !is(begin, "{")) continue
      const from = fromAfter(begin)
      if (from !== null) found.push({ specifier: from, line, kind: isType ? "type" : "re-export" })
    } else if (token.text === "require" && is(i + 1, "(") && tokens[i + 2]?.kind === "text") {
      found.push({ specifier: tokens[i + 2]?.text as string, line, kind: "dynamic" })
    }
  }
  return found

  /** The text after `from`, with nothing but names, commas, braces and stars before it. */
  function fromAfter(begin: number): string | null {
    for (let i = begin; i < tokens.length; i++) {
      const token = tokens[i] as Token
      if (token.text === "from" && tokens[i + 1]?.kind === "text") return (tokens[i + 1] as Token).text
      if (token.kind === "sign" && !"{},*".includes(token.text)) return null
      if (token.kind === "template" || token.kind === "regex") return null
      // import { "a name" as b }
      if (token.kind === "text" && !is(i + 1, "as") && !is(i + 1, "}") && !is(i + 1, ",")) return null
    }
    return null
  }
}

export interface Source {
  /** From the root of the repository, `/` separated. */
  readonly path: string
  readonly text: string
}

/** The TypeScript sources below these paths. */
export const sourcesOf = (root: string, ...paths: ReadonlyArray<string>): ReadonlyArray<Source> =>
  paths.flatMap((path): ReadonlyArray<Source> => {
    const full = join(root, path)
    if (!existsSync(full)) return []
    if (/\.[cm]?tsx?$/.test(path)) return [{ path, text: readFileSync(full, "utf8") }]
    if (/\.[^/]+$/.test(path.split("/").at(-1) ?? "") && !path.endsWith("src")) return []
    return readdirSync(full, { withFileTypes: true })
      .filter((entry) => entry.name !== "node_modules" && entry.name !== "dist")
      .filter((entry) => entry.isDirectory() || /\.[cm]?tsx?$/.test(entry.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => sourcesOf(root, `${path}/${entry.name}`))
  })

/** The room a path is in, the longest that fits; a `*` becomes the folder's name. */
export const roomOf = (path: string): string | null => {
  let found: { readonly name: string; readonly length: number } | null = null
  for (const [name, room] of Object.entries(rooms)) {
    const fits = new RegExp(`^${room.path.replace(/[.]/g, "\\.").replace("*", "([^/]+)")}(/|$)`).exec(path)
    if (fits === null || (found !== null && found.length > room.path.length)) continue
    found = {
      name: fits[1] !== undefined && name.includes("*") ? name.replace("*", fits[1]) : name,
      length: room.path.length
    }
  }
  return found?.name ?? null
}

const arrowsOf = (room: string): ReadonlyArray<string> =>
  (rooms[room] ?? rooms[`${room.split("/").slice(0, -1).join("/")}/*`])?.may ?? []

const contractFile = /^packages\/plugins\/src\/policies\/([^/]+)\/contract\.ts$/

/** What an import leads to: the name of a room, the contract of a policy, or a package. */
export const targetOf = (from: string, specifier: string): string => {
  if (specifier.startsWith(".")) {
    const path = relative(".", join(dirname(from), specifier))
      .split(sep)
      .join("/")
    const policy = contractFile.exec(path)?.[1]
    // within its policy it is a file like any other
    if (policy !== undefined && roomOf(from) !== `plugins/policies/${policy}`) {
      return `plugins/policies/${policy}/contract`
    }
    return roomOf(path) ?? path
  }
  if (specifier === "@proofline/kernel") return "kernel"
  if (specifier.startsWith("@proofline/kernel/")) return specifier.slice("@proofline/".length)
  if (specifier.startsWith("@proofline/plugins/")) return specifier.split("/").slice(1, 4).join("/")
  return specifier
}

/** Whether an arrow leads to a room, the contract of a policy, or a package. A `*` in the middle is one folder. */
export const allows = (arrow: string, target: string): boolean =>
  arrow.endsWith("*")
    ? target.startsWith(arrow.slice(0, -1)) && target !== arrow.slice(0, -1)
    : new RegExp(`^${arrow.replace("/*/", "/[^/]+/")}$`).test(target)

/** One sentence for every import that the table does not allow. */
export const violationsIn = (sources: ReadonlyArray<Source>): ReadonlyArray<string> =>
  sources.flatMap(({ path, text }) => {
    const room = roomOf(path)
    if (room === null) return [`${path}:1: stands in no room; name its folder in rooms.ts.`]
    const arrows = arrowsOf(room)
    return importsOf(text).flatMap(({ kind, line, specifier }) => {
      const says = (what: string) => [`${path}:${line}: ${room} ${what}`]
      if (specifier === null) {
        return arrows.includes("anything") ? [] : says("imports something that cannot be told before it runs.")
      }
      const target = targetOf(path, specifier)
      if (specifier.startsWith(".") && packageOf(path) !== packageOf(join(dirname(path), specifier)))
        return says(`may not reach into another package by a path (${specifier}).`)
      if (target === room) return []
      if (exceptions.some((one) => one.from === room && one.to === target)) return []
      const allowed = arrows.some((arrow) => allows(arrow, target))
      if (allowed) return []
      return says(`may not import ${target} (${kind}: ${specifier}).`)
    })
  })

const packageOf = (path: string): string =>
  path
    .split("/")
    .slice(0, path.startsWith("packages/") ? 2 : 1)
    .join("/")

export interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** One sentence for every import of a package that the package.json does not name. */
export const undeclaredIn = (sources: ReadonlyArray<Source>, manifest: Manifest): ReadonlyArray<string> => {
  const declared = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.devDependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {})
  ])
  return sources.flatMap(({ path, text }) =>
    importsOf(text).flatMap(({ line, specifier }) => {
      if (specifier === null || specifier.startsWith(".") || specifier.startsWith("node:")) return []
      const name = specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/")
      return declared.has(name)
        ? []
        : [`${path}:${line}: ${name} is imported but not named in the package.json of ${manifest.name}.`]
    })
  )
}
