import { existsSync, realpathSync, renameSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Page } from "playwright-core"
import { documentOf, project, proofline } from "../cli/proofline.ts"
import { ask, type Serving, serving } from "../cli/serveClient.ts"
import { write } from "../plugins/repositories.ts"
import { violations } from "./axe.ts"
import { closeBrowser, open } from "./browser.ts"
import { opened, shown, stageOf } from "./stage.ts"

afterAll(closeBrowser)

const tasks = `name: greeting
tasks:
  - id: greet
    name: Greet people
    instruction: Write greet.js.
    checklist: [Add greet()]
`

const asking = {
  greet: [
    {
      report: {
        summary: "",
        checklist: [{ item: "Add greet()", status: "cannot", reason: "Nobody says whom to greet." }]
      }
    }
  ]
}

/** Directories beside each other: two are called the same, one is broken, in one something waits. */
const directories = (): string => {
  const dir = project({})
  const hanging = { greet: [{ hang: true as const }] }
  for (const [name, files] of [
    ["home/web", stageOf(tasks, asking)],
    ["work/web", stageOf(tasks, hanging)],
    ["api", stageOf(tasks, asking)],
    ["broken", { ...stageOf(tasks, asking), "proofline.yaml": "agents: [1" }]
  ] as const)
    write(join(dir, name), files)
  return dir
}

const pathIn = (server: Serving, dir: string): string => {
  const { projects } = JSON.parse(server.stdout().split("\n")[0] ?? "").data
  const root = existsSync(dir) ? realpathSync(dir) : dir
  const isIt = (one: { root: string }) => one.root === dir || (existsSync(one.root) && realpathSync(one.root) === root)
  return `/projects/${projects.find(isIt).id}`
}

const switcher = (page: Page) => page.getByRole("button", { name: /^Project/ })
const menu = (page: Page) => page.getByRole("navigation", { name: "Projects" })

