/** Routines of languages that write them in words of their own: where one begins and ends, and which lines of it do nothing. */
interface Worded {
  readonly path: RegExp
  readonly head: RegExp
  /** Its last line; null: it goes up to the next head, or to a line that `until` knows. */
  readonly end: RegExp | null
  readonly until?: RegExp
  /** Routines stand only in some sections of a file: what begins any of them, and what begins one of these. */
  readonly sections?: { readonly any: RegExp; readonly ofRoutines: RegExp }
  /** A line that does nothing. */
  readonly idle: RegExp
  /** A line by which nothing of it is ever done, whatever stands beside it. */
  readonly never?: RegExp
  /** Lines that only speak of one. */
  readonly about?: RegExp
  /** What is written of it in several places is one. */
  readonly hasCases?: boolean
}

const unwritten = String.raw`(?:[^\n]*\b(?:not|un)[ _-]?(?:yet[ _-]?)?implemented\b|[^\n]*\bTODO\b)`

const worded: ReadonlyArray<Worded> = [
  {
    path: /\.f(?:90|95|03|08|18)?$|\.for$/i,
    head: /^\s*(?:(?:pure|elemental|recursive|impure|module|integer|real|logical|character|complex|type)\b[^!'"]*?\s)?(?:function|subroutine)\s+\w+/i,
    end: /^\s*end\s*(?:(?:function|subroutine)\b.*)?$/i,
    idle: new RegExp(
      String.raw`^\s*(?:!.*|.*::.*|implicit\s+none.*|use\s.*|(?:integer|real|logical|character|complex|type)\b[^=]*|return|continue|(?:error\s+)?stop\s+["']${unwritten}["'].*|print\s*\*\s*,\s*["']${unwritten}["'].*|)$`,
      "i"
    )
  },
  {
    path: /\.(?:cbl|cob|cpy)$/i,
    head: /^(?:.{6}[ ]| {0,7})[A-Z\d][\w-]*\.\s*$/i,
    end: null,
    idle: new RegExp(
      String.raw`^(?:.{6}[*/].*|\s*\*>.*|\s*(?:continue|exit(?: paragraph| section)?|goback)\s*\.?|\s*display\s+["']${unwritten}["'].*|\s*)$`,
      "i"
    )
  },
  {
    path: /\.(?:bat|cmd)$/i,
    head: /^\s*:[A-Za-z_][\w-]*\s*$/,
    end: null,
    idle: new RegExp(
      String.raw`^\s*@?(?:rem\b.*|::.*|exit\s*\/b(?:\s+0)?|goto\s*:?eof|(?:set|end)local\b.*|echo\s+${unwritten}.*|)\s*$`,
      "i"
    )
  },
  {
    path: /\.abap$/i,
    head: /^\s*(?:method|form|function)\s+[\w~]+[^.]*\.\s*$/i,
    end: /^\s*end(?:method|form|function)\s*\./i,
    idle: new RegExp(
      String.raw`^(?:\*.*|\s*(?:".*|return\.|exit\.|data(?::|\()?\s[^=]*|message\s+["']${unwritten}["'].*|))$`,
      "i"
    )
  },
  {
    path: /\.(?:pro|plt|prolog)$/i,
    head: /^[a-z]\w*(?:\([^%]*\))?\s*:-/,
    end: /\.\s*(?:%.*)?$/,
    idle: /^(?:[a-z]\w*(?:\([^%]*\))?\s*:-)?\s*(?:fail|false|true|!|!,\s*fail|throw\(.*not_?(?:yet_?)?implemented.*\))?\s*\.?\s*(?:%.*)?$/i,
    hasCases: true
  },
  {
    path: /\.nix$/,
    head: /^\s*[\w.'-]+\s*=\s*(?:\w+|\{[^{}=]*\})(?:\s*@\s*\w+)?\s*:/,
    end: /;\s*(?:#.*)?$/,
    about: /^\s*(?:\{[^{}=]*\}(?:\s*@\s*\w+)?\s*:\s*\{?|[{}]|rec\s*\{|let|in\b\s*\{?|inherit\b[^;]*;)?\s*(?:#.*)?$/,
    idle: new RegExp(
      String.raw`^\s*(?:[\w.'-]+\s*=)?\s*(?:(?:\w+|\{[^{}=]*\})(?:\s*@\s*\w+)?\s*:\s*)*(?:null|\{\s*\}|(?:throw|abort)\s+"${unwritten}.*"|builtins\.(?:throw|abort)\s+"${unwritten}.*")?\s*;?\s*(?:#.*)?$`,
      "i"
    ),
    hasCases: true
  },
  {
    path: /\.rego$/,
    head: /^(?:default\s+)?[a-z]\w*\b[^#"]*\{\s*$/,
    end: /^\}/,
    idle: /^\s*(?:#.*)?$/,
    never: /^\s*(?:false|1\s*==\s*[02-9]|not\s+true)\s*(?:#.*)?$/
  },
  {
    path: /\.(?:robot|resource)$/,
    head: /^[^\s*#].*$/,
    end: null,
    until: /^\*{3}/,
    sections: { any: /^\*{3}/, ofRoutines: /test cases|tasks|keywords/i },
    idle: /^\s+(?:#.*|\[(?:Documentation|Tags|Setup|Teardown|Timeout|Arguments)\].*|No Operation|(?:Log(?: To Console)?|Comment|Pass Execution|Skip)(?:\s{2,}.*)?|\.\.\.\s.*)$|^\s*$/,
    never: /^\s+(?:\[Tags\].*\brobot:(?:skip|exclude)\b.*|(?:Skip|Pass Execution)\s{2,}.*)$/
  },
  {
    path: /\.(?:s|asm|nasm)$/i,
    head: /^[A-Za-z_.$][\w.$@]*:\s*(?:[;#].*|\/\/.*)?$/,
    end: null,
    until: /^\s*\.(?:section|data|bss)\b/,
    about: /^\s*(?:\.(?:globa?l|type|p2align|align|size)|global|section \.text)\b/,
    idle: /^\s*(?:[;#@].*|\/\/.*|\.\w+.*|nop|ret[qln]?|bx\s+lr|jr\s+\$?ra|leave|endbr(?:32|64)|push[ql]?\s+%?[er]bp|pop[ql]?\s+%?[er]bp|mov[ql]?\s+(?:%?[er]sp\s*,\s*%?[er]bp|%?[er]bp\s*,\s*%?[er]sp)|)\s*(?:[;#].*)?$/i
  }
]

/** Rows, from 0, of routines in which nothing is done, in languages of which that is known. `lines` are without their ends. */
export const wordedRoutineRows = (path: string, lines: ReadonlyArray<string>): ReadonlySet<number> => {
  const rows = new Set<number>()
  for (const kind of worded.filter((one) => one.path.test(path))) {
    const routines = routinesIn(kind, lines)
    const isEmpty = ([from, to]: Rows): boolean => {
      const body = lines.slice(kind.hasCases === true ? from : from + 1, to)
      return (
        body.some((line) => kind.never?.test(line) === true) ||
        ((body.length > 0 || kind.end !== null) && body.every((line) => kind.idle.test(line)))
      )
    }
    const nameOf = ([from]: Rows): string => /^[\w]+/.exec((lines[from] ?? "").trim())?.[0] ?? ""
    const done = new Set(kind.hasCases === true ? routines.filter((one) => !isEmpty(one)).map(nameOf) : [])
    for (const routine of routines) {
      if (kind.hasCases === true ? done.has(nameOf(routine)) : !isEmpty(routine)) continue
      for (let row = routine[0]; row < routine[1] + (kind.end === null || kind.hasCases === true ? 0 : 1); row++)
        rows.add(row)
    }
    if (rows.size > 0) for (const [row, line] of lines.entries()) if (kind.about?.test(line) === true) rows.add(row)
  }
  return rows
}

type Rows = readonly [from: number, to: number]

/** From the head up to the line that ends it; where that belongs to it (one that is written in cases), behind that. */
const routinesIn = (
  { end, hasCases = false, head, sections, until }: Worded,
  lines: ReadonlyArray<string>
): ReadonlyArray<Rows> => {
  const found: Array<Rows> = []
  let isIn = sections === undefined
  for (let row = 0; row < lines.length; row++) {
    const line = lines[row] ?? ""
    if (sections?.any.test(line) === true) isIn = sections.ofRoutines.test(line)
    if (!isIn || !head.test(line)) continue
    const isLast = (one: string): boolean =>
      end === null ? head.test(one) || until?.test(one) === true : end.test(one)
    let next = hasCases ? row : row + 1
    while (next < lines.length && !isLast(lines[next] ?? "")) next++
    // none of those below is ended either
    if (end !== null && next === lines.length) break
    found.push([row, hasCases ? next + 1 : next])
  }
  return found
}
