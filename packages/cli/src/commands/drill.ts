import * as Path from "node:path"
import type { LanguageRules } from "@proofline/kernel"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { type ScratchClone, scratchClone } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { layer as nodeBaseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeProjectFiles } from "@proofline/plugins/adapters/node-project-files"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { Clock, Effect, Layer } from "effect"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { drillDocument } from "../documents/drill.ts"
import { countsOf, type NotTried } from "../documents/drillCase.ts"
import { drilled } from "../drill/drill.ts"
import { print, printDocument, say } from "../process/output.ts"
import { compositionOf } from "../project/compose.ts"
import { existingProject, type ProjectConfig, projectConfig } from "../project/files.ts"
import { projectMessages } from "../project/projectMessages.ts"
import { caseLine, drillEnd } from "../render/drill.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface DrillOptions {
  readonly cwd?: string | undefined
  readonly json: boolean
}

/** No case is begun after so many ms, and all has ended after so many. */
const limitMs = { cases: 45_000, all: 58_000 }

/**
 * `proofline drill`: plants cheats and genuine changes in a throw-away copy of the project's repository, and says what the
 * rules that judge a run say of each. Writes nothing in the project.
 */
export const drill = Effect.fnUntraced(function* (options: DrillOptions) {
  const began = yield* Clock.currentTimeMillis
  const paths = yield* existingProject(options)
  const config = yield* projectConfig(paths)
  const templates = yield* projectMessages(paths)
  const { loaded, problems } = yield* compositionOf(paths, config.plugins)
  if (problems.length > 0) return yield* stop(exitCodes.usage, ...problems)
  const languages = loaded.flatMap(({ plugin }) => plugin.languages)
  const style = styleFor(wantsColor(process.stdout))

  return yield* Effect.scoped(
    Effect.gen(function* () {
      const clone = yield* copyOf(paths.root)
      if (!options.json) yield* say(`Planted in a throw-away copy of ${paths.root} at ${clone.commit.slice(0, 8)}:\n`)
      const { cases, notTried } = yield* Effect.provide(
        drilled(clone, templates, { cases: began + limitMs.cases, all: began + limitMs.all }, (one) =>
          options.json ? Effect.void : print(`${caseLine(one, style)}\n`)
        ),
        worldIn(clone, languages)
      ).pipe(Effect.catchTag("BaseRefused", ({ message }) => noCopy(message)))
      const cheats = countsOf(cases, "cheat")
      const genuine = countsOf(cases, "genuine")
      const held = cheats.refused === cheats.tried && genuine.refused === 0
      const not_tried = [...notTried, ...accepted(config)]
      if (options.json) {
        const took_ms = (yield* Clock.currentTimeMillis) - began
        yield* printDocument(drillDocument, { commit: clone.commit, held, cheats, genuine, cases, not_tried, took_ms })
      } else yield* print(drillEnd(cheats, genuine, not_tried, style))
      return held ? exitCodes.proven : exitCodes.unmet
    })
  )
})

/** What the user lets pass is not let pass here. */
const accepted = ({ proof }: ProjectConfig): ReadonlyArray<NotTried> => {
  const { accept = [] } = proof ?? {}
  return accept.length === 0
    ? []
    : [
        {
          what: `\`accept\` of proofline.yaml (${accept.join(", ")})`,
          why: "Here nothing weak is accepted. A run of yours lets pass what is refused for these reasons alone."
        }
      ]
}

const copyOf = (root: string) =>
  scratchClone({ root }).pipe(
    Effect.mapError((failed): Stop => {
      if (failed._tag === "GitFailed" && failed.reason === "no_repository") return noRepository(root)
      return noCopy(failed.message)
    }),
    Effect.flatMap((clone) =>
      clone === null
        ? stop(exitCodes.usage, {
            code: "drill_no_commit",
            message: `The repository of ${root} has no commit yet, so there is nothing to copy.`,
            hint: "Commit the project, or see `proofline demo`."
          })
        : Effect.succeed(clone)
    )
  )

const noCopy = (why: string): Stop =>
  stop(exitCodes.usage, {
    code: "drill_no_copy",
    message: `The repository could not be copied: ${why}`,
    hint: "Look whether git works there, and whether TMPDIR names a directory outside of the project that can be written."
  })

const noRepository = (root: string): Stop =>
  stop(exitCodes.usage, {
    code: "drill_no_repository",
    message: `${root} is in no git repository: cheats are planted in a copy of a commit.`,
    hint: "Name a project in a repository with a commit (--cwd), or see `proofline demo`."
  })

const worldIn = ({ beside, directory }: ScratchClone, languages: ReadonlyArray<LanguageRules>) => {
  const blobs = Layer.provideMerge(fileBlobs({ directory: Path.join(beside, "blobs") }), nodeDigest)
  return Layer.mergeAll(
    nodeProjectFiles({ root: directory }),
    treeSitter({ languages }),
    Layer.provideMerge(nodeBaseline({ root: directory, state: Path.join(beside, "state") }), blobs)
  )
}
