import { Engine, type RunId } from "@proofline/kernel"
import { Context, Effect, Scope, Stream } from "effect"
import { doneWith } from "../ending.ts"
import { commandFor, say } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"
import { openBrowser } from "./browser.ts"
import { openServer, pageAt } from "./httpServer.ts"
import { endsWhenLost } from "./loss.ts"
import { serverSetup } from "./server.ts"

/** Whether the page is served while something runs, on the command line. */
export interface UiFlags {
  readonly ui?: boolean | undefined
  readonly port?: number | undefined
}

/** Somebody sits there, who sees the page and ends it. */
const isWatched = (): boolean => Boolean(process.stderr.isTTY) && !process.env["CI"]

/** Told of the run that is driven in this process, when it has begun. */
const Begun = Context.Reference<(run: RunId) => Effect.Effect<void>>("proofline/commands/ui/Begun", {
  defaultValue: () => () => Effect.void
})

/** Waits for the first event that this process appends to the run, and tells whoever shows it where it is. */
export const tellWhenBegun = Effect.fnUntraced(function* (run: RunId) {
  const { changes } = yield* Engine
  const tell = yield* Begun
  yield* changes.pipe(
    Stream.filter(({ event }) => event.stream === run),
    Stream.take(1),
    Stream.runForEach(() => tell(run))
  )
})

/**
 * Does something over the kernel that ends with an exit code, and serves the project meanwhile where that is asked for.
 * On a terminal it stays open afterwards, until Ctrl-C, which does not change the exit code any more.
 */
export const withUi = <E, R>(paths: ProjectPaths, { port, ui = false }: UiFlags, use: Effect.Effect<number, E, R>) =>
  ui
    ? Effect.scoped(
        Effect.gen(function* () {
          const setup = yield* serverSetup(paths, { approvals: false, flag: [] })
          const server = yield* openServer(paths, { setup, port, canStart: false })
          const scope = yield* Effect.scope
          let page = server.page
          const tell = Effect.fnUntraced(function* (run: RunId) {
            page = pageAt(server, run)
            yield* say(`The page: ${page}`)
            if (isWatched()) yield* Scope.provide(openBrowser(paths, page), scope)
          })
          // whoever comes next need not wait until nobody looks any more
          const exitCode = yield* Effect.scoped(Effect.provideService(use, Begun, tell))
          if (!isWatched()) {
            yield* server.seen
            yield* say(`The page has ended with the run; it is there again with: ${commandFor(paths)("serve --open")}`)
            return exitCode
          }
          yield* doneWith(exitCode)
          yield* say(`It has ended; the page stays until Ctrl-C: ${page}`)
          return yield* endsWhenLost()
        })
      )
    : port === undefined
      ? Effect.scoped(use)
      : Effect.fail(portUnused)

const portUnused = stop(exitCodes.usage, {
  code: "port_unused",
  message: "--port names the port of a page that nobody asked for.",
  hint: "Add --ui to see the run as a page, or leave --port out."
})
