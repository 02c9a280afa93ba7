/**
 * A mapping or list of YAML as far as its layout tells it: a key with what it is given, or an entry of a list. What is written
 * in brackets is a text.
 */
export interface Entry {
  /** Null: an entry of a list. */
  readonly key: string | null
  /** What stands on its line, or in the text block below it, without quotes and comments. */
  readonly value: string
  readonly row: number
  /** The row behind its last one. */
  readonly end: number
  readonly parent: Entry | null
  readonly children: ReadonlyArray<Entry>
}

interface Open {
  key: string | null
  value: string
  row: number
  end: number
  parent: Open | null
  children: Array<Open>
  depth: number
  level: number
}

/** What stands at the begin of the lines of a file, each with all that is in it. `lines`: without their ends. Pure. */
export const entriesOf = (lines: ReadonlyArray<string>): ReadonlyArray<Entry> => {
  const root: Open = {
    key: null,
    value: "",
    row: -1,
    end: lines.length,
    parent: null,
    children: [],
    depth: -1,
    level: 0
  }
  let last = root
  const close = (depth: number, row: number, isItem: boolean): Open => {
    let at = last
    // the entries of a list may be as deep as the key that they belong to
    while (at.parent !== null && (at.depth > depth || (at.depth === depth && !(isItem && at.key !== null))))
      at = at.parent
    for (let closed: Open | null = last; closed !== null && closed !== at; closed = closed.parent) closed.end = row
    return at
  }
  const open = (key: string | null, depth: number, row: number): void => {
    const parent = close(depth, row, key === null)
    // what is deeper still belongs to nothing that is looked for
    const level = parent.level + 1
    last = {
      key,
      value: "",
      row,
      end: lines.length,
      parent: level > maxLevels ? root : parent,
      children: [],
      depth,
      level
    }
    if (level <= maxLevels) parent.children.push(last)
  }
  for (let row = 0; row < lines.length; row++) {
    const line = lines[row] ?? ""
    let rest = line.trimStart()
    if (rest === "" || rest.startsWith("#") || /^(?:---|\.\.\.)(?:\s|$)/.test(line)) continue
    const begin = line.length - rest.length
    if (!/^(?:- |-$)/.test(rest) && keyedIn(rest) === null) {
      // a plain text, or brackets, that go on
      if (begin > last.depth && last.value.length < maxValue) last.value = `${last.value} ${uncommented(rest)}`.trim()
      continue
    }
    for (let lists = 0; lists < maxLists; lists++) {
      const item = /^-(?: +|$)/.exec(rest)
      if (item === null) break
      open(null, line.length - rest.length, row)
      rest = rest.slice(item[0].length)
    }
    const keyed = keyedIn(rest)
    if (keyed !== null) open(keyed[0], line.length - rest.length, row)
    const value = uncommented(keyed === null ? rest : keyed[1])
    if (!/^(?:[&!]\S+\s+)*[|>][-+\d]*$/.test(value)) {
      last.value = unquoted(value)
      // a mapping in brackets, where it is plain
      const holder = last
      for (const [, name = "", text = ""] of value.length < maxFlow && /^\{[^{}[\]]*\}$/.test(value)
        ? value.matchAll(pair)
        : [])
        holder.children.push({
          key: name,
          value: unquoted(text),
          row,
          end: row + 1,
          parent: holder,
          children: [],
          depth: begin,
          level: holder.level + 1
        })
      continue
    }
    const block: Array<string> = []
    while (row + 1 < lines.length) {
      const next = lines[row + 1] ?? ""
      if (next.trim() !== "" && next.length - next.trimStart().length <= begin) break
      block.push(next.trim())
      row++
    }
    last.value = block.join("\n").trim()
  }
  return root.children
}

/** Lists that begin on one line. */
const maxLists = 5
/** Nobody nests deeper. */
const maxLevels = 40
/** Characters of a text that goes on over several lines, and of brackets that are looked into. */
const maxValue = 2_000
const maxFlow = 500

/** A key and what is behind it, where a line holds one. */
const keyedIn = (text: string): readonly [key: string, said: string] | null => {
  const colon = /^(?:"[^"]*"|'[^']*')?[^"'#]*?:(?=\s|$)/.exec(text)?.[0]
  const key = colon?.slice(0, -1).trimEnd() ?? ""
  return plainKey.test(key) ? [key.replace(/^["']|["']$/g, ""), text.slice(colon?.length).trim()] : null
}
const plainKey = /^(?:"[^"]*"|'[^']*'|[^\s"'#&*!|>%@`[\]{},-][^"'#[\]{}]*|<<)$/

const pair = /([\w-]+)\s*:\s+("(?:[^"\\]|\\.)*"|'[^']*'|[^,}]*[^,}\s])/g

const uncommented = (text: string): string =>
  /^(?:"(?:[^"\\]|\\.)*"|'[^']*')/.exec(text)?.[0] ?? text.replace(/(?:^|\s)#.*$/, "").trim()

const unquoted = (text: string): string => {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')$/.exec(text) ?? []
  if (double !== undefined) return double.replace(/\\(["\\/])/g, "$1")
  return single?.replaceAll("''", "'") ?? text
}

/** All of them, each before what is in it. */
export const allOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.flatMap((entry) => [entry, ...allOf(entry.children)])

/** What something is given: its text, or those of the list below it or in brackets. */
export const textsOf = ({ children, value }: Entry): ReadonlyArray<string> => {
  const list = /^\[(.*)\]$/s.exec(value)?.[1]
  if (list !== undefined) return wordsOf(list)
  return value === "" ? children.filter(({ key }) => key === null).map((one) => one.value) : [value]
}

/** Words in quotes, or between commas. */
export const wordsOf = (list: string): ReadonlyArray<string> =>
  [...list.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s,"'][^,]*)/g)].map(
    ([, double, single, plain = ""]) => double ?? single ?? plain.trim()
  )
