import type { Census, CheckRun, LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"
import { BlobStore, type CommandRequest, CommandRunner, TestReports } from "../../port/index.ts"
import { failedTests, namesFailed } from "./tests/failed.ts"
import { filesAmong, isNamed, withoutFiles } from "./tests/fileTests.ts"
import { silencedPackages } from "./tests/go.ts"
import { type Counted, counted } from "./tests/reports.ts"

/** The end of a text, at most 2,000 characters, for people and for the next prompt. */
export const tailOf = (bytes: Uint8Array): string => {
  const text = new TextDecoder().decode(bytes).replace(/\r\n/g, "\n")
  return text.slice(-2_000)
}

/** What running a command of the project asks for. */
export interface Running {
  readonly commands: CommandRunner["Service"]
  /** Null: nothing of what it prints or reports is kept. */
  readonly blobs: BlobStore["Service"] | null
  readonly reports: TestReports["Service"]
}

export const running: Effect.Effect<Running, never, CommandRunner | BlobStore | TestReports> = Effect.all({
  commands: CommandRunner,
  blobs: BlobStore,
  reports: TestReports
})

export interface CountedRequest extends CommandRequest {
  /** The project, where it is run unless `directory` says otherwise. */
  readonly root: string
  /** Globs of reports, from the user. */
  readonly reports: ReadonlyArray<string>
}

const goSilenced: Counted = { formats: ["go"], passed: 0, failed: 0, skipped: 0, tests: [] }

/** A command of the project as it ran, and the tests that it names as failed where it did not end well. */
const toldRun = Effect.fnUntraced(function* (
  { blobs, commands, reports }: Running,
  { reports: patterns, root, ...request }: CountedRequest
) {
  const { command, directory = root } = request
  const [{ kept_lines = [], output, ...result }, files] = yield* reports.around(
    { command, directory, patterns },
    commands.run({ ...request, keeps: namesFailed })
  )
  // tests may be named after their files
  const here = (text: string) => text.replaceAll(`${directory}/`, "")
  const printed = here(new TextDecoder().decode(output))
  const told = counted(
    printed,
    files.map(({ text }) => here(text))
  )
  const all = told ?? (silencedPackages(command, printed).length > 0 ? goSilenced : null)
  const named = all === null ? [] : filesAmong(all)
  const scripts = named.length === 0 ? [] : yield* reports.named({ directory, endings: named })
  const found =
    all === null
      ? null
      : withoutFiles(all, `${command}\n${printed}`, (name) =>
          scripts.flatMap(({ path, text }) => (isNamed(path, name) ? [text] : []))
        )
  const census: Census | null =
    found === null
      ? null
      : {
          formats: found.formats,
          passed: found.passed,
          failed: found.failed,
          skipped: found.skipped,
          tests: found.tests.length === 0 || blobs === null ? null : yield* blobs.put(JSON.stringify(found.tests))
        }
  const hasFailed = blobs !== null && (result.exit_code !== 0 || result.timed_out)
  const failed_tests = hasFailed ? failedTests(found, here([printed, ...kept_lines].join("\n"))) : []
  const ran = {
    ...result,
    output: output.length > 0 && blobs !== null ? yield* blobs.put(output) : null,
    output_tail: blobs === null ? "" : tailOf(output),
    ...(census === null ? {} : { census })
  }
  return { ran, failed_tests }
})

/** Runs one command of the project, keeps what it printed, and counts the tests that it reports. */
export const countedRun = (services: Running, request: CountedRequest) =>
  Effect.map(toldRun(services, request), ({ ran }) => ran)

/** Runs one command to verify something. */
export const commandRun = (
  running: Running,
  item_index: number | null,
  request: CountedRequest
): Effect.Effect<CheckRun, LogUnavailable> =>
  Effect.map(toldRun(running, request), ({ failed_tests, ran }) => ({
    command: request.command,
    item_index,
    ...ran,
    ...(failed_tests.length === 0 ? {} : { failed_tests }),
    ablation: null
  }))
