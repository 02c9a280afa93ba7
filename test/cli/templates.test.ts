import { spawnSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { WeakReason } from "@proofline/kernel"
import { placeholders } from "@proofline/plugins/policies/evidence"
import {
  failureSentences,
  instructionTexts,
  type PhaseContract,
  type SessionRunSetup
} from "@proofline/plugins/policies/sessions"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { readTemplate, stateDiagram, statesPage } from "../../packages/cli/states.ts"
import { compilePayload } from "../../packages/plugins/src/operations/payload.ts"
import { currentMessages, messages } from "../../packages/plugins/src/policies/evidence/rejections.ts"
import { isEnd, transitionOf } from "../../packages/plugins/src/policies/sessions/rules/phase.ts"
import { git } from "../plugins/repositories.ts"
import { project, repository } from "./proofline.ts"

const names = ["default", "full"] as const
const languages = ["en", "ja"] as const

const contractOf = (name: (typeof names)[number], lang: (typeof languages)[number] = "en"): PhaseContract => {
  const { merged, problems, warnings } = readTemplate(name, lang)
  expect([...problems, ...warnings]).toEqual([])
  if (merged === null) throw new Error("It has no contract.")
  return merged
}

const phasesOf = (contract: PhaseContract) => Object.entries(contract.phases)

const braces = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()

/** A contract without what is said to people and agents. */
const dataOf = (contract: PhaseContract) => ({
  ...contract,
  phases: Object.fromEntries(phasesOf(contract).map(([name, phase]) => [name, { ...phase, instruction: "" }])),
  flags: Object.keys(contract.flags),
  failures: Object.fromEntries(
    Object.entries(contract.failures).map(([phase, texts]) => [
      phase,
      Object.entries(texts).map(([key, { error, message }]) => ({ key, error, braces: braces(message) }))
    ])
  ),
  // in English they are built in
  instructions: {}
})

/** What is said to people and agents. */
const textsOf = (contract: PhaseContract): ReadonlyArray<string> => [
  ...phasesOf(contract).map(([, { instruction }]) => instruction),
  ...Object.values(contract.flags),
  ...Object.values(contract.failures).flatMap((texts) => Object.values(texts).map(({ message }) => message)),
  ...Object.values(contract.instructions ?? {})
]

it("given the template of proofline.yaml, then it names every reason that can be accepted", () => {
  const text = readFileSync(new URL("../../packages/cli/templates/proofline.yaml", import.meta.url), "utf8")
  for (const reason of WeakReason.literals) expect(text).toMatch(new RegExp(`\\b${reason}\\b`))
})

describe.each(names)("the built-in phase contract %s", (name) => {
  const [en, ja] = languages.map((lang) => contractOf(name, lang)) as [PhaseContract, PhaseContract]

  it("is valid, and the same in both languages but for its texts", () => {
    expect([en.name, dataOf(ja)]).toEqual([name, dataOf(en)])
    for (const text of textsOf(ja)) expect(text).toMatch(/[぀-ヿ]/)
    for (const text of textsOf(en)) expect(text).not.toMatch(/[^ -~\n]/)
  })

  it("says of evidence what a run says without a contract", () => {
    for (const [key, message] of Object.entries({ ...messages, ...currentMessages }))
      expect(en.failures["READY"]?.[key]).toEqual({ error: "payload_mismatch", message })
    for (const [key, fields] of Object.entries(placeholders)) {
      const said = new Set(braces(ja.failures["READY"]?.[key]?.message ?? ""))
      expect([...said]).toEqual(fields.map((field) => `{${field}}`).toSorted())
    }
  })

  it("has a sentence for every failure of a payload", () => {
    const said = Object.values(en.failures).flatMap((texts) => Object.keys(texts))
    expect(said).toEqual(expect.arrayContaining(Object.keys(failureSentences)))
  })

  it("has what agents are told beside its phases in Japanese, and in English as it is built in", () => {
    expect(en.instructions).toBe(undefined)
    const bracesOf = (texts: Readonly<Record<string, string>> = {}) =>
      Object.entries(texts).map(([key, text]) => [key, braces(text)])
    expect(bracesOf(ja.instructions)).toEqual(bracesOf(instructionTexts))
  })

  it("tells in every phase how to go on, with an example that is accepted", () => {
    const tool = {
      tasks: "complete_task(task_id, data=",
      person: "get_next_action",
      end: "report_completed(",
      stop: "report_completed("
    }
    for (const [name, { expected_payload, instruction, kind }] of [...phasesOf(en), ...phasesOf(ja)]) {
      // an answer that holds it stays small
      expect(instruction.length, name).toBeLessThan(2_000)
      expect(instruction, name).toContain(kind in tool ? tool[kind as keyof typeof tool] : "submit_phase(data=")
      const compiled = Result.getOrThrow(compilePayload(expected_payload))
      const fields = compiled.fields.map(({ name }) => name)
      const examples = examplesIn(instruction).filter((example) =>
        Object.keys(example).every((key) => fields.includes(key))
      )
      if (!(kind in tool)) expect(examples, name).not.toEqual([])
      for (const example of examples)
        expect(compiled.check(example), name).toMatchObject({ failures: [], unexpected: [] })
    }
  })

  it("asks for plans and reports as they have always been asked for, and for nothing that the server finds out itself", () => {
    expect(en.phases["READY_PLAN"]?.expected_payload).toEqual({
      tasks: "list[{id, description, status, checklist: list[{item, status}]}]"
    })
    expect(en.phases["READY_IMPL"]?.expected_payload).toEqual({
      task_id: "str",
      checklist: "list[{item, status, evidence?, reason?}]"
    })
    const asked = JSON.stringify(phasesOf(en).map(([, { expected_payload }]) => expected_payload))
    expect(asked).not.toMatch(/failure_count|revert_reason|passed|failed_tasks|verifier_used/)
  })

  it("has no dead end and no phase that is never entered, whatever is set", () => {
    const ends = phasesOf(en).flatMap(([phase, { kind }]) => (isEnd({ kind }) ? [phase] : []))
    const entered = new Set<string>()
    for (const setup of setupsOf(en)) {
      const ways = waysOf(setup)
      for (const phase of ways.keys()) {
        entered.add(phase)
        const reached = walkable(ways, phase)
        if (!ends.some((end) => reached.has(end)))
          throw new Error(`${phase} never ends: ${setup.flags} ${setup.intent}`)
      }
    }
    expect([...entered].toSorted()).toEqual(["", ...Object.keys(en.phases)].toSorted())
  })
})

/** The payloads of the calls in an instruction. */
const examplesIn = (instruction: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.from(instruction.matchAll(/submit_phase\(data=(\{.*\})\)/g)).flatMap(([, json = ""]) => {
    try {
      return [JSON.parse(json)]
    } catch {
      return []
    }
  })

/** Every choice of the elements of a list. */
const subsets = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.reduce<ReadonlyArray<ReadonlyArray<A>>>((some, one) => some.flatMap((chosen) => [chosen, [...chosen, one]]), [[]])

const product = (
  fields: Readonly<Record<string, ReadonlyArray<unknown>>>
): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Object.entries(fields).reduce<ReadonlyArray<Readonly<Record<string, unknown>>>>(
    (all, [field, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [field]: value }))),
    [{}]
  )

