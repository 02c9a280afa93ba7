import { Console, Effect, Option } from "effect"
import { Completions, GlobalFlag } from "effect/cli"
import { knownPrograms } from "../base/knownPrograms.ts"
import { shippedDocs } from "../docs/shipped.ts"

/** What values are looked up when they are completed; stand-ins in the script, which no shell has to quote. */
const lookedUp = { VALUES_OF_AGENTS: "agents", VALUES_OF_RUNS: "runs" } as const
type LookedUp = keyof typeof lookedUp

const choice = (...values: ReadonlyArray<string>) => ({ _tag: "Choice", values }) as const

const ofAgents: ReadonlySet<string> = new Set(["agent", "fallback", "planner", "reviewer"])

type Described = Completions.CommandDescriptor

const withValues = (command: Described): Described => ({
  ...command,
  flags: command.flags.map((flag) =>
    flag.type._tag === "String" && (ofAgents.has(flag.name) || flag.name === "run")
      ? { ...flag, type: choice(flag.name === "run" ? "VALUES_OF_RUNS" : "VALUES_OF_AGENTS") }
      : flag
  ),
  arguments: command.arguments.map((one) => {
    if (one.type._tag !== "String") return one
    if (one.name === "topic") return { ...one, type: choice(...topics()) }
    return /^runs?\b/.test(one.name) ? { ...one, type: choice("VALUES_OF_RUNS") } : one
  }),
  subcommands: command.subcommands.map(withValues)
})

const topics = (): ReadonlyArray<string> =>
  (shippedDocs()?.pages ?? []).map(({ address }) => address.replace(/\.html$/, ""))

/** How each shell asks for the values, in the place of a stand-in as its script has it. */
const asking: Readonly<Record<Completions.Shell, (name: LookedUp) => readonly [placed: string, asked: string]>> = {
  bash: (name) => [`'${name}'`, `$(proofline --complete ${lookedUp[name]} "$cur" 2>/dev/null)`],
  zsh: (name) => [`(${name})`, `{compadd -V values - $(proofline --complete ${lookedUp[name]} "$PREFIX" 2>/dev/null)}`],
  fish: (name) => [`-a '${name}'`, `-k -a '(proofline --complete ${lookedUp[name]} (commandline -ct) 2>/dev/null)'`],
  powershell: (name) => [
    `'${name}'`,
    name === "VALUES_OF_RUNS" ? "'last'" : ["auto", "command", ...knownPrograms].map((one) => `'${one}'`).join(", ")
  ]
}

/** `--flag=value` is completed as `--flag value` is, which the scripts of two shells do not know. */
const withEquals: { readonly [shell in Completions.Shell]?: readonly [RegExp, string] } = {
  bash: [/_init_completion -n .* \|\| return/g, '$&\n  [[ $cur == --*=* ]] && IFS== read -r prev cur <<< "$cur"'],
  zsh: [/^( *'[^[\n]*--[\w-]+)(\[.*\]:value:)/gm, "$1=$2"]
}

/** The library's flag, with values that it cannot know. */
export const completions: typeof GlobalFlag.Completions = {
  ...GlobalFlag.Completions,
  run: Effect.fnUntraced(function* (shell, { command }) {
    if (Option.isNone(shell)) return
    const script = Completions.generate(command.name, shell.value, withValues(Completions.fromCommand(command)))
    const names = Object.keys(lookedUp) as ReadonlyArray<LookedUp>
    const asked = names.reduce((text, name) => text.replaceAll(...asking[shell.value](name)), script)
    const equals = withEquals[shell.value]
    yield* Console.log(equals === undefined ? asked : asked.replace(...equals))
  })
}
