import { existsSync, realpathSync } from "node:fs"
import * as Path from "node:path"
import { Context, Effect, type Schema } from "effect"
import { packageRoot } from "../assets.ts"
import { type Document, documentText } from "../base/Document.ts"
import { databaseFlag } from "../base/database.ts"
import { type ProjectPaths, projectPaths } from "../base/paths.ts"
import { type Problem, problemText } from "../base/problems.ts"
import { takenDatabaseUrl } from "../base/takenEnvironment.ts"
import { isReaderGone, outputLost } from "./onLostReader.ts"

/** The one JSON document of a command that was called with `--json`. */
export const printDocument = <S extends Schema.Top>(
  { kinds: [kind] }: Document<S>,
  data: S["Type"]
): Effect.Effect<void> => print(documentText(kind, data))

/** On one line, for whoever does not wait for the end of the program. */
export const printLine = <S extends Schema.Top>({ kinds: [kind] }: Document<S>, data: S["Type"]): Effect.Effect<void> =>
  print(documentText(kind, data, 0))

/** Commands that print an object a line; so is what they were refused for. */
const printLines: ReadonlySet<string> = new Set(["events", "evidence"])

/** Of a command whose input was refused. */
export const printProblems = (kind: string, problems: ReadonlyArray<Problem>): Effect.Effect<void> =>
  print(documentText(kind, { problems }, printLines.has(kind) ? 0 : 2))

/** Waits until it is taken: a large document must not be cut off by the end of the process. */
const written = (stream: "stdout" | "stderr", text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    process[stream].write(text, (error) => {
      if (error && stream === "stdout" && !isReaderGone(error)) process.exit(outputLost(error))
      resume(Effect.void)
    })
  })

/** Who takes what a command prints and says: the streams of the process. */
export const outlet = Context.Reference("proofline/cli/outlet", { defaultValue: () => written })

/** Writes to stdout. */
export const print = (text: string): Effect.Effect<void> => Effect.flatMap(outlet, (write) => write("stdout", text))

/** Prose and progress. */
export const say = (text: string): Effect.Effect<void> =>
  Effect.flatMap(outlet, (write) => write("stderr", text.endsWith("\n") ? text : `${text}\n`))

export const sayProblems = (problems: ReadonlyArray<Problem>, word = "error"): Effect.Effect<void> =>
  Effect.forEach(problems, (problem) => say(`${word}: ${problemText(problem)}`), { discard: true })

/** A terminal on which lines may be redrawn. */
export const isLive = (stream: NodeJS.WriteStream): boolean =>
  Boolean(stream.isTTY) && process.env["TERM"] !== "dumb" && !process.env["CI"]

/** A command line the user can copy: as Proofline was started, for this project and this state. */
export const commandFor =
  ({ databaseUrl, root, state }: Pick<ProjectPaths, "root" | "state"> & Partial<ProjectPaths>) =>
  (words: string): string => {
    const flag = databaseUrl === undefined ? null : databaseFlag(databaseUrl, takenDatabaseUrl())
    return [
      program(),
      words,
      ...(root === process.cwd() ? [] : ["--cwd", quoted(root)]),
      ...(state === projectPaths(root).state ? [] : ["--state", quoted(state)]),
      ...(flag === null ? [] : ["--database-url", flag.startsWith('"') ? flag : quoted(flag)])
    ].join(" ")
  }

/** The flags that make a command the agent, where none that is known is installed. */
export const anyAgent = "--agent command --agent-command './my-agent.sh'"

/** How this Proofline is started from here: a checkout by its name where its directory is on PATH. */
const program = (): string => {
  const checkout = checkoutHere()
  return checkout !== null && isFirst(Path.join(checkout, "proofline")) ? "proofline" : startCommand()
}

/** Whether a shell finds that file by its name. */
const isFirst = (file: string): boolean => {
  const places = (process.env["PATH"] ?? "").split(Path.delimiter).map((dir) => Path.resolve(dir, Path.basename(file)))
  const found = places.find((place) => existsSync(place))
  return found !== undefined && realpathSync(found) === file
}

/** The same from anywhere, for agents that have another PATH. */
export const startCommand = (): string => startWords().map(quoted).join(" ")

/** Null: this Proofline was installed. */
export const checkoutHere = (): string | null =>
  existsSync(Path.join(packageRoot, "src")) ? Path.resolve(packageRoot, "..", "..") : null

/** The same from anywhere, as words. */
export const startWords = (): ReadonlyArray<string> => {
  const checkout = checkoutHere()
  if (checkout !== null) {
    return process.platform === "win32"
      ? ["npx", "--prefix", checkout, "proofline"]
      : [Path.join(checkout, "proofline")]
  }
  return process.env["npm_command"] === undefined ? ["proofline"] : ["npx", "proofline"]
}

/** For a shell, when it needs it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
