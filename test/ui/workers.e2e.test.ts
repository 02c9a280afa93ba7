import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, it } from "@effect/vitest"
import { afterwards, repository, start, until } from "../cli/proofline.ts"
import { serving } from "../cli/serveClient.ts"
import { describePostgres, newDatabase } from "../postgres.ts"
import { violations } from "./axe.ts"
import { closeBrowser } from "./browser.ts"
import { opened, shown } from "./stage.ts"

afterAll(closeBrowser)

const files = {
  "tasks.yaml": "name: shared\ntasks: [{ id: a, name: A, instruction: A, checklist: [Write a.txt] }]\n",
  "proofline.yaml": "agents: { slow: { command: 'touch \"$AT_WORK\"; exec sleep 600' } }\n"
}

describePostgres("given a worker at work", () => {
  it("the page shows it with what it is at, and axe finds nothing; without it nothing is shown", async () => {
    const dir = repository(files)
    const { remove, url } = await newDatabase()
    afterwards(remove)
    const atWork = join(dir, ".git", "at-work")
    const env = { PROOFLINE_DATABASE_URL: url, AT_WORK: atWork }
    const worker = start(["worker", "--slots", "2", "--labels", "gpu", "--name", "left hand"], dir, env)
    start(["run", "tasks.yaml", "--agent", "slow", "--labels", "gpu"], dir, env)
    const server = await serving(dir, [], env)
    await until(() => existsSync(atWork))
    const { page } = await opened(server)
    const workers = page.getByRole("region", { name: "Workers" })
    await workers.getByText("left hand").waitFor()
    await workers.getByText("1 of 2 slots in use").waitFor()
    await workers.getByText("gpu").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await workers.getByRole("link", { name: "a", exact: true }).click()
    await page.waitForURL(/\/tasks\/a/)
    worker.kill("SIGINT")
    await page.goto(`${server.url}/#/`)
    await shown(page, "shared")
    await workers.waitFor({ state: "detached" })
  })
})
