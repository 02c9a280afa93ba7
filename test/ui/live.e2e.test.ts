import { afterAll, assert, describe, it } from "@effect/vitest"
import {
  begunStatus,
  composePlugins,
  emptySnapshot,
  foldEvent,
  makeManifest,
  proofOf,
  type Recorded,
  standingText,
  taskOf
} from "@proofline/kernel"
import type { Page } from "playwright-core"
import { stateOf } from "../../packages/ui/src/fold/compose.ts"
import { proofline, until } from "../cli/proofline.ts"
import { type Serving, serving } from "../cli/serveClient.ts"
import { closeBrowser } from "./browser.ts"
import { greetings, opened, release, runAt, shown } from "./stage.ts"

afterAll(closeBrowser)

const tokenEnv = { PROOFLINE_TOKEN: "a-token-of-the-operator-for-tests-0123456789" }

/** The log of a run, as the server gives it. */
const logOf = async (server: Serving, run: string): Promise<ReadonlyArray<Recorded>> => {
  const answer = await fetch(`${server.url}/api/v1/runs/${run}/events?limit=1000`, {
    headers: { authorization: `Bearer ${server.token}` }
  })
  return (await answer.json()).events
}

const isThere = (page: Page, head: number) => page.locator(`input[type=range][max="${head}"]`).waitFor()

describe("a run on the page", () => {
  it("given a file of the project, when it is started there, is followed live from its start to proven, with every refusal and its reason", async () => {
    const dir = greetings("go")
    const server = await serving(dir)
    const { faults, foreign, page } = await opened(server)

    await page.getByRole("link", { name: "Start a run" }).first().click()
    await page.getByRole("radio", { name: /tasks\.yaml/ }).check()
    await page.getByRole("button", { name: "Start the run" }).click()
    await page.waitForURL(/#\/runs\//)
    await page.getByRole("link", { name: "Greet people", exact: true }).click()

    // the second attempt waits, the first was refused
    await shown(page, "second try: writing farewell()")
    await shown(page, /checklist_evidence_line_out_of_range/)
    await shown(page, /src\/greet\.js:5-7/)
    assert.strictEqual(await page.locator(".run-title [data-status=proven]").count(), 0)

    release(dir, "go")
    await shown(page, /· 2 proven/)
    await page.locator("h1").getByText("greetings").waitFor()
    // what was shown is there as code, with the numbers of its lines
    await page
      .getByRole("button", { name: /src\/greet\.js:5-7/ })
      .first()
      .click()
    const code = page.getByRole("region", { name: /src\/greet\.js/ }).first()
    await code.getByText("farewell").first().waitFor()
    assert.match(await code.innerText(), /5[\s\S]*farewell[\s\S]*7/)

    assert.deepStrictEqual(faults, [])
    assert.deepStrictEqual(foreign, [])
  })

  it("given any event, when the slider stands there, shows what the rules of the kernel say of that moment", async () => {
    const dir = greetings()
    assert.strictEqual((await proofline(["run", "tasks.yaml"], dir)).code, 0)
    const server = await serving(dir)
    const { faults, page } = await opened(server)
    await page
      .getByRole("link", { name: /greetings/ })
      .first()
      .click()
    await page.waitForURL(/#\/runs\//)
    const log = await logOf(server, runAt(page))
    await isThere(page, log.length)

    const plugins = composePlugins([])
    const manifest = makeManifest(plugins)
    let now = emptySnapshot(plugins)
    for (const event of log) {
      now = foldEvent(
        plugins,
        now,
        manifest.decode(event, () => now)
      )
      const field = page.getByRole("spinbutton", { name: "Event" }).or(page.getByRole("textbox", { name: "Event" }))
      await field.fill(String(event.version))
      await field.press("Enter")
      const proof = proofOf(stateOf(now))
      await page.locator(".run-proof", { hasText: standingText(begunStatus(stateOf(now).run), proof) }).waitFor()
      const task = taskOf(stateOf(now), "greet")
      const word = task?.status === "completed" ? task.verdict : task?.status
      if (word !== undefined) await page.locator(`[role=treeitem] [data-status=${word}]`).waitFor()
      await page.locator(".slider-type").getByText(event.event_type, { exact: true }).waitFor()
    }
    assert.deepStrictEqual(faults, [])
  })
})

describe("a server that goes away", () => {
  it("given it is killed while a run works, when it is back, the page goes on by itself, without a lost or doubled event", async () => {
    const dir = greetings("go")
    const first = await serving(dir, [], tokenEnv)
    const { faults, page } = await opened(first)
    const running = proofline(["run", "tasks.yaml"], dir)
    await page
      .getByRole("link", { name: /greetings/ })
      .first()
      .click()
    await page.waitForURL(/#\/runs\//)
    await shown(page, "1 claim refused")
    const run = runAt(page)
    await page.goto(`${first.url}/#/runs/${run}/events`)
    await shown(page, "ATTEMPT_STARTED")

    await first.kill()
    await shown(page, /tried again/)
    await shown(page, /run `proofline serve` in the project directory/)
    // all that happens meanwhile is written by another process
    release(dir, "go")
    assert.strictEqual((await running).code, 0)
    const second = await serving(dir, ["--port", new URL(first.url).port], tokenEnv)

    const log = await logOf(second, run)
    await isThere(page, log.length)
    await shown(page, /· 2 proven/)
    await page.getByLabel("All details").check()
    await shown(page, `${log.length} events`)
    const box = page.locator(".events-box")
    const seen = new Map<number, string>()
    await box.evaluate((element) => element.scrollTo(0, 0))
    await until(async () => {
      for (const row of await page.getByRole("option").filter({ hasText: /^\d/ }).allInnerTexts()) {
        seen.set(Number.parseInt(row, 10), row)
      }
      await box.evaluate((element) => element.scrollBy(0, 100))
      return log.every(({ version }) => seen.has(version))
    })
    assert.deepStrictEqual(
      [...seen.keys()].toSorted((a, b) => a - b),
      log.map(({ version }) => version)
    )
    for (const { event_type, version } of log) assert.include(seen.get(version) ?? "", event_type)
    // what the browser itself says of a server that is gone is no fault of the page
    assert.deepStrictEqual(
      faults.filter((fault) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|Failed to load resource/.test(fault)),
      []
    )
  })

  it("given it comes back with another token, when that is typed, the page goes on", async () => {
    const dir = greetings()
    const first = await serving(dir)
    const { page } = await opened(first)
    await first.kill()
    const second = await serving(dir, ["--port", new URL(first.url).port])
    await page.getByLabel("Token").fill("not-this-one-0123456789-0123456789-0123")
    await page.getByRole("button", { name: "Show the project" }).click()
    await shown(page, "The server does not take this token.")
    await page.getByLabel("Token").fill(second.token)
    await page.getByRole("button", { name: "Show the project" }).click()
    await shown(page, "Nothing ran in this project so far.")
    assert.notInclude(page.url(), second.token)
  })
})
