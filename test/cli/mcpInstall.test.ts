import { spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type ClientName, clientNames, clients } from "../../packages/cli/src/clients/table.ts"
import { type Answer, achieved, asked } from "./asked.ts"
import { finish, launcher, project, proofline, startBound } from "./proofline.ts"

const checkout = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "")
const start = [Path.join(checkout, "proofline")]

/** The program that runs another on a terminal. */
const hasTerminals = spawnSync("script", ["--version"]).status === 0

const filesFor = (client: ClientName) => clients[client].files(start)

/** Every file of a directory with its text. */
const treeOf = (dir: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .map((entry) => [Path.join(entry.parentPath, entry.name), entry.isDirectory()] as const)
      .map(([path, isDirectory]) => [Path.relative(dir, path), isDirectory ? "/" : readFileSync(path, "utf8")])
      .toSorted()
  )

const call = (dir: string, client: ClientName, ...more: ReadonlyArray<string>): Promise<Answer> =>
  asked(["mcp", "install", client, ...more], dir)

const install = (dir: string, client: ClientName, ...more: ReadonlyArray<string>) =>
  achieved(["mcp", "install", client, "--yes", ...more], dir)

const remove = (dir: string, client: ClientName, ...more: ReadonlyArray<string>) =>
  install(dir, client, "--remove", ...more)

/** What people have in a file, by its format: entries of others, comments, indentation of their own. */
const others = {
  json: `{
    // ours
    "theme": "dark", /* yes */
    "mcpServers": {
        "other": { "command": "other" } // of another
    },
    "servers": { "other": { "command": "other" } },
    "mcp": {},
    "permissions": { "allow": ["Bash(ls)",], "deny": [] },
    "hooks": { "Stop": [], "PreToolUse": [] }, // a last comma
}
`,
  toml: `# ours\nmodel = "x" # one\n\n[mcp_servers.other]\ncommand = "other"\nargs = [\n  "[mcp_servers.proofline]"\n]\n`,
  markdown: "# Rules\n\n- Be kind.\n"
}

/** One that others have written, as the client knows it. */
const ownEntry = {
  json: (file: (typeof clients)["claude"]["files"] extends (start: never) => ReadonlyArray<infer F> ? F : never) =>
    file.format === "json" && file.entries[0]?.key !== undefined
      ? `{ "${file.entries[0].in[0]}": {\n  "proofline": { "command": "mine", "env": { "A": "1" } } } }\n`
      : `{ "hooks": { "Stop": [\n  { "hooks": [{ "type": "command", "command": "mine && proofline hook claude-stop" }] }] } }\n`,
  toml: () => `\n[mcp_servers.proofline]\ncommand = "mine"\n`
}

const broken = { json: '{\n  "a": ]\n}\n', toml: '[a]\nb = "c\n', markdown: "# A\n\n<!-- proofline:begin -->\n" }

const written = (client: ClientName, textOf: (format: keyof typeof others) => string) =>
  project(Object.fromEntries(filesFor(client).map(({ format, path }) => [path, textOf(format)])))

