import { Effect } from "effect"
import { doneWith } from "../ending.ts"
import { say } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"
import { openBrowser } from "./browser.ts"
import { openServer } from "./httpServer.ts"
import { serverSetup } from "./server.ts"

/** Whether the page is served while something runs, on the command line. */
export interface UiFlags {
  readonly ui?: boolean | undefined
  readonly port?: number | undefined
}

/** Somebody sits there, who sees the page and ends it. */
const isWatched = (): boolean => Boolean(process.stderr.isTTY) && !process.env["CI"]

/**
 * Does something over the kernel that ends with an exit code, and serves the project meanwhile where that is asked for.
 * On a terminal it stays open afterwards, until Ctrl-C, which does not change the exit code any more.
 */
export const withUi = <E, R>(paths: ProjectPaths, { port, ui = false }: UiFlags, use: Effect.Effect<number, E, R>) =>
  ui
    ? Effect.scoped(
        Effect.gen(function* () {
          const setup = yield* serverSetup(paths, { approvals: false, flag: [] })
          const { page } = yield* openServer(paths, { setup, port, canStart: false })
          yield* say(`The page: ${page}`)
          if (isWatched()) yield* openBrowser(paths, page)
          // whoever comes next need not wait until nobody looks any more
          const exitCode = yield* Effect.scoped(use)
          if (!isWatched()) return exitCode
          yield* doneWith(exitCode)
          yield* say(`It has ended; the page stays until Ctrl-C: ${page}`)
          return yield* Effect.never
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
