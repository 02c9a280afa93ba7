import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { isOpen, namedIn, projectIdOf } from "@proofline/plugins/frontends/http"

const sha256 = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex")

describe("the address of a project", () => {
  it("given any directory, then its id is one word for addresses that is the same each time, and another one elsewhere", () => {
    const roots = [
      "/home/me/My Web.app",
      "/home/you/My Web.app",
      "/srv/ウェブ",
      "/",
      "/x/%2e%2e",
      `/${"long-".repeat(40)}`
    ]
    const ids = roots.map((root) => projectIdOf(sha256, root))
    for (const id of ids) assert.match(id, /^[a-z0-9][a-z0-9-]{1,60}$/)
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.deepStrictEqual(
      ids,
      roots.map((root) => projectIdOf(sha256, root))
    )
    assert.match(ids[0] ?? "", /^my-web-app-[0-9a-f]{8}$/)
    assert.match(ids[2] ?? "", /^project-[0-9a-f]{8}$/)
  })
  it("given a request, then what names the project is told from what stands behind it", () => {
    assert.deepStrictEqual(namedIn("/projects/web-1/api/v1/runs?q=a/b"), { id: "web-1", rest: "/api/v1/runs?q=a/b" })
    assert.deepStrictEqual(namedIn("//projects//web-1//mcp"), { id: "web-1", rest: "//mcp" })
    for (const [url, rest] of [
      ["/projects/web-1", "/"],
      ["/projects/web-1/", "/"],
      ["/projects/web-1?a=b", "/?a=b"]
    ] as const)
      assert.deepStrictEqual(namedIn(url), { id: "web-1", rest }, url)
    for (const url of ["/", "/projects", "/projects/", "/api/v1/projects", "/x/projects/web-1/mcp"]) {
      assert.isNull(namedIn(url), url)
    }
  })
  it("given no token, then nothing but the way to the page is answered there", () => {
    assert.isTrue(isOpen("/projects/web-1"))
    assert.isTrue(isOpen("/projects/web-1/"))
    for (const path of [
      "/projects",
      "/projects/",
      "/projects/a/b",
      "/projects/a/api/v1/about",
      "/projects/../etc",
      "/projects/a.b"
    ])
      assert.isFalse(isOpen(path), path)
  })
})
