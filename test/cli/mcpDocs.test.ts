import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { operations } from "@proofline/plugins/operations"
import { Tool } from "effect/ai"
import { describe, expect, it, onTestFinished } from "vitest"
import { installed } from "../../packages/cli/src/clients/edit.ts"
import { type ClientFile, clientNames, clients } from "../../packages/cli/src/clients/table.ts"
import { commandLines, page, type Snippet, snippetFor, snippets, usualAddress } from "../clients/docs.ts"
import { type Agent, agentOf, caller } from "./mcpClient.ts"
import { finish, launcher, project } from "./proofline.ts"
import { serving } from "./serveClient.ts"
import { explored, files, newestLog, submit } from "./sessionStage.ts"

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** An environment in which `proofline` is the command of this checkout. */
const environment = (): Record<string, string> => {
  const command = join(project({}), "bin", "proofline")
  mkdirSync(dirname(command))
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`)
  chmodSync(command, 0o755)
  return { PATH: [dirname(command), process.env["PATH"]].join(delimiter) }
}

/** The little of TOML that the page shows: one table, whose values are JSON too. */
const tableOf = (text: string): Record<string, unknown> => {
  const [head, ...lines] = text.trim().split("\n")
  expect(head).toBe("[mcp_servers.proofline]")
  return Object.fromEntries(
    lines.map((line) => {
      const [, key = "", value = ""] = /^(\w+) = (.+)$/.exec(line) ?? []
      return [key, JSON.parse(value)]
    })
  )
}

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
const read = ({ language, text }: Snippet): any => (language === "toml" ? tableOf(text) : JSON.parse(text))

/** The entry of the server, wherever a client has it. */
// biome-ignore lint/suspicious/noExplicitAny: as above
const serverIn = (snippet: Snippet): any => {
  const document = read(snippet)
  const servers = document.mcpServers ?? document.servers ?? document.mcp
  return snippet.language === "toml" ? document : servers.proofline
}

const over = (transport: string) => snippets.filter((one) => one.transport === transport)

/** The command line that an entry names, in a project; what an editor puts in for its folder is put in. */
const commandOf = (server: { command: string | ReadonlyArray<string>; args?: ReadonlyArray<string> }, dir: string) =>
  [server.command, server.args ?? []]
    .flat()
    .map((word) => word.replaceAll(["$", "{workspaceFolder}"].join(""), dir)) as ReadonlyArray<string>

/** The official client over a command that is started as an entry says. */
const started = async (dir: string, [command = "", ...args]: ReadonlyArray<string>, cwd = dir): Promise<Agent> => {
  const agent = agentOf("Any Client", undefined)
  await agent.client.connect(new StdioClientTransport({ command, args, cwd, env: environment(), stderr: "pipe" }))
  onTestFinished(() => agent.client.close())
  return agent
}

const works = async (agent: Agent, dir: string): Promise<void> => {
  expect((await agent.call("get_next_action")).body).toMatchObject({ action: "submit_phase", phase: "EXPLORATION" })
  const types = (await newestLog(dir)).map(({ event_type }) => event_type)
  expect(types).toEqual(expect.arrayContaining(["SESSION_OPENED", "NEXT_ACTION_ISSUED"]))
}

describe("docs/mcp.md, over stdio", () => {
  it("shows commands that serve the project", async () => {
    const dir = project(files)
    const shown = over("stdio").map((snippet) => commandOf(serverIn(snippet), dir))
    expect(shown.length).toBeGreaterThanOrEqual(6)
    // most clients are told the same command
    for (const command of new Map(shown.map((one) => [one.join(" "), one])).values()) {
      await works(await started(dir, command), dir)
    }
  })

  it("shows commands that add the same command", () => {
    for (const client of ["claude", "codex", "gemini"]) {
      const [line, ...others] = commandLines(client)
      expect(line).toMatch(/ proofline (-- )?proofline mcp$/)
      expect(others).toEqual([])
    }
    // the same entry as in the file of VS Code
    const [line = ""] = commandLines("code")
    const { name, ...server } = JSON.parse(/^code --add-mcp '(.*)'$/.exec(line)?.[1] ?? "")
    const { type, ...shown } = JSON.parse(snippetFor(".vscode/mcp.json", "stdio")).servers.proofline
    expect({ name, server, type }).toEqual({ name: "proofline", server: shown, type: "stdio" })
  })
})

describe("docs/mcp.md, what mcp install writes", () => {
  it("is what it shows, word for word", () => {
    for (const name of clientNames) {
      for (const [index, { format, path }] of clients[name].files(["proofline"]).entries()) {
        const file = (start: ReadonlyArray<string>) => clients[name].files(start)[index] as ClientFile
        const written = installed(null, { file, start: ["proofline"], replace: false })
        const transport = path.endsWith("settings.json") && name === "claude" ? "" : "stdio"
        const place = format === "toml" ? `~/${path}` : path
        expect(written, `${name}, ${path}`).toBe(
          format === "markdown" ? snippetFor("AGENTS.md") : snippetFor(place, transport)
        )
        expect(page).toContain(path)
      }
      expect(page).toMatch(
        new RegExp(`^proofline mcp install claude .*\\b${name}\\b|^proofline mcp install ${name} `, "m")
      )
    }
  })
})

describe("docs/mcp.md, over HTTP", () => {
  it("shows addresses and headers that a server answers, and no other token", async () => {
    const dir = project(files)
    const token = "0123456789abcdef".repeat(4)
    const { url } = await serving(dir, [], { PROOFLINE_TOKEN: token })
    const shown = over("http")
    expect(shown.length).toBeGreaterThanOrEqual(6)
    for (const snippet of shown) {
      const server = serverIn(snippet)
      const header: string = server.headers?.Authorization ?? `Bearer \${${server.bearer_token_env_var}}`
      // the form in which each client puts in a variable or an input
      expect(header).toMatch(/^Bearer (\$PROOFLINE_TOKEN|\$?\{((env:)?PROOFLINE_TOKEN|input:proofline-token)\})$/)
      const connected = async (authorization: string): Promise<Agent> => {
        const agent = agentOf("Any Client", undefined)
        const address = new URL(server.url.replace(usualAddress, url))
        await agent.client.connect(
          new StreamableHTTPClientTransport(address, { requestInit: { headers: { authorization } } })
        )
        onTestFinished(() => agent.client.close())
        return agent
      }
      await works(await connected(header.replace(/\$.*|\{.*/, token)), dir)
      await expect(connected(header)).rejects.toThrow()
    }
  })

  it("shows for VS Code an input that it asks for", () => {
    const { inputs, servers } = JSON.parse(snippetFor(".vscode/mcp.json", "http"))
    expect(inputs).toMatchObject([{ type: "promptString", password: true }])
    expect(servers.proofline.headers.Authorization).toContain(`input:${inputs[0].id}`)
  })
})

describe("docs/mcp.md, editors that could not be run", () => {
  /** Fields that the documentation of both editors has for a server. */
  const known = {
    stdio: ["type", "command", "args", "env", "envFile", "cwd"],
    http: ["type", "url", "headers"]
  }

  it("shows of them only what is documented", () => {
    for (const [path, key] of [
      [".cursor/mcp.json", "mcpServers"],
      [".vscode/mcp.json", "servers"]
    ]) {
      for (const [transport, fields] of Object.entries(known)) {
        const [snippet] = over(transport).filter((one) => one.path === path)
        if (snippet === undefined) throw new Error(`${path} ${transport} is not shown`)
        expect(Object.keys(read(snippet)).filter((one) => one !== "inputs")).toEqual([key])
        expect(fields).toEqual(expect.arrayContaining(Object.keys(serverIn(snippet))))
      }
    }
  })

  it("names the versions with which the others were tried, as the tests' own page does", () => {
    const tried = Array.from(page.matchAll(/^\| \[([\w ]+)\]\(#.*\| ([^|]+) \|$/gm), ([, name, how]) => [name, how])
    const versions = /Last passed on \S+ with ([\s\S]*?)\. /.exec(
      readFileSync(at("test/clients/README.md"), "utf8")
    )?.[1]
    for (const [name = "", how = ""] of tried) {
      if (["Cursor", "VS Code"].includes(name)) expect([name, how]).toEqual([name, "not tried"])
      else expect(versions?.replace(/\s+/g, " ")).toContain(`${name.split(" ")[0]?.toLowerCase()} ${how}`)
    }
    expect(tried.length).toBe(6)
  })
})

describe("docs/mcp.md, the Stop hook", () => {
  it("shows settings whose command blocks while work is open", async () => {
    const dir = project(files)
    await submit(await caller(dir, "claude-code"), explored, "READY_PLAN")
    const { hooks, permissions } = JSON.parse(snippetFor(".claude/settings.json"))
    expect(permissions.allow).toEqual(["mcp__proofline"])
    const [command] = hooks.Stop[0].hooks
    expect(command).toMatchObject({ type: "command" })
    const child = spawn("sh", ["-c", command.command], { env: environment(), stdio: ["pipe", "pipe", "pipe"] })
    const finished = finish(child)
    child.stdin.end(JSON.stringify({ hook_event_name: "Stop", cwd: dir, stop_hook_active: false }))
    const { code, stderr, stdout } = await finished
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(JSON.parse(stdout)).toMatchObject({ decision: "block", reason: expect.stringContaining("READY_PLAN") })
  })

  it("tells of every code that it says", () => {
    const text = ["commands/hook", "sessions/sessionStanding"]
      .map((name) => readFileSync(at(`packages/cli/src/${name}.ts`), "utf8"))
      .join("\n")
    const codes = Array.from(text.matchAll(/code: "([a-z_]+)"|\[([a-z]+_[a-z_]+)\]\./g), ([, one, other]) => [
      one,
      other
    ])
    const said = codes.flat().filter((code) => code !== undefined)
    expect(said).toEqual(expect.arrayContaining(["log_locked", "hook_input_invalid", "work_unproven"]))
    for (const code of said) expect(page).toContain(`\`${code}\``)
  })
})

