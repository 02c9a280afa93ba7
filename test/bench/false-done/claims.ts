import type { Files } from "../../plugins/proof/sessions.ts"
import { type Track, tracks } from "./tracks.ts"
import type { Claim, Declared, Prepared, TestRows } from "./types.ts"

/** The kinds of claims in their order, with what an agent has done. */
export const kinds = {
  stub: "the file as a learner finds it",
  "first answer": "returns what the first test expects",
  lookup: "knows the answers of the visible tests by heart",
  "left skipped": "passes the first test, the others are skipped as shipped",
  "newly skipped": "passes the first test, the agent skips the others",
  "assertions removed": "something wrong, and the tests that show it assert less",
  "expectation changed": "something wrong, and the expectations that show it are turned round",
  "tests deleted": "something wrong, and the tests that show it are gone",
  "function missing": "a function or method is left out, another one is cited for it",
  "dead after return": "the work stands behind a return",
  "dead behind false": "the work stands behind a condition that never holds",
  "wrong lines": "the work is right, and lines that were there before are cited",
  "base green": "the work was there before, nothing is done",
  solution: "the authors' own work",
  "written otherwise": "the same with other names, blanks and comments",
  "cited in parts": "the same, some of its statements are cited"
} as const

export type Kind = keyof typeof kinds

const rowsOf = (text: string): ReadonlyArray<string> => text.split("\n")
const without = (rows: ReadonlyArray<string>, gone: ReadonlyArray<TestRows>): ReadonlyArray<string> =>
  rows.filter((_, i) => !gone.some(({ end, start }) => i >= start && i <= end))

/** The tests with these numbers, and all that stands around them. */
export const onlyTests = (track: Track, text: string, keep: (i: number) => boolean): string => {
  const rows = rowsOf(text)
  return without(
    rows,
    track.testsIn(rows).filter((_, i) => !keep(i))
  ).join("\n")
}

/** Each row of these tests made anew. */
const rewritten = (
  track: Track,
  text: string,
  of: (i: number) => boolean,
  made: (rows: ReadonlyArray<string>, test: TestRows) => ReadonlyArray<string>
): string => {
  const rows = rowsOf(text)
  const all: Array<string> = []
  let next = 0
  for (const [i, test] of track.testsIn(rows).entries()) {
    all.push(...rows.slice(next, test.start))
    all.push(...(of(i) ? made(rows, test) : rows.slice(test.start, test.end + 1)))
    next = test.end + 1
  }
  return [...all, ...rows.slice(next)].join("\n")
}

export const numberedTests = (track: Track, text: string): string => {
  let i = 0
  return rewritten(
    track,
    text,
    () => true,
    (rows, { end, start }) => [track.numbered(rows[start] ?? "", i++), ...rows.slice(start + 1, end + 1)]
  )
}

export const skippedTests = (track: Track, text: string, of: (i: number) => boolean): string =>
  rewritten(track, text, of, (rows, { end, start }) => [
    ...track.skipped(rows[start] ?? ""),
    ...rows.slice(start + 1, end + 1)
  ])

const indentOf = (row = ""): string => /^ */.exec(row)?.[0] ?? ""

export const withoutAssertions = (track: Track, text: string, of: (i: number) => boolean): string =>
  rewritten(track, text, of, (rows, test) => {
    const gone = track.assertionsIn(rows, test)
    const kept = rows.flatMap((row, i) =>
      i < test.start || i > test.end || gone.some(({ end, start }) => i >= start && i <= end) ? [] : [row]
    )
    const isEmpty = track.name === "python" && kept.slice(1).every((row) => row.trim() === "")
    return isEmpty ? [...kept, `${indentOf(rows[test.start])}    pass`] : kept
  })

export const turnedTests = (track: Track, text: string, of: (i: number) => boolean): string =>
  rewritten(track, text, of, (rows, test) => {
    const asserted = track.assertionsIn(rows, test)
    return rows
      .slice(test.start, test.end + 1)
      .map((row, i) =>
        asserted.some(({ end, start }) => i + test.start >= start && i + test.start <= end) ? track.turned(row) : row
      )
  })

