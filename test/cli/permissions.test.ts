import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { achieved, asked, each, expectReplay } from "./asked.ts"
import { asksForLeave, onTerminal } from "./leaveStage.ts"
import { eventsOf, type Finished, finish, proofline, start, until } from "./proofline.ts"

const isAsked = (dir: string) => async () => (await asked(["status"], dir)).data.runs[0]?.permissions?.length === 1

/** A run whose agent waits for leave. */
const waiting = async (dir: string, args: ReadonlyArray<string> = ["run", "tasks.yaml"]) => {
  const child = start([...args, "--json"], dir)
  await until(isAsked(dir))
  return { child, ended: finish(child) }
}

const endOf = ({ code, stdout }: Finished) => ({ code, data: JSON.parse(stdout).data })

describe("an agent that asks a person for leave", () => {
  it("given the answer allow from another terminal, then it goes on, and the log says who allowed what", async () => {
    const dir = asksForLeave()
    const { ended } = await waiting(dir)
    const wanted = { task_id: "edit", attempt: 1, role: "work", agent: "open", title: "Edit a.txt", tool: "edit" }
    const { data } = await asked(["answer"], dir)
    expect(data.permissions).toMatchObject([{ ...wanted, permission: "permission/1", detail: expect.any(String) }])
    for (const command of [["status"], ["status", data.run_id], ["show"], ["history"], ["answer"]])
      expect((await proofline(command, dir)).stdout, command.join(" ")).toContain("Edit a.txt")
    expect((await proofline(["answer"], dir)).stdout).toContain(`answer allow --run ${data.run_id}`)
    expect(existsSync(join(dir, "a.txt"))).toBe(false)

    expect(await asked(["answer", "perhaps"], dir)).toMatchObject({ code: 2, refused: ["answer_invalid"] })
    const answered = await achieved(["answer", "allow", "--comment", "go on"], dir)
    expect(answered.data).not.toHaveProperty("permissions")
    expect(endOf(await ended)).toMatchObject({ code: 0, data: { status: "completed", verdict: "proven" } })
    expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("changed\n")

    const told = (await eventsOf(data.run_id, dir)).filter(({ event_type }) => event_type.startsWith("PERMISSION_"))
    expect(told.map(({ content, event_type }) => [event_type, content.answer, content.text])).toEqual([
      ["PERMISSION_ASKED", undefined, undefined],
      ["PERMISSION_ANSWERED", "allow", "go on"]
    ])
    expect(await asked(["answer", "allow", "--run", data.run_id, "--question", "permission/1"], dir)).toMatchObject({
      code: 2,
      refused: ["question_changed"]
    })
    await expectReplay(dir)
  })

  it("given a person at the terminal of the run, then the question is asked there, with what the agent does, and so it is for who watches", async () => {
    const dir = asksForLeave()
    const { child, seen, type } = onTerminal(["run", "tasks.yaml"], dir)
    const ended = new Promise((resolve) => child.on("exit", resolve))
    await until(() => seen().includes("then Enter: "))
    expect(seen()).toContain("open (attempt 1): Edit a.txt")
    const watching = onTerminal(["watch"], dir)
    await until(() => watching.seen().includes("… Edit a.txt"))
    // the terminal of the run asks the log by itself, at its own moments
    await until(() => seen().includes("… Edit a.txt"))
    type("what\n")
    type("y\n")
    expect(await ended).toBe(0)
    await until(() => watching.seen().includes("completed 1/1"))
    expect(seen()).toContain("… Edit a.txt")
    await expectReplay(dir)
  })

  it("given the answer deny, then it goes on without it", async () => {
    const dir = asksForLeave()
    const { ended } = await waiting(dir)
    await achieved(["answer", "deny"], dir)
    expect(endOf(await ended)).toMatchObject({ code: 3, data: { asked: [{ item: "Change a.txt" }] } })
    expect(existsSync(join(dir, "a.txt"))).toBe(false)
    await expectReplay(dir)
  })

  it("given a process killed while it waits, then a resume asks again, and what was asked before is asked no more", async () => {
    const dir = asksForLeave()
    const { child } = await waiting(dir)
    child.kill("SIGKILL")
    await finish(child)
    const { child: resumed, ended } = await waiting(dir, ["resume"])
    await until(async () => each((await asked(["answer"], dir)).data.permissions ?? [], "attempt")[0] === 2)
    expect(each((await asked(["answer"], dir)).data.permissions, "permission")).toEqual(["permission/2"])
    expect(await asked(["answer", "allow", "--question", "permission/1"], dir)).toMatchObject({
      code: 2,
      refused: ["question_changed"]
    })
    await achieved(["answer", "always"], dir)
    expect(endOf(await ended)).toMatchObject({ code: 0 })
    expect(resumed.exitCode).toBe(0)
    await expectReplay(dir)
  })

  it("given a run that is cancelled meanwhile, then nothing waits any more", async () => {
    const dir = asksForLeave()
    const { ended } = await waiting(dir)
    await achieved(["cancel"], dir)
    expect((await ended).code).not.toBe(0)
    expect((await asked(["answer"], dir)).data).toBeDefined()
    expect((await asked(["status", "--all"], dir)).data.runs[0]).not.toHaveProperty("permissions")
    expect(existsSync(join(dir, "a.txt"))).toBe(false)
    await expectReplay(dir)
  })
})
