import { escaped, type Keys } from "./sign.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** A bucket and where it is asked for. */
export interface Address {
  /** Of the bucket and its prefix, without a slash at the end. */
  readonly base: URL
  /** How people know it: never with keys. */
  readonly name: string
  readonly region: string
  readonly keys: Keys
}

export interface AddressFault {
  readonly message: string
  readonly hint: string
}

const written = "Write it as s3://bucket/prefix, with ?endpoint=https://… and ?region=… for a store that is not at AWS."

/** `s3://bucket/prefix?endpoint=URL&region=NAME`; keys come from the environment alone. */
export const readAddress = (url: string, env: Environment): Address | AddressFault => {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed?.protocol !== "s3:")
    return { message: "The address of the blobs is no URL that begins with s3://.", hint: written }
  if (parsed.username !== "" || parsed.password !== "") {
    return { message: "The address of the blobs holds keys.", hint: keysFrom }
  }
  const bucket = decodeURIComponent(parsed.host)
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    return { message: "The address of the blobs names no bucket.", hint: written }
  }
  const unknown = [...parsed.searchParams.keys()].find((key) => key !== "endpoint" && key !== "region")
  if (unknown !== undefined)
    return { message: "The address of the blobs says more than endpoint and region.", hint: written }
  const region = parsed.searchParams.get("region") ?? (env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1")
  const endpoint =
    parsed.searchParams.get("endpoint") ??
    (env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || `https://s3.${region}.amazonaws.com`)
  if (!/^https?:\/\/[^/?#@]+\/?$/.test(endpoint)) {
    return { message: "The endpoint of the blobs is no address like https://host:port.", hint: written }
  }
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken
  } = env
  if (!accessKeyId || !secretAccessKey) return { message: "The keys of the blobs are not there.", hint: keysFrom }
  const prefix = parsed.pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent)
  const base = new URL(endpoint)
  base.pathname = [bucket, ...prefix].map(escaped).join("/")
  return {
    base,
    name: ["s3:/", bucket, ...prefix].join("/"),
    region,
    keys: { accessKeyId, secretAccessKey, sessionToken: sessionToken || undefined }
  }
}

const keysFrom = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where there is one."