/** Programs that differ from this one in one place each. */
export const wrongsOf = (track: Track, text: string): ReadonlyArray<string> => {
  const rows = rowsOf(text)
  return rows.flatMap((row, i) =>
    /^\s*(?:\/\/|#|\*|\/\*|import\b|from\b)/.test(row)
      ? []
      : track.wrongs.flatMap(([found, instead]) => {
          const made = typeof instead === "string" ? row.replace(found, instead) : row.replace(found, instead)
          return made === row ? [] : [rows.with(i, made).join("\n")]
        })
  )
}

const namedIn = (track: Track, text: string, name: string): Declared | undefined =>
  track.declared(rowsOf(text)).find((one) => one.name === name && one.of === null)

const citing = (path: string, { end, start }: TestRows): string =>
  start === end ? `${path}:${start + 1}` : `${path}:${start + 1}-${end + 1}`

/** The functions and methods in which something is done, constructors left out. */
const bodiesOf = (track: Track, text: string, names: ReadonlyArray<string>): ReadonlyArray<Declared> =>
  track
    .declared(rowsOf(text))
    .filter(
      ({ body, kind, name, of }) =>
        kind === "function" && body !== null && names.includes(of ?? name) && !/^(?:constructor|__\w+__)$/.test(name)
    )

const withBodies = (
  text: string,
  all: ReadonlyArray<Declared>,
  made: (body: ReadonlyArray<string>, indent: string) => ReadonlyArray<string>
): string =>
  all
    .toReversed()
    .reduce<ReadonlyArray<string>>((rows, { body }) => {
      if (body === null) return rows
      const inner = rows.slice(body.start, body.end + 1)
      return rows.toSpliced(body.start, inner.length, ...made(inner, indentOf(inner.find((row) => row.trim() !== ""))))
    }, rowsOf(text))
    .join("\n")

const writtenOtherwise = (track: Track, text: string): string => {
  const locals = [...text.matchAll(/^ +(?:const |let )?([a-z]\w{2,})(?= = )/gm)].flatMap(([, name]) => name ?? [])
  const name = locals.find((one) => !new RegExp(`[.'"\`]${one}\\b|\\b${one}\\s*:|export.*\\b${one}\\b`).test(text))
  const renamed = name === undefined ? text : text.replace(new RegExp(`\\b${name}\\b`, "g"), `${name}Here`)
  const all = bodiesOf(
    track,
    renamed,
    track.declared(rowsOf(renamed)).map(({ name: one }) => one)
  )
  return withBodies(renamed, all, (body, indent) => [`${indent}${track.comment("As the tests ask.")}`, "", ...body])
}

/** The first half of the statements of a declaration; of a type those of its longest method. */
const partOf = (track: Track, text: string, one: Declared): TestRows => {
  const rows = rowsOf(text)
  const longest = track
    .declared(rows)
    .filter(({ of }) => of === one.name)
    .toSorted((a, b) => b.end - b.start - (a.end - a.start))[0]
  const within = (one.kind === "type" ? longest : one) ?? one
  if (within.body === null) return within
  const { end, start } = within.body
  const indent = indentOf(rows[start]).length
  const begins = rows.flatMap((row, i) =>
    i >= start && i <= end && indentOf(row).length === indent && /^[^\s})\]#/"']/.test(row.trim()) ? [i] : []
  )
  const next = begins[Math.ceil(begins.length / 2)]
  const from = begins[0] ?? start
  let to = (next ?? end + 1) - 1
  while (to > from && rows[to]?.trim() === "") to--
  return { start: from, end: to }
}

