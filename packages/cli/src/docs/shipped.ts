/** The site of the docs as it ships: all of its files in one, compressed, which is half of what they are apart. */
import { existsSync, readFileSync } from "node:fs"
import { brotliDecompressSync } from "node:zlib"
import { Effect } from "effect"
import { docsFile } from "../assets.ts"
import { type DocPage, searchScript } from "./searchIndex.ts"

/** What the build writes. */
export interface ShippedDocs {
  /** In their order. */
  readonly pages: ReadonlyArray<{ readonly address: string; readonly title: string }>
  /** Text by path, from the first page of the site; what is searched is made of it. */
  readonly files: Readonly<Record<string, string>>
}

/** null: this copy came without them, as a checkout does that was not built. */
export const shippedDocs = (): ShippedDocs | null =>
  existsSync(docsFile) ? JSON.parse(brotliDecompressSync(readFileSync(docsFile)).toString("utf8")) : null

/** The pages with the HTML of their texts. */
export const docPagesOf = ({ files, pages }: ShippedDocs): ReadonlyArray<DocPage> =>
  pages.map(({ address, title }) => {
    const html = files[address] ?? ""
    return { address, title, body: /<article>\n([\s\S]*)<\/article>/.exec(html)?.[1] ?? "" }
  })

/** Every file of the site as it is served, by its path. */
export const servedDocs = (docs: ShippedDocs): ReadonlyMap<string, Uint8Array> => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  return new Map([
    ...Object.entries(docs.files).map(([name, text]) => [name, bytes(text)] as const),
    ["search.js", bytes(searchScript(docPagesOf(docs)))]
  ])
}

/** The same once somebody reads them; none where they are not here. */
export const loadedDocs: Effect.Effect<ReadonlyMap<string, Uint8Array>> = Effect.sync(() => {
  const docs = shippedDocs()
  return docs === null ? new Map() : servedDocs(docs)
})