describe("docs/mcp.md, what is offered", () => {
  const rows = Array.from(
    page.matchAll(/^\| (`[^|]+`) \| `(core|standard|all)` \| ([^|]*)\|/gm),
    ([, tools = "", level, args = ""]) =>
      Array.from(tools.matchAll(/`([a-z_]+)`/g), ([, name = ""]) => ({
        name,
        level,
        // what the other page tells is not told twice
        args: args.includes("pull-mode.md#tools") ? null : Array.from(args.matchAll(/`(\w+\??)`/g), ([, one]) => one)
      }))
  ).flat()

  it("names every tool with the level from which it is shown", () => {
    const shown = rows.map(({ level, name }) => [name, level])
    expect(new Map(shown as never)).toEqual(new Map(operations.map(({ level, name }) => [name, level])))
  })

  it("tells the arguments of every tool that is not told elsewhere, and is reached from the other pages", () => {
    const pullMode = readFileSync(at("docs/pull-mode.md"), "utf8")
    for (const { args, name } of rows) {
      const operation = operations.find((one) => one.name === name)
      if (operation === undefined) throw new Error(`There is no tool ${name}.`)
      const { properties = {}, required = [] } = jsonSchemaOf(operation.args)
      const own = Object.keys(properties).filter((argument) => argument !== "session_token")
      if (args === null) expect(pullMode).toContain(`| \`${name}\` |`)
      else expect([name, args]).toEqual([name, own.map((one) => (required.includes(one) ? one : `${one}?`))])
    }
    expect(readFileSync(at("README.md"), "utf8")).toContain("(docs/mcp.md)")
    expect(pullMode).toContain("(mcp.md)")
  })
})

const jsonSchemaOf = (schema: unknown): { properties?: Record<string, unknown>; required?: ReadonlyArray<string> } =>
  JSON.parse(JSON.stringify(Tool.getJsonSchemaFromSchema(schema as never)))
