import { afterAll, assert, describe, it } from "@effect/vitest"
import { asksForLeave } from "../cli/leaveStage.ts"
import { finish, project, proofline, start, until } from "../cli/proofline.ts"
import { connectHttp, serving } from "../cli/serveClient.ts"
import { colours } from "../cli/sessionStage.ts"
import { closeBrowser } from "./browser.ts"
import { opened, shown } from "./stage.ts"

afterAll(closeBrowser)

/** What was told on the desktop. */
interface Told {
  readonly told: ReadonlyArray<{
    readonly title: string
    readonly body: string
    isClosed: boolean
    readonly click: () => void
  }>
}

/** Notes each notification that the browser itself makes. */
const recordNotifications = (): void => {
  const told: Array<object> = []
  Object.assign(globalThis, { told })
  const Native = globalThis.Notification
  globalThis.Notification = class extends Native {
    constructor(title: string, options: NotificationOptions = {}) {
      super(title, options)
      const one = { title, body: options.body, isClosed: false, click: () => this.dispatchEvent(new Event("click")) }
      told.push(one)
      const close = this.close.bind(this)
      this.close = () => {
        one.isClosed = true
        close()
      }
    }
  }
}

describe("a question on the page", () => {
  it("says where each answer leads, also one that no button names; what is typed is taken as the contract says, and what does not fit is refused", async () => {
    const anyColour = colours.replace("answer: red|green,", "answer: red|green|str,")
    const server = await serving(project({ ".proofline/phase_contract.yml": anyColour }))
    const agent = await connectHttp(server, server.token)
    await agent.call("submit_phase", { data: { summary: "Red and green" } })
    const { page } = await opened(server, "/approvals")
    await page.getByRole("button", { name: "green The agent reads it and goes on with PAINT." }).waitFor()
    await page.getByRole("button", { name: "red The agent reads it and goes on with LOOK." }).waitFor()
    await page.getByLabel(/Comment/).fill("door")
    await page.getByRole("button", { name: "Another answer … The agent reads it and goes on with LOOK." }).click()
    await page.getByLabel("Answer", { exact: true }).fill("blue")
    await page.getByRole("button", { name: "Answer The agent reads it and goes on with LOOK." }).waitFor()
    await page.keyboard.press("Enter")
    await shown(page, /at least 5/)
    await page.getByLabel(/Comment/).fill("as the door")
    await page.getByLabel("Answer", { exact: true }).press("Enter")
    await shown(page, "Nothing waits for a person.")
    assert.deepStrictEqual(await page.evaluate(() => document.activeElement?.tagName), "H1")
    const next = await agent.call("get_next_action")
    assert.strictEqual(next.body.phase, "LOOK")
  })
})

describe("an agent that asks for leave", () => {
  it("given the answer allow on the page, goes on, and the list of runs says meanwhile that it waits", async () => {
    const dir = asksForLeave()
    const server = await serving(dir)
    const run = finish(start(["run", "tasks.yaml"], dir))
    const { page } = await opened(server, "/")

    const wanted = page.getByRole("link", { name: "waits for you: may open: Edit a.txt" })
    await wanted.waitFor()
    await page.locator(".runs-status").getByText("waiting for you").waitFor()
    await page.getByRole("button", { name: "waiting", exact: false }).click()
    await page.getByRole("button", { name: "waiting", exact: false, pressed: true }).waitFor()
    await wanted.waitFor()
    // what waits is asked for apart from the list
    await until(async () => /^\(1\) Runs/.test(await page.title()))
    await wanted.click()
    await page.getByRole("heading", { name: "Edit a.txt" }).waitFor()
    await shown(page, /since .*\d \w+\)/)
    await shown(page, /open, in attempt 1; it waits/)
    await page.getByRole("link", { name: "edit", exact: true }).click()
    await page.getByRole("button", { name: "What it does" }).click()
    await shown(page, "Edit a.txt")
    await page.goBack()
    await page.getByLabel(/Comment/).fill("go on")
    await page.getByRole("button", { name: "Allow The agent may do this, only this time." }).click()
    await shown(page, "Nothing waits for a person.")
    assert.strictEqual((await run).code, 0)
    const { stdout } = await proofline(["events", "--json"], dir)
    assert.match(stdout, /"answer": ?"allow".*"text": ?"go on"/)
  })
})

