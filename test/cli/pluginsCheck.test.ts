import { cpSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { achieved, asked, each } from "./asked.ts"
import { finish, project, start, withSources } from "./proofline.ts"

/** A module of a project that knows the points of policies too. */
const module = (text: string): string =>
  withSources(`import { configurable, definePlugin, gates, passed, plugin, Run, Tasks } from "@proofline/kernel"
import { Evidence, evidenceKind, evidenceKinds } from "@proofline/plugins/policies/evidence"
import { phases, SessionRun } from "@proofline/plugins/policies/sessions"
import { Effect, Schema } from "effect"
${text}
`)

/** A plugin with this name and these parts, after these others. */
const pluginOf = (name: string, { after = "", before = "", parts = "" } = {}): string =>
  module(`${before}
const Own = plugin("${name}", { state: null, after: [${after}] })
export default definePlugin(Own, { version: "1", parts: [${parts}] })`)

const url = (name: string, more = ""): string =>
  pluginOf(name, {
    after: "Evidence",
    before: `const kind = evidenceKind({ scheme: "url", schema: Schema.Null, look: () => Effect.succeed(null), judge: () => ({ holds: true })${more} })`,
    parts: 'Own.offer(evidenceKinds, "kind", kind)'
  })
const offering = (name: string, point: string, offered: string): string =>
  pluginOf(name, {
    after: "Run, Tasks, SessionRun, Evidence",
    parts: `Own.offer(${point}, ${point}.places.at(-1), ${offered})`
  })

const frozen = module(`const Frozen = plugin("frozen", { state: null, after: [Run, Tasks] })
export default configurable(Schema.Struct({ prefix: Schema.String }), ({ prefix }) =>
  definePlugin(Frozen, { version: prefix }))`)

/** Everything that looks at a project before a run. */
const before = ["plugins check", "validate proofline.yaml", "run tasks.yaml --dry-run"]
const tasks = "tasks:\n  - id: a\n    name: A\n    instruction: Do it.\n"

interface Fault {
  /** As it stands in proofline.yaml. */
  readonly entry: string
  readonly text?: string
  readonly code: string
  readonly said: string
}

const unusable: ReadonlyArray<Fault> = [
  {
    entry: "./throws.mjs",
    text: 'throw new Error("no licence")\n',
    code: "plugin_unusable",
    said: "no licence (./throws.mjs:1)"
  },
  {
    entry: "./misspelt.mjs",
    text: module('export default definePlugin(plugin("misspelt", { state: null }), { version: "1", partz: [] })'),
    code: "plugin_unusable",
    said: "did you mean `parts`?"
  },
  { entry: "./missing.mjs", code: "plugin_unusable", said: "./missing.mjs" },
  {
    entry: "./judges.mjs",
    text: url("judges", ", juge: null"),
    code: "plugin_unusable",
    said: "evidenceKind() has no field `juge`: did you mean `judge`?"
  },
  {
    entry: "{ use: ./frozen.mjs, with: { prefix: 1 } }",
    text: frozen,
    code: "plugin_unusable",
    said: '`prefix` of `with` of the plugin "./frozen.mjs" must be text, not the number 1.'
  },
  {
    entry: "{ use: ./sound.mjs, with: { x: 1 } }",
    text: pluginOf("sound"),
    code: "plugin_unusable",
    said: "takes no options"
  },
  {
    entry: "./lonely.mjs",
    text: pluginOf("lonely", { after: 'plugin("friend", { state: null })' }),
    code: "plugin_conflict",
    said: "It comes after friend, which is not there."
  },
  {
    entry: "./one.mjs",
    text: pluginOf("one", { parts: 'Own.activity("analyzer-heuristic", { input: Schema.Null, run: () => null })' }),
    code: "plugin_conflict",
    said: "analyzer-heuristic"
  },
  {
    entry: "./nowhere.mjs",
    text: pluginOf("nowhere", {
      after: "Far, Run, Tasks",
      before: 'const Far = plugin("far", { state: null })',
      parts: 'Own.offer(Far.point()("list", { places: ["a"], fields: {} }), "a", {})'
    }),
    code: "plugin_conflict",
    said: "far"
  },
  {
    entry: "./other.mjs",
    text: pluginOf("evidence"),
    code: "plugin_conflict",
    said: "Two plugins have the name evidence."
  }
]

const offers: ReadonlyArray<Fault> = [
  { entry: "./first.mjs", text: url("first"), code: "", said: "" },
  {
    entry: "./second.mjs",
    text: url("second"),
    code: "plugin_conflict",
    said: "evidence.evidenceKinds: scheme url is claimed by two plugins: first and second."
  },
  {
    entry: "./gate.mjs",
    text: offering("gate", "gates", '{ name: "never", verdict: () => passed, wnats: () => null }'),
    code: "offer_invalid",
    said: 'offer "never" to tasks.gates has no field `wnats`: did you mean `wants`?'
  },
  {
    entry: "./phase.mjs",
    text: offering(
      "phase",
      "phases",
      '{ name: "LATE", phase: { instruction: "" }, enter: [], enters: [], failures: {}, validate: () => [] }'
    ),
    code: "offer_invalid",
    said: 'offer "LATE" to sessions.phases has no field `enter`: did you mean `enters`?'
  },
  {
    entry: "./bare.mjs",
    text: offering("bare", "evidenceKinds", '{ scheme: "ticket", schema: Schema.Null, judge: () => null }'),
    code: "offer_invalid",
    said: 'offer "ticket" to evidence.evidenceKinds needs `look` to be function, not undefined.'
  }
]

describe("a project whose plugins and analyzer cannot be used", () => {
  const filesOf = (faults: ReadonlyArray<Fault>) => ({
    "proofline.yaml": `plugins:\n${faults.map(({ entry }) => `  - ${entry}\n`).join("")}chunking:\n  analyzer: nope\nagent: claude\n`,
    "tasks.yaml": tasks,
    ...Object.fromEntries(
      faults.flatMap(({ entry, text }) => (text === undefined ? [] : [[/\w+\.mjs/.exec(entry)?.[0] ?? "", text]]))
    )
  })

  it.each([
    { command: "plugins check", faults: unusable, what: "every plugin" },
    ...before.map((command) => ({ command, faults: offers, what: "every offer" }))
  ])(
    "when asked by $command, then $what is refused with a code, its place and its names",
    async ({ command, faults }) => {
      const { code, data, stderr } = await asked(command.split(" "), project(filesOf(faults)))
      expect(code, stderr).toBe(2)
      expect(stderr).not.toMatch(/\n\s+at .*:\d+/)
      const problems: ReadonlyArray<{ readonly file: string; readonly line: number; readonly hint: string }> =
        data.problems
      for (const { file, hint } of problems)
        expect([file, hint]).toEqual(["proofline.yaml", expect.stringMatching(/./)])
      expect(problems.toSorted((one, other) => one.line - other.line)).toMatchObject([
        ...faults.flatMap(({ code, said }, i) =>
          said === "" ? [] : [{ line: i + 2, code, message: expect.stringContaining(said) }]
        ),
        { line: faults.length + 3, code: "analyzer_unknown", hint: expect.stringContaining("auto, heuristic, agent") }
      ])
    }
  )
})

describe("options of a plugin that do not fit", () => {
  const choosy = module(`const Choosy = plugin("choosy", { state: null, after: [Run, Tasks] })
const Options = Schema.Struct({
  mode: Schema.Literals(["fast", "slow"]),
  people: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })),
  folders: Schema.Array(Schema.String),
  from: Schema.optionalKey(Schema.Date),
  to: Schema.String.check(Schema.makeFilter((to) => (to === "x" ? undefined : "it must be\\nx.")))
})
export default configurable(Options, () => definePlugin(Choosy, { version: "1" }))`)

  it.each(before)(
    "when asked by %s, are told as other settings are: each where it stands, and what to do",
    async (command) => {
      const options =
        "mode: fsat\n      people: 4\n      folders: [vendor, 3]\n      foldrs: []\n      to: y\n      from: soon"
      const dir = project({
        "proofline.yaml": `agent: claude\nplugins:\n  - use: ./choosy.mjs\n    with:\n      ${options}\n`,
        "choosy.mjs": choosy,
        "tasks.yaml": tasks
      })
      const { data, refused } = await asked(command.split(" "), dir)
      expect(new Set(refused)).toEqual(new Set(["plugin_unusable"]))
      const of = '`with` of the plugin "./choosy.mjs"'
      expect(data.problems).toMatchObject([
        {
          line: 5,
          column: 13,
          message: `\`mode\` of ${of} cannot be "fsat".`,
          hint: expect.stringContaining("`fast`?")
        },
        {
          line: 6,
          column: 15,
          message: `\`people\` of ${of} cannot be the number 4: expected a value between 1 and 3.`
        },
        { line: 7, column: 25, message: `Item 2 of \`folders\` of ${of} must be text, not the number 3.` },
        { line: 8, column: 7, message: `The key "foldrs" is not known in ${of}.`, hint: "Did you mean `folders`?" },
        { line: 9, column: 11, message: `\`to\` of ${of} cannot be the text "y": it must be x.` },
        { line: 10, column: 13, message: `\`from\` of ${of} cannot be the text "soon": expected a valid Date.` }
      ])
    }
  )

  it("when none are given, says at the plugin which it needs", async () => {
    const dir = project({ "proofline.yaml": "plugins: [./choosy.mjs]\n", "choosy.mjs": choosy })
    const { data } = await asked(["plugins", "check"], dir)
    expect(data.problems[0]).toMatchObject({
      ...{ file: "proofline.yaml", line: 1, column: 11 },
      message: '`with` of the plugin "./choosy.mjs" has no `mode`.',
      hint: "Add `mode:` with `fast` or `slow`."
    })
    expect(data.problems).toHaveLength(4)
  })
})

describe("a project whose plugins can be used", () => {
  it("has every plugin of a run named, with its version and the options that it was given", async () => {
    const dir = project({
      "proofline.yaml": "plugins:\n  - ./a.mjs\n  - use: ./frozen.mjs\n    with: { prefix: release }\n",
      "a.mjs": pluginOf("a"),
      "frozen.mjs": frozen
    })
    const { plugins } = (await achieved(["plugins", "check"], dir)).data
    expect(each(plugins, "name")).toEqual(
      expect.arrayContaining(["run", "tasks", "chunking", "execution", "evidence", "sessions", "requirements"])
    )
    expect(plugins.slice(-2)).toEqual([
      { name: "a", version: "1" },
      { name: "frozen", version: "release" }
    ])
  })

  const phase = (from: string, more = "") =>
    offering(
      "late",
      "phases",
      `{ name: "LATE", phase: { instruction: "Say more.", transitions: [{ to: "DONE" }]${more} }, enters: [{ from: "${from}" }], failures: {}, validate: () => [] }`
    )
  const contract = `extends: none
start: QUALITY
phases:
  QUALITY: { kind: submit, instruction: Look., next: DONE }
  DONE: { kind: end }
`
  const inContract = (text: string) => ({ ".proofline/phase_contract.yml": text })
  const place = { file: "proofline.yaml", line: 2, column: 5 }

  it("and one of them a phase, is told whether that fits the contract of the project", async () => {
    for (const [what, late, more, problems] of [
      [
        "leads nowhere",
        phase("QUALITY"),
        {},
        [
          {
            ...place,
            code: "plugin_phase_unreachable",
            message: expect.stringMatching(/No way leads into the phase "LATE" of a plugin.*has no phase "QUALITY"/)
          }
        ]
      ],
      [
        "has a field that nobody knows",
        phase("READY_COMPLETE", ', not_emty: ["a"]'),
        {},
        [{ file: "late.mjs", code: "offer_invalid", message: expect.stringMatching(/plugin late \(LATE\).*not_emty/) }]
      ],
      [
        "leads to what is no phase",
        phase("READY_COMPLETE", ', also: ["NOWHERE"]'),
        {},
        [
          {
            file: "late.mjs",
            code: "contract_invalid",
            message: expect.stringMatching(/LATE takes payloads of NOWHERE/)
          }
        ]
      ],
      ["fits the contract of the project", phase("QUALITY"), inContract(contract), []],
      [
        "cannot be looked at, because the contract cannot be read",
        phase("QUALITY"),
        inContract(contract.replace("kind: end", "kind: ende")),
        [{ file: ".proofline/phase_contract.yml", line: 5 }]
      ]
    ] as const) {
      const dir = project({ "proofline.yaml": "plugins:\n  - ./late.mjs\n", "late.mjs": late, ...more })
      const { code, data } = await asked(["plugins", "check"], dir)
      expect([code, data.problems], what).toMatchObject([problems.length === 0 ? 0 : 2, problems])
    }
  })
})

describe("a plugin that never comes to its end while it is loaded", () => {
  it.each([
    ["waits for what never comes", "await new Promise(() => {})\nexport default null\n"],
    ["ends the process", "process.exit(0)\n"]
  ])("is told by every command that loads it, when it %s", async (_, text) => {
    const dir = project({
      "tasks.yaml": tasks,
      "proofline.yaml": "agents: { a: { command: 'true' } }\nagent: a\nplugins: [./stuck.mjs]\n",
      "stuck.mjs": text
    })
    for (const command of [...before, "run tasks.yaml", "serve --port 0"]) {
      const { code, stderr, stdout } = await finish(start(command.split(" "), dir))
      expect([code, stdout], command).toEqual([2, ""])
      expect(stderr, command).toMatch(
        /^error: proofline.yaml:3:.* The plugin "\.\/stuck\.mjs" is not used: the process ended.* \[plugin_unusable\]/m
      )
    }
  })
})

describe("a plugin of which the load never ends, while something keeps the process at work", () => {
  it("is refused after a while, with its name and place, in a document too", async () => {
    const dir = project({
      "proofline.yaml": "plugins: [./busy.mjs]\n",
      "busy.mjs": "setInterval(() => {}, 1000)\nawait new Promise(() => {})\nexport default null\n"
    })
    const { code, stdout } = await finish(start(["plugins", "check", "--json"], dir))
    expect(code).toBe(2)
    expect(JSON.parse(stdout).data.problems).toMatchObject([
      {
        ...{ code: "plugin_unusable", file: "proofline.yaml", line: 1, column: 11 },
        message: 'The plugin "./busy.mjs" is not used: it was not loaded within 10 s.'
      }
    ])
  })
})

describe("a plugin that imports another copy of effect than the kernel of the project", () => {
  it("is refused by that, and not by options which are there", async () => {
    const effect = new URL("..", import.meta.resolve("effect"))
    const dir = project({
      "proofline.yaml": "plugins: [{ use: ./frozen.mjs, with: { prefix: a } }]\n",
      "frozen.mjs": frozen.replace(import.meta.resolve("effect"), "effect")
    })
    cpSync(effect, Path.join(dir, "node_modules/effect"), {
      recursive: true,
      filter: (file) => !/\.map$|\.d\.ts$|effect\/src$/.test(file)
    })
    const { code, data } = await asked(["plugins", "check"], dir)
    expect(code).toBe(2)
    expect(data.problems).toMatchObject([
      {
        message: expect.stringContaining("`options` is a schema of another copy of effect"),
        hint: expect.stringContaining("npm dedupe")
      }
    ])
  })
})

describe("given a plugin that is named without ./", () => {
  it("when a file is called so, then it says to write ./ before it", async () => {
    const dir = project({ "proofline.yaml": "plugins: [own.js, gone.js]\n", "own.js": pluginOf("own") })
    const { code, data } = await asked(["plugins", "check"], dir)
    expect(code).toBe(2)
    expect(each(data.problems, "hint")).toEqual([
      "There is a file of that name: write ./own.js.",
      expect.stringContaining("install the package")
    ])
  })
})