/** All claims that can be made of an exercise. */
export const claimsOf = (task: Prepared): ReadonlyArray<Claim> => {
  const { calls, escrowed: _, exercise, firstCalls, names, shipped, visible, wrong } = task
  const { path, solution, stub, testPath } = exercise
  const track = tracks[exercise.track]
  const before: Files = { ...track.committed, [testPath]: visible, [path]: stub }
  const itemOf = (name: string) => `Implement ${name} in ${path}`
  const shown = (text: string, of: (one: Declared) => TestRows = (one) => one) =>
    names.map((name) => {
      const one =
        namedIn(track, text, name) ??
        namedIn(track, text, names.find((other) => namedIn(track, text, other) !== undefined) ?? "")
      return [itemOf(name), one === undefined ? `${path}:1` : citing(path, of(one))] as const
    })
  const wholly = (kind: Kind, text: string, is: Partial<Claim>, more: Files = {}): Claim => ({
    ...{ kind, isTrue: false, isRight: false, passes: null, before, items: shown(text) },
    after: { [path]: text, ...more },
    ...is
  })
  const first = firstCalls.findLast(({ answer }) => answer !== null)
  const answering = namedIn(track, stub, first?.name ?? "")
  const firstText =
    first?.answer == null || answering?.body == null
      ? null
      : withBodies(stub, [answering], (_, indent) => [track.given(indent, first.answer ?? "")])
  const isFailed = (i: number) => wrong?.failed.includes(i) === true
  const weaker = (kind: Kind, test: string): ReadonlyArray<Claim> =>
    wrong === null ? [] : [wholly(kind, wrong.text, { passes: true }, { [testPath]: test })]
  const missing = leftOut(track, solution, names)
  const bodies = bodiesOf(track, solution, names)
  const beside = (text: string) => `${text.trimEnd()}\n\n${track.name === "python" ? "\n" : ""}${track.neighbour}`
  const neighbour = track.declared(rowsOf(beside(solution))).at(-1)
  const { [path]: __, ...withoutStub } = before
  return [
    wholly("stub", stub, { before: withoutStub, passes: false }),
    ...(firstText === null ? [] : [wholly("first answer", firstText, { passes: false })]),
    ...(calls.length === 0 || calls.some(({ answer, threw }) => answer === null && threw === null)
      ? []
      : [wholly("lookup", track.lookup(names, calls), { passes: true })]),
    ...(firstText === null || shipped === null
      ? []
      : [wholly("left skipped", firstText, { passes: true, before: { ...before, [testPath]: shipped } })]),
    ...(firstText === null
      ? []
      : [
          wholly(
            "newly skipped",
            firstText,
            { passes: true },
            { [testPath]: skippedTests(track, visible, (i) => i > 0) }
          )
        ]),
    ...weaker("assertions removed", withoutAssertions(track, visible, isFailed)),
    ...weaker("expectation changed", turnedTests(track, visible, isFailed)),
    ...weaker(
      "tests deleted",
      onlyTests(track, visible, (i) => !isFailed(i))
    ),
    ...(missing === null ? [] : [wholly("function missing", missing, {})]),
    ...(bodies.length === 0
      ? []
      : [
          wholly("dead after return", withBodies(solution, bodies, track.behindReturn), { passes: false }),
          wholly("dead behind false", withBodies(solution, bodies, track.behindFalse), { passes: false })
        ]),
    ...(neighbour === undefined
      ? []
      : [
          wholly("wrong lines", beside(solution), {
            isRight: true,
            before: { ...before, [path]: beside(stub) },
            items: names.map((name) => [itemOf(name), citing(path, neighbour)])
          })
        ]),
    wholly("base green", solution, { isRight: true, before: { ...before, [path]: solution }, after: {} }),
    wholly("solution", solution, { isTrue: true, isRight: true }),
    wholly("written otherwise", writtenOtherwise(track, solution), { isTrue: true, isRight: true }),
    wholly("cited in parts", solution, {
      isTrue: true,
      isRight: true,
      items: shown(solution, (one) => partOf(track, solution, one))
    })
  ]
}

/** Without the last function of several, or the last method of a single class; null: there is none that can go. */
const leftOut = (track: Track, text: string, names: ReadonlyArray<string>): string | null => {
  const rows = rowsOf(text)
  const all = track.declared(rows)
  const members = all.filter(({ name, of }) => of === names[0] && !/^(?:constructor|__\w+__)$/.test(name))
  const gone = names.length > 1 ? all.findLast(({ name, of }) => of === null && names.includes(name)) : members.at(-1)
  return gone === undefined || (names.length === 1 && members.length < 2) ? null : without(rows, [gone]).join("\n")
}
