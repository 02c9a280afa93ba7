import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"

/** Whether the page is served while something runs, on the command line. */
export interface UiFlags {
  readonly ui?: boolean | undefined
  readonly port?: number | undefined
}

/** Does something over the kernel that ends with an exit code, and serves the project meanwhile where that is asked for. */
export const withUi = <E, R>(paths: ProjectPaths, { port, ui = false }: UiFlags, use: Effect.Effect<number, E, R>) =>
  ui
    ? Effect.flatMap(
        // what serves is a quarter of what a run would load
        Effect.promise(() => import("./uiServed.ts")),
        ({ served }) => served(paths, port, use)
      )
    : port === undefined
      ? Effect.scoped(use)
      : Effect.fail(portUnused)

const portUnused = stop(exitCodes.usage, {
  code: "port_unused",
  message: "--port names the port of a page that nobody asked for.",
  hint: "Add --ui to see the run as a page, or leave --port out."
})
