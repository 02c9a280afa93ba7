import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { scriptedAgent, withAgent } from "./agent.ts"
import { asked } from "./asked.ts"
import { documentOf, eventsOf, type Finished, finish, launcher, project, proofline } from "./proofline.ts"

const files = {
  "auth.py": "import os\n\n\ndef login(user):\n    return os.environ[user]\n\n\ndef logout(user):\n    pass\n"
}

/** The real program with its stdin open. */
const listening = (cwd: string, ...args: ReadonlyArray<string>): ChildProcess => {
  const child = spawn(process.execPath, [launcher, "evidence", "check", "--stdin", ...args], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"]
  })
  // one that has ended takes no more
  child.stdin?.on("error", () => {})
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  return child
}

const piped = (cwd: string, text: string | Uint8Array, ...args: ReadonlyArray<string>): Promise<Finished> =>
  proofline(["evidence", "check", "--stdin", ...args], cwd, {}, text)

const objectsOf = (stdout: string): ReadonlyArray<Record<string, unknown>> =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

/** The next line that the program prints. */
const answers = (child: ChildProcess) => {
  let text = ""
  const waiting: Array<() => void> = []
  child.stdout?.on("data", (chunk) => {
    text += chunk
    for (const wake of waiting.splice(0)) wake()
  })
  return async (): Promise<Record<string, unknown>> => {
    while (!text.includes("\n")) await new Promise<void>((resolve) => void waiting.push(resolve))
    const line = text.slice(0, text.indexOf("\n"))
    text = text.slice(line.length + 1)
    return JSON.parse(line)
  }
}

describe("given evidence as arguments, when it is checked", () => {
  it("then every piece gets its line, and the exit code says whether all of it holds", async () => {
    const dir = project(files)
    const good = await proofline(["evidence", "check", "auth.py:4-5", "./auth.py:5"], dir)
    expect(good).toEqual({ code: 0, stdout: "ok  auth.py:4-5 (login)\nok  ./auth.py:5 (login)\n", stderr: "" })
    const mixed = await proofline(
      ["evidence", "check", "auth.py:4", "auth.py:8", "auth.py:1", "auth.py:99", "gone.py:1"],
      dir
    )
    expect(mixed.code).toBe(1)
    expect(mixed.stderr).toBe("")
    expect(mixed.stdout.split("\n")).toEqual([
      "ok  auth.py:4 (login)",
      expect.stringMatching(/^no {2}auth\.py:8: Empty implementation detected at 'auth\.py:8'\. .* logout .*\.$/),
      expect.stringMatching(
        /^no {2}auth\.py:1: The lines hold only imports\. .*Empty implementation detected at 'auth\.py:1'\./
      ),
      "no  auth.py:99: Evidence line 99 exceeds file length (9 lines). Use a valid line number within 1-9.",
      "no  gone.py:1: Evidence file not found: gone.py. Verify the file path is correct and the file exists.",
      ""
    ])
    // nothing was written
    expect(readdirSync(dir)).toEqual(["auth.py"])
  })

  it("then --cwd, or --root, names the project, and what follows -- is evidence", async () => {
    const dir = project({ "app/auth.py": files["auth.py"], "app/-x.py": "a = f()\n" })
    for (const flag of ["--cwd", "--root"]) {
      const found = await proofline(["evidence", "check", flag, "app", "--", "-x.py:1", "auth.py:4"], dir)
      expect(found).toEqual({ code: 0, stdout: "ok  -x.py:1\nok  auth.py:4 (login)\n", stderr: "" })
    }
  })

  it("then text that would steer the terminal or break the line is shown without it, and whole as JSON", async () => {
    const dir = project({})
    const evidence = "a.py:1\nok  b.py:1\u001b[2K"
    const shown = await proofline(["evidence", "check", evidence], dir)
    expect(shown.stdout).toMatch(/^no {2}a\.py:1 ok b\.py:1: .*\n$/)
    const { stdout } = await proofline(["evidence", "check", "--json", evidence], dir)
    expect(objectsOf(stdout)).toMatchObject([{ evidence, ok: false, key: "checklist_evidence_format_invalid" }])
  })

  it("then nothing to check, or a project that is a file, is wrong usage, and with --json that is one line on stdout", async () => {
    const dir = project(files)
    for (const [args, code] of [
      [[], "evidence_missing"],
      [["--cwd", "auth.py", "a.py:1"], "directory_missing"],
      [["--worktree", "a.py:1"], "usage_unrecognized_option"]
    ] as const) {
      const finished = await proofline(["evidence", "check", ...args], dir)
      expect(finished).toMatchObject({ code: 2, stdout: "" })
      expect(finished.stderr).toContain(`[${code}]`)
      const answer = await asked(["evidence", "check", ...args], dir)
      expect(answer).toMatchObject({ code: 2, kind: "evidence", refused: [code], stderr: finished.stderr })
      expect(answer.stdout).toMatch(/^.+\n$/)
    }
  })
})