describe.each(clientNames)("mcp install %s", (client) => {
  it("given an empty project, makes its files, does nothing the second time, and takes them away again", async () => {
    const dir = project({})
    const { data } = await install(dir, client)
    expect(data).toMatchObject({ client, remove: false, action: "written" })
    expect(data.files.map(({ action, path }: { action: string; path: string }) => [path, action])).toEqual(
      filesFor(client).map(({ path }) => [path, "create"])
    )
    const tree = treeOf(dir)
    expect(
      Object.keys(tree)
        .filter((path) => tree[path] !== "/")
        .toSorted()
    ).toEqual(
      filesFor(client)
        .map(({ path }) => path)
        .toSorted()
    )
    const again = await install(dir, client)
    expect(again.data.action).toBe("unchanged")
    expect(again.data.files.every(({ diff }: { diff: string }) => diff === "")).toBe(true)
    expect(treeOf(dir)).toEqual(tree)
    expect((await remove(dir, client)).data.action).toBe("written")
    expect(treeOf(dir)).toEqual({})
    expect((await remove(dir, client)).data.action).toBe("unchanged")
  })

  it.each([
    ["as people write them", (text: string) => text],
    ["with CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    [
      "with a byte order mark, tabs, and no end of line at the end",
      (text: string) => `\uFEFF${text.replaceAll("    ", "\t").trimEnd()}`
    ]
  ])(
    "given files of others %s, adds to them what is missing and nothing else, and takes exactly that away",
    async (_, form) => {
      const dir = written(client, (format) => form(others[format]))
      const before = treeOf(dir)
      const { data } = await install(dir, client)
      const removedLines = data.files.flatMap(({ diff }: { diff: string }) =>
        diff.split("\n").filter((line) => /^-(?!--)/.test(line))
      )
      // a line may get a comma, or a list in it an element
      expect(removedLines.length).toBeLessThanOrEqual(4)
      const after = treeOf(dir)
      for (const { format, path } of filesFor(client)) {
        expect(after[path]).not.toBe(before[path])
        for (const word of format === "json" ? ["// ours", "/* yes */", "// of another", "// a last comma"] : []) {
          expect(after[path]).toContain(word)
        }
        if (before[path]?.includes("\r\n")) expect(after[path]?.replaceAll("\r\n", "")).not.toContain("\n")
        expect(after[path]?.endsWith("\n")).toBe(before[path]?.endsWith("\n"))
      }
      expect((await install(dir, client)).data.action).toBe("unchanged")
      expect(treeOf(dir)).toEqual(after)
      await remove(dir, client)
      expect(treeOf(dir)).toEqual(before)
    }
  )

  it("given that others have changed its files since, takes out its own alone", async () => {
    const dir = written(client, (format) => others[format])
    await install(dir, client)
    const added: Record<string, readonly [from: string, to: string]> = {
      json: ['"theme": "dark"', '"theme": "light", "more": 1'],
      toml: ["# ours\n", "# ours\nmore = 1\n"],
      markdown: ["- Be kind.\n", "- Be kind.\n- Be brief.\n"]
    }
    const change = ({ format }: { readonly format: string }, text: string) =>
      text.replace(...(added[format] as [string, string]))
    for (const file of filesFor(client)) {
      const path = Path.join(dir, file.path)
      writeFileSync(path, change(file, readFileSync(path, "utf8")))
    }
    await remove(dir, client)
    for (const file of filesFor(client)) {
      expect(readFileSync(Path.join(dir, file.path), "utf8")).toBe(change(file, others[file.format]))
    }
  })

  it.each([0, 1, 2])("given file %i of it broken, refuses with its place, and writes nothing at all", async (index) => {
    const file = filesFor(client)[index]
    if (file === undefined) return
    const dir = project({ [file.path]: broken[file.format] })
    const before = treeOf(dir)
    for (const more of [["--yes"], ["--yes", "--remove"], []]) {
      const { code, data, refused } = await call(dir, client, ...more)
      expect([code, refused]).toEqual([2, ["client_file_invalid"]])
      const [{ column, file: named, line }] = data.problems
      expect([named, line > 1, column > 0]).toEqual([file.path, true, true])
      expect(treeOf(dir)).toEqual(before)
    }
  })

  it.each([0, 1, 2])(
    "given an entry of one's own in file %i, refuses it, and replaces it when that is asked for",
    async (index) => {
      const file = filesFor(client)[index]
      if (file === undefined || file.format === "markdown") return
      const own = ownEntry[file.format](file)
      const dir = project({ [file.path]: own })
      for (const more of [["--yes"], ["--yes", "--remove"]]) {
        const { code, data, refused } = await call(dir, client, ...more)
        expect([code, refused]).toEqual([2, ["entry_differs"]])
        expect(data.problems[0]).toMatchObject({ file: file.path, line: 2 })
        expect(treeOf(dir)[file.path]).toBe(own)
      }
      await install(dir, client, "--replace")
      expect(treeOf(dir)[file.path]).not.toContain("mine")
      expect((await install(dir, client)).data.action).toBe("unchanged")
      await remove(dir, client)
      expect(JSON.stringify(treeOf(dir))).not.toContain("proofline")
    }
  )

  it("given lines between its comments that say something else, writes its own in their place, and takes these out", async () => {
    const path = filesFor(client).find(({ format }) => format === "markdown")?.path ?? ""
    const around = ["# Rules\n\n", "\n- Be kind.\n"]
    const old = "<!-- proofline:begin -->\nCall it.\n<!-- proofline:end -->\n"
    const dir = project({ [path]: around.join(old) })
    await install(dir, client)
    const block = treeOf(dir)[path]?.slice(around[0]?.length, -(around[1]?.length ?? 0))
    expect(treeOf(dir)[path]).toBe(around.join(block))
    expect(block).toMatch(/^<!-- proofline:begin -->\n[\s\S]*get_next_action[\s\S]*\n<!-- proofline:end -->\n$/)
    expect(block).not.toContain("Call it.")
    expect((await install(dir, client)).data.action).toBe("unchanged")
    await remove(dir, client)
    expect(treeOf(dir)).toEqual({ [path]: "# Rules\n\n- Be kind.\n" })
  })

  it("given no terminal and no --yes, shows every change as a diff, writes nothing, and says so", async () => {
    const dir = written(client, (format) => others[format])
    const before = treeOf(dir)
    const { code, stderr, stdout } = await proofline(["mcp", "install", client], dir)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const { path } of filesFor(client)) expect(stdout).toContain(`--- a/${path}\n+++ b/${path}\n@@ -`)
    expect(stdout).toMatch(/\nNothing was written: add --yes\.\n$/)
    expect((await achieved(["mcp", "install", client], dir)).data.action).toBe("planned")
    expect(treeOf(dir)).toEqual(before)
  })
})

