import type { Random } from "../../kernel/support/random.ts"

/** A random notation, with values that fit it and such that do not. */
export interface Notation {
  readonly text: string
  /** `text`, `number`, …: what it takes; alternatives of different sorts cannot be confused. */
  readonly sort: string
  readonly fitting: () => unknown
  /** A value that fits but for one place, which is not null, and the path there from here; null: everything fits. */
  readonly broken: (() => Broken) | null
  /** The value as some clients send it: lists, objects, numbers and truths as texts of JSON. */
  readonly asTexts: (value: unknown) => unknown
}

export interface Broken {
  readonly value: unknown
  readonly path: ReadonlyArray<string | number>
}

export interface Field {
  readonly name: string
  readonly optional: boolean
  readonly type: Notation
}

const names = ["a", "task_id", "x-y", "認証", "$ref", "évidence", "v1.2"] as const

export const randomFields = (random: Random, depth: number): ReadonlyArray<Field> =>
  random
    .shuffled(names)
    .slice(0, 1 + random.below(4))
    .map((name) => ({ name, optional: random.chance(0.3), type: randomNotation(random, depth) }))

export const randomNotation = (random: Random, depth: number): Notation => {
  const one = single(random, depth)
  if (random.chance(0.15)) return nullable(random, one)
  return random.chance(0.2) ? union(random, one, depth) : one
}

export const randomJson = (random: Random, depth = 2): unknown =>
  random.pick<() => unknown>([
    () => null,
    () => random.chance(0.5),
    () => random.pick([0, -1, 1.5, 2 ** 60]),
    () => random.pick(["", "x", "p", "null", "5", "true", "[]", '{"a":"b"}', "認証"]),
    () => (depth === 0 ? [] : Array.from({ length: random.below(3) }, () => randomJson(random, depth - 1))),
    () =>
      depth === 0
        ? {}
        : Object.fromEntries(
            random
              .shuffled(names)
              .slice(0, random.below(4))
              .map((name) => [name, randomJson(random, depth - 1)])
          )
  ])()

const single = (random: Random, depth: number): Notation => {
  const simple = [
    () => scalar("str", "text", () => random.pick(["", "x", "é\n", "[1]", "7", "null"]), [1, [], {}, true]),
    () => texts(random),
    () => scalar("int", "number", () => random.below(9) - 4, [1.5, "x", {}], JSON.stringify),
    () => scalar(random.pick(["float", "number"]), "number", () => 1.5, ["x", []], JSON.stringify),
    () => scalar("bool", "truth", () => random.chance(0.5), ["yes", 1], JSON.stringify),
    () => scalar(random.pick(["dict", "object", "{}"]), "object", () => ({ a: 1 }), [[], "x"], JSON.stringify),
    () => scalar(random.pick(["list", "[]"]), "list", () => [1, "a"], [{}, "x"], JSON.stringify),
    () => ({ ...scalar("any", "any", () => randomJson(random), []), broken: null })
  ]
  const nested = [() => list(random, depth), () => struct(random, depth)]
  const made: Notation = random.pick(depth === 0 ? simple : [...simple, ...nested, ...nested])()
  return { ...made, text: `${blank(random)}${made.text}${blank(random)}` }

  function scalar(
    text: string,
    sort: string,
    fitting: () => unknown,
    wrong: ReadonlyArray<unknown>,
    asTexts: (value: unknown) => unknown = (value) => value
  ): Notation {
    return { text, sort, fitting, broken: () => ({ value: random.pick(wrong), path: [] }), asTexts }
  }
}

const texts = (random: Random): Notation => {
  const allowed = ["delete", "merge", "two words"].slice(0, 1 + random.below(3))
  const written = allowed.map((text) =>
    allowed.length === 1 || text.includes(" ") || random.chance(0.3) ? random.pick([`"${text}"`, `'${text}'`]) : text
  )
  return {
    text: written.join(`${blank(random)}|${blank(random)}`),
    sort: "text",
    fitting: () => random.pick(allowed),
    broken: () => ({ value: random.pick(["Delete", "", 1]), path: [] }),
    asTexts: (value) => value
  }
}

const list = (random: Random, depth: number): Notation => {
  const item = randomNotation(random, depth - 1)
  // T[] would take the last alternative only, and list[] is a list of anything
  const text =
    /\||list\s*$/.test(item.text) || random.chance(0.5) ? `list${blank(random)}[${item.text}]` : `${item.text}[]`
  const fitting = () => Array.from({ length: random.below(4) }, item.fitting)
  return {
    text,
    sort: "list",
    fitting,
    broken: () => {
      if (item.broken === null || random.chance(0.3)) return { value: random.pick([{}, 1]), path: [] }
      const { path, value } = item.broken()
      const some = fitting()
      const at = random.below(some.length + 1)
      return { value: some.toSpliced(at, 0, value), path: [at, ...path] }
    },
    asTexts: (value) => {
      const some = (value as ReadonlyArray<unknown>).map((inner) => item.asTexts(inner))
      return random.chance(0.5) ? JSON.stringify(some) : some
    }
  }
}

