import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { Effect } from "effect"

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()

/** What it answers instead of what it would: once for each. */
export type Script = Array<{ readonly status: number; readonly body?: string }>

export const keys = { id: "AKIDSCRIPTED", secret: "s3cr3t/of+nobody", token: "session-token" }

/** Whether a request is signed with these keys, as the documentation of Signature Version 4 has it. */
const isSigned = ({ headers, method, url = "" }: IncomingMessage, body: Uint8Array): boolean => {
  const [, id, date, region, names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? ""
    ) ?? []
  const isFresh =
    Math.abs(Date.now() - Date.parse(`${headers["x-amz-date"]}`.replace(/^(.{4})(..)(..T..)(..)/, "$1-$2-$3:$4:"))) <
    900_000
  if (id !== keys.id || headers["x-amz-security-token"] !== keys.token || !isFresh) return false
  if (headers["x-amz-content-sha256"] !== sha256(body)) return false
  const canonical = `${method}\n${url}\n\n${names
    .split(";")
    .map((name) => `${name}:${headers[name]}\n`)
    .join("")}\n${names}\n${sha256(body)}`
  const toSign = `AWS4-HMAC-SHA256\n${headers["x-amz-date"]}\n${date}/${region}/s3/aws4_request\n${sha256(canonical)}`
  const key = hmac(hmac(hmac(hmac(`AWS4${keys.secret}`, `${date}`), `${region}`), "s3"), "aws4_request")
  return (
    ["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.split(";").includes(name)) &&
    hmac(key, toSign).toString("hex") === signature
  )
}

/** A small server that speaks like S3, with one bucket `here`: scripted, and no S3. Gone with the scope. */
export const scriptedS3 = Effect.acquireRelease(
  Effect.promise(async () => {
    const objects = new Map<string, Uint8Array>()
    const script: Script = []
    const asked: Array<string> = []
    const server = createServer(async (request, response) => {
      const { method = "", url = "" } = request
      asked.push(`${method} ${url}`)
      const body = await buffer(request)
      const answer = (status: number, data: string | Uint8Array = "") => response.writeHead(status).end(data)
      const scripted = script.shift()
      if (scripted !== undefined) return answer(scripted.status, scripted.body)
      if (!isSigned(request, body)) return answer(403, "<Error><Code>SignatureDoesNotMatch</Code></Error>")
      if (!url.startsWith("/here/")) return answer(404, "<Error><Code>NoSuchBucket</Code></Error>")
      if (method === "PUT") {
        objects.set(url, body)
        return answer(200)
      }
      const found = objects.get(url)
      return found === undefined ? answer(404, "<Error><Code>NoSuchKey</Code></Error>") : answer(200, found)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { objects, script, asked, server, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
  ({ server }) =>
    Effect.promise(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
)
