import Module, { createRequire } from "node:module"
import type { LanguageRules } from "@proofline/kernel"
import type { Language, Query, QueryMatch, Tree } from "web-tree-sitter"
import { grammarFile, runtimeFiles, wasmIn } from "./grammars.ts"
import { compilePacked } from "./packedCode.ts"
import { type Memory, preparedQuery, putQuery, queryAt, queryText } from "./preparedQuery.ts"

/** A language that can be read. */
export interface Loaded {
  readonly rules: LanguageRules
  readonly predicates: Query["predicates"]
  /** Its query, as it may be prepared. */
  readonly query: () => Uint8Array
  /** Null: the text takes too long. Throws when it brings the runtime down. The tree is gone afterwards. */
  readonly read: <A>(text: string, use: (tree: Tree, matches: ReadonlyArray<QueryMatch>) => A) => A | null
}

/** Loads a language; a grammar is loaded once. Rejects when the grammar or the query is broken. */
export type Engine = (rules: LanguageRules) => Promise<Loaded>

/**
 * The runtime of the grammars, with a memory of its own. A text can bring it down, for good: then nothing it has loaded
 * works any more, and another one is needed. `prepared` has the queries that need not be made anew.
 */
export const makeEngine = (prepared: (rules: LanguageRules) => Uint8Array | null = preparedQuery): Engine => {
  const grammars = new Map<string, Promise<Language>>()
  const own: Array<unknown> = [grammars]
  let started: Promise<Started> | undefined
  return async (rules) => {
    started ??= start()
    const { memory, runtime } = await started
    const { Language, Parser } = runtime
    const file = grammarFile(rules.grammar)
    const pending = grammars.get(file) ?? Language.load(wasmIn(file))
    grammars.set(file, pending)
    const language = await pending
    const { address, query } = queryFor(runtime, memory, language, queryText(rules), prepared(rules))
    own.push(query)
    const fault = faultIn(query)
    if (fault !== null) throw new Error(fault)
    const patched = patcher(rules)
    return {
      rules,
      predicates: query.predicates,
      query: () => queryAt(memory, address),
      read: (text, use) => {
        const parser = new Parser()
        const using: Array<unknown> = [parser]
        try {
          parser.setLanguage(language)
          const tree = parser.parse(patched(text), null, { progressCallback: limit(begin()) })
          parser.delete()
          if (tree === null) return null
          using.push(tree)
          const isTooLong = limit(begin())
          const matches = query.matches(tree.rootNode, { progressCallback: isTooLong })
          const result = isTooLong() ? null : use(tree, matches)
          tree.delete()
          return result
        } catch (cause) {
          fallen.push(own, using)
          throw cause
        }
      }
    }
  }
}

const captures = new Set(
  "function type group name body scope wrapper lead exempt exempt.members comment import string nothing stub idle transparent constant failure fault replaceable hoisted kept reopened rebinding exported exported.whole".split(
    " "
  )
)
const predicates = new Set(["unfinished?", "not-unfinished?"])

/**
 * First unknown capture or predicate of a query, or that @function is missing; tree-sitter ignores misspelt names
 * silently.
 */
const faultIn = (query: Query): string | null => {
  const unknown = query.captureNames.find((name) => !captures.has(name) && !name.startsWith("_"))
  if (unknown !== undefined) return `its query captures @${unknown}, which means nothing; other names begin with _`
  const operator = query.predicates.flat().find((predicate) => !predicates.has(predicate.operator))?.operator
  if (operator !== undefined) return `its query asks #${operator}, which nobody answers`
  return query.captureNames.includes("function") ? null : "its query finds no @function"
}

/** What belongs to a runtime that came down is never collected: cleaning it up would call that runtime. */
const fallen: Array<unknown> = []

/** A query of a text; one that is prepared is put there where the runtime would make it. */
const queryFor = (
  { Query }: Runtime,
  memory: Memory,
  language: Language,
  text: string,
  prepared: Uint8Array | null
): { readonly query: Query; readonly address: number } => {
  const make = memory._ts_query_new
  let address = 0
  memory._ts_query_new = (at, ...given) => {
    address = prepared === null ? make(at, ...given) : putQuery(memory, at, prepared)
    return address
  }
  try {
    return { query: new Query(language, text), address }
  } finally {
    memory._ts_query_new = make
  }
}

