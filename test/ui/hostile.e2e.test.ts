import { cpSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { documentOf, project, proofline } from "../cli/proofline.ts"
import { serving } from "../cli/serveClient.ts"
import { closeBrowser } from "./browser.ts"
import { everything, hostile } from "./hostile.ts"
import { opened, shown, staged } from "./stage.ts"

afterAll(closeBrowser)

/** Everything that turns the direction of writing. */
const turning = "\u202e\u202d\u202a\u202b\u2066\u2067\u2068\u061c\u200e\u200f"

const quoted = (text: string): string => JSON.stringify(text.replaceAll("\u0000", ""))

/** A run in which every text that a person or an agent can write is hostile. */
const hostileProject = () =>
  staged(
    `name: ${quoted(everything)}
tasks:
${hostile
  .map(
    (text, i) => `  - id: t${i}
    name: ${quoted(text)}
    instruction: ${quoted(everything)}
    checks: [${quoted(`printf '%s' '${everything.replaceAll("\u0000", "").replaceAll("'", "")}'; exit ${i % 2}`)}]
    checklist: [${quoted(text)}, ${quoted(`second ${text}`)}]
`
  )
  .join("")}`,
    Object.fromEntries(
      hostile.map((text, i) => [
        `t${i}`,
        [
          {
            prints: `${hostile.join("\n")}\n`,
            files: { [`src/t${i}.html`]: `${hostile.join("\n")}\n` },
            report: {
              summary: everything,
              checklist: [
                { item: text.replaceAll("\u0000", ""), status: "done", evidence: `src/t${i}.html:1-3` },
                { item: `second ${text.replaceAll("\u0000", "")}`, status: "done", evidence: everything }
              ]
            }
          }
        ]
      ])
    ),
    { "src/.keep": "" }
  )

describe("texts that would do something", () => {
  it("given in every field of a run, are shown as they are, and do nothing", async () => {
    const dir = join(project({}), `no ${turning} project ${"y".repeat(150)}`)
    cpSync(hostileProject(), dir, { recursive: true })
    cpSync(join(dir, "tasks.yaml"), join(dir, `a ${turning} copy.yaml`))
    const done = await proofline(["run", "tasks.yaml", "--max-retries", "0", "--json"], dir)
    const run = documentOf(done).data.run_id
    const server = await serving(dir)
    const { faults, foreign, page, settled } = await opened(server)
    const ids = hostile.map((_, i) => `t${i}`)
    const views = [
      "/",
      `/runs/${run}`,
      `/runs/${run}/timeline`,
      `/runs/${run}/events`,
      ...ids.map((id) => `/runs/${run}/tasks/${id}`),
      `/compare/${run}/${run}`,
      "/approvals",
      "/start",
      `/runs/${encodeURIComponent("<img src=x onerror=pwned=1>")}`,
      `/${encodeURIComponent("<img src=x onerror=pwned=1>")}`,
      `/runs/${encodeURIComponent(turning)}`,
      `/runs/${run}/tasks/${encodeURIComponent(turning)}`,
      `/compare/${encodeURIComponent(turning)}/${run}`,
      `/stats?by=task,run&since=${encodeURIComponent(turning)}`,
      `/?status=${encodeURIComponent(turning)}`,
      `/${encodeURIComponent(`${turning}${"z".repeat(500)}`)}`
    ]
    for (const view of views) {
      await page.goto(`${server.url}/#${view}`)
      await page.locator("h1").first().waitFor()
      if (ids.some((id) => view.endsWith(`/tasks/${id}`))) {
        await shown(page, "Attempts")
        // whatever is folded is opened: evidence, prompt, output, checks
        await page.evaluate(async () => {
          const { document } = globalThis
          for (const folded of document.querySelectorAll<HTMLElement>("main [aria-expanded=false]")) folded.click()
          for (const one of document.querySelectorAll("details")) one.open = true
        })
        await settled()
      }
      const found = await page.evaluate(() => ({
        pwned: (globalThis as { pwned?: unknown }).pwned ?? null,
        injected: globalThis.document.querySelectorAll(
          "main :is(script, iframe, object, embed, link, style, img, [onerror], [onload])"
        ).length,
        turned: (() => {
          const { document } = globalThis
          const unseen = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
          const texts = [document.title]
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
          for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) texts.push(node.nodeValue ?? "")
          for (const name of ["title", "aria-label", "placeholder", "label"]) {
            for (const one of document.querySelectorAll(`[${name}]`)) texts.push(one.getAttribute(name) ?? "")
          }
          return texts.filter((text) => unseen.test(text)).map((text) => JSON.stringify(text.slice(0, 200)))
        })(),
        // each part of the title, and whatever stands alone as a name
        long: [
          ...globalThis.document.title.split(" · "),
          ...[
            ...globalThis.document.querySelectorAll("h1, .app-project, .runs-link, .tree-link, .compare-task > *")
          ].map((one) => one.textContent ?? "")
        ].filter((text) => text.length > 125),
        links: [...globalThis.document.querySelectorAll("a[href]")]
          .map((one) => one.getAttribute("href") ?? "")
          .filter((href) => !href.startsWith("#"))
      }))
      assert.deepStrictEqual(found, { pwned: null, injected: 0, turned: [], long: [], links: [] }, view)
    }
    // shown, not left out
    await page.goto(`${server.url}/#/runs/${run}`)
    await shown(page, `<img src=x onerror="globalThis.pwned=1">`)
    assert.deepStrictEqual(
      faults.filter((fault) => !/status of 40[04]/.test(fault)),
      []
    )
    assert.deepStrictEqual(foreign, [])
  })
})