const struct = (random: Random, depth: number): Notation => {
  const fields = randomFields(random, depth - 1)
  const untyped = random.chance(0.3) ? ["untyped"] : []
  const written = fields.map(
    ({ name, optional, type }) => `${blank(random)}${name}${optional ? `${blank(random)}?` : ""}:${type.text}`
  )
  const text = `{${[...written, ...untyped].join(",")}}`
  const extra = untyped.length === 0 ? {} : { untyped: "x" }
  const fitting = () => ({ ...extra, ...fittingFields(random, fields) })
  return {
    text,
    sort: "object",
    fitting,
    broken: () => {
      const inside = brokenFields(random, fields)
      if (inside === null || random.chance(0.2)) return { value: random.pick([[], "x", 1]), path: [] }
      return { value: { ...extra, ...inside.value }, path: inside.path }
    },
    asTexts: (value) => {
      const some = fieldsAsTexts(fields, value as Readonly<Record<string, unknown>>)
      return random.chance(0.5) ? JSON.stringify(some) : some
    }
  }
}

export const fittingFields = (random: Random, fields: ReadonlyArray<Field>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.flatMap(({ name, optional, type }) => {
      if (optional && random.chance(0.4)) return random.chance(0.5) ? [] : [[name, null]]
      return [[name, type.fitting()]]
    })
  )

/** One field left out or broken inside; null: there is none that could be. */
export const brokenFields = (
  random: Random,
  fields: ReadonlyArray<Field>
): (Broken & { readonly value: Readonly<Record<string, unknown>> }) | null => {
  const left = fields.filter(({ optional, type }) => !optional && !isNullable(type))
  const inside = fields.filter(({ type }) => type.broken !== null)
  if (left.length > 0 && (inside.length === 0 || random.chance(0.3))) {
    const { name } = random.pick(left)
    const { [name]: _, ...value } = fittingFields(random, fields)
    return { value, path: [name] }
  }
  if (inside.length === 0) return null
  const { name, type } = random.pick(inside)
  const inner = type.broken?.() ?? { value: null, path: [] }
  return { value: { ...fittingFields(random, fields), [name]: inner.value }, path: [name, ...inner.path] }
}

export const fieldsAsTexts = (fields: ReadonlyArray<Field>, value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const type = fields.find((field) => field.name === name)?.type
      return [name, type === undefined || inner === null ? inner : type.asTexts(inner)]
    })
  )

const isNullable = ({ sort }: Notation): boolean => sort.endsWith("?")

const nullable = (random: Random, type: Notation): Notation => {
  if (type.sort === "any" || type.text.includes("|")) return type
  return {
    ...type,
    text: `${type.text}?`,
    sort: `${type.sort}?`,
    fitting: () => (random.chance(0.3) ? null : type.fitting()),
    asTexts: (value) => (value === null ? null : type.asTexts(value))
  }
}

/** Two alternatives of different sorts, neither of which takes any text, or one of texts. */
const union = (random: Random, one: Notation, depth: number): Notation => {
  const other = single(random, depth)
  if (one.sort === other.sort || [one, other].some(({ sort }) => sort === "any")) return one
  const both = random.shuffled([one, other])
  const ofNoSort = Object.entries({ text: "@", number: 7.5, truth: true, list: [], object: {} })
    .filter(([sort]) => both.every((type) => type.sort !== sort))
    .map(([, value]) => value)
  const composite = both.filter(({ sort }) => sort === "object" || sort === "list")
  return {
    text: both.map(({ text }) => text).join("|"),
    sort: both.map(({ sort }) => sort).join("|"),
    fitting: () => random.pick(both).fitting(),
    broken: () => {
      const inner = composite.length === 0 ? undefined : random.pick(composite).broken?.()
      return inner === undefined || inner.path.length === 0 ? { value: random.pick(ofNoSort), path: [] } : inner
    },
    asTexts: (value) => value
  }
}

const blank = (random: Random): string => random.pick(["", "", "", " ", "\n  ", "\u3000"])

/** As a path is written in a failure. */
export const written = (path: ReadonlyArray<string | number>): string =>
  path.reduce<string>((before, key) => {
    if (typeof key === "number") return `${before}[${key}]`
    if (key.includes(".")) return `${before}["${key}"]`
    return before === "" ? key : `${before}.${key}`
  }, "")
