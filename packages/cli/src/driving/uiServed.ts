import type { RunId } from "@proofline/kernel"
import { Effect, Scope } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { doneWith } from "../process/ending.ts"
import { commandFor, say } from "../process/output.ts"
import { openBrowser } from "../serving/browser.ts"
import { openServer, pageAt } from "../serving/httpServer.ts"
import { endsWhenLost } from "../serving/loss.ts"
import { serverSetup } from "../serving/server.ts"
import { Begun } from "./begun.ts"

/** Somebody sits there, who sees the page and ends it. */
const isWatched = (): boolean => Boolean(process.stderr.isTTY) && !process.env["CI"]

/**
 * Serves the project while something is done over the kernel. On a terminal it stays open afterwards, until Ctrl-C, which
 * does not change the exit code any more.
 */
export const served = <E, R>(paths: ProjectPaths, port: number | undefined, use: Effect.Effect<number, E, R>) =>
  Effect.scoped(
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
