import { extname } from "node:path"
import type { LanguageRules } from "@proofline/kernel"
import { Effect, Layer } from "effect"
import { type SourceOutline, Syntax } from "../../port/index.ts"
import { isTemplate } from "../../text/languages.ts"
import { collect } from "./captures.ts"
import { aroundProgram, embeddedIn, hostOf } from "./embedded.ts"
import { type Loaded, makeEngine } from "./engine.ts"
import { languages } from "./languages/index.ts"
import { neutralise } from "./neutralise.ts"
import { outlineOf } from "./outline.ts"
import { isUnnatural } from "./unnatural.ts"

export interface TreeSitterOptions {
  /** Languages beside the built-in ones, looked at when the first text is read; one of the same name replaces it. */
  readonly languages?: ReadonlyArray<LanguageRules>
}

/** Languages as they were loaded, each when it is first needed. */
interface Loading {
  readonly once: (rules: LanguageRules) => Promise<Loaded>
}

const beginLoading = (): Loading => {
  const load = makeEngine()
  const loaded = new Map<string, Promise<Loaded>>()
  return {
    once: (rules) => {
      const pending = loaded.get(rules.name) ?? load(rules)
      loaded.set(rules.name, pending)
      return pending
    }
  }
}

interface Shared {
  /** Null: nothing was read yet, or a text has brought it down. */
  now: Loading | null
}

/** Of the built-in languages, for all layers of this process: to prepare the query of one takes up to half a second. */
const builtIn: Shared = { now: null }

/**
 * Source text read with tree-sitter grammars as WebAssembly; each is loaded when it is first needed. Outlines of the
 * last texts are kept. A grammar or query that does not work is a defect of whoever wrote it, and is said so.
 */
export const layer = ({ languages: more = [] }: TreeSitterOptions = {}): Layer.Layer<Syntax> =>
  Layer.sync(Syntax, () => {
    let choose: ReturnType<typeof chooser> | null = null
    const rulesOf = (path: string, text: string) => {
      choose ??= chooser([...new Map([...languages, ...more].map((rules) => [rules.name, rules])).values()])
      return choose(path, text)
    }
    const shared: Shared = more.length === 0 ? builtIn : { now: null }
    const recent = new Recent()
    let recentOf: Loading | null = null
    const loading = (): Loading => {
      shared.now ??= beginLoading()
      if (recentOf !== shared.now) recent.forgetOutlines()
      recentOf = shared.now
      return shared.now
    }

    const outlineBy = (rules: LanguageRules, text: string): Effect.Effect<SourceOutline | null> =>
      Effect.suspend(() => {
        const by = loading()
        const before = recent.get(rules.name, text)
        if (before !== undefined) return Effect.succeed(before)
        if (isUnnatural(text)) return Effect.succeed(null)
        return Effect.flatMap(
          Effect.promise(() => by.once(rules)),
          (language) => {
            // another text has brought it down meanwhile
            if (shared.now !== by) return outlineBy(rules, text)
            try {
              return Effect.succeed(recent.keep(rules.name, text, read(language, text)))
            } catch {
              // the text brought the runtime down: the next one begins another
              shared.now = null
              return Effect.succeed(recent.keep(rules.name, text, null))
            }
          }
        )
      })

    /** Of a page or a component with programs in it. */
    const outlineWithin = (path: string, host: string, text: string): Effect.Effect<SourceOutline | null> =>
      Effect.suspend(() => {
        loading()
        const before = recent.get(host, text)
        if (before !== undefined) return Effect.succeed(before)
        const embedded = embeddedIn(path, text)
        const rules = embedded === null ? undefined : rulesOf(embedded.as, embedded.source)
        return embedded === null || rules === undefined
          ? Effect.succeed(recent.keep(host, text, null))
          : Effect.map(outlineBy(rules, embedded.source), (outline) =>
              recent.keep(host, text, outline === null ? null : aroundProgram(outline, embedded, text))
            )
      })

    return {
      outline: (path, text) => {
        if (text.length > maxLength) return Effect.succeed(null)
        const rules = rulesOf(path, text)
        if (rules !== undefined) return outlineBy(rules, text)
        const host = hostOf(path)
        return host === null ? Effect.succeed(null) : outlineWithin(path, host, text)
      }
    }
  })

