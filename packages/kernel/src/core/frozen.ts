import { HashMap, HashSet } from "effect"
import { type ChangeImpl, impl, type PartImpl, type Plugin } from "./contract.ts"

/** Plain values all the way down, so that whoever changes what it was given is found. */
export const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  if (HashMap.isHashMap(value) || HashSet.isHashSet(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) frozen(inner)
  return value
}

/**
 * The same plugin, whose state no hook can change but by what it answers: a verdict that counts in the state would be
 * another one in each process. Costs as much as copying what an event has changed.
 */
export const withFrozenState = (plugin: Plugin): Plugin => {
  const inside = plugin[impl]
  const { changes, events, header, parts } = inside
  return {
    ...plugin,
    [impl]: {
      ...inside,
      header: { ...header, initial: frozen(header.initial) },
      events: events.map((event) => {
        const { evolve } = event.options
        return evolve === undefined ? event : { ...event, options: { ...event.options, evolve: freezing(evolve) } }
      }),
      changes: changes.map((change) => ({ ...change, apply: freezing(change.apply) })),
      parts: parts.map((part): PartImpl => (part.kind === "follow" ? { ...part, fold: freezing(part.fold) } : part))
    }
  }
}

type Folds = ChangeImpl["apply"]

const freezing =
  (fold: Folds): Folds =>
  (own, content) =>
    frozen(fold(own, content))
