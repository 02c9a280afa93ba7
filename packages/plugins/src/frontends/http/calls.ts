/** The types of the HTTP API alone: who asks without the schemas, as the page does, loads none of them. */
import type { Schema } from "effect"
import type { HttpApi, HttpApiEndpoint } from "effect/http-api"
import type { Api } from "./api.ts"

type Groups = typeof Api extends HttpApi.HttpApi<infer _Id, infer All> ? All : never
type EndpointsOf<Group> = Group extends { readonly endpoints: infer All } ? All : never

/** The endpoints as a client has them: those of top-level groups by their names, the others by group and name. */
type Endpoints = {
  readonly [Group in Extract<Groups, { readonly topLevel: false }> as Group["identifier"]]: EndpointsOf<Group>
} & AllOf<EndpointsOf<Extract<Groups, { readonly topLevel: true }>>>
type AllOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** What is sent: nothing of a part that an endpoint does not have. */
type Part<Name extends string, Of extends Schema.Constraint> = [Of["Type"]] extends [never]
  ? unknown
  : { readonly [K in Name]: Of["Type"] }
type Request<E extends HttpApiEndpoint.ConstraintRequest> = Part<"params", E["~Params"]> &
  Part<"query", E["~Query"]> &
  Part<"payload", E["~Payload"]>

/** An answer as it is on the wire. */
type Answer<E extends HttpApiEndpoint.ConstraintRequest> =
  E["~Success"] extends Schema.toCodecJson<infer Declared> ? Declared["Encoded"] : never
type Call<E extends HttpApiEndpoint.ConstraintRequest> =
  unknown extends Request<E> ? () => Promise<Answer<E>> : (request: Request<E>) => Promise<Answer<E>>

/** Each endpoint as a function, without those that stream. */
export type Calls = CallsOf<Endpoints>
type CallsOf<All> = {
  readonly [Name in keyof All as Name extends "stream"
    ? never
    : Name]: All[Name] extends HttpApiEndpoint.ConstraintRequest ? Call<All[Name]> : CallsOf<All[Name]>
}

/** Each endpoint's method and path: `GET /api/v1/runs/:run`. */
export type Routes = RoutesOf<Endpoints>
type RoutesOf<All> = {
  readonly [Name in keyof All]: All[Name] extends {
    readonly method: infer M extends string
    readonly path: infer P extends string
  }
    ? `${M} ${P}`
    : RoutesOf<All[Name]>
}