type Runtime = typeof import("web-tree-sitter")

/** The end of the stack that is in use, as an address in the memory of the runtime. */
interface StackPointer {
  value: number
}

/** What the runtime gives to its WebAssembly. */
interface Imports {
  readonly env: { readonly __stack_pointer?: StackPointer }
}

/** As the engine of JavaScript has it; without those of browsers there are no types of it. */
const wasm = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly compile: (bytes: Uint8Array) => Promise<unknown>
      readonly Instance: new (module: unknown, imports: Imports) => unknown
    }
  }
).WebAssembly

interface Started {
  readonly runtime: Runtime
  readonly memory: Memory
}

const start = async (): Promise<Started> => {
  const files = runtimeFiles()
  const runtime = runtimeIn(files.code)
  const compiled = await wasm.compile(wasmIn(files.wasm))
  let stackPointer: StackPointer | undefined
  // the runtime takes this for itself and adds its memory and functions
  const options = {
    instantiateWasm: (imports: Imports, use: (instance: unknown, of: unknown) => void) => {
      stackPointer = imports.env.__stack_pointer
      use(new wasm.Instance(compiled, imports), compiled)
    },
    print: silent,
    printErr: silent
  }
  await runtime.Parser.init(options)
  const memory = options as typeof options & Memory
  if (stackPointer === undefined) throw new Error("the runtime of the grammars has no stack pointer")
  const stack = memory._malloc(stackBytes)
  if (stack === 0) throw new Error("the runtime of the grammars has no memory for its stack")
  // it grows down, in steps of 16 bytes
  stackPointer.value = (stack + stackBytes) & ~15
  return { runtime, memory }
}

/**
 * The runtime's own stack has 64 KiB and nothing watches its end: a text that nests deeply makes it write over the memory
 * below. With this one the stack of the engine of JavaScript ends first, and that throws.
 */
const stackBytes = 8 * 1024 * 1024

/** What has come down stays down: each is read from its file anew. */
const runtimeIn = (code: string): Runtime => {
  if (code.endsWith(".br")) {
    const module = new Module(code)
    compilePacked(module, code)
    return module.exports as Runtime
  }
  const require = createRequire(code)
  delete require.cache[code]
  return require(code) as Runtime
}

const silent = (): void => {}

const patcher = ({ patches = [] }: LanguageRules): ((text: string) => string) => {
  const all = patches.map(({ as, pattern }) => ({ as, pattern: new RegExp(pattern, "gm") }))
  return (text) =>
    all.reduce(
      (now, { as, pattern }) =>
        now.replace(pattern, (found) => {
          let put = 0
          // every line stays on its line
          return found.replace(/[^\r\n]/g, () => as[put++] ?? " ")
        }),
      text
    )
}

/** Ten times what 10,000 lines take, in time of the processor: a busy machine changes no verdict. */
const maxMicros = 1_000_000

/** The system is asked so often at most, in ms: to ask it takes longer than what is done in between. */
const askedEvery = 5

interface Begun {
  readonly cpu: NodeJS.CpuUsage
  /** By the clock, in ms. */
  readonly at: number
}

let last: Begun | null = null

/** Now, or a moment ago: many texts take less time than the question. */
const begin = (): Begun => {
  const now = performance.now()
  if (last === null || now >= last.at + askedEvery) last = { cpu: process.cpuUsage(), at: now }
  return last
}

/** True when the time is over, and from then on. */
const limit = (begun: Begun): (() => boolean) => {
  let asked = begun.at
  let isOver = false
  return () => {
    const now = performance.now()
    if (isOver || now < asked + askedEvery) return isOver
    const { system, user } = process.cpuUsage(begun.cpu)
    isOver = system + user > maxMicros
    asked = now
    return isOver
  }
}