describe("mcp install", () => {
  it("given an entry for another way to start Proofline, writes the one of today, and takes out either", async () => {
    const dir = project({})
    for (const words of [
      ["proofline"],
      ["npx", "proofline"],
      ["npx", "--prefix", "/a b/it's", "proofline"],
      ["/a b/it's/proofline"]
    ]) {
      const files = clients.claude.files(words)
      const [server, settings] = files
      if (server?.format !== "json" || settings?.format !== "json") throw new Error("another format")
      const [mcp, ...rest] = server.entries
      const hook = settings.entries[2]
      expect(rest).toEqual([])
      const texts = {
        ".mcp.json": JSON.stringify({ mcpServers: { proofline: mcp?.value } }),
        ".claude/settings.json": JSON.stringify({ hooks: { Stop: [hook?.value] }, more: 1 })
      }
      const put = () => {
        mkdirSync(Path.join(dir, ".claude"), { recursive: true })
        for (const [path, text] of Object.entries(texts)) writeFileSync(Path.join(dir, path), text)
      }
      put()
      await install(dir, "claude")
      const after = treeOf(dir)
      expect(JSON.parse(after[".mcp.json"] ?? "").mcpServers.proofline).toMatchObject({
        command: start[0],
        args: ["mcp"]
      })
      expect(JSON.parse(after[".claude/settings.json"] ?? "").hooks.Stop).toHaveLength(1)
      put()
      await remove(dir, "claude")
      expect(treeOf(dir)).toEqual({
        ".claude": "/",
        ".claude/settings.json": '{"hooks":{},"more":1}',
        ".mcp.json": '{"mcpServers":{}}'
      })
    }
  })

  it("given a file that it made and to which somebody added a comment alone, keeps that", async () => {
    const dir = project({})
    await install(dir, "cursor")
    const path = Path.join(dir, ".cursor/mcp.json")
    writeFileSync(path, `// Keep this.\n${readFileSync(path, "utf8")}`)
    await remove(dir, "cursor")
    expect(treeOf(dir)).toEqual({ ".cursor": "/", ".cursor/mcp.json": "// Keep this.\n{\n}\n" })
  })

  it("given a hook of ours that stands together with others, does not take those with it", async () => {
    const hooks = ["mine.sh", "proofline hook claude-stop"].map((command) => ({ type: "command", command }))
    const text = JSON.stringify({ hooks: { Stop: [{ hooks }] } })
    const dir = project({ ".claude/settings.json": text })
    expect((await call(dir, "claude", "--yes")).refused).toEqual(["entry_differs"])
    for (const more of [[], ["--remove"]]) {
      expect((await call(dir, "claude", "--yes", "--replace", ...more)).refused).toEqual(["client_file_unexpected"])
      expect(treeOf(dir)[".claude/settings.json"]).toBe(text)
    }
  })

  it.each([
    ["a list where an object is needed", ".gemini/settings.json", '{ "mcpServers": [] }'],
    ["no object at all", ".gemini/settings.json", "[]"],
    ["a key that is there twice", ".gemini/settings.json", '{ "mcpServers": {}, "mcpServers": {} }']
  ])("given %s, refuses the file and says where", async (_, path, text) => {
    const dir = project({ [path]: text })
    const { code, data, refused } = await call(dir, "gemini", "--yes")
    expect([code, refused]).toEqual([2, ["client_file_unexpected"]])
    expect(data.problems[0]).toMatchObject({ file: path, line: 1, column: expect.any(Number) })
    expect(treeOf(dir)[path]).toBe(text)
    expect(existsSync(Path.join(dir, "GEMINI.md"))).toBe(false)
  })

  it.each([
    ["a table within a line", '[mcp_servers]\nproofline = { command = "mine" }\n'],
    ["names with dots", 'mcp_servers.proofline.command = "mine"\n'],
    ["an environment of its own", '[mcp_servers.proofline]\ncommand = "mine"\n[mcp_servers.proofline.env]\nA = "1"\n']
  ])("given TOML with %s, refuses to replace what it cannot cut out", async (_, text) => {
    const dir = project({ ".codex/config.toml": text })
    expect((await call(dir, "codex", "--yes")).refused).toEqual(["entry_differs"])
    for (const more of [[], ["--remove"]]) {
      expect((await call(dir, "codex", "--yes", "--replace", ...more)).refused).toEqual(["client_file_unexpected"])
    }
    expect(treeOf(dir)).toEqual({ ".codex": "/", ".codex/config.toml": text })
  })

  it.each([
    ["an empty file", "", "client_file_invalid"],
    ["one that is nested for ever", "[".repeat(200_000), "client_file_invalid"],
    ["bytes that are no text", Buffer.from([0x7b, 0xff, 0x7d]), "file_not_utf8"]
  ])("given %s for JSON, refuses it", async (_, text, code) => {
    const dir = project({})
    writeFileSync(Path.join(dir, "opencode.json"), text)
    expect((await call(dir, "opencode", "--yes")).refused).toEqual([code])
    expect(readdirSync(dir)).toEqual(["opencode.json"])
  })

  it("given files that several clients read, leaves the lines in them until the last is taken away", async () => {
    const dir = project({ "AGENTS.md": "# Rules\n" })
    for (const client of ["codex", "opencode", "cursor"] as const) await install(dir, client)
    for (const client of ["codex", "cursor"] as const) {
      await remove(dir, client)
      expect(treeOf(dir)["AGENTS.md"]).toContain("get_next_action")
    }
    await remove(dir, "opencode")
    expect(treeOf(dir)).toEqual({ "AGENTS.md": "# Rules\n" })
  })

  it("given links, writes through to files in the project, leaves the links, and keeps permissions", async () => {
    const dir = project({ "config/AGENTS.md": "# Rules\n", "config/opencode.json": "{}\n" })
    symlinkSync("config/AGENTS.md", Path.join(dir, "AGENTS.md"))
    symlinkSync("AGENTS.md", Path.join(dir, "CLAUDE.md"))
    symlinkSync(Path.join(dir, "config/opencode.json"), Path.join(dir, "opencode.json"))
    chmodSync(Path.join(dir, "config/opencode.json"), 0o640)
    const before = treeOf(dir)
    await install(dir, "opencode")
    expect(JSON.parse(treeOf(dir)["config/opencode.json"] ?? "").mcp.proofline.type).toBe("local")
    expect(statSync(Path.join(dir, "config/opencode.json")).mode & 0o777).toBe(0o640)
    await install(dir, "claude")
    expect(treeOf(dir)["config/AGENTS.md"]?.match(/proofline:begin/g)).toHaveLength(1)
    await remove(dir, "claude")
    expect(treeOf(dir)["config/AGENTS.md"]).toContain("get_next_action")
    await remove(dir, "opencode")
    expect(treeOf(dir)).toEqual(before)
  })

  it.each(["a file outside", "a directory outside", "what is not there"])(
    "given a link to %s, refuses it and writes nothing",
    async (what) => {
      const outside = project({ "settings.json": "{}\n" })
      const dir = project({})
      if (what === "a directory outside") symlinkSync(outside, Path.join(dir, ".gemini"))
      else {
        mkdirSync(Path.join(dir, ".gemini"))
        symlinkSync(
          Path.join(outside, what === "a file outside" ? "settings.json" : "nothing"),
          Path.join(dir, ".gemini/settings.json")
        )
      }
      const { code, refused } = await call(dir, "gemini", "--yes")
      expect([code, refused]).toEqual([2, ["path_outside"]])
      expect(treeOf(outside)).toEqual({ "settings.json": "{}\n" })
      expect(existsSync(Path.join(dir, "GEMINI.md"))).toBe(false)
    }
  )

  it("given a second file that cannot be written, puts the first back", async () => {
    const text = '{ "mcpServers": {} }\n'
    const dir = project({ ".mcp.json": text, ".claude/settings.json": "{}\n" })
    chmodSync(Path.join(dir, ".claude"), 0o555)
    const before = treeOf(dir)
    const { code, stdout } = await finish(startBound(["mcp", "install", "claude", "--yes", "--json"], dir))
    chmodSync(Path.join(dir, ".claude"), 0o755)
    expect([code, JSON.parse(stdout).data.problems.map((one: { code: string }) => one.code)]).toEqual([
      1,
      ["file_unwritable"]
    ])
    expect(treeOf(dir)).toEqual(before)
  })

  it.skipIf(!hasTerminals)(
    "given a file that changes between the question and the answer, refuses and writes nothing",
    async () => {
      const dir = project({ "GEMINI.md": "# Rules\n" })
      const line = `'${process.execPath}' '${launcher}' mcp install gemini`
      const child = spawn("script", ["-qec", line, "/dev/null"], { cwd: dir, stdio: ["pipe", "pipe", "pipe"] })
      child.stdout.on("data", (chunk) => {
        if (!String(chunk).includes("[y/N]")) return
        writeFileSync(Path.join(dir, "GEMINI.md"), "# Other rules\n")
        child.stdin.write("y\n")
      })
      const { code, stdout } = await finish(child)
      expect([code, stdout]).toEqual([1, expect.stringContaining("GEMINI.md was changed meanwhile. [file_changed]")])
      expect(treeOf(dir)).toEqual({ "GEMINI.md": "# Other rules\n" })
    }
  )

  it.skipIf(!hasTerminals)("given a terminal, asks, and writes only when somebody agrees", async () => {
    for (const [answer, isWritten] of [
      ["n\n", false],
      ["\n", false],
      ["y\n", true]
    ] as const) {
      const dir = project({})
      const line = `'${process.execPath}' '${launcher}' mcp install gemini`
      const child = spawn("script", ["-qec", line, "/dev/null"], { cwd: dir, stdio: ["pipe", "pipe", "pipe"] })
      child.stdout.on("data", (chunk) => String(chunk).includes("[y/N]") && child.stdin.write(answer))
      const { code, stdout } = await finish(child)
      expect([code, stdout.includes("Write this?")]).toEqual([0, true])
      expect(stdout).toContain(isWritten ? "created .gemini/settings.json" : "Nothing was written.")
      expect(existsSync(Path.join(dir, "GEMINI.md"))).toBe(isWritten)
    }
  })

  it("given no such client, directory or flag, refuses and names what there is", async () => {
    const dir = project({})
    const unknown = await proofline(["mcp", "install", "emacs", "--yes"], dir)
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"claude".*"vscode".*\[usage_invalid_value\]/)
    })
    expect((await call(dir, "claude", "--cwd", "nowhere")).refused).toEqual(["directory_missing"])
    expect(readdirSync(dir)).toEqual([])
  })
})
