import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { writeColdFiles } from "./coldFiles.ts"
import { installedIn } from "./installed.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))

export interface EvidenceFigures {
  readonly files: number
  readonly checks: number
  /** One process, from its start to its first answer. */
  readonly startMs: number
  /** Reading the file of every check and splitting it into lines, in this process. */
  readonly rawMs: number
  /** All lines written at once; the files were read before. */
  readonly togetherMs: number
  /** Every line written when the answer before it has come. */
  readonly singlyMs: number
}

/** Checks lines of this repository's own sources with the installed `proofline evidence check --stdin --json`, best of so many rounds. */
export const measureEvidence = async (checks: number, rounds: number): Promise<EvidenceFigures> => {
  const files = globSync("packages/*/src/**/*.ts", { cwd: repository }).map((path) => ({
    path: path.replaceAll("\\", "/"),
    lines: readFileSync(join(repository, path), "utf8").split("\n").length - 1
  }))
  const evidence = evidenceIn(files, checks)
  const directory = mkdtempSync(join(tmpdir(), "proofline-bench-"))
  const program = installedIn(directory)
  const started = performance.now()
  const { answers, child, end } = checking(program, repository)
  try {
    await ask(child, answers, evidence.slice(0, 1))
    const startMs = performance.now() - started
    await ask(child, answers, evidence)
    const best = async (round: () => Promise<void> | void): Promise<number> => {
      const times: Array<number> = []
      for (let i = 0; i < rounds; i++) {
        const from = performance.now()
        await round()
        times.push(performance.now() - from)
      }
      return Math.min(...times)
    }
    return {
      files: files.length,
      checks,
      startMs,
      rawMs: await best(() => {
        for (const line of evidence) readFileSync(join(repository, line.replace(/:.*/, "")), "utf8").split("\n")
      }),
      togetherMs: await best(() => ask(child, answers, evidence)),
      singlyMs: await best(async () => {
        for (const line of evidence) await ask(child, answers, [line])
      })
    }
  } finally {
    await end()
    rmSync(directory, { recursive: true })
  }
}

interface Sized {
  readonly path: string
  readonly lines: number
}

/** One of a file after the other, and those files again: up to twenty lines each. */
const evidenceIn = (files: ReadonlyArray<Sized>, checks: number): ReadonlyArray<string> =>
  Array.from({ length: checks }, (_, i) => {
    const { lines, path } = files[i % files.length] ?? { lines: 1, path: "" }
    const start = 1 + ((i * 7) % lines)
    return `${path}:${start}-${Math.min(lines, start + (i % 20))}`
  })

const checking = (program: string, cwd: string) => {
  const child = spawn(process.execPath, [program, "evidence", "check", "--stdin", "--json"], {
    cwd,
    stdio: ["pipe", "pipe", "inherit"]
  })
  return {
    child,
    answers: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    end: async () => {
      child.stdin.end()
      if (child.exitCode === null) await once(child, "close")
    }
  }
}

export interface ColdFigures {
  readonly files: number
  readonly checks: number
  /** One process, from its start to its last answer; the evidence of a file together. */
  readonly togetherMs: number
  /** The same, with the evidence of all other files between two pieces of a file's. */
  readonly apartMs: number
}

/** The same of files that nobody has read before, in sixteen languages. */
export const measureColdEvidence = async (checks: number, files: number): Promise<ColdFigures> => {
  const directory = mkdtempSync(join(tmpdir(), "proofline-bench-"))
  try {
    const program = installedIn(join(directory, "installed"))
    const project = join(directory, "project")
    mkdirSync(project)
    const apart = evidenceIn(writeColdFiles(project, files), checks)
    const timed = async (evidence: ReadonlyArray<string>): Promise<number> => {
      const started = performance.now()
      const { answers, child, end } = checking(program, project)
      try {
        await ask(child, answers, evidence)
        return performance.now() - started
      } finally {
        await end()
      }
    }
    return { files, checks, togetherMs: await timed(apart.toSorted()), apartMs: await timed(apart) }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const ask = async (
  child: ChildProcess,
  answers: AsyncIterator<string>,
  evidence: ReadonlyArray<string>
): Promise<void> => {
  child.stdin?.write(evidence.map((line) => `${line}\n`).join(""))
  for (const line of evidence) {
    const { value } = await answers.next()
    if (JSON.parse(value).evidence !== line) throw new Error(`The answer to ${line} did not come.`)
  }
}
