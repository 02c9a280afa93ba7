import { afterAll, assert, describe, it } from "@effect/vitest"
import { proofline } from "../cli/proofline.ts"
import { serving } from "../cli/serveClient.ts"
import { closeBrowser } from "./browser.ts"
import { greetings, opened, shown } from "./stage.ts"

afterAll(closeBrowser)

/** Bytes of scripts and styles as they are sent, with what is loaded once the list of runs stands there. */
const most = 100_000

describe("the first load", () => {
  it(`given a browser that was never here, then the list of runs takes at most ${most / 1_000} kB`, async () => {
    const dir = greetings()
    await proofline(["run", "tasks.yaml"], dir)
    const { page, settled } = await opened(await serving(dir))
    await shown(page, "greetings")
    await settled()
    const loaded = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => /\.(?:css|js)$/.test(name))
        .map((entry) => ({
          file: entry.name.replace(/^.*\//, ""),
          bytes: (entry as PerformanceResourceTiming).encodedBodySize
        }))
    )
    const sum = loaded.reduce((all, { bytes }) => all + bytes, 0)
    const said = loaded.map(({ bytes, file }) => `${file}: ${bytes}`).join("\n")
    assert.isTrue(loaded.length > 1 && loaded.every(({ bytes }) => bytes > 0), said)
    assert.isAtMost(sum, most, said)
  })
})
