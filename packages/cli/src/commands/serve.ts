import { Effect } from "effect"
import { serveDocument } from "../documents/others.ts"
import { print, printLine, say } from "../output.ts"
import type { ProjectPaths, Where } from "../paths.ts"
import { withStorage } from "../storage.ts"
import { openBrowser } from "./browser.ts"
import { existingProject } from "./files.ts"
import { type Address, openServer } from "./httpServer.ts"
import { endsWhenLost } from "./loss.ts"
import { type ServerFlags, serverSetup } from "./server.ts"
import { withKernel } from "./shared.ts"

export interface ServeOptions extends ServerFlags, Where {
  readonly port?: number | undefined
  /** Opens the page in a browser. */
  readonly open: boolean
  readonly json: boolean
}

/** `proofline serve`: the project over HTTP, for people and any number of agents at once, until it is stopped. */
export const serve = Effect.fnUntraced(function* (options: ServeOptions) {
  const paths = yield* existingProject(options)
  const setup = yield* serverSetup(paths, options)
  return yield* withStorage(
    paths,
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        yield* setup.check
        const address = yield* openServer(paths, { setup, port: options.port, canStart: true })
        yield* tell(paths, address, options.json)
        if (options.open) yield* openBrowser(paths, address.page)
        return yield* endsWhenLost()
        // sessions and runs end before the storage they are recorded in is closed
      }).pipe(Effect.scoped)
    )
  )
})

const tell = ({ root }: ProjectPaths, { api, isGiven, mcp, openapi, page, token, url }: Address, json: boolean) =>
  json
    ? printLine(serveDocument, { url, mcp, api, openapi, page, token })
    : Effect.andThen(
        print(
          [
            `Serving ${root} at ${url}`,
            `  Page   ${page}${isGiven ? "  (asks for the token)" : ""}`,
            `  MCP    ${mcp}`,
            `  API    ${api}  (described at ${openapi})`,
            `  Token  ${isGiven ? "the one in PROOFLINE_TOKEN" : `${token}  (shown only here)`}`,
            ""
          ].join("\n")
        ),
        say("Whoever has the token may do all that you may here. Stop with Ctrl-C.")
      )
