import { createHash, generateKeyPairSync } from "node:crypto"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { commit, git, write } from "../plugins/repositories.ts"
import { scriptedAgent, withAgent } from "./agent.ts"
import { achieved, fixture } from "./asked.ts"
import { afterFile, project } from "./proofline.ts"

export const { "calc.py": calc = "", "tasks.yaml": tasks = "" } = fixture("calc")
export const [areaItem, volumeItem, explainItem] = ["Add area()", "Add volume()", "Explain it"] as const
export const run = ["run", "tasks.yaml", ...withAgent]

/** A repository in which a run proved two items and waived one; made once, the test gets a copy. */
export const provenRun = async () => {
  template ??= makeTemplate()
  const { files, run } = await template
  const dir = project({})
  cpSync(files, dir, { recursive: true })
  return { dir, run, file: Path.join(dir, "calc.py") }
}

let template: Promise<{ readonly files: string; readonly run: string }> | undefined

const makeTemplate = async () => {
  const report = {
    summary: "done",
    checklist: [
      { item: areaItem, status: "done", evidence: "calc.py:4" },
      { item: volumeItem, status: "done", evidence: "calc.py:9-10" },
      { item: explainItem, status: "skipped", reason: "the names say it all" }
    ]
  }
  const dir = mkdtempSync(Path.join(tmpdir(), "proofline-test-"))
  afterFile(() => {
    template = undefined
    rmSync(dir, { recursive: true, force: true })
  })
  write(dir, {
    "tasks.yaml": tasks,
    ".gitignore": ".proofline\ncalls.ndjson\n",
    ...scriptedAgent({ calc: [{ files: { "calc.py": calc }, report }] })
  })
  git(dir, "init", "-q")
  commit(dir, "before")
  return { files: dir, run: (await achieved(run, dir)).data.run_id as string }
}

/** A key and its public half as files; answers its id. */
export const keyPair = (dir: string, name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  write(dir, {
    [`${name}.pem`]: privateKey.export({ type: "pkcs8", format: "pem" }),
    [`${name}.pub`]: publicKey.export({ type: "spki", format: "pem" })
  })
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex")
}

/** The same, with the work committed, a remote, and a key that is no part of the project. */
export const committedRun = async () => {
  const { dir, run } = await provenRun()
  const head = commit(dir, "the work")
  const keys = project({})
  const keyid = keyPair(keys, "key")
  const [key, pub] = [Path.join(keys, "key.pem"), Path.join(keys, "key.pub")]
  const remote = Path.join(keys, "o.git")
  git(keys, "clone", "-q", "--bare", dir, remote)
  git(dir, "remote", "add", "origin", remote)
  const clone = () => {
    const made = Path.join(project({}), "clone")
    git(keys, "clone", "-q", `file://${remote}`, made)
    return made
  }
  return { dir, run, head, key, pub, keyid, keys, remote, clone }
}
