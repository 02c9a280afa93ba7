import type { SourceOutline } from "../../../port/index.ts"
import { familyOf } from "./families.ts"
import { offsetOf, plainOf } from "./plain.ts"

/**
 * Whether a file does nothing but put others together: a barrel, an `__init__` of re-exports, a header of headers. Its
 * imports are its implementation. A file of plain imports that passes nothing on is none.
 */
export const isAggregate = (path: string, lines: ReadonlyArray<string>, outline: SourceOutline): boolean => {
  const rules = aggregates[familyOf(outline.language)]
  const imports = outline.asides.filter(({ kind }) => kind === "import")
  if (rules === undefined || outline.faults.length > 0 || imports.length > maxImports) return false
  const plain = plainOf(lines, outline)
  if (plain.text.length > maxLength) return false
  let rest = ""
  let done = 0
  const said: Array<string> = []
  for (const { end, start } of imports) {
    const [from, to] = [offsetOf(plain, start), offsetOf(plain, end)]
    if (from < done) continue
    rest += `${plain.text.slice(done, from)}\n`
    said.push(plain.text.slice(from, to))
    done = to
  }
  rest += plain.text.slice(done)
  const left = rest.replace(rules.besides, "")
  if (/[^\s;]/.test(left)) return false
  return rules.files?.test(path) === true || rules.passesOn.test(rest) || said.some((one) => rules.passesOn.test(one))
}

const maxImports = 5_000
const maxLength = 256 * 1_024

interface AggregateRules {
  /** What may stand there beside imports. */
  readonly besides: RegExp
  /** What makes such a file useful to others. */
  readonly passesOn: RegExp
  /** Files that are made for it by their names. */
  readonly files?: RegExp
}

const string = String.raw`(?:"[^"\n]*"|'[^'\n]*')`

const script: AggregateRules = {
  besides: new RegExp(
    [
      String.raw`export\s+(?:type\s+)?(?:\*(?:\s*as\s+[\w$]+)?|\{[^{}]*\})(?:\s*from\s*${string})?`,
      String.raw`export\s+default\s+[\w$]+`,
      String.raw`(?:module\.)?exports(?:\.[\w$]+)?\s*=\s*(?:\{[\w$\s,:.]*\}|(?:require\s*\(\s*${string}\s*\)|[\w$]+)(?:\.[\w$]+)*)`
    ].join("|"),
    "g"
  ),
  passesOn: new RegExp(String.raw`\bexports?\b|^import\s*${string}|^require\s*\(`)
}

const c: AggregateRules = {
  besides:
    /^[ \t]*#[ \t]*(?:ifndef|ifdef|if|elif|else|endif|define|undef|pragma|include|error)\b[^\n]*$|extern\s+"C"\s*\{|\}/gm,
  // a source that includes headers alone brings nothing of them to others
  passesOn: /#[ \t]*include\s*[<"][^">\n]*\.(?:c|cc|cpp|cxx|m|mm|inc|inl|ipp|tpp|def)[">]/,
  files: /\.(?:h|hh|hpp|hxx|inc|inl|ipp|tpp)$/i
}

const aggregates: Readonly<Record<string, AggregateRules>> = {
  script,
  python: {
    besides: new RegExp(
      String.raw`__all__\s*(?:\+?=\s*(?:\[[^\]]*\]|\([^)]*\)|[\w.]+(?:\s*\+\s*[\w.]+)*)|\.\w+\([^()]*\))|__\w+__\s*=\s*${string}`,
      "g"
    ),
    passesOn: /^from\b/,
    files: /(?:^|\/)__init__\.py$/
  },
  rust: {
    besides: /(?:#!?\[[^\]]*\]\s*)*(?:pub(?:\s*\([^)]*\))?\s+)?mod\s+\w+\s*;|#!?\[[^\]]*\]/g,
    passesOn: /\bpub\b[^;]*\buse\b|\bmod\s+\w+\s*;/,
    files: /(?:^|\/)(?:mod|lib|prelude)\.rs$/
  },
  c,
  php: { besides: /<\?(?:php)?|\?>/g, passesOn: /^(?:require|include)/ },
  go: { besides: /^$/gm, passesOn: /(?:^|[\s(])_\s+["`]/ },
  ruby: { besides: /^$/gm, passesOn: /^(?:require|load)/ },
  bash: { besides: /^$/gm, passesOn: /^(?:source|\.)\s/ },
  csharp: { besides: /^$/gm, passesOn: /^global\s+using\b/ },
  swift: { besides: /^$/gm, passesOn: /@_exported\b|^public\s+import\b/ },
  scala: { besides: /^$/gm, passesOn: /^export\b/ },
  java: { besides: /^$/gm, passesOn: /^\b$/, files: /(?:^|\/)(?:package|module)-info\.java$/ },
  kotlin: { besides: /^$/gm, passesOn: /^@file:/ }
}
