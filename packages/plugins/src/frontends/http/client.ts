import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { AnyBearer, Api, Bearer } from "./api.ts"

export interface ClientOptions {
  /** Where `proofline serve` listens, e.g. `http://127.0.0.1:4600`. */
  readonly url: string
  /** The token it printed, asked for at each request. */
  readonly token: () => string
}

/** A client of the HTTP API with the types it is declared with. Every refusal is one of the problem classes of `Api`. */
export const makeClient = ({ token, url }: ClientOptions) =>
  HttpApiClient.make(Api, { transformClient: HttpClient.mapRequest(HttpClientRequest.prependUrl(url)) }).pipe(
    Effect.provide(
      Layer.mergeAll(
        FetchHttpClient.layer,
        HttpApiMiddleware.layerClient(Bearer, ({ next, request }) =>
          next(HttpClientRequest.bearerToken(request, token()))
        ),
        HttpApiMiddleware.layerClient(AnyBearer, ({ next, request }) =>
          next(HttpClientRequest.bearerToken(request, token()))
        )
      )
    )
  )

export type Client = Effect.Success<ReturnType<typeof makeClient>>
