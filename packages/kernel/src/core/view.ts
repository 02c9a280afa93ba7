import { answered, isRecord, isStart, notLater } from "./answers.ts"
import { type Asked, type Hook, type Inside, impl, type Listed, type Misfit, type PluginImpl } from "./contract.ts"

/** A run by the names of its slices, as it is given to hooks; which slices are there is known by type to each plugin. */
export interface State extends Asked {
  readonly [slice: string]: unknown
}

/** What one plugin adds to a point. */
export interface Offered {
  readonly slot: number
  readonly by: string
  readonly place: string
  readonly offered: Readonly<Record<string, unknown>>
  readonly hooks: Readonly<Record<string, Hook>>
  /** What the functions of the point may answer. */
  readonly answers: Readonly<Record<string, Misfit>>
}

type MakeView = (slices: ReadonlyArray<unknown>) => State

/** How every plugin, and whoever stands outside, sees a run. */
export const viewsOf = (
  plugins: ReadonlyArray<PluginImpl>,
  offers: ReadonlyMap<string, ReadonlyArray<Offered>>,
  listed: Listed
): {
  readonly view: (slot: number, slices: ReadonlyArray<unknown>) => State
  readonly whole: (slices: ReadonlyArray<unknown>) => State
} => {
  const headers = plugins.map(({ header }) => header)
  // all who look at one state ask the same offers
  const made = new WeakMap<ReadonlyArray<unknown>, Inside>()
  const insideOf = (slices: ReadonlyArray<unknown>): Inside => {
    const known = made.get(slices)
    if (known !== undefined) return known
    const asked = new Map<string, ReadonlyArray<unknown>>()
    const ask = (point: string): ReadonlyArray<unknown> => {
      const list = offers.get(point)
      if (list === undefined) throw new Error(`Point ${point} is asked, but no plugin lists it.`)
      const found = list.map((offered) => bound(offered, listed, () => view(offered.slot, slices)))
      asked.set(point, found)
      return found
    }
    const inside: Inside = { offers: (point) => asked.get(point) ?? ask(point) }
    made.set(slices, inside)
    return inside
  }
  const views = headers.map((_, slot) => viewOf(headers, slot, insideOf))
  const view = (slot: number, slices: ReadonlyArray<unknown>): State => (views[slot] as MakeView)(slices)
  return { view, whole: viewOf(headers, null, insideOf) }
}

/** An offer whose functions see the state as their plugin does; a failure in one has its plugin's name. */
const bound = ({ answers, by, hooks, offered, place }: Offered, listed: Listed, state: () => unknown): unknown => {
  const made: Record<string, unknown> = { by, place }
  for (const [key, value] of Object.entries(offered)) {
    const hook = hooks[key]
    if (hook === undefined || typeof value !== "function") {
      made[key] = value
      continue
    }
    const misfit = answers[key] ?? notLater
    made[key] = (...input: ReadonlyArray<unknown>) =>
      noted(
        answered(hook.plugin, hook.where, misfit, listed, () => value(state(), ...input)),
        listed,
        hook
      )
  }
  return made
}

/** The functions of an offer, as faults name them; said once, for they are called for every event. */
export const hooksOf = (plugin: string, offered: Offered["offered"]): Offered["hooks"] =>
  Object.fromEntries(
    Object.entries(offered).flatMap(([key, value]) =>
      // a schema of effect is callable too
      typeof value === "function" && !("ast" in value) ? [[key, { plugin, where: whereOf(key, offered) }]] : []
    )
  )

/** Whoever passes on what is wrong is not to blame for it. */
const noted = <A>(answer: A, { hasActivity, hasCommand, offered }: Listed, hook: Hook): A => {
  if (isStart(answer) ? !hasActivity(answer.activity) : isRecord(answer) && hasCommand(String(answer["_tag"])))
    offered.set(answer as object, hook)
  return answer
}

const whereOf = (key: string, { name, scheme }: Offered["offered"]): string => {
  const called = name ?? scheme
  return typeof called === "string" ? `${key} of ${called}` : key
}

/** Getters on a prototype: a view costs one small object, and what is not listed in `after` is not there. */
const viewOf = (
  headers: ReadonlyArray<{ readonly name: string; readonly after: ReadonlyArray<string> }>,
  slot: number | null,
  insideOf: (slices: ReadonlyArray<unknown>) => Inside
): MakeView => {
  const own = slot === null ? null : headers[slot]
  class SliceView {
    // private: whoever prints or compares a view sees slices, not how it is made
    readonly #slices: ReadonlyArray<unknown>
    constructor(slices: ReadonlyArray<unknown>) {
      this.#slices = slices
    }
    get [impl](): Inside {
      return insideOf(this.#slices)
    }
    static {
      headers.forEach(({ name }, other) => {
        const isShown = slot === null || other === slot || own?.after.includes(name) === true
        Object.defineProperty(SliceView.prototype, name, {
          get: isShown
            ? function (this: SliceView) {
                return this.#slices[other]
              }
            : () => {
                throw new Error(`It reads the slice of ${name} without listing ${name} in \`after\`.`)
              }
        })
      })
    }
  }
  return (slices) => new SliceView(slices) as unknown as State
}
