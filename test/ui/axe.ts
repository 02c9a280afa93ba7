import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What axe-core finds, one line each. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  // evaluated by the debugger: the content security policy of the page would keep a script out
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe: loaded } = globalThis as unknown as {
      axe: {
        run: (
          context: unknown,
          options: unknown
        ) => Promise<{ violations: Array<{ id: string; nodes: Array<{ html: string; failureSummary: string }> }> }>
      }
    }
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    const found = await loaded.run(globalThis.document, { runOnly: { type: "tag", values: tags } })
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ failureSummary, html }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)
    )
  })
}