describe("the page of several projects", () => {
  let dir: string
  let server: Serving
  let waiting: string

  beforeAll(async () => {
    dir = directories()
    waiting = documentOf(await proofline(["run", "tasks.yaml", "--json"], join(dir, "api"))).data.run_id
    server = await serving(
      dir,
      ["home/web", "work/web", "api", "broken", "gone"].flatMap((name) => ["--project", name])
    )
  })

  it("given what waits and runs, says so of each, counts all that waits in the title, and goes there by key", async () => {
    const web = { ...server, url: `${server.url}${pathIn(server, join(dir, "work/web"))}` }
    assert.strictEqual((await ask(web, "/runs", { file: "tasks.yaml" })).status, 201)
    const { faults, page } = await open(`${server.url}/#token=${server.token}`)
    // the first that is there, and by no question to nobody
    await page.waitForURL(`${server.url}/#${pathIn(server, join(dir, "home/web"))}/`)
    await switcher(page).filter({ hasText: "home/web" }).waitFor()
    await page.waitForFunction(() => document.title === "(1) Runs · home/web · Proofline")
    await page.keyboard.press("g")
    await page.keyboard.press("p")
    const rows = menu(page).getByRole("link")
    await rows.filter({ hasText: "1 running" }).waitFor()
    const texts = (await rows.allInnerTexts()).map((text) => text.split("\n").filter((line) => line.trim() !== ""))
    assert.deepStrictEqual(
      texts.map(([name, ...rest]) => [name, rest.join(" ").replaceAll(/\s+/g, " ").replace(/ \S*$/, "")]),
      [
        ["home/web", "nothing runs"],
        ["work/web", "▶ 1 running"],
        ["api", "? 1 waiting"],
        ["broken", "✗ cannot be served"],
        ["gone", "✗ cannot be served"]
      ]
    )
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.waitForURL(`${server.url}/#${pathIn(server, join(dir, "api"))}/`)
    await menu(page).waitFor({ state: "hidden" })
    await page.locator(`a[href$="/runs/${waiting}"]`).first().waitFor()
    await page.getByRole("link", { name: "Waiting for you 1" }).click()
    await shown(page, "Nobody says whom to greet.")
    // where it is shown itself it is not counted twice
    await page.waitForFunction(() => document.title.startsWith("(1) "))
    await switcher(page).click()
    await menu(page)
      .getByRole("link", { name: /home\/web/ })
      .click()
    await page.waitForURL(`${server.url}/#${pathIn(server, join(dir, "home/web"))}/approvals`)
    await shown(page, "Nothing waits for a person.")
    assert.deepStrictEqual(faults, [])
  })

  it("given a link that was copied, opens it in its project; without a project, in the one that has the run", async () => {
    const { page } = await opened(server, `${pathIn(server, join(dir, "api"))}/runs/${waiting}`)
    await shown(page, "Greet people")
    await page
      .getByRole("link", { name: /Greet people/ })
      .first()
      .click()
    await page.waitForURL(`${server.url}/#${pathIn(server, join(dir, "api"))}/runs/${waiting}/tasks/greet**`)
    const copied = page.url()
    const other = await open(`${server.url}/#token=${server.token}`)
    await switcher(other.page).waitFor()
    await other.page.goto(copied)
    await shown(other.page, "Attempts")
    assert.strictEqual(other.page.url(), copied)
    await other.page.goto(`${server.url}/#/runs/${waiting}`)
    await other.page.waitForURL(`${server.url}/#${pathIn(server, join(dir, "api"))}/runs/${waiting}**`)
    await shown(other.page, "Greet people")
    // an address for people
    await other.page.goto(`${server.url}${pathIn(server, join(dir, "work/web"))}`)
    await switcher(other.page).filter({ hasText: "work/web" }).waitFor()
  })

  it("given the palette, goes to another project by a part of its name", async () => {
    const { page } = await opened(server, `${pathIn(server, join(dir, "home/web"))}/`)
    await switcher(page).filter({ hasText: "home/web" }).waitFor()
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: /project/ }).fill("project api")
    await page.getByRole("option", { name: /api.*1 waiting/ }).waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(`${server.url}/#${pathIn(server, join(dir, "api"))}/`)
  })

  it("given one that is broken, says why and what to do, and shows it once it is mended", async () => {
    const { page } = await opened(server, `${pathIn(server, join(dir, "broken"))}/`)
    await shown(page, "This project cannot be served now.")
    await shown(page, "proofline.yaml:1:9")
    await shown(page, "yaml_syntax")
    const file = join(dir, "broken", "proofline.yaml")
    renameSync(file, `${file}.old`)
    await page.getByRole("heading", { name: "Runs" }).waitFor()
    renameSync(`${file}.old`, file)
  })

  it("given an address of a project that is not served, says so and names those that are", async () => {
    const { page } = await opened(server, "/projects/other-00000000/runs/run_1")
    await shown(page, "This server does not have the project that the address names.")
    await page.locator("main").getByRole("link", { name: "api" }).click()
    await page.waitForURL(`${server.url}/#${pathIn(server, join(dir, "api"))}/`)
  })

  for (const colorScheme of ["light", "dark"] as const) {
    it(`given ${colorScheme} colours, has no violation that axe finds, wide or narrow, and does not scroll sideways`, async () => {
      const { page } = await opened(server, `${pathIn(server, join(dir, "home/web"))}/`, { colorScheme })
      for (const viewport of [
        { width: 1440, height: 900 },
        { width: 390, height: 844 }
      ]) {
        await page.setViewportSize(viewport)
        for (const [at, there] of [
          [`${pathIn(server, join(dir, "home/web"))}/`, "Runs"],
          [`${pathIn(server, join(dir, "gone"))}/`, "This project cannot be served now."],
          ["/projects/other-00000000/", "This server does not have the project"]
        ] as const) {
          await page.goto(`${server.url}/#${at}`)
          await page.locator("main").getByText(there).first().waitFor()
          await switcher(page).click()
          await menu(page).waitFor()
          assert.deepStrictEqual(await violations(page), [], `${at} ${viewport.width}`)
          const box = await menu(page).boundingBox()
          assert.isAtMost((box?.x ?? 0) + (box?.width ?? 0), viewport.width)
          const tooWide = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth
          )
          assert.isAtMost(tooWide, 0, at)
          await page.keyboard.press("Escape")
          await menu(page).waitFor({ state: "hidden" })
        }
      }
    })
  }
})

describe("the page of one project", () => {
  it("has no switcher, knows links that name its project, and goes on when its server comes back with several", async () => {
    const dir = directories()
    const env = { PROOFLINE_TOKEN: "a-token-of-the-operator-for-a-test" }
    const server = await serving(dir, ["--project", "api"], env)
    const { faults, page } = await opened(server)
    await page.locator(".app-project").getByText("api").waitFor()
    assert.strictEqual(await switcher(page).count(), 0)
    assert.strictEqual(page.url(), `${server.url}/#/`)
    await page.goto(`${server.url}/#${pathIn(server, join(dir, "api"))}/start`)
    await shown(page, "tasks.yaml")
    await page.goto(`${server.url}/#/projects/other-00000000/`)
    await shown(page, "This server does not have the project that the address names.")
    await page.locator("main").getByRole("link", { name: "api" }).click()
    await page.waitForURL(`${server.url}/#/`)
    await page.waitForFunction(() => document.title === "Runs · api · Proofline")
    assert.deepStrictEqual(faults, [])
    await server.stop()
    const several = await serving(
      dir,
      ["--port", new URL(server.url).port, "--project", "api", "--project", "home/web"],
      env
    )
    await page.waitForURL(`${several.url}/#${pathIn(several, join(dir, "api"))}/`)
    await switcher(page).filter({ hasText: "api" }).waitFor()
    await page.getByRole("heading", { name: "Runs" }).waitFor()
  })
})