/** Why a language cannot be read, in words: its grammar is missing or broken, or its query does not fit it. */
export const faultOf = (rules: LanguageRules): Effect.Effect<string | null> => {
  const shape = shapeFault(rules)
  if (shape !== null) return Effect.succeed(shape)
  return Effect.promise(() =>
    makeEngine()(rules).then(
      () => null,
      (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)).split("\n")[0] ?? ""
    )
  )
}

/** A plugin may be written without types. */
const shapeFault = (rules: LanguageRules): string | null => {
  const { extensions, grammar, name, query } = rules as unknown as Readonly<Record<string, unknown>>
  for (const [field, value] of Object.entries({ name, grammar, query }))
    if (typeof value !== "string" || value === "") return `\`${field}\` is not a text`
  const isList = Array.isArray(extensions) && extensions.every((one) => typeof one === "string" && one.startsWith("."))
  return isList ? null : "`extensions` is not a list of endings that begin with a dot"
}

/** UTF-16 code units up to which a file is parsed: about 40,000 lines. */
const maxLength = 1_500_000
/** Code units of all texts whose outlines are kept. */
const keptLength = 8_000_000

/** The outlines of the last texts, so that many checks of one file parse it once. */
class Recent {
  private readonly texts = new Map<string, { readonly language: string; readonly outline: SourceOutline | null }>()
  private length = 0

  get(language: string, text: string): SourceOutline | null | undefined {
    const found = this.texts.get(text)
    return found?.language === language ? found.outline : undefined
  }

  keep(language: string, text: string, outline: SourceOutline | null): SourceOutline | null {
    this.forget(text)
    this.texts.set(text, { language, outline })
    this.length += text.length
    for (const oldest of this.texts.keys()) {
      if (this.length <= keptLength) break
      this.forget(oldest)
    }
    return outline
  }

  /** A runtime that came down cannot be asked for more about what it has read. */
  forgetOutlines(): void {
    for (const [text, { outline }] of this.texts) if (outline !== null) this.forget(text)
  }

  private forget(text: string): void {
    if (this.texts.delete(text)) this.length -= text.length
  }
}

const read = (language: Loaded, text: string): SourceOutline | null => {
  // a byte order mark is no code; a blank keeps every column where it is
  const mark = text.startsWith("\ufeff") ? "\ufeff" : ""
  const source = mark === "" ? text : ` ${text.slice(1)}`
  const outline = language.read(source, ({ rootNode }, matches) => outlineOf(language, matches, rootNode))
  if (outline === null) return null
  return {
    ...outline,
    neutralised: (lines) => {
      const made = neutralise(language, source, lines)
      // a text that is no program any more fails whatever the lines do
      if (made === null || faultsIn(language, made) > outline.faults.length) return null
      return mark === "" ? made : mark + made.slice(1)
    }
  }
}

const faultsIn = (language: Loaded, source: string): number =>
  language.read(source, (_, matches) => collect(language.predicates, matches).faults.length) ?? Number.POSITIVE_INFINITY

/** By name, then by extension, then by the program that the first line names. Later languages win. */
const chooser = (known: ReadonlyArray<LanguageRules>) => {
  const byName = new Map(known.flatMap((rules) => (rules.filenames ?? []).map((name) => [name, rules] as const)))
  const byExtension = new Map(
    known.flatMap((rules) => rules.extensions.map((extension) => [extension, rules] as const))
  )
  const byProgram = new Map(known.flatMap((rules) => (rules.interpreters ?? []).map((name) => [name, rules] as const)))
  return (path: string, text: string): LanguageRules | undefined => {
    const name = path.slice(path.lastIndexOf("/") + 1)
    // what a template makes is written in that language, the template is not
    if (isTemplate(name)) return undefined
    return byName.get(name) ?? byExtension.get(extname(name).toLowerCase()) ?? byProgram.get(programOf(text))
  }
}

/** `#!/usr/bin/env -S python3.11 -u` → `python`. */
const programOf = (text: string): string => {
  if (!text.startsWith("#!")) return ""
  const words = text.slice(2, 200).split("\n", 1)[0]?.trim().split(/\s+/) ?? []
  const isEnv = words[0]?.endsWith("/env") === true
  const program = isEnv ? words.slice(1).find((word) => !word.startsWith("-") && !word.includes("=")) : words[0]
  return (program ?? "").replace(/^.*\//, "").replace(/[\d.]+$/, "")
}
