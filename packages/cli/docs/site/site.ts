/** The docs as a site of plain files: pages, a style, a script, and the index that is searched. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { version } from "../../src/base/version.ts"
import { searchScript } from "../../src/docs/searchIndex.ts"
import { docPagesOf, type ShippedDocs } from "../../src/docs/shipped.ts"
import { type Doc, folder, readDocs } from "./docs.ts"
import { addressOf, render } from "./render.ts"
import { pageOf } from "./template.ts"

interface SiteOptions {
  /** Pictures of many bytes too, as those of the page; false: it is said where they are. */
  readonly hasPictures: boolean
}

const assets = new URL("assets/", import.meta.url)
const read = (file: string | URL): string => readFileSync(file, "utf8")

/** Drawings are small, and are always there. */
const picturesOf = ({ hasPictures }: SiteOptions): ReadonlyArray<string> => {
  const images = join(folder, "images")
  if (!existsSync(images)) return []
  return readdirSync(images)
    .filter((name) => name.endsWith(".svg") || (hasPictures && name.endsWith(".png")))
    .toSorted()
    .map((name) => `images/${name}`)
}

/** The pages of the docs with all that they need but pictures that are no text. */
const shippedSite = (docs: ReadonlyArray<Doc>, pictures: ReadonlyArray<string>): ShippedDocs => {
  const isPage = new Set(docs.map(({ path }) => path))
  const page = (doc: Doc): string => {
    const { path, text } = doc
    const body = render(text, { path, isPage: (one) => isPage.has(one), hasPicture: (one) => pictures.includes(one) })
    return pageOf({ doc, docs, body, version })
  }
  return {
    pages: docs.map(({ path, title }) => ({ address: addressOf(path), title })),
    files: Object.fromEntries([
      ...docs.map((doc) => [addressOf(doc.path), page(doc)]),
      ...["docs.css", "docs.js"].map((name) => [name, read(new URL(name, assets))]),
      ...pictures.filter((name) => name.endsWith(".svg")).map((name) => [name, read(join(folder, name))])
    ])
  }
}

/** What ships with Proofline. */
export const shipped = (): ShippedDocs => shippedSite(readDocs(), picturesOf({ hasPictures: false }))

/** Every file of a site that stands by itself, with all pictures, by its path. */
export const wholeSite = (): ReadonlyMap<string, string | Uint8Array> => {
  const pictures = picturesOf({ hasPictures: true })
  const site = shippedSite(readDocs(), pictures)
  return new Map<string, string | Uint8Array>([
    ...Object.entries(site.files),
    ["search.js", searchScript(docPagesOf(site))],
    ...pictures
      .filter((name) => !name.endsWith(".svg"))
      .map((name) => [name, readFileSync(join(folder, name))] as const)
  ])
}
