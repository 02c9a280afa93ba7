import { createHmac } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { it as effectIt } from "@effect/vitest"
import { type Composition, genesisHash, type Recorded, seal, toNdjson } from "@proofline/kernel"
import { Arbitrary, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { projectPaths } from "../../packages/cli/src/base/paths.ts"
import { makePseudonyms } from "../../packages/cli/src/moving/redaction/pseudonyms.ts"
import { addNames, makeRedaction } from "../../packages/cli/src/moving/redaction/redactRun.ts"
import { makeWording } from "../../packages/cli/src/moving/redaction/wording.ts"
import { compositionOf } from "../../packages/cli/src/project/compose.ts"
import { randomHistory } from "../kernel/support/histories.ts"
import { forSeeds, type Random } from "../kernel/support/random.ts"
import { digest, recordedOf, replayOf } from "../kernel/support/recorded.ts"
import { often } from "../often.ts"
import { scriptedAgent } from "./agent.ts"
import { achieved, asked } from "./asked.ts"
import { begun } from "./logStage.ts"
import { proofline, repository } from "./proofline.ts"

const key = new Uint8Array(Buffer.alloc(32, 7))

const goldens = fileURLToPath(new URL("../golden", import.meta.url))
/** All plugins of a project that names none. */
const { composition } = await Effect.runPromise(compositionOf(projectPaths("/"), []))

const redacted = (of: Composition, events: ReadonlyArray<Recorded>) => {
  const named = new Set<string>()
  for (const event of events) addNames(named, event)
  const runs = [...new Set(events.map(({ stream }) => stream))]
  return makeRedaction(of, digest, key, { named, published: new Set(), runs })(events)
}

/** Words that no text of ours holds, in forms that rules look into. */
const makeSecrets = () => {
  const all: Array<string> = []
  const word = (): string => {
    const secret = `zq${createHmac("sha256", "test").update(String(all.length)).digest("hex").slice(0, 10)}`
    all.push(secret)
    return secret
  }
  const forms: ReadonlyArray<() => string> = [
    word,
    () => `Write ${word()} into src/${word()}.ts, as ${word()} says.`,
    () => `${word()}/${word()}.py:3-9`,
    () => `file:${word()}.txt`,
    () => `${word()}-sub-2`,
    () => `${word()}.1`,
    () => `/home/${word()}/${word()}`,
    () => `https://${word()}.example/${word()}?a=${word()}`,
    () => `${word()}@${word()}.example`
  ]
  return { all, next: (i: number) => (forms[i % forms.length] as () => string)() }
}

describe("given any event of any type, with secrets in the place of every text", () => {
  effectIt.effect("when it is worded with pseudonyms, then none of them is left, not even as a key", () =>
    Effect.gen(function* () {
      const { all, next } = makeSecrets()
      let planted = 0
      const plant = (value: unknown): unknown => {
        if (typeof value === "string") return next(planted++)
        if (Array.isArray(value)) return value.map(plant)
        if (typeof value !== "object" || value === null) return value
        return Object.fromEntries([
          ...Object.entries(value).map(([name, one]) => [name, plant(one)]),
          [next(planted++), { [next(planted++)]: [next(planted++)] }]
        ])
      }
      const wording = makeWording(composition, makePseudonyms(key, new Set()), new Set(), new Set())
      for (const [type, { event }] of composition.events) {
        const samples = Arbitrary.schema(event.options.schema as never)
        for (const sample of yield* Arbitrary.sampleEffect(samples, { count: often(20), seed: 1 })) {
          const told = JSON.stringify(wording.event({ type, content: plant(sample) as never }))
          for (const secret of all.splice(0)) expect(told.includes(secret), `${type}: ${secret}`).toBe(false)
        }
      }
      expect(planted).toBeGreaterThan(1_000)
    })
  )
})

describe("given any run of tasks, whatever was sent in whatever order", () => {
  it("when it is redacted, then it keeps its shape, no text of it is left, and it replays without a divergence", () => {
    forSeeds(often(1_000), (random: Random, seed) => {
      const history = randomHistory(random, {
        wild: seed % 2 === 0,
        cannot: seed % 3 === 0,
        commands: 40,
        itemOf: (work: string) => digest.uuid5(`run_1/${work}`)
      })
      const batches = history.taken.map(({ step }) => step.events).filter((batch) => batch.length > 0)
      const events = recordedOf(history.composition, batches)
      const told = redacted(history.composition, events)
      expect(told.departs, `seed ${seed}`).toEqual([])
      const { divergence } = replayOf(history.composition, told.events)
      expect(divergence, `seed ${seed}`).toBeNull()
      const shape = ({ event_type, timestamp, version, visibility }: Recorded) => [
        event_type,
        timestamp,
        version,
        visibility
      ]
      expect(told.events.map(shape)).toEqual(events.map(shape))
    })
  })

  it("when those of earlier versions are redacted, then they replay as far as it is said", () => {
    for (const version of readdirSync(goldens).filter((name) => /^\d/.test(name))) {
      for (const file of readdirSync(Path.join(goldens, version))) {
        if (!file.endsWith(".ndjson") || file.startsWith("every-type")) continue
        const lines = readFileSync(Path.join(goldens, version, file), "utf8")
          .trim()
          .split("\n")
        const told = redacted(
          composition,
          lines.map((line) => JSON.parse(line))
        )
        const { divergence } = replayOf(composition, told.events)
        // the words of a phase contract are what its rules are made of
        if (file.startsWith("session")) expect(told.departs).toContain(divergence?.version)
        else expect([told.departs, divergence], `${version}/${file}`).toEqual([[], null])
      }
    }
  })
})

const secrets = {
  task: "swordfish",
  title: "Kestrel ledger",
  item: "The marmalade total is right",
  file: "oyster.txt",
  word: "xylophone",
  agent: "capybara"
}

/** A run whose every text is one of the secrets. */
const secretRun = async () => {
  const { agent, file, item, task, title, word } = secrets
  const report = { summary: `${word} done`, checklist: [{ item, status: "done", evidence: `${file}:1` }] }
  const dir = repository({
    "tasks.yaml": JSON.stringify({
      name: `${word} run`,
      tasks: [
        {
          id: task,
          name: title,
          instruction: `Write ${file}: ${word}.`,
          checks: [`grep -q ${word} ${file}`],
          checklist: [item]
        }
      ]
    }),
    "proofline.yaml": `agents: { ${agent}: { command: "node agent.mjs" } }\n`,
    ...scriptedAgent({
      [task]: [
        { prints: word, files: { [file]: "other\n" }, report },
        { prints: word, files: { [file]: `${word}\n` }, report, stderr: word }
      ]
    })
  })
  const { data } = await achieved(["run", "tasks.yaml", "--agent", agent, "--retry-delay", "0s"], dir)
  return { dir, run: data.run_id as string }
}

describe("given a run of a project", () => {
  it("when it is exported redacted, then it folds and replays elsewhere, holds no text of it, and is no proof anywhere", async () => {
    const { dir, run } = await secretRun()
    const file = Path.join(dir, "redacted.ndjson")
    const { data } = await achieved(["events", "export", run, "--redact", "--out", file], dir)
    expect(data).toMatchObject({ redacted: true, key_file: `${file}.key`, blobs: 1, blobs_missing: [] })
    expect(statSync(`${file}.key`).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, "utf8")
    const inside = text.split("\n").flatMap((line) => {
      const { base64 } = line === "" ? {} : JSON.parse(line)
      return base64 === undefined ? [] : Buffer.from(base64, "base64").toString()
    })
    for (const secret of [...Object.values(secrets), dir, run, "marmalade", "Kestrel"]) {
      expect(text + inside.join(), secret).not.toContain(secret)
    }
    expect(await proofline(["replay", file, "--assert", "--cwd", "/"], dir)).toEqual({
      code: 0,
      stdout: "",
      stderr: ""
    })

    const { completed, dir: other } = await begun()
    await achieved(["events", "import", file], other)
    const [told] = data.runs
    for (const command of ["verify", ["receipts", "export"]].map((words) => [words].flat())) {
      const refused = await proofline([...command, told.run_id], other)
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("[run_redacted]")])
    }
    expect((await asked(["resume", told.run_id], other)).refused).toEqual(["run_redacted"])
    expect((await achieved(["replay", told.run_id], other)).data).toMatchObject({
      status: "completed",
      divergence: null
    })
    const rows = (await achieved(["history"], other)).data.runs
    const row = rows.find(({ run_id }: { run_id: string }) => run_id === told.run_id)
    expect(row).toMatchObject({ redacted: true, status: "completed", verdict: "unproven" })
    expect(rows.find(({ run_id }: { run_id: string }) => run_id === completed)).toMatchObject({ verdict: "proven" })
    const line = (await proofline(["history"], other)).stdout.split("\n").find((one) => one.includes(told.run_id))
    expect(line).toContain("redacted: it shows nothing")
    expect(line).not.toContain("proven")
    const { left_out, total } = (await achieved(["stats"], other)).data
    expect([total.runs, left_out]).toMatchObject([rows.length - 1, [{ run_id: told.run_id, code: "run_redacted" }]])
    expect((await asked(["show", told.run_id], other)).data.verdict).toBe("unproven")
  })

  it("when somebody has the original and the key, then both are compared event by event, and one event can be opened", async () => {
    const { dir, run } = await secretRun()
    const file = Path.join(dir, "redacted.ndjson")
    const { data } = await achieved(["events", "export", run, "--redact", "--out", file, "--key", "my.key"], dir)
    const [{ run_id }] = data.runs
    const again = Path.join(dir, "again.ndjson")
    await achieved(["events", "export", run, "--redact", "--out", again, "--key", "my.key"], dir)
    const body = (name: string) => readFileSync(name, "utf8").split("\n").slice(1).join("\n")
    expect(body(again)).toBe(body(file))
    expect((await achieved(["verify", file], dir)).data.runs[0].redacted).toEqual({
      original: null,
      commitments_differ_at: null,
      events_differ_at: null
    })
    const compared = async (...more: ReadonlyArray<string>) =>
      asked(["verify", file, "--redaction-key", "my.key", ...more], dir)
    expect(await compared()).toMatchObject({
      code: 0,
      data: { runs: [{ run_id, redacted: { original: run, commitments_differ_at: null, events_differ_at: null } }] }
    })

    // what docs/log.md says: an event and its opening are enough for an outsider
    const originals: ReadonlyArray<Recorded> = (await proofline(["events", run], dir)).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const lines = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const { commitments } = lines[1].content.redacted
    const { events } = JSON.parse(
      Buffer.from(lines.find(({ blob }) => blob === commitments.sha256).base64, "base64").toString()
    )
    const secret = Buffer.from(readFileSync(Path.join(dir, "my.key"), "utf8").trim(), "hex")
    const hmac = (by: Buffer, text: string) => createHmac("sha256", by).update(text).digest("hex")
    for (const { hash, version } of originals) {
      const opening = hmac(secret, `proofline/opening/${run_id}/${version}`)
      expect(hmac(Buffer.from(opening, "hex"), hash)).toBe(events[version - 1].commitment)
      // a hash alone says nothing to who does not have it
      expect(readFileSync(file, "utf8")).not.toContain(hash)
    }

    // one that was changed afterwards, by somebody who knows how the chain is made
    const changed = lines.slice(1).filter((line) => "event_type" in line)
    const at = changed.findIndex(({ event_type }) => event_type === "TASK_COMPLETED")
    changed[at].content.proven = 7
    let prev_hash = genesisHash
    const sealed = changed.map((event) => {
      const one = seal(event, { ...event, prev_hash }, digest.sha256)
      prev_hash = one.hash
      return one
    })
    const header = { ...lines[0], runs: [{ ...lines[0].runs[0], hash: prev_hash }] }
    const rest = lines.slice(1 + changed.length)
    writeFileSync(
      file,
      [header, ...rest]
        .map((line) => `${JSON.stringify(line)}\n`)
        .toSpliced(1, 0, ...sealed.map(toNdjson))
        .join("")
    )
    expect(await compared()).toMatchObject({
      code: 5,
      data: { runs: [{ redacted: { original: run, commitments_differ_at: null, events_differ_at: at + 1 } }] }
    })
    // another key, and a log that does not have it
    expect((await asked(["events", "export", "--out", "x", "--key", "my.key"], dir)).refused).toEqual([
      "redaction_key_unused"
    ])
    writeFileSync(Path.join(dir, "other.key"), "12\n")
    expect((await asked(["verify", file, "--redaction-key", "other.key"], dir)).refused).toEqual([
      "redaction_key_unusable"
    ])
    writeFileSync(Path.join(dir, "other.key"), `${"ab".repeat(32)}\n`)
    expect((await asked(["verify", file, "--redaction-key", "other.key"], dir)).refused).toEqual(["original_unknown"])
    expect(existsSync(Path.join(dir, "x"))).toBe(false)
  })
})
