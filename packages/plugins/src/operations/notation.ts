import { Schema } from "effect"

/** What of a JSON schema says how a value is written. */
interface Shape {
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<Shape>
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
}

/** The least and the most that a number may be. */
export type Range = readonly [least: number, most: number]

/** Arguments in the notation of a phase contract, by field name, and the ranges of those that are numbers. */
export interface Notation {
  readonly fields: Readonly<Record<string, string>>
  readonly ranges: Readonly<Record<string, Range>>
}

/** The notation of a struct: agents are told in it what is wrong, in the same words as of a payload. */
export const notationOf = (struct: Schema.Constraint): Notation => {
  const shape: Shape = Schema.toJsonSchemaDocument(struct).schema
  const properties = Object.entries(shape.properties ?? {})
  return {
    fields: Object.fromEntries(properties.map(([name, one]) => [fieldOf(shape, name), typeOf(one)])),
    ranges: Object.fromEntries(
      properties.flatMap(([name, { maximum, minimum }]) =>
        minimum === undefined || maximum === undefined ? [] : [[name, [minimum, maximum] as const]]
      )
    )
  }
}

const fieldOf = ({ required = [] }: Shape, name: string): string => (required.includes(name) ? name : `${name}?`)

const typeOf = (shape: Shape): string => {
  if (shape.enum !== undefined) return shape.enum.join("|")
  // null needs no word: whatever may be left out may be null
  if (shape.anyOf !== undefined) {
    return shape.anyOf
      .filter(({ type }) => type !== "null")
      .map(typeOf)
      .join("|")
  }
  switch (shape.type) {
    case "string":
      return "str"
    case "integer":
      return "int"
    case "boolean":
      return "bool"
    case "array":
      return `list[${typeOf(shape.items ?? {})}]`
    case "object":
      return structOf(shape)
    default:
      return "any"
  }
}

const structOf = (shape: Shape): string => {
  const properties = Object.entries(shape.properties ?? {})
  return `{${properties.map(([name, one]) => `${fieldOf(shape, name)}: ${typeOf(one)}`).join(", ")}}`
}
