import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8")
const { dependencies } = JSON.parse(read("programs/package.json"))
const { packages }: { packages: Readonly<Record<string, { version: string; resolved?: string }>> } = JSON.parse(
  read("programs/package-lock.json")
)

describe("the clients that npm run test:clients installs", () => {
  it("are pinned, and come from the registry of npm alone", () => {
    const sources = Object.entries(packages).filter(([path]) => path !== "")
    assert.isAbove(sources.length, 30)
    for (const [path, { resolved }] of sources) assert.match(`${resolved}`, /^https:\/\/registry\.npmjs\.org\//, path)
    for (const [name, version] of Object.entries(dependencies)) {
      assert.deepStrictEqual([name, version], [name, packages[`node_modules/${name}`]?.version])
    }
  })

  it("are those of which the page of these tests says that they passed", () => {
    const told = /Last passed on \S+ with ([\s\S]*?)\. /.exec(read("README.md"))?.[1] ?? ""
    const versions = (text: string) => [...text.matchAll(/\d+\.\d+\.\d+/g)].map(([version]) => version).toSorted()
    const own = Object.values<string>(dependencies).toSorted()
    assert.deepStrictEqual(versions(told.replace(/claude \S+/, "")), own)
  })

  it("are no program that is not free software", () => {
    assert.deepStrictEqual(
      Object.keys(packages).filter((path) => path.includes("@anthropic-ai/")),
      []
    )
  })
})
