import { createHash, createHmac } from "node:crypto"

export interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
}

export interface Asked {
  readonly method: "GET" | "HEAD" | "PUT"
  /** Each part of its path escaped, as it is sent. */
  readonly url: URL
  /** In lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>
  /** Lower-case hex SHA-256 of the body. */
  readonly bodySha256: string
}

/** The headers of a request to S3, signed: AWS Signature Version 4, in the header. */
export const signed = (
  { bodySha256, headers, method, url }: Asked,
  keys: Keys,
  region: string,
  at: Date
): Readonly<Record<string, string>> => {
  const time = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, "")
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const all: Readonly<Record<string, string>> = {
    ...headers,
    host: url.host,
    "x-amz-content-sha256": bodySha256,
    "x-amz-date": time,
    ...(keys.sessionToken === undefined ? {} : { "x-amz-security-token": keys.sessionToken })
  }
  const names = Object.keys(all).sort()
  const request = [
    method,
    url.pathname,
    [...url.searchParams]
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .sort()
      .join("&"),
    ...names.map((name) => `${name}:${all[name]?.trim()}`),
    "",
    names.join(";"),
    bodySha256
  ].join("\n")
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(request).digest("hex")].join("\n")
  const key = scope
    .split("/")
    .reduce<string | Buffer>((above, part) => hmac(above, part), `AWS4${keys.secretAccessKey}`)
  const signature = hmac(key, text).toString("hex")
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope},SignedHeaders=${names.join(";")},Signature=${signature}`
  }
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** As RFC 3986 has it: S3 signs no other characters as they are. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
