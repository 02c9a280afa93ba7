import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { readDocs } from "../../packages/cli/docs/site/docs.ts"
import { addressOf } from "../../packages/cli/docs/site/render.ts"
import { wholeSite } from "../../packages/cli/docs/site/site.ts"
import { project } from "../cli/proofline.ts"
import { type Serving, serving } from "../cli/serveClient.ts"
import { daily, inTurn } from "../often.ts"
import { violations } from "./axe.ts"
import { closeBrowser, open } from "./browser.ts"

afterAll(closeBrowser)

const addresses = readDocs().map(({ path }) => addressOf(path))

let server: Serving
let folder: string

beforeAll(async () => {
  server = await serving(project({}))
  folder = mkdtempSync(join(tmpdir(), "proofline-site-"))
  for (const [name, content] of wholeSite()) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sizes = [
  [1280, 900],
  [390, 800]
] as const

describe("the site of the docs, as `serve` has it", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [width, height] of inTurn(sizes, colorScheme === "light" ? 0 : 1)) {
      it(`given ${colorScheme} colours and ${width} pixels, has no violation that axe finds, does not scroll sideways and asks nobody else`, async () => {
        const { faults, foreign, page } = await open(`${server.url}/docs/`, {
          colorScheme,
          viewport: { width, height }
        })
        for (const address of ["index.html", ...daily(addresses, 8, colorScheme === "light" ? 0 : 1)]) {
          await page.goto(`${server.url}/docs/${address}`)
          await page.locator("h1").first().waitFor()
          assert.deepStrictEqual(await violations(page), [], address)
          const { scrollWidth } = await page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth }))
          assert.isAtMost(scrollWidth, width, address)
        }
        assert.deepStrictEqual([faults, foreign], [[], []])
      })
    }
  }

  it("given words, finds the section that is about them, and leads there by keys", async () => {
    const { faults, page } = await open(`${server.url}/docs/agents/acp.html`)
    await page.keyboard.press("/")
    await page.keyboard.type("clean room")
    await page.getByRole("link", { name: "Evidence: The clean room" }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/docs\/evidence\.html#the-clean-room$/)
    await page.keyboard.press("/")
    await page.keyboard.type("log_corrupt")
    await page.getByRole("link", { name: /Look after the log: When a log is damaged/ }).waitFor()
    await page.getByRole("searchbox").fill("qzxqzx")
    await page.getByText("Nothing has all of these words.").waitFor()
    await page.keyboard.press("Escape")
    assert.strictEqual(await page.locator("#found").isVisible(), false)
    assert.deepStrictEqual(faults, [])
  })

  it("given a choice of colours, keeps it on the next page", async () => {
    const { page } = await open(`${server.url}/docs/`, { colorScheme: "light" })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await ground()
    await page.getByRole("button", { name: "Dark" }).click()
    const dark = await ground()
    assert.notStrictEqual(dark, light)
    await page.getByRole("link", { name: "Glossary" }).first().click()
    await page.getByRole("heading", { name: "Glossary", level: 1 }).waitFor()
    assert.strictEqual(await ground(), dark)
  })

  it("is reached from the keys of the page", async () => {
    const { page } = await open(`${server.url}/#token=${server.token}`)
    await page.locator("h1").first().waitFor()
    await page.keyboard.press("?")
    const [docs] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "Documentation" }).click()
    ])
    await docs.getByRole("heading", { name: "Documentation", level: 1 }).waitFor()
    assert.strictEqual(docs.url(), `${server.url}/docs/`)
  })
})

describe("the site of the docs, opened as files", () => {
  it("is read and searched without a server, with all pictures", async () => {
    const first = pathToFileURL(join(folder, "index.html")).href
    const { page } = await open(first)
    await page.getByRole("link", { name: "Read the page" }).first().click()
    await page.getByRole("heading", { name: "The page", level: 1 }).waitFor()
    const images = page.locator("article img")
    const count = await images.count()
    assert.isAbove(count, 0)
    for (let i = 0; i < count; i++) {
      await images.nth(i).scrollIntoViewIfNeeded()
      await images.nth(i).evaluate((image: HTMLImageElement) => image.decode())
    }
    await page.getByRole("searchbox").fill("backtest policy")
    await page.getByRole("link", { name: "Backtest a policy", exact: true }).last().waitFor()
  })
})

describe("every page", () => {
  it("leads only to pages and headings that are there", () => {
    const files = wholeSite()
    const ids = new Map(
      [...files].flatMap(([name, content]) =>
        name.endsWith(".html")
          ? [[name, new Set([...String(content).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]]
          : []
      )
    )
    const faults = [...files].flatMap(([name, content]) =>
      name.endsWith(".html")
        ? [...String(content).matchAll(/<(?:a|img|link|script)[^>]* (?:href|src)="([^"]*)"/g)].flatMap(
            ([, target = ""]) => {
              if (/^(?:https?|data):/.test(target)) return []
              const { hash, pathname } = new URL(target, `http://x/${name}`)
              const to = pathname.slice(1)
              const isThere =
                files.has(to) && (hash === "" || ids.get(to)?.has(decodeURIComponent(hash.slice(1))) === true)
              return isThere ? [] : [`${name}: ${target}`]
            }
          )
        : []
    )
    assert.isAbove(ids.size, 40)
    assert.deepStrictEqual(faults, [])
  })
})
