import { Digest } from "@proofline/kernel"
import { Effect, FileSystem, Layer, Path } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { compressed, tagOf, unlessKnown } from "./caching.ts"

export interface PageOptions {
  /** Where the built page lies. A file that a build has compressed with brotli has `.br` behind its name. */
  readonly directory: string
  /** What was compressed with brotli. */
  readonly decompress: (bytes: Uint8Array) => Uint8Array
  /** The server has several projects, and the page has to name one in all that it asks for. */
  readonly hasSeveral?: boolean
}

/** Whether a path is one of the page, or of the docs. */
export const isOfPage = (path: string): boolean =>
  path === "/" || path === docsAt || path.startsWith(`${docsAt}/`) || fileName.test(path)

/** Where the docs are. */
export const docsAt = "/docs"

/** `index.html`, and files that the build made. */
const fileName =
  /^\/(?:index\.html|favicon\.(?:ico|svg)|(?:assets\/)?\w[\w-]*(?:\.[\w-]+)*\.(?:css|ico|js|json|map|png|svg|txt|wasm|webmanifest|woff2))$/

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2"
}

/** How the name of a file ends that a build has compressed. */
const packedEnd = ".br"

/** Other encodings are left to what compresses all answers. */
const takesBrotli = (accepted: string | undefined): boolean =>
  /(?:^|,)\s*br\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))/i.test(accepted ?? "")

/** Built files are few: more, or larger ones, are no page of ours. */
const maxFiles = 500

/**
 * The page at `/`: its files are read once, when the server begins, and found by their whole name only. Where it was
 * not built, that is said in its place.
 */
export const layerPage = (options: PageOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const files = yield* filesIn(options)
      yield* router.add("GET", "/", files.get("/index.html") ?? Effect.succeed(notBuilt))
      for (const [path, file] of files) yield* router.add("GET", path as `/${string}`, file)
    })
  ).pipe(Layer.provide(compressed))

/**
 * The docs below `/docs`: files by their path from there, which are asked for once somebody reads one of them. Another
 * path is none; `/docs` itself leads to the first page.
 */
export const layerDocs = (load: Effect.Effect<ReadonlyMap<string, Uint8Array>>) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { sha256 } = yield* Digest
      const files = yield* Effect.cached(
        Effect.map(
          load,
          (found) => new Map([...found].map(([name, bytes]) => [name, { bytes, tag: tagOf(sha256(bytes)) }]))
        )
      )
      const answer = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const path = request.url.split("?", 1)[0] ?? ""
        if (path === docsAt) return HttpServerResponse.redirect(`${docsAt}/`)
        const name = path.slice(docsAt.length + 1) || "index.html"
        const file = (yield* files).get(name)
        if (file === undefined) return HttpServerResponse.empty({ status: 404 })
        const headers = { "cache-control": "no-cache" }
        const response = HttpServerResponse.uint8Array(file.bytes, { contentType: typeOf(name), headers })
        return unlessKnown(request, response, file.tag)
      })
      yield* router.add("GET", `${docsAt}/*`, answer)
    })
  ).pipe(Layer.provide(compressed))

const typeOf = (name: string): string => types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"

/** Tells the page that its server has several projects, before it asks for anything. */
const withSeveral = (html: Uint8Array): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(html).replace("<html ", '<html data-projects="several" '))

const filesIn = Effect.fnUntraced(function* ({ decompress, directory, hasSeveral = false }: PageOptions) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { sha256 } = yield* Digest
  const names = yield* Effect.orElseSucceed(fs.readDirectory(directory, { recursive: true }), () => [])
  const files = new Map<
    string,
    Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
  >()
  for (const name of names.slice(0, maxFiles)) {
    const isPacked = name.endsWith(packedEnd)
    const address = `/${(isPacked ? name.slice(0, -packedEnd.length) : name).split(path.sep).join("/")}`
    if (!fileName.test(address)) continue
    const read = yield* Effect.option(fs.readFile(path.join(directory, name)))
    if (read._tag === "None") continue
    const bytes = hasSeveral && address === "/index.html" ? withSeveral(read.value) : read.value
    const tag = tagOf(sha256(bytes))
    const headers = {
      // the build names these by what they hold
      "cache-control": address.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache"
    }
    const contentType = typeOf(address)
    const response = (body: Uint8Array, encoding: Readonly<Record<string, string>> = {}) =>
      HttpServerResponse.uint8Array(body, { contentType, headers: { ...headers, ...encoding } })
    const packed = isPacked ? response(bytes, { "content-encoding": "br", vary: "accept-encoding" }) : null
    const plain = yield* Effect.cached(Effect.sync(() => response(isPacked ? decompress(bytes) : bytes)))
    files.set(
      address,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        return packed !== null && takesBrotli(request.headers["accept-encoding"])
          ? HttpServerResponse.setHeader(unlessKnown(request, packed, tag), "etag", `W/${tag}`)
          : unlessKnown(request, yield* plain, tag)
      })
    )
  }
  return files
})

const notBuilt = HttpServerResponse.uint8Array(
  new TextEncoder().encode(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Proofline</title></head>
<body>
<main>
<h1>The page was not built</h1>
<p>This copy of Proofline came without its page. In a checkout, <code>npm run build</code> makes it.</p>
<p>Nothing else is missing: the API answers under <code>/api/v1</code>, agents under <code>/mcp</code>, and
<code>proofline status</code>, <code>history</code> and <code>show</code> say the same on a terminal.</p>
</main>
</body>
</html>
`),
  { status: 404, contentType: "text/html; charset=utf-8", headers: { "cache-control": "no-cache" } }
)
