import type { ServedProject } from "@proofline/plugins/frontends/http/api"
import { Effect } from "effect"
import { type ProjectPaths, pathsOf, realPath, type Where } from "../base/paths.ts"
import { exitCodes, type Problem, problemText, stop } from "../base/problems.ts"
import { serveDocument } from "../documents/others.ts"
import { print, printLine, say } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { recentProjects } from "../project/recentProjects.ts"
import { withStorage } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { count } from "../render/lines.ts"
import { addressesAt } from "../serving/answering.ts"
import { openBrowser } from "../serving/browser.ts"
import { type Address, addressOf, openServer } from "../serving/httpServer.ts"
import { endsWhenLost } from "../serving/loss.ts"
import { hasLog, openProjects } from "../serving/manyProjects.ts"
import { knownProject } from "../serving/servedProject.ts"
import { type ServerFlags, serverSetup } from "../serving/server.ts"

export interface ServeOptions extends ServerFlags, Where {
  /** Directories of projects. */
  readonly project: ReadonlyArray<string>
  /** Those too that were used lately. */
  readonly recent: boolean
  readonly port?: number | undefined
  /** Opens the page in a browser. */
  readonly open: boolean
  readonly json: boolean
}

/** `proofline serve`: a project over HTTP, or several, for people and any number of agents at once, until it is stopped. */
export const serve = Effect.fnUntraced(function* (options: ServeOptions) {
  if (options.project.length === 0 && !options.recent) return yield* serveOne(options)
  const { blobs, databaseUrl } = options
  const named = (["cwd", "state"] as const).find((flag) => options[flag] !== undefined)
  if (named !== undefined) return yield* stop(exitCodes.usage, misplaced(named))
  const used = options.recent ? recentProjects().filter((cwd) => hasLog(pathsOf({ cwd, databaseUrl }))) : []
  const projects = [...new Map([...options.project, ...used].map((cwd) => [realPath(cwd), cwd])).values()]
  const [first] = projects
  if (first === undefined) return yield* stop(exitCodes.usage, nothingRecent)
  return yield* projects.length === 1
    ? serveOne({ ...options, cwd: first })
    : serveMany({ ...options, projects, blobs, databaseUrl })
})

const serveOne = Effect.fnUntraced(function* (options: ServeOptions) {
  const paths = yield* existingProject(options, options.project.length === 0 ? "--cwd" : "--project")
  const setup = yield* serverSetup(paths, options)
  return yield* withStorage(
    paths,
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        yield* setup.check
        const address = yield* openServer(paths, { setup, port: options.port, canStart: true })
        const isNamed = options.project.length > 0 || options.recent
        yield* tell(
          paths,
          address,
          options.json,
          isNamed ? [{ ...(yield* knownProject(paths)), isOpen: true, problems: [] }] : null
        )
        if (options.open) yield* openBrowser(paths, address.page)
        return yield* endsWhenLost()
        // sessions and runs end before the storage they are recorded in is closed
      }).pipe(Effect.scoped)
    )
  )
})

const serveMany = (options: ServeOptions & { readonly projects: ReadonlyArray<string> }) =>
  Effect.gen(function* () {
    const { ended, listening, projects } = yield* openProjects(options)
    const address = addressOf(listening)
    yield* tellAll(address, projects, options.json)
    const first = projects.find(({ isOpen }) => isOpen)
    if (options.open && first !== undefined) yield* openBrowser(first.paths, address.page)
    return yield* ended
  }).pipe(Effect.scoped)

type Told = Pick<ServedProject, "id" | "name" | "root" | "path"> & {
  readonly isOpen: boolean
  readonly problems: ReadonlyArray<Problem>
}

/** A project with its addresses, for programs. */
const toldIn = ({ url }: Address, { id, name, path, problems, root }: Told) => ({
  id,
  name,
  root,
  ...addressesAt(`${url}${path}`),
  ...(problems.length === 0 ? {} : { problems })
})

const tell = ({ root }: ProjectPaths, address: Address, json: boolean, projects: ReadonlyArray<Told> | null) => {
  const { api, isGiven, mcp, openapi, page, token, url } = address
  if (json) {
    const listed = projects === null ? {} : { projects: projects.map((project) => toldIn(address, project)) }
    return printLine(serveDocument, { url, mcp, api, openapi, page, token, ...listed })
  }
  return Effect.andThen(
    print(
      [
        `Serving ${root} at ${url}`,
        `  Page   ${page}${isGiven ? "  (asks for the token)" : ""}`,
        `  MCP    ${mcp}`,
        `  API    ${api}  (described at ${openapi})`,
        `  Token  ${tokenText(address)}`,
        ""
      ].join("\n")
    ),
    sayStop
  )
}

const tellAll = (address: Address, projects: ReadonlyArray<Told>, json: boolean) => {
  const { isGiven, page, token, url } = address
  return json
    ? printLine(serveDocument, { url, page, token, projects: projects.map((project) => toldIn(address, project)) })
    : Effect.andThen(
        print(
          [
            `Serving ${count(projects.length, "project")} at ${url}`,
            `  Page   ${page}${isGiven ? "  (asks for the token)" : ""}`,
            `  Token  ${tokenText(address)}`,
            ...projects.flatMap(({ isOpen, path, problems, root }) => {
              const { api, mcp, openapi } = addressesAt(`${url}${path}`)
              return [
                root,
                ...(isOpen || problems.length > 0 ? [] : ["  It is still being opened: its log may be locked."]),
                ...(problems.length === 0
                  ? [`  MCP    ${mcp}`, `  API    ${api}  (described at ${openapi})`]
                  : problems.map((problem) => `  Cannot be served now: ${problemText(problem)}`))
              ]
            }),
            ""
          ].join("\n")
        ),
        sayStop
      )
}

const tokenText = ({ isGiven, token }: Address): string =>
  isGiven ? "the one in PROOFLINE_TOKEN" : `${token}  (shown only here)`

const sayStop = say("Whoever has the token may do all that you may here. Stop with Ctrl-C.")

const misplaced = (flag: "cwd" | "state"): Problem => ({
  code: "project_conflict",
  message: `--${flag} is for a server of one project, and --project and --recent name those to be served.`,
  hint:
    flag === "cwd"
      ? "Leave --cwd out, or name its directory with --project too."
      : "Leave --state out: each project has its own, in its directory."
})

const nothingRecent: Problem = {
  code: "recent_none",
  message: "Nothing is known of a project that was used lately.",
  hint: "Name projects with --project DIR; those in which a run is begun or taken up are known from then on."
}
