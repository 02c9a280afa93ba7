import { expect, it } from "vitest"
import { documentOf, finish, project, proofline, start } from "./proofline.ts"
import { valid } from "./schemas.ts"

/** Elements that a page is made of; what is between such brackets in code, as in `events <run>`, is none of them. */
const markup =
  /<\/?(?:a|blockquote|br|code|div|em|h[1-6]|hr|img|li|ol|p|pre|span|strong|t(?:able|body|[dhr]|head)|ul)\b[^>]*>/

it("prints a page by its name, also by the end of that and as a file is called", async () => {
  const dir = project({})
  const page = await proofline(["docs", "reference/errors"], dir)
  expect(page).toMatchObject({ code: 0, stderr: "" })
  expect(page.stdout).toMatch(/^Error codes\n\n/)
  expect(page.stdout).toMatch(/^ {2}agent_quota +\S/m)
  // a blank line between blocks and none between points, no markup and no entity
  expect(page.stdout).not.toMatch(/\n\n\n|&[a-z]+;/)
  expect(page.stdout).not.toMatch(markup)
  for (const name of ["errors", "docs/reference/errors.md", "Reference/Errors"]) {
    expect(await proofline(["docs", name], dir), name).toEqual(page)
  }
})

it("prints code as it stands, and nothing that is wider than a page but code", async () => {
  const { stdout } = await proofline(["docs", "events"], project({}))
  expect(stdout).toMatch(/proofline events <run>\s+prints\s+it as NDJSON/)
  expect(stdout).not.toMatch(markup)
  expect(stdout).toContain("\n    for line in sys.stdin:\n        event = json.loads(line)\n")
  const wide = stdout.split("\n").filter((line) => line.length > 100 && !line.startsWith("    ") && line.includes(" "))
  expect(wide).toEqual([])
})

it("gives a page as a document", async () => {
  const finished = await proofline(["docs", "blobs", "--json"], project({}))
  const document = documentOf(finished)
  expect(valid("docs.output", document)).toEqual([])
  expect(document.data).toMatchObject({ url: null, topics: [{ name: "blobs", title: "Keep blobs elsewhere" }] })
  expect(document.data.text).toMatch(/^Blobs\n/)
})

it("refuses a page that is not there, and names the one that was meant", async () => {
  const finished = await proofline(["docs", "evidense"], project({}))
  expect(finished).toMatchObject({ code: 2, stdout: "" })
  expect(finished.stderr).toContain("[topic_unknown]")
  expect(finished.stderr).toContain("Did you mean `evidence`? Known: index, tutorial,")
})

it("serves all pages on this machine until it is stopped, and answers nobody of another name", async () => {
  const running = start(["docs", "--json", "--port", "0"], project({}))
  const ended = finish(running)
  const line = await new Promise<string>((resolve) => running.stdout?.once("data", (chunk) => resolve(String(chunk))))
  const { data } = JSON.parse(line)
  expect(valid("docs.output", JSON.parse(line))).toEqual([])
  expect(data.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/docs\/$/)
  for (const { name } of data.topics) {
    const answer = await fetch(`${data.url}${name}.html`)
    expect([answer.status, answer.headers.get("content-type")], name).toEqual([200, "text/html; charset=utf-8"])
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
  }
  const first = await fetch(data.url.slice(0, -1))
  expect([first.url, first.redirected]).toEqual([data.url, true])
  const tag = first.headers.get("etag") ?? ""
  expect((await fetch(data.url, { headers: { "if-none-match": tag } })).status).toBe(304)
  for (const [path, method] of [
    ["nowhere.html", "GET"],
    ["%2e%2e/index.html", "GET"],
    ["index.html", "POST"]
  ] as const) {
    const answer = await fetch(`${data.url}${path}`, { method })
    expect([path, answer.status, (await answer.json()).code]).toEqual([path, 404, "not_found"])
  }
  expect((await fetch(data.url, { headers: { origin: "http://example.org" } })).status).toBe(403)
  running.kill("SIGTERM")
  expect((await ended).code).toBe(130)
})
