import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { schemaFiles } from "../../packages/cli/src/publishedSchemas.ts"

describe("given the Schemas that files are read by", () => {
  it.each([...schemaFiles.keys()])("when %s is made of one, then it is what is published", (file) => {
    const published = readFileSync(new URL(`../../packages/cli/schema/${file}`, import.meta.url), "utf8")
    assert.strictEqual(published, schemaFiles.get(file), "`npm run build` writes it")
  })
})
