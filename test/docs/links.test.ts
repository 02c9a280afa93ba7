import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { sources } from "../../packages/cli/docs/reference/pages.ts"
import { filesOfDocs, readDocs, root } from "../../packages/cli/docs/site/docs.ts"
import { headingsOf, isForeign, targetsOf, tokensOf } from "../../packages/cli/docs/site/markdown.ts"

const isIn = (folder: string) => (name: string) => `${folder}/${name}`
const markdownIn = (folder: string): ReadonlyArray<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder))
        .filter((name) => name.endsWith(".md"))
        .map((name) => posix.join(folder, name))
    : []

/** Every page of the repository that somebody reads. */
const pages = [
  ...markdownIn("."),
  ...filesOfDocs().map(isIn("docs")),
  ...["packages/kernel", "packages/plugins", "packages/cli", "test/clients"].flatMap(markdownIn),
  ...["examples", "packages/cli/examples"].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? markdownIn(`${folder}/${one.name}`) : []
    )
  )
]

const read = (path: string): string => readFileSync(join(root, path), "utf8")

const anchors = new Map<string, ReadonlySet<string>>()
const anchorsOf = (path: string): ReadonlySet<string> => {
  const known = anchors.get(path) ?? new Set(headingsOf(tokensOf(read(path))).map(({ anchor }) => anchor))
  anchors.set(path, known)
  return known
}

/** Why a link of a page leads nowhere; null: it does not. */
const faultOf = (page: string, target: string): string | null => {
  if (isForeign(target)) return null
  const [file = "", anchor] = target.split("#")
  const path = file === "" ? page : posix.normalize(posix.join(dirname(page), decodeURIComponent(file)))
  if (!existsSync(join(root, path))) return `${page}: ${target}: there is no ${path}`
  if (anchor === undefined || !path.endsWith(".md")) return null
  return anchorsOf(path).has(anchor) ? null : `${page}: ${target}: ${path} has no heading of that name`
}

const faultsOf = (page: string, text: string): ReadonlyArray<string> =>
  targetsOf(tokensOf(text)).flatMap((target) => faultOf(page, target) ?? [])

describe("links", () => {
  it("lead somewhere, in every page: file and heading", () => {
    assert.isAbove(pages.length, 40)
    assert.isAbove(pages.flatMap((page) => targetsOf(tokensOf(read(page)))).length, 500)
    assert.deepStrictEqual(
      pages.flatMap((page) => faultsOf(page, read(page))),
      []
    )
  })

  it("that lead nowhere are found", () => {
    assert.lengthOf(
      faultsOf("docs/x.md", "[a](gone.md) [b](events.md#gone) ![c](images/gone.png) [d](#gone)\n\n# X"),
      4
    )
    assert.lengthOf(faultsOf("docs/events.md", "[a](blobs.md) [b](events.md#replay) [c](https://example.org)"), 0)
  })
})

describe("docs/README.md", () => {
  const docs = readDocs()

  it("lists every page of the docs once, by what it is for", () => {
    assert.deepStrictEqual(docs.map(({ path }) => path).toSorted(), filesOfDocs().toSorted())
    assert.deepStrictEqual(
      [...new Set(docs.map(({ kind }) => kind))],
      ["", "Tutorial", "How-to guides", "Reference", "Explanation"]
    )
  })

  it("has the topics that messages and pages name", () => {
    const topics = new Set(docs.map(({ path }) => path.replace(/\.md$/, "")))
    const texts = [...sources().map(({ text }) => text), ...pages.map(read)]
    const named = texts.flatMap((text) =>
      [...text.matchAll(/\bproofline docs ([a-z][a-z/-]*)/g)].map(([, one = ""]) => one)
    )
    assert.isAbove(named.length, 5)
    assert.deepStrictEqual(
      named.filter((one) => !topics.has(one)),
      []
    )
  })

  it("is where messages send people: none names a file that an installation does not have", () => {
    const said = sources().flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) =>
          /["'`].*\bdocs\/[\w/-]+\.md/.test(line) && !/^\s*(?:\*|\/\/|\/\*)/.test(line) ? [`${path}:${index + 1}`] : []
        )
    )
    // descriptions of published schemas, which editors show
    assert.deepStrictEqual(
      said.filter((at) => !at.startsWith("packages/cli/src/documents/")),
      []
    )
  })
})
