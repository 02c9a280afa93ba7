import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { docsAt, layerDocs, openGuard, routerConfig } from "@proofline/plugins/frontends/http"
import { closest } from "@proofline/plugins/options"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { exitCodes, stop } from "../base/problems.ts"
import { docPagesOf, type ShippedDocs, servedDocs, shippedDocs } from "../docs/shipped.ts"
import { terminalText } from "../docs/terminalText.ts"
import { docsDocument } from "../documents/others.ts"
import { print, printDocument, printLine, say } from "../process/output.ts"
import { styleFor, wantsColor } from "../render/style.ts"
import { openInBrowser } from "../serving/browser.ts"
import { host, listening, namesAt } from "../serving/listening.ts"

export interface DocsOptions {
  /** A page that is printed; left out, all of them are served. */
  readonly topic?: string | undefined
  readonly port?: number | undefined
  readonly open: boolean
  readonly json: boolean
}

/** Beside that of a project. */
const usualPort = 4601

/** As wide as text is read well. */
const widest = 100

/** `proofline docs`: the documentation of this version over HTTP until it is stopped, or one page of it on stdout. */
export const docs = Effect.fnUntraced(function* (options: DocsOptions) {
  const shipped = shippedDocs()
  if (shipped === null) {
    return yield* stop(exitCodes.unmet, {
      code: "docs_missing",
      message: "This copy of Proofline came without its documentation.",
      hint: "In a checkout `npm run build` makes it, and its folder docs/ holds the pages; otherwise install Proofline anew."
    })
  }
  return options.topic === undefined
    ? yield* Effect.scoped(served(shipped, options))
    : yield* printed(shipped, options.topic, options.json)
})

const served = Effect.fnUntraced(function* (shipped: ShippedDocs, options: DocsOptions) {
  const { context, port } = yield* listening(options.port, usualPort)
  const hosts = namesAt(port)
  const origins = hosts.map((name) => `http://${name}`)
  const routes = layerDocs(Effect.sync(() => servedDocs(shipped))).pipe(
    Layer.provide(openGuard({ hosts, origins })),
    Layer.provide(digest)
  )
  const serving = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig })
  yield* Effect.provide(Layer.build(serving), context)
  const url = `http://${host}:${port}${docsAt}/`
  const topics = shipped.pages.map(({ address, title }) => ({ name: topicOf(address), title }))
  if (options.json) yield* printLine(docsDocument, { url, topics, text: null })
  else {
    yield* print(`${url}\n`)
    yield* say("The documentation of this version. Stop with Ctrl-C.")
  }
  if (options.open) yield* openInBrowser(url)
  return yield* Effect.never
})

/** As it is named on the command line. */
const topicOf = (address: string): string => address.replace(/\.html$/, "")

const printed = Effect.fnUntraced(function* (shipped: ShippedDocs, asked: string, json: boolean) {
  const pages = docPagesOf(shipped).map((page) => ({ ...page, name: topicOf(page.address) }))
  const wanted = asked
    .replace(/^docs\//, "")
    .replace(/\.(?:md|html)$/, "")
    .toLowerCase()
  const found =
    pages.find(({ name }) => name === wanted) ??
    pages.find(({ name }) => name.slice(name.lastIndexOf("/") + 1) === wanted)
  if (found === undefined) {
    const names = pages.map(({ name }) => name)
    const near = closest(wanted, names)
    return yield* stop(exitCodes.usage, {
      code: "topic_unknown",
      message: `There is no page ${JSON.stringify(asked)}.`,
      hint: near === undefined ? `Known: ${names.join(", ")}.` : `Did you mean \`${near}\`? Known: ${names.join(", ")}.`
    })
  }
  const style = styleFor(!json && wantsColor(process.stdout))
  const text = terminalText(found.body, style, Math.min(process.stdout.columns || widest, widest))
  yield* json
    ? printDocument(docsDocument, { url: null, topics: [{ name: found.name, title: found.title }], text })
    : print(text)
  return exitCodes.proven
})