/** What may be handed in for a field, as far as a condition can tell it apart. */
const valuesOf = (notation: string): ReadonlyArray<unknown> => {
  if (notation === "bool") return [true, false]
  if (notation.startsWith("list[")) return [[], ["x"]]
  return /^\w+(\|\w+)+$/.test(notation) ? notation.split("|") : ["x"]
}

const setupsOf = (contract: PhaseContract): ReadonlyArray<SessionRunSetup> =>
  subsets(Object.keys(contract.flags)).flatMap((flags) =>
    (contract.intents.length === 0 ? [""] : contract.intents).flatMap((intent) =>
      (["auto", "full"] as const).map((gate) => ({ contract, flags, intent, gate, verifiers: [], planning_guide: "" }))
    )
  )

/** Where each phase may lead to in a setup, whatever is handed in, however commands end, whatever was counted. */
const waysOf = (setup: SessionRunSetup): ReadonlyMap<string, ReadonlySet<string>> => {
  const { limits, phases, start } = setup.contract
  const counts = subsets(Object.keys(limits)).map((reached) =>
    Object.fromEntries(reached.map((name) => [name, limits[name] ?? 0]))
  )
  const ways = new Map<string, Set<string>>()
  const walk = (name: string, fields: Readonly<Record<string, string>>, transitions: typeof start, kind: string) => {
    if (ways.has(name)) return
    const leads = new Set<string>()
    ways.set(name, leads)
    const payloads = product(Object.fromEntries(Object.entries(fields).map(([field, text]) => [field, valuesOf(text)])))
    for (const payload of payloads) {
      for (const outcome of kind === "verify" ? (["passed", "failed"] as const) : [null]) {
        for (const counters of counts) {
          const taken = transitionOf(transitions, { setup, payload, outcome, tasks: "done", counters })
          if (taken === undefined)
            throw new Error(`No way leads out of ${name}: ${JSON.stringify({ payload, outcome })}`)
          leads.add(taken.to)
        }
      }
    }
    for (const to of leads) {
      const next = phases[to]
      if (next === undefined) throw new Error(`${to} is no phase.`)
      if (isEnd(next)) ways.set(to, new Set())
      else walk(to, next.expected_payload, next.transitions, next.kind)
    }
  }
  walk("", {}, start, "submit")
  return ways
}

