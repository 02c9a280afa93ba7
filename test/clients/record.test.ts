import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { finish, startIn } from "../cli/proofline.ts"
import { settings } from "./clients.ts"
import { recordings } from "./replaying.ts"
import { bin, folder, reporting, scene, TASKS } from "./scene.ts"
import { ways } from "./ways.ts"

const LIMIT_MS = 180_000
const recorder = fileURLToPath(new URL("recorder.ts", import.meta.url))
const repository = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "")

interface Recorded {
  /** The folder of its recordings. */
  readonly name: string
  readonly client: PresetName
  readonly program: string
  readonly env: Readonly<Record<string, string>>
  /** How it is talked with; null: it is not, it gets its prompt. */
  readonly acp: string | null
}

const all: ReadonlyArray<Recorded> = [
  ...(Object.keys(settings) as ReadonlyArray<PresetName>).map((client) => ({
    name: client,
    client,
    program: client,
    env: {},
    acp: null
  })),
  ...ways.map(({ acp, client, env, program }) => ({ name: `acp-${client}`, client, program, env, acp }))
]

/** What is random, secret or of this machine alone gets a name; the same one has the same name. */
const anonymous = (text: string, names: ReadonlyArray<readonly [string, string]>): string => {
  const known = names.reduce((all, [found, name]) => (found === "" ? all : all.replaceAll(found, name)), text)
  const seen = new Map<string, string>()
  return known
    .replaceAll(new RegExp(`\\b${hostname()}\\b`, "g"), "{host}")
    .replace(/att_[\w-]+/g, "{token}")
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (id) => {
      const name = seen.get(id) ?? `id-${seen.size + 1}`
      seen.set(id, name)
      return name
    })
}

describe.skipIf(process.env["PROOFLINE_TEST_RECORD"] === undefined || folder === undefined)("recordings", () => {
  for (const { acp, client, env: more, name, program } of all) {
    it.live.skipIf(!existsSync(join(bin, program)))(
      `of ${name} are made anew`,
      () =>
        Effect.gen(function* () {
          const { env, model, place, root } = yield* scene(client, reporting, undefined, more)
          const [raw, shims] = [join(place, "recorded"), join(place, "shims")]
          mkdirSync(shims)
          const shim = join(shims, program)
          const words = [process.execPath, recorder, raw, acp === null ? "prompt" : "talks", join(bin, program)]
          writeFileSync(shim, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`)
          chmodSync(shim, 0o755)
          mkdirSync(join(root, "src"))
          writeFileSync(join(root, "tasks.yaml"), TASKS)
          const agent = acp === null ? { preset: client, model: settings[client].model } : { acp }
          writeFileSync(
            join(root, "proofline.yaml"),
            JSON.stringify({ agent: "recorded", reviewer: "recorded", agents: { recorded: agent } })
          )
          const path = [shims, env["PATH"]].join(delimiter)
          const { code, stderr, stdout } = yield* Effect.promise(() =>
            finish(startIn(root, { ...env, PATH: path }, ["run", "tasks.yaml"]))
          )
          assert.strictEqual(code, 0, `${stdout}${stderr}`)
          const names = [
            [root, "{root}"],
            // a path below the root of the file system
            [root.slice(1), "{root}"],
            [place, "{place}"],
            [model.url, "http://127.0.0.1:1"],
            [bin, "{bin}"],
            [dirname(bin), "{clients}"],
            [repository, "{proofline}"],
            [process.execPath, "{node}"],
            [dirname(process.execPath), "{path}"]
          ] as const
          const to = join(recordings, name)
          rmSync(to, { recursive: true, force: true })
          mkdirSync(to, { recursive: true })
          for (const file of readdirSync(raw)) {
            writeFileSync(join(to, file), anonymous(readFileSync(join(raw, file), "utf8"), names))
          }
        }).pipe(Effect.scoped),
      LIMIT_MS
    )
  }
})
