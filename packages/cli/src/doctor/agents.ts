import { type AgentFound, type AgentSpec, installed, look } from "@proofline/plugins/adapters/command-agent"
import { lookAt, type ModelFound, type ModelSpec } from "@proofline/plugins/adapters/language-models"
import { presets } from "@proofline/plugins/options"
import { Effect } from "effect"
import { answersWithinMs } from "../base/answersWithin.ts"
import type { ProjectPaths } from "../base/paths.ts"
import { anyAgent, commandFor } from "../process/output.ts"
import type { ProjectConfig } from "../project/files.ts"
import { oneLine } from "../render/style.ts"
import type { Finding } from "./Finding.ts"

const atOnce = 4

/** Whether the agents that the project names are here, and those whose program is known say a version. */
export const lookAtAgents = Effect.fnUntraced(function* (
  { agents, defaults }: ProjectConfig,
  paths: ProjectPaths
): Effect.fn.Return<ReadonlyArray<Finding>> {
  const { agent, fallback = [], planner, reviewer } = defaults
  const named = new Set([agent, planner, reviewer, ...fallback].flatMap((name) => (name == null ? [] : [name.trim()])))
  const isAnybody = agent === undefined ? Object.keys(agents).length === 0 : agent.trim() === "auto"
  const known = installed(paths.root)
  const nobody = isAnybody && known.length === 0 ? [noAgent(agent !== undefined, paths)] : []
  const specs = new Map<string, AgentSpec | ModelSpec>(Object.entries(agents))
  for (const name of named) {
    const preset = presets.find((one) => one === name)
    if (preset !== undefined && !specs.has(name)) specs.set(name, { preset })
  }
  const found = yield* Effect.forEach(
    specs,
    ([name, spec]): Effect.Effect<AgentFound | ModelFound> =>
      "api" in spec
        ? lookAt(name, spec, { root: paths.root, env: process.env })
        : look(name, spec, paths.root, answersWithinMs),
    { concurrency: atOnce }
  )
  return [...nobody, ...found.flatMap((one) => findingOf(one, named.has(one.name)))]
})

const findingOf = (
  { driven_by, kind, name, path, problem }: AgentFound | ModelFound,
  isUsed: boolean
): ReadonlyArray<Finding> => {
  if (problem === null) return []
  const about = { severity: isUsed ? ("error" as const) : ("warning" as const), place: `proofline.yaml, agent ${name}` }
  if (kind === "model") {
    return [
      {
        ...about,
        code: "agent_unusable",
        message: `The agent ${name} cannot be asked: ${problem}`,
        fix: "Set what is missing in the environment, or name another agent."
      }
    ]
  }
  const started = oneLine(driven_by, 80)
  return path === null
    ? [
        {
          ...about,
          code: "agent_program_missing",
          message: `The agent ${name} is started with \`${started}\`, and that is not here. ${problem}`,
          fix: "Install the program, write its path into proofline.yaml, or name another agent; `proofline agents` says which are here."
        }
      ]
    : [
        {
          ...about,
          code: "agent_silent",
          message: `The agent ${name} is at ${path}, and within ${answersWithinMs / 1_000} s it does not work. ${problem}`,
          fix: `Try \`${path} --version\`, and install it again if that says none.`
        }
      ]
}

const noAgent = (isAsked: boolean, paths: ProjectPaths): Finding => ({
  code: "agent_none",
  severity: isAsked ? "error" : "warning",
  message: `${isAsked ? "`agent: auto` takes the first known agent that is installed" : "No agent is named in proofline.yaml"}, and none of ${presets.join(", ")} is on PATH.`,
  place: "PATH",
  fix: `Install one of them, or name any command: ${commandFor(paths)(`run tasks.yaml ${anyAgent}`)}`
})