describe.runIf(process.platform === "linux")("given a limit of memory, when evidence is checked", () => {
  const total = (i: number): string => `public func total${i}(_ items: [Item], by rate: Double) -> Double {
    var sum = 0.0
    for item in items where item.count > ${i} { sum += item.price * Double(item.count) * rate }
    return sum
}
`

  it("then it ends well: V8 would take 3 GB to compile the grammar of Swift a second time", async () => {
    const dir = project({ "Totals.swift": Array.from({ length: 50 }, (_, i) => total(i)).join("\n") })
    const args = ["evidence", "check", "Totals.swift:1-5"]
    const limited = spawn("sh", ["-c", 'ulimit -d 1000000; exec "$@"', "sh", process.execPath, launcher, ...args], {
      cwd: dir
    })
    expect(await finish(limited)).toEqual({ code: 0, stdout: "ok  Totals.swift:1-5 (total0)\n", stderr: "" })
  })
})

describe("given evidence on stdin, when it is checked", () => {
  it("then there is one object for every line, in the order of the lines, with exactly these keys", async () => {
    const lines = "auth.py:4-5\r\n\r\nauth.py:8\n   \nx y z\nauth.py:4"
    const { code, stderr, stdout } = await piped(project(files), `\ufeff${lines}`, "--json")
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
    const objects = objectsOf(stdout)
    for (const object of objects) {
      expect(Object.keys(object)).toEqual(["evidence", "ok", "key", "message", "reason", "declaration"])
    }
    expect(objects.map(({ evidence, key, ok }) => [evidence, ok, key])).toEqual([
      ["auth.py:4-5", true, null],
      ["", false, "checklist_evidence_required"],
      ["auth.py:8", false, "checklist_evidence_empty_impl"],
      ["   ", false, "checklist_evidence_required"],
      ["x y z", false, "checklist_evidence_format_invalid"],
      ["auth.py:4", true, null]
    ])
    expect(objects[0]).toEqual({
      evidence: "auth.py:4-5",
      ok: true,
      key: null,
      message: null,
      reason: null,
      declaration: "login"
    })
    expect(objects[1]?.["message"]).toContain("'line 2'")
    expect(objects[2]).toMatchObject({
      message:
        "Empty implementation detected at 'auth.py:8'. Contains only pass/TODO/NotImplementedError. Add actual implementation code.",
      reason: expect.stringMatching(/logout/),
      declaration: "logout"
    })
  })

  it("then an answer comes while the pipe is open, and is about the file as it is then", async () => {
    const dir = project(files)
    const child = listening(dir, "--json")
    const next = answers(child)
    child.stdin?.write("auth.py:8-9\n")
    expect(await next()).toMatchObject({ ok: false, declaration: "logout" })
    writeFileSync(Path.join(dir, "auth.py"), files["auth.py"].replace("    pass\n", "    del os.environ[user]\n"))
    child.stdin?.write("auth.py:8")
    child.stdin?.write("-9\nauth.py:9\n")
    expect(await next()).toMatchObject({ evidence: "auth.py:8-9", ok: true, declaration: "logout" })
    expect(await next()).toMatchObject({ evidence: "auth.py:9", ok: true })
    rmSync(Path.join(dir, "auth.py"))
    child.stdin?.end("auth.py:8-9\n")
    expect(await next()).toMatchObject({ ok: false, key: "checklist_evidence_file_not_found" })
    expect((await finish(child)).code).toBe(1)
  })

  it("then 10,000 lines are answered in order", async () => {
    const functions = Array.from({ length: 500 }, (_, i) => `def f${i}(a):\n    return a + ${i}\n`).join("\n")
    const dir = project({ "many.py": functions, "other.txt": "Some words.\n" })
    const lines = Array.from({ length: 10_000 }, (_, i) =>
      i % 3 === 0 ? "other.txt:1" : `many.py:${(i % 500) * 3 + 1}`
    )
    const { code, stdout } = await piped(dir, lines.join("\n"), "--json")
    expect(code).toBe(0)
    expect(objectsOf(stdout).map(({ evidence }) => evidence)).toEqual(lines)
  })

  it("then what is no text, and a line without an end, are refused, and nothing is nothing refused", async () => {
    const nothing = { code: 0, stdout: "", stderr: "There was no line on stdin; nothing was checked.\n" }
    expect(await piped(project(files), "")).toEqual(nothing)
    const endless = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.alloc(3_000_000, "a"),
      Buffer.from(":1\nauth.py:4\n")
    ])
    const { code, stdout } = await piped(project(files), endless, "--json")
    expect(code).toBe(1)
    const objects = objectsOf(stdout)
    expect(objects.map(({ key }) => key)).toEqual([
      "checklist_evidence_format_invalid",
      "checklist_evidence_format_invalid",
      null
    ])
    expect(String(objects[1]?.["evidence"]).length).toBe(65_536)
  })

  it("then a reader that went away ends it without a word", async () => {
    const child = listening(project(files))
    let stderr = ""
    child.stderr?.on("data", (chunk) => (stderr += chunk))
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    child.stdout?.once("data", () => {
      child.stdout?.destroy()
      child.stdin?.write("auth.py:4\n".repeat(100_000))
    })
    child.stdin?.write("auth.py:4\n")
    // not everything was checked, so it is not all right
    expect(await ended).toBe(1)
    expect(stderr).toBe("")
  })
})

