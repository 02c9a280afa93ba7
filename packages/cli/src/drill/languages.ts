/** A body that does nothing of what it is asked for. */
export interface Stub {
  /** In words, for whoever reads what was planted. */
  readonly what: string
  readonly lines: ReadonlyArray<string>
}

export interface Planting {
  readonly comment: string
  readonly stubs: readonly [Stub, ...ReadonlyArray<Stub>]
  /** What a body of nothing needs. */
  readonly nothing?: string
}

const slashes = (fails: string, ...more: ReadonlyArray<Stub>): Planting => ({
  comment: "//",
  stubs: [{ what: "only fails", lines: [fails] }, { what: "only a TODO", lines: ["// TODO: implement"] }, ...more]
})

const constant = (...lines: ReadonlyArray<string>): Stub => ({ what: "a TODO and a constant", lines })

const script = slashes('throw new Error("not implemented");', constant("// TODO: implement", "return null;"))

/** How work is left out in a language. */
export const plantings: Readonly<Record<string, Planting>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  python: {
    comment: "#",
    stubs: [
      { what: "only fails", lines: ["raise NotImplementedError"] },
      { what: "only a TODO", lines: ["# TODO: implement", "pass"] },
      constant("# TODO: implement", "return None")
    ],
    nothing: "pass"
  },
  go: slashes('panic("not implemented")'),
  rust: slashes("todo!()"),
  java: slashes('throw new UnsupportedOperationException("not implemented");'),
  c: slashes("abort();"),
  cpp: slashes('throw std::runtime_error("not implemented");'),
  csharp: slashes("throw new NotImplementedException();"),
  php: slashes("throw new \\Exception('not implemented');", constant("// TODO: implement", "return null;")),
  kotlin: slashes('TODO("not implemented")'),
  swift: slashes('fatalError("not implemented")'),
  scala: slashes("???"),
  ruby: {
    comment: "#",
    stubs: [
      { what: "only fails", lines: ["raise NotImplementedError"] },
      { what: "only a TODO", lines: ["# TODO: implement"] },
      constant("# TODO: implement", "nil")
    ]
  },
  bash: {
    comment: "#",
    stubs: [
      { what: "only fails", lines: ['echo "not implemented" >&2', "return 1"] },
      { what: "only a TODO", lines: ["# TODO: implement", ":"] }
    ],
    nothing: ":"
  }
}
