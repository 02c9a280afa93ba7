import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { project, proofline, start, until } from "./proofline.ts"

const token = "a-token-of-the-operator-for-a-test"

/** The status of a ping under this Host. */
const asked = (host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${token}`, "content-type": "application/json" }
    const sent = request({ host: "127.0.0.1", port: 80, path: "/mcp", method: "POST", headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on("error", reject)
    sent.end("{}")
  })

describe("the port of a server", () => {
  it("is refused when it is none", { timeout: 60_000 }, async () => {
    const dir = project({})
    for (const port of ["65536", "70000", "-1"]) {
      const finished = await proofline(["serve", `--port=${port}`, "--json"], dir)
      expect(finished.code, finished.stderr).toBe(2)
      expect(finished.stdout + finished.stderr).toContain("port_invalid")
    }
  })

  it("is left out by clients where it is HTTP's own", { timeout: 60_000 }, async ({ skip }) => {
    const dir = project({})
    const server = start(["serve", "--port", "80", "--json"], dir, { PROOFLINE_TOKEN: token })
    let [stdout, stderr] = ["", ""]
    server.stdout?.on("data", (chunk) => (stdout += chunk))
    server.stderr?.on("data", (chunk) => (stderr += chunk))
    await until(() => stdout.includes("\n") || server.exitCode !== null)
    // not everybody may take it
    if (stderr.includes("port_unavailable")) return skip()
    for (const host of ["127.0.0.1", "localhost", "127.0.0.1:80"]) expect(await asked(host)).not.toBe(403)
    for (const host of ["evil.example", "127.0.0.1:4600"]) expect(await asked(host)).toBe(403)
  })
})