const walkable = (ways: ReadonlyMap<string, ReadonlySet<string>>, from: string): ReadonlySet<string> => {
  const seen = new Set<string>()
  const waiting = [from]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    waiting.push(...(ways.get(name) ?? []))
  }
  return seen
}

const pathsOf = (setup: Partial<SessionRunSetup>): ReadonlySet<string> => {
  const contract = contractOf("full")
  const base = { contract, intent: "IMPLEMENT", gate: "auto", flags: [], verifiers: [], planning_guide: "" } as const
  return walkable(waysOf({ ...base, ...setup }), "")
}

describe("the way through the built-in phase contract full", () => {
  const full = contractOf("full")
  /** The way out of a phase, when nothing is set and what is looked at has failed, unless it says so. */
  const next = (
    phase: string,
    counters: Readonly<Record<string, number>>,
    payload = {},
    { flags = [], outcome = "failed" }: { flags?: ReadonlyArray<string>; outcome?: "passed" | "failed" } = {}
  ) => {
    const setup = { ...(setupsOf(full)[0] as SessionRunSetup), flags }
    return transitionOf(full.phases[phase]?.transitions ?? [], { setup, payload, outcome, tasks: "done", counters })
  }

  it("ends after the exploration for who only asks, and writes nothing", () => {
    for (const setup of [{ intent: "QUESTION" }, { intent: "INVESTIGATE" }, { flags: ["only_explore"] }]) {
      for (const flags of [[], ["quick"], ["fast", "no_doc"]]) {
        const seen = pathsOf({ ...setup, flags: [...(setup.flags ?? []), ...flags] })
        expect(seen).toContain("EXPLORATION")
        expect(seen).toContain("DONE")
        expect([...seen].filter((phase) => /READY|COMMIT|MERGE|POST/.test(phase))).toEqual([])
      }
    }
  })

  it("leaves out what a flag leaves out, and nothing else", () => {
    const left = (...flags: ReadonlyArray<string>) => {
      const seen = pathsOf({ flags })
      return Object.keys(full.phases).filter((phase) => !seen.has(phase))
    }
    const exploration = ["EXPLORATION", "Q1", "SEMANTIC", "Q2", "VERIFICATION", "Q3", "IMPACT_ANALYSIS"]
    const quality = ["QUALITY_REVIEW", "QUALITY_DECISION"]
    const intervention = ["VERIFY_INTERVENTION", "USER_ESCALATION"]
    expect(left()).toEqual([])
    expect(left("no_doc")).toEqual(["DOCUMENT_RESEARCH"])
    expect(left("no_quality")).toEqual(quality)
    expect(left("fast").toSorted()).toEqual([...exploration, ...quality].toSorted())
    expect(left("no_intervention")).toEqual(intervention)
    expect(left("no_verify").toSorted()).toEqual(["MERGED_VERIFY", "POST_IMPL_VERIFY", ...intervention].toSorted())
    expect(left("quick").toSorted()).toEqual(
      [
        "BRANCH_INTERVENTION",
        ...exploration,
        ...intervention,
        "PRE_COMMIT",
        ...quality,
        "MERGE",
        "MERGE_DECISION",
        "MERGED_VERIFY",
        "STOPPED"
      ].toSorted()
    )
  })

  it("is with only_verify a verification alone, which is no success when it fails", () => {
    expect([...pathsOf({ flags: ["only_verify"] })]).toEqual(["", "POST_IMPL_VERIFY", "STOPPED", "DONE"])
    for (const counters of [{ task_failures: 0 }, { task_failures: 3 }]) {
      const kinds = (["passed", "failed"] as const).map(
        (outcome) =>
          full.phases[next("POST_IMPL_VERIFY", counters, {}, { flags: ["only_verify"], outcome })?.to ?? ""]?.kind
      )
      expect(kinds).toEqual(["end", "stop"])
    }
  })

  it("runs every optional phase at the gate level full, whatever is answered", () => {
    const ways = waysOf({ ...(setupsOf(full)[0] as SessionRunSetup), gate: "full" })
    for (const [question, phase] of Object.entries({ Q1: "SEMANTIC", Q2: "VERIFICATION", Q3: "IMPACT_ANALYSIS" })) {
      expect([...(ways.get(question) ?? [])]).toEqual([phase])
    }
  })

  it("never goes past a limit without a person", () => {
    expect(full.limits).toEqual({ task_failures: 3, interventions: 2, quality_returns: 3, merge_failures: 2 })
    for (const [phase, counters, payload, to] of [
      ["POST_IMPL_VERIFY", { task_failures: 2 }, {}, "READY_PLAN"],
      ["POST_IMPL_VERIFY", { task_failures: 3 }, {}, "VERIFY_INTERVENTION"],
      ["VERIFY_INTERVENTION", { interventions: 1 }, {}, "READY_PLAN"],
      ["VERIFY_INTERVENTION", { interventions: 2 }, {}, "USER_ESCALATION"],
      // the third review that finds something
      ["PRE_COMMIT", { quality_returns: 2 }, {}, "QUALITY_REVIEW"],
      ["QUALITY_REVIEW", { quality_returns: 2 }, { issues: ["x"] }, "READY_PLAN"],
      ["QUALITY_REVIEW", { quality_returns: 3 }, { issues: ["x"] }, "QUALITY_DECISION"],
      ["QUALITY_REVIEW", { quality_returns: 3 }, { issues: [] }, "MERGE"]
    ] as const)
      expect([phase, counters, next(phase, counters, payload)?.to]).toEqual([phase, counters, to])
    expect(next("POST_IMPL_VERIFY", { task_failures: 3 })?.count).toBe("interventions")
    expect(next("PRE_COMMIT", { quality_returns: 2 })?.count).toBe("quality_returns")
    const again = { USER_ESCALATION: ["task_failures", "interventions"], QUALITY_DECISION: ["quality_returns"] }
    for (const [phase, reset] of Object.entries(again)) {
      expect(full.phases[phase]?.kind).toBe("person")
      // who goes on begins to count anew
      expect(next(phase, {}, { answer: "continue" })).toEqual({
        to: "READY_PLAN",
        when: { payload: { answer: "continue" } },
        reset
      })
      expect(next(phase, {}, { answer: "stop" })?.to).toBe("STOPPED")
    }
    expect(next("VERIFY_INTERVENTION", {})?.reset).toEqual(["task_failures"])
  })

  it("takes a refuted hypothesis for an answer, and asks why a file is discarded", () => {
    const check = (phase: string, payload: unknown) =>
      Result.getOrThrow(compilePayload(full.phases[phase]?.expected_payload ?? {})).check(payload).failures
    const refuted = (result: unknown) => ({ hypotheses_verified: [{ hypothesis: "h", result, evidence: "a.ts:1" }] })
    expect(check("VERIFICATION", refuted(false))).toEqual([])
    expect(check("VERIFICATION", refuted("only on Sundays"))).toEqual([])
    const reviewed = (file: unknown) => ({ reviewed_files: [file], commit_message: "Add logout" })
    expect(check("PRE_COMMIT", reviewed({ path: "a.log", decision: "discard", reason: "left over" }))).toEqual([])
    expect(check("PRE_COMMIT", reviewed({ path: "a.log", decision: "discard" }))).not.toEqual([])
  })
})