describe("an answer of the server that does not say all yet", () => {
  it("given it does not know since when an agent waits, is asked for again without anything happening", async () => {
    const dir = asksForLeave()
    const server = await serving(dir)
    const run = finish(start(["run", "tasks.yaml"], dir))
    const { page } = await opened(server, "/approvals")
    let isKnown = false
    await page.route("**/api/v1/approvals", async (route) => {
      const response = await route.fetch()
      const { approvals } = await response.json()
      const told = approvals.map((one: object) => (isKnown ? one : { ...one, asked_at: null }))
      await route.fulfill({ response, json: { approvals: told } })
    })
    await page.getByRole("heading", { name: "Edit a.txt" }).waitFor()
    // what was asked before does not count
    await page.reload()
    await page.getByRole("heading", { name: "Edit a.txt" }).waitFor()
    assert.strictEqual(await page.getByText(/^since/).count(), 0)
    isKnown = true
    await shown(page, /since .*\d \w+\)/)
    await page.getByRole("button", { name: "Allow The agent may do this, only this time." }).click()
    assert.strictEqual((await run).code, 0)
  })
})

/** A page that may tell on the desktop, and what it told, beside the tasks whose agent asks for leave. */
const telling = async () => {
  const dir = asksForLeave()
  const server = await serving(dir)
  const { page } = await opened(server, "/approvals")
  const context = page.context()
  await context.grantPermissions(["notifications"], { origin: server.url })
  await page.evaluate(recordNotifications)
  await page.getByRole("checkbox", { name: /Tell me on the desktop/ }).check()
  const told = () =>
    page.evaluate(() =>
      (globalThis as unknown as Told).told.map(({ body, isClosed, title }) => [title, body, isClosed])
    )
  const asks = () => finish(start(["run", "tasks.yaml", "--max-retries", "0"], dir))
  /** The window can be seen, and another one is worked in. */
  const looksElsewhere = async () => {
    const devtools = await context.newCDPSession(page)
    await devtools.send("Emulation.setFocusEmulationEnabled", { enabled: false })
    await (await context.newPage()).bringToFront()
    assert.deepStrictEqual(await page.evaluate(() => [document.hidden, document.hasFocus()]), [false, false])
  }
  return { dir, server, page, context, told, asks, looksElsewhere }
}

describe("a question that is new", () => {
  it("given leave for it, is told on the desktop once while somebody looks elsewhere, and leads to its run", async () => {
    const { asks, dir, looksElsewhere, page, told } = await telling()

    // what is looked at needs no telling
    const first = asks()
    await shown(page, "Edit a.txt")
    await page.getByRole("button", { name: /^Allow The/ }).click()
    await first
    assert.deepStrictEqual(await told(), [])

    await looksElsewhere()
    const second = asks()
    await until(async () => (await told()).length > 0)
    assert.deepStrictEqual(await told(), [["tasks waits for you", "Edit a.txt", false]])
    await page.evaluate(() => (globalThis as unknown as Told).told[0]?.click())
    await page.waitForURL(/#\/runs\/run_[^/]+$/)
    await page.getByRole("button", { name: /^Allow The/ }).waitFor()
    assert.deepStrictEqual(await told(), [["tasks waits for you", "Edit a.txt", true]])
    await proofline(["answer", "allow"], dir)
    await second
  })

  it("given it is answered elsewhere, is taken back from the desktop, and what is chosen in one tab holds in the others", async () => {
    const { asks, context, dir, looksElsewhere, page, server, told } = await telling()
    await looksElsewhere()
    const run = asks()
    await until(async () => (await told()).length > 0)
    await proofline(["answer", "allow"], dir)
    await until(async () => (await told())[0]?.[2] === true)
    await run
    const other = await context.newPage()
    await other.goto(`${server.url}/#/approvals`)
    await other.getByRole("checkbox", { name: /Tell me on the desktop/ }).uncheck()
    await page.getByRole("checkbox", { name: /Tell me on the desktop/, checked: false }).waitFor()
  })
})
