import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { project } from "./proofline.ts"

const checkout = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "")
const system = "/usr/bin:/bin"

const run = (program: string, args: ReadonlyArray<string>, dir: string, path: string): string =>
  execFileSync(program, args, { cwd: dir, env: { HOME: dir, PATH: path }, encoding: "utf8", stdio: "pipe" })

describe.skipIf(process.platform === "win32")("the file `proofline` of a checkout", () => {
  it("starts it in any directory, by its path, by its name and by a link, with whatever Node is on PATH", () => {
    const dir = project({ "bin/node": "#!/bin/sh\necho v20.0.0\n" })
    const version = run(join(checkout, "proofline"), ["--version"], dir, `${join(dir, "bin")}:${system}`)
    expect(version).toMatch(/^proofline v\d/)
    expect(run("sh", ["-c", "proofline --version"], dir, `${checkout}:${system}`)).toBe(version)
    symlinkSync(join(checkout, "proofline"), join(dir, "bin/pl"))
    expect(run("sh", ["-c", "pl --version"], dir, `${join(dir, "bin")}:${system}`)).toBe(version)
  })

  it("given its directory on PATH, then commands to copy name it alone, else its path", () => {
    const tasks = "tasks: [{ id: a, name: A, instruction: A, checklist: [A] }]\n"
    const dir = project({ "tasks.yaml": tasks })
    const next = (path: string) =>
      /(\S*)proofline run tasks\.yaml/.exec(run(join(checkout, "proofline"), ["init"], dir, path))
    expect(next([checkout, system].join(delimiter))?.[1]).toBe("")
    expect(next(system)?.[1]).toBe(`${checkout}/`)
  })

  it("given nothing installed, then it says what to call, and where", () => {
    const dir = project({})
    mkdirSync(join(dir, "copy of it"))
    copyFileSync(join(checkout, "proofline"), join(dir, "copy of it/proofline"))
    expect(() => run(join(dir, "copy of it/proofline"), ["status"], dir, system)).toThrow(/call `npm ci` there first/)
  })
})
