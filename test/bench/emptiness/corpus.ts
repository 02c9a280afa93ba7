import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fetchOrigin } from "./fetch.ts"
import { findInBraces } from "./find/braces.ts"
import { findByLayout } from "./find/indented.ts"
import { findInPython } from "./find/python.ts"
import { findInScript, loadCompiler } from "./find/script.ts"
import { mask } from "./mask.ts"
import { randomOf, shuffled } from "./random.ts"
import { isReal } from "./real.ts"
import { fileNames, type Origin, origins } from "./sources.ts"
import type { FoundFunction, Half, Language, Source } from "./types.ts"

export interface CorpusOptions {
  readonly cache: string
  readonly halves: ReadonlyArray<Half>
  /** Functions of a language in each half, at most. */
  readonly perHalf: number
  readonly seed: string
}

/** A function that must pass, and of which stubs are made. */
export interface Sample {
  readonly source: Source
  readonly found: FoundFunction
}

export interface Corpus {
  readonly samples: ReadonlyArray<Sample>
  /** Files that were read and understood. */
  readonly files: Readonly<Record<Half, number>>
  readonly projects: ReadonlyArray<{
    readonly name: string
    readonly version: string
    readonly half: Half
    readonly functions: number
  }>
  /** Sentences about what could not be had. */
  readonly missing: ReadonlyArray<string>
}

/** Real functions of a language: as many of each project, at most a few of each file, the same for the same seed. */
export const corpusOf = (language: Language, options: CorpusOptions): Corpus => {
  const missing: Array<string> = []
  const compiler = scripts.has(language) ? loadCompiler(options.cache) : ""
  if (typeof compiler === "string" && compiler !== "")
    return { samples: [], files: { dev: 0, "held-out": 0 }, projects: [], missing: [`typescript@5: ${compiler}`] }
  const wanted = origins[language].filter(({ half }) => options.halves.includes(half))
  const available = wanted.flatMap((origin) => {
    const fetched = fetchOrigin(origin, options.cache)
    if (fetched._tag === "Available") return [{ origin, ...fetched }]
    missing.push(`${origin.kind} ${origin.name}: ${fetched.why}`)
    return []
  })
  const files = { dev: 0, "held-out": 0 }
  const samples: Array<Sample> = []
  const projects: Array<Corpus["projects"][number]> = []
  for (const half of options.halves) {
    const parts = available.filter(({ origin }) => origin.half === half)
    let [left, places] = [options.perHalf, parts.length]
    // the smallest first: what it cannot give, others may
    const listed = parts
      .map((part) => ({ ...part, paths: filesBelow(part.directory, language, part.origin) }))
      .sort((a, b) => a.paths.length - b.paths.length)
    for (const { directory, origin, paths, version } of listed) {
      const quota = Math.ceil(left / places--)
      const random = randomOf(`${options.seed} ${language} ${origin.name}`)
      const taken = take(language, origin, directory, shuffled(paths, random), quota, random, compiler)
      left -= taken.samples.length
      files[half] += taken.files
      samples.push(...taken.samples)
      projects.push({ name: origin.name, version, half, functions: taken.samples.length })
    }
  }
  return { samples, files, projects, missing }
}

const scripts: ReadonlySet<Language> = new Set<Language>(["typescript", "tsx", "javascript"])

/** More are taken of a file only when there are not enough files. */
const perFile = 6
const maxFileLength = 120_000

const unwanted =
  /(?:^|\/)(?:testdata|test-data|fixtures?|__snapshots__|vendor|third_party|node_modules|generated|lib2to3\/tests|\.git|debian|usr\/share\/doc)(?:\/|$)|\.pb\.|_pb2\.py$/

const filesBelow = (directory: string, language: Language, { only }: Origin): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (unwanted.test(relative(directory, path)) || entry.isSymbolicLink()) continue
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile() && fileNames[language].test(path) && (only?.test(path) ?? true)) found.push(path)
    }
  }
  visit(directory)
  return found.sort()
}

const take = (
  language: Language,
  origin: Origin,
  directory: string,
  paths: ReadonlyArray<string>,
  quota: number,
  random: () => number,
  compiler: Exclude<ReturnType<typeof loadCompiler>, string> | string
): { readonly samples: ReadonlyArray<Sample>; readonly files: number } => {
  const samples: Array<Sample> = []
  const spare: Array<Sample> = []
  const seen = new Set<string>()
  let files = 0
  const batch = language === "python" ? 40 : 20
  for (let i = 0; i < paths.length && samples.length < quota; i += batch) {
    const texts = paths.slice(i, i + batch).flatMap((path) => {
      const text = readSource(path, language)
      return text === null ? [] : [{ path, text }]
    })
    for (const { path, read, text } of readAll(language, texts, compiler)) {
      if (samples.length >= quota) break
      files++
      const source: Source = {
        language,
        half: origin.half,
        project: origin.name,
        path: relative(directory, path).replaceAll("\\", "/"),
        text,
        ...read
      }
      const suited = read.functions.filter((found) => {
        const body = text.slice(found.outer.from, found.outer.to)
        if (seen.has(body) || sharesLines(found, read.functions) || !isReal(source, found)) return false
        seen.add(body)
        return true
      })
      const chosen = shuffled(suited, random).map((found) => ({ source, found }))
      samples.push(...chosen.slice(0, Math.min(perFile, quota - samples.length)))
      spare.push(...chosen.slice(perFile))
    }
  }
  return { samples: [...samples, ...spare.slice(0, quota - samples.length)], files }
}

const sharesLines = (found: FoundFunction, all: ReadonlyArray<FoundFunction>): boolean =>
  all.some(
    (other) =>
      other !== found &&
      (other.start === found.start || other.end === found.end || other.start === found.end || other.end === found.start)
  )

const readSource = (path: string, language: Language): string | null => {
  if (lstatSync(path).size > (language === "bash" ? 4 : 1) * maxFileLength) return null
  const text = readFileSync(path, "utf8")
  if (text.includes("\0") || text.includes("\ufffd") || /[\u2028\u2029\u0085\f\v]/.test(text) || /\r(?!\n)/.test(text))
    return null
  if (language === "bash" && !/^#!.*\b(?:ba)?sh\b/.test(text) && !/\.(?:sh|bash)$/.test(path)) return null
  if (language === "php" && (!text.startsWith("<?php") || text.includes("?>"))) return null
  // written by no one
  const lines = text.split("\n")
  if (
    lines.some((line) => line.length > 1_000) ||
    /\b(?:DO NOT EDIT|@generated)\b/i.test(lines.slice(0, 10).join("\n"))
  )
    return null
  return text
}

interface Read {
  readonly code: string
  readonly uncommented: string
  readonly functions: ReadonlyArray<FoundFunction>
}

const readAll = (
  language: Language,
  texts: ReadonlyArray<{ readonly path: string; readonly text: string }>,
  compiler: Exclude<ReturnType<typeof loadCompiler>, string> | string
): ReadonlyArray<{ readonly path: string; readonly text: string; readonly read: Read }> => {
  const all: ReadonlyArray<Read | null> =
    language === "python"
      ? findInPython(
          texts.map(({ path }) => path),
          texts.map(({ text }) => text)
        )
      : texts.map(({ text }) => {
          if (typeof compiler !== "string") return findInScript(compiler, language, text)
          if (language === "ruby" || language === "bash") return findByLayout(language, text)
          const masked = mask(language, text)
          return masked === null ? null : { ...masked, functions: findInBraces(language, text, masked) }
        })
  return texts.flatMap((entry, i) => {
    const read = all[i]
    return read == null ? [] : [{ ...entry, read }]
  })
}