it.each(languages)("beside their phases both contracts have the same texts: %s", (lang) => {
  const [short, full] = [contractOf("default", lang), contractOf("full", lang)]
  expect(full.instructions).toEqual(short.instructions)
  const shared = Object.entries(short.failures).filter(([phase]) => phase in full.failures)
  expect(shared.length).toBeGreaterThan(0)
  for (const [phase, texts] of shared) expect(full.failures[phase]).toMatchObject(texts)
})

describe("the commands that prove a merge", () => {
  const checks = contractOf("full").phases["MERGE"]?.checks ?? []
  const passes = (dir: string) => checks.every((check) => spawnSync("sh", ["-c", check], { cwd: dir }).status === 0)

  it("pass when everything is committed on the branch of the project, and never else", () => {
    const dir = repository({ "a.txt": "a\n" })
    expect(passes(dir)).toBe(true)
    writeFileSync(Path.join(dir, "a.txt"), "changed\n")
    expect(passes(dir)).toBe(false)
    git(dir, "checkout", "-q", "a.txt")
    expect(passes(dir)).toBe(true)
    writeFileSync(Path.join(dir, "b.txt"), "new\n")
    expect(passes(dir)).toBe(false)
    rmSync(Path.join(dir, "b.txt"))
    git(dir, "switch", "-q", "-c", "proofline/logout")
    expect(passes(dir)).toBe(false)
    expect(passes(project({ "a.txt": "a\n" }))).toBe(false)
  })
})

