import { HttpApi, OpenApi } from "effect/http-api"
import { Bearer, ProjectsGroup, parsing, Validation } from "./api.ts"

/** What a server of several projects answers at an address that names none of them. */
export class ServerApi extends HttpApi.make("prooflineServer")
  .add(ProjectsGroup)
  .middleware(Validation)
  .middleware(Bearer)
  .prefix("/api/v1")
  .annotate(HttpApi.PayloadParseOptions, parsing)
  .annotate(HttpApi.QueryParseOptions, parsing)
  .annotateMerge(
    OpenApi.annotations({
      title: "Proofline, several projects",
      version: "1",
      servers: [{ url: "/" }],
      description:
        "The projects of a server. Each answers at its `path`, with a document of its own: `{path}/openapi.json`, `{path}/api/v1`, `{path}/mcp`."
    })
  ) {}
