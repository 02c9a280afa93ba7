import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { composePlugins } from "@proofline/kernel"
import { openApiOf } from "@proofline/plugins/frontends/http"
import { operations } from "@proofline/plugins/operations"
import { checkouts } from "@proofline/plugins/policies/checkouts"
import { requirementsRules } from "@proofline/plugins/policies/requirements"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import { Effect } from "effect"
import { helpPages } from "../../src/commandLine/helpPages.ts"
import { schemas } from "../../src/documents/publishedSchemas.ts"
import { commandsPage } from "./commands.ts"
import { configurationPage } from "./configuration.ts"
import { environmentPage } from "./environment.ts"
import { errorsPage } from "./errors.ts"
import { eventTypesPage, type Samples, type Source } from "./eventTypes.ts"
import { httpPage, type OpenApiDocument } from "./http.ts"
import type { Page } from "./markdown.ts"
import { operationsPage } from "./operations.ts"
import { schemasPage } from "./schemasPage.ts"

export const root = fileURLToPath(new URL("../../../../", import.meta.url))

const folders = ["packages/kernel/src", "packages/plugins/src", "packages/cli/src"]

/** The sources of what runs. */
export const sources = (): ReadonlyArray<Source> =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .toSorted()
      .map((name) => {
        const path = `${folder}/${name.replaceAll("\\", "/")}`
        return { path, text: readFileSync(join(root, path), "utf8") }
      })
  )

/** Of the newest log in which each type stands. */
const samples = (): Samples => {
  const golden = join(root, "test/golden")
  const file = "every-type.ndjson"
  const newest = readdirSync(golden)
    .filter((name) => /^\d/.test(name) && readdirSync(join(golden, name)).includes(file))
    // a release comes after its candidates
    .toSorted((a, b) => `${a}-z`.localeCompare(`${b}-z`, "en", { numeric: true }))
    .at(-1)
  if (newest === undefined) return new Map()
  const lines = readFileSync(join(golden, newest, file), "utf8").split("\n")
  return new Map(
    lines
      .filter((line) => line !== "")
      .map((line) => {
        const { content, event_type } = JSON.parse(line)
        return [event_type, content] as const
      })
  )
}

/** Every page of the reference that is made of the code. */
export const referencePages: Effect.Effect<ReadonlyArray<Page>> = Effect.map(helpPages, (help) => {
  const composition = composePlugins([sessionsRules, requirementsRules, checkouts])
  const texts = sources()
  return [
    commandsPage(help),
    configurationPage(schemas),
    environmentPage(),
    errorsPage(texts),
    eventTypesPage(composition, texts, samples()),
    httpPage(openApiOf(operations, composition) as OpenApiDocument),
    operationsPage(operations),
    schemasPage(schemas)
  ]
})
