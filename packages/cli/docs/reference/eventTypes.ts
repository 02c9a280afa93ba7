import type { Composition } from "@proofline/kernel"
import { jsonSchemaOf } from "@proofline/kernel"
import { definitionsOf, propertiesOf, requiredOf, typeText } from "./jsonTypes.ts"
import { code, type Page, page, prose, table } from "./markdown.ts"

/** A source, by its path from the root of the repository. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Where a type is declared, and what its comment says of it. */
interface Declared {
  readonly path: string
  readonly comment: string
}

const declaration = /(?:\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*)?(?:export )?const \w+ = \w+\.event\(\s*"([A-Z][A-Z0-9_]*)"/g

const declaredIn = (sources: ReadonlyArray<Source>): ReadonlyMap<string, Declared> =>
  new Map(
    sources.flatMap(({ path, text }) =>
      [...text.matchAll(declaration)].map(([, comment = "", type = ""]) => {
        const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trim())
        return [type, { path, comment: lines.filter((line) => line !== "").join(" ") }] as const
      })
    )
  )

/** A content of each type, to say in a sentence; from a log in which each type stands. */
export type Samples = ReadonlyMap<string, unknown>

interface Type {
  readonly name: string
  readonly plugin: string
  readonly version: number
  readonly table: Composition["events"] extends ReadonlyMap<string, infer T> ? T : never
}

const sentenceOf = ({ name, table }: Type, samples: Samples): string => {
  const content = samples.get(name)
  if (content === undefined) return ""
  try {
    return table.event.options.sentence(table.decode(content as never) as never)
  } catch {
    // the log has it in an older shape
    return ""
  }
}

const sectionOf = (type: Type, declared: ReadonlyMap<string, Declared>, samples: Samples): ReadonlyArray<string> => {
  const schema = jsonSchemaOf(type.table.event.options.schema)
  const { comment = "", path } = declared.get(type.name) ?? {}
  const required = requiredOf(schema)
  const sentence = sentenceOf(type, samples)
  const { visibility } = type.table.event.options
  const source = path === undefined ? "" : ` Declared in [${path.split("/").slice(-2).join("/")}](../../${path}).`
  return [
    `### ${type.name}`,
    [
      prose(comment),
      sentence === "" ? "" : `Said to people such as: *${prose(sentence.split("\n")[0] ?? "").replaceAll("*", "\\*")}*`
    ]
      .filter((text) => text !== "")
      .join(" "),
    `Of the plugin ${code(type.plugin)}, schema version ${type.version}, visibility ${code(visibility)}.${source}`,
    table(
      ["field", "type"],
      propertiesOf(schema).map(([name, value]) => [
        `${code(name)}${required.includes(name) ? "" : " (optional)"}`,
        code(typeText(value, definitionsOf(schema), 1))
      ])
    )
  ]
}

/** Every type of event that Proofline's own plugins declare, with its content. */
export const eventTypesPage = (
  { events, plugins }: Pick<Composition, "events" | "plugins">,
  sources: ReadonlyArray<Source>,
  samples: Samples
): Page => {
  const types: ReadonlyArray<Type> = [...events].map(([name, table]) => ({
    name,
    plugin: plugins[table.slot]?.name ?? "",
    version: (table.event.options.upcasters?.length ?? 0) + 1,
    table
  }))
  const owners = [...new Set(types.map(({ plugin }) => plugin))]
  const declared = declaredIn(sources)
  return page("event-types", "Event types", [
    `The ${types.length} types of events that Proofline's own plugins declare, with what they hold today. The envelope around each, how older versions are read, and what the larger ones mean is told in [events and the log](../events.md). The same as a JSON Schema: \`proofline schema print event\`. A [plugin](../plugins.md#events-commands-reactions) adds types of its own.`,
    table(
      ["plugin", "types"],
      owners.map((owner) => [
        code(owner),
        types
          .filter(({ plugin }) => plugin === owner)
          .map(({ name }) => `[\`${name}\`](#${name.toLowerCase()})`)
          .join(" ")
      ])
    ),
    ...owners.flatMap((owner) => [
      `## Of ${owner}`,
      ...types.filter(({ plugin }) => plugin === owner).flatMap((type) => sectionOf(type, declared, samples))
    ])
  ])
}