const contract = (text: string) => ({ ".proofline/phase_contract.yml": text })
const ownSentence = contract(`failures:
  READY:
    checklist_evidence_empty_impl:
      error: payload_mismatch
      message: "At {evidence} there is nothing yet."
`)

describe("given sentences of the project's own", () => {
  it("when the old place is used, then it is read, unless there is a new one", async () => {
    const old = {
      ".code-intel/phase_contract.yml": ownSentence[".proofline/phase_contract.yml"].replace("there is", "was")
    }
    const said = async (more: Readonly<Record<string, string>>) =>
      objectsOf((await piped(project({ ...files, ...old, ...more }), "auth.py:8\n", "--json")).stdout)[0]?.["message"]
    expect(await said({})).toBe("At auth.py:8 was nothing yet.")
    expect(await said(ownSentence)).toBe("At auth.py:8 there is nothing yet.")
  })

  it("when a placeholder is unknown, then nothing is checked, run or resumed, and its place is told", async () => {
    const dir = project({
      ...files,
      ...contract('failures:\n  READY:\n    checklist_item_pending: "Where is {itme}?"\n'),
      "tasks.yaml": "tasks:\n  - { id: a, name: A, instruction: A, checklist: [Log in] }\n"
    })
    for (const args of [
      ["evidence", "check", "auth.py:4"],
      ["run", "tasks.yaml", "--agent", "claude"],
      ["validate", ".proofline/phase_contract.yml"]
    ]) {
      const finished = await proofline(args, dir)
      expect(finished).toMatchObject({ code: 2, stdout: "" })
      expect(finished.stderr).toContain(".proofline/phase_contract.yml:3:39: ")
      expect(finished.stderr).toContain("Did you mean `{item}`? Allowed here: `{item}`.")
    }
    expect(readdirSync(dir)).not.toContain("state")
  })

  it("when a run refuses, then they are recorded with the run, and a replay needs no file for them", async () => {
    const report = (evidence: string) => ({
      summary: "done",
      checklist: [{ item: "Log out", status: "done", evidence }]
    })
    const signOut = { "out.py": "def logout(sessions, user):\n    sessions.pop(user)\n" }
    const dir = project({
      ...files,
      ...ownSentence,
      "tasks.yaml": "tasks:\n  - { id: a, name: A, instruction: A, checklist: [Log out] }\n",
      ...scriptedAgent({ a: [{ report: report("auth.py:8") }, { files: signOut, report: report("out.py:1-2") }] })
    })
    const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--reviewer", "none", "--json"], dir)
    expect(finished.code, finished.stderr).toBe(0)
    const run = documentOf(finished).data.run_id as string
    const events = await eventsOf(run, dir)
    const started = events.find(({ event_type }) => event_type === "RUN_STARTED")
    expect(started.content.config.messages).toMatchObject({
      checklist_evidence_empty_impl: "At {evidence} there is nothing yet.",
      // of the rest those that say more than logs of before
      nothing_to_prove: expect.stringContaining("Give the task a checklist")
    })
    const refused = events.find(({ event_type }) => event_type === "CHECKLIST_ITEM_REJECTED")
    expect(refused.content.message).toMatch(
      /^None of these lines was changed since the run began\. logout .* Cite lines that .* At auth\.py:8 there is nothing yet\.$/
    )
    // what the agent was told in the second attempt
    expect(readFileSync(Path.join(dir, "calls.ndjson"), "utf8")).toContain("At auth.py:8 there is nothing yet.")
    rmSync(Path.join(dir, ".proofline/phase_contract.yml"))
    expect((await proofline(["replay", run], dir)).code).toBe(0)
  })
})
