import { readdirSync, readFileSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { daily } from "./often.ts"

const report = process.env["PROOFLINE_TEST_REPORT"]

const inMemory = "/dev/shm"
const neededBytes = 2 ** 31

/** Whether there is a file system in memory with room for what tests write, and programs may be started from it. */
const hasMemory = (): boolean => {
  try {
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n")
    const [, , , options = "noexec"] = mounts.map((line) => line.split(" ")).find(([, at]) => at === inMemory) ?? []
    const { bavail, bsize } = statfsSync(inMemory)
    return !options.split(",").includes("noexec") && Math.min(bavail * bsize, process.availableMemory()) > neededBytes
  } catch {
    return false
  }
}

// they make and remove thousands of small files: on a disk, tests of repositories need a quarter more processor time
if (process.env["TMPDIR"] === undefined && hasMemory()) process.env["TMPDIR"] = inMemory

/** Of the command line, and start nothing. */
const quick = ["alike", "chunkTree", "documents", "drillPlanting", "rendering", "testCommands", "words"]

/** Of the command line: they start hundreds of processes, and share a program that is kept between its commands. */
const commands = [`cli/!(${quick.join("|")}).test.ts`]

/** Those of what most people do. The others take turns, a twelfth each day: all of them take longer than everything else. */
const eachDay = ["run", "requirements", "verify", "hook", "mcp.e2e"]
const eachThirdDay = ["commands", "chunk", "evidence", "session", "prime", "options"]

/** Who names tests gets them, whatever the day. */
const areNamed = process.argv
  .slice(2)
  .some((argument) => !argument.startsWith("-") && !["run", "list"].includes(argument))

/** They come first, that nobody waits for a long one alone at the end; and no two of them have the same turn if that can be. */
const longest = [
  "faults/pause",
  "faults/kill",
  "packages/packed",
  "cli/crash",
  "ui/live.e2e",
  "ui/features.e2e",
  "ui/questions.e2e",
  "ui/access.e2e",
  "conformance/conformance",
  "cli/demos",
  "cli/proof",
  "cli/worktree",
  "cli/api.e2e",
  "cli/projects.e2e",
  "cli/hookClients",
  "cli/clusterWork.e2e",
  "cli/startingExamples",
  "cli/docBlocks",
  "cli/doctor",
  "cli/drivers",
  "plugins/proof/cheats",
  "plugins/proof/honestWork",
  "plugins/proof/projectWork",
  "plugins/proof/honest",
  "plugins/git-workspaces/manual",
  "plugins/git-workspaces/aggregate",
  "plugins/git-workspaces/worktree",
  "plugins/git-workspaces/crash",
  "simulation/mutants",
  "simulation/seeds",
  "contract/postgresLog",
  "plugins/postgres-log/roles",
  "plugins/postgres-log/processes",
  "plugins/postgres-log/telling",
  "plugins/postgres-log/statements",
  "plugins/postgres-log/tls",
  "plugins/postgres-log/silence",
  "plugins/execution/ablation",
  "plugins/execution/secondLook",
  "plugins/node-baseline/directory",
  "plugins/evidence/files",
  "plugins/tree-sitter/languages",
  "plugins/tree-sitter/adds",
  "plugins/project-files/robustness",
  "plugins/project-files/schema",
  "plugins/http/stream"
]

interface Turns {
  readonly days: number
  /** There each day. */
  readonly always?: ReadonlyArray<string>
  /** Somebody else says when they are there. */
  readonly without?: ReadonlyArray<string>
  readonly ending?: string
}

/** Files of tests of a folder whose day it is. */
const ofDay = (
  folder: string,
  { always = [], days, ending = ".test.ts", without = [] }: Turns
): ReadonlyArray<string> => {
  const others = readdirSync(new URL(`${folder}/`, import.meta.url), { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .filter((name) => !always.includes(name) && !without.includes(name))
    .toSorted()
  const isLong = (name: string) => longest.includes(`${folder}/${name}${ending.replace(".test.ts", "")}`)
  const longOnesFirst = [...others.filter(isLong), ...others.filter((name) => !isLong(name))]
  return [...always, ...daily(longOnesFirst, days)].map((name) => `${folder}/${name}${ending}`)
}
const commandsOfDay = () =>
  ofDay("cli", {
    days: 12,
    always: [...eachDay, ...daily(eachThirdDay, 3)],
    without: [...quick, ...eachThirdDay]
  })
/** A browser takes half of a processor: those of what most people see are there each day, a sixth of the others. */
const pagesOfDay = () => ofDay("ui", { days: 6, always: ["live"], ending: ".e2e.test.ts" })
/** Processes that end at any moment are there each day, those that are silent or wait for a retry every other. */
const faultsOfDay = () => ofDay("faults", { days: 2, always: ["kill"] })
/** Whole runs about what may be claimed. */
const proofOfDay = () => ofDay("plugins/proof", { days: 2, always: ["claims"] })
/**
 * Folders of which a part is there each day, of so many. A server is one event log of several, and what all of them promise is
 * asked of each of them each day, see `contract`; what is read in languages and in files of a project is asked by many others too.
 */
const inParts = { "plugins/postgres-log": 3, "plugins/tree-sitter": 2, "plugins/project-files": 2 }
const partsOfOtherDays = () =>
  Object.entries(inParts).flatMap(([folder, days]) => {
    const now = ofDay(folder, { days })
    return ofDay(folder, { days: 1 }).filter((name) => !now.includes(name))
  })

/** Repositories with worktrees are made by hundreds of processes: a quarter of those tests are there each day. */
const workspaces = "plugins/git-workspaces"
const workspacesOfDay = () => ofDay(workspaces, { days: 4 })

/** A worker for each: they start programs and browsers, or start hundreds of processes and load all grammars too. */
const alone = ["{clients,conformance,packages}/**/*.test.ts"]
const aloneInTurns = ["faults/*.test.ts", "ui/*.e2e.test.ts", "plugins/proof/*.test.ts"]

/**
 * They start hundreds of processes. Each start takes as long as the worker is large, because Node forks: 2 ms of processor
 * time at 150 MB, 15 ms at 700 MB. So they share no worker with those that load all grammars.
 */
const starting = [
  "plugins/{command-agent,criteria,execution,private-postgres,processes,project-tree,requirements,run-heads,sqlite-log}/**/*.test.ts",
  "plugins/{git-!(workspaces),node-*}/**/*.test.ts"
]
const startingWithTurns = `${workspaces}/**/*.test.ts`

/** Projects one after the other: a worker is kept only while the next file is of the same project. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return at === -1 ? longest.length : at
    }
    const projects = ["alone", "commands", "starting", "together"]
    const sorted = (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
    return projects.flatMap((name) => sorted.filter(({ project }) => project.name === name))
  }
}

export default defineConfig({
  resolve: { conditions: ["@proofline/source"] },
  ssr: { resolve: { conditions: ["@proofline/source"] } },
  test: {
    globalSetup: ["./startedOften.ts", "./postgresServer.ts"],
    setupFiles: ["./cli/leaving.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "alone",
          include: [...alone, ...(areNamed ? aloneInTurns : [...faultsOfDay(), ...pagesOfDay(), ...proofOfDay()])]
        }
      },
      {
        extends: true,
        test: {
          name: "commands",
          include: areNamed ? commands : [...commandsOfDay()],
          isolate: false
        }
      },
      // the files of these keep to themselves: they share what they import, which takes longer than many of them
      {
        extends: true,
        test: {
          name: "starting",
          include: [...starting, ...(areNamed ? [startingWithTurns] : workspacesOfDay())],
          isolate: false
        }
      },
      {
        extends: true,
        test: {
          name: "together",
          include: ["**/*.test.ts"],
          exclude: [
            ...alone,
            ...aloneInTurns,
            ...commands,
            ...starting,
            startingWithTurns,
            ...(areNamed ? [] : partsOfOtherDays()),
            "**/node_modules/**"
          ],
          isolate: false
        }
      }
    ],
    // to compile grammars again, faster, takes gigabytes for a while, and a process that large starts others slowly
    execArgv: ["--liftoff-only"],
    // only what hangs runs into it, also on a machine that is at other work: no test is about how fast it is
    testTimeout: 240_000,
    hookTimeout: 240_000,
    sequence: { sequencer: LongestFirst },
    // most of them wait for processes they have started: with two files for each of two processors a quarter of their time is idle
    maxWorkers: availableParallelism() + 4,
    // for scripts: what passed and failed, as a file beside what is printed for people
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] })
  }
})