it("the planning guide has all of its sections in both languages, and is sent whole", () => {
  for (const folder of ["", "ja/"]) {
    const file = new URL(`../../packages/cli/templates/${folder}task_planning.md`, import.meta.url)
    const text = readFileSync(file, "utf8")
    // no more of it is sent with an answer
    expect(text.length).toBeLessThanOrEqual(2_000)
    const sections = text.split(/^#+ /m).slice(1)
    expect(
      sections.map((section) => /[A-Z][\w ]+/.exec(section.split("\n")[0]?.replace(/^.*\(/, "") ?? "")?.[0])
    ).toEqual([
      "Task Planning Guide",
      "Checklist Requirements",
      "How to Write Checklist Items",
      "Checklist Item Format",
      "Deriving Checklist from EXPLORATION",
      "When Completing a Task"
    ])
    const bullets = (section = "") => section.split("\n").filter((line) => line.startsWith("- ")).length
    expect(bullets(sections[0])).toBe(6)
    expect(sections[2]?.split(/^\*\*/m).map(bullets)).toEqual([0, 4, 3])
  }
})

it("the page about states is what the contracts say, and shows every phase and every transition", () => {
  const full = contractOf("full")
  const page = readFileSync(new URL("../../docs/pull-mode-states.md", import.meta.url), "utf8")
  expect(page).toBe(statesPage({ default: contractOf("default"), full }))
  const lines = stateDiagram(full).split("\n")
  for (const [name, { kind, transitions }] of phasesOf(full)) {
    const ways = lines.filter((line) => line.startsWith(`  ${name} --> `))
    expect(ways).toHaveLength(isEnd({ kind }) ? 1 : transitions.length)
  }
  expect(lines).toContain(
    "  POST_IMPL_VERIFY --> VERIFY_INTERVENTION: failed, limit of task_failures, not (flag no_intervention or quick), counts interventions"
  )
})
