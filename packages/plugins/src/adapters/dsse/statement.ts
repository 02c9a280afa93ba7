import { canonicalJson, type ItemReceipt, isLineReceipt, type Json, type Receipt, RunReceipts } from "@proofline/kernel"
import { Result, Schema } from "effect"
import type { Opened } from "./envelope.ts"

/** Names the shape of the predicate; a change that a reader must know of gets another number. */
export const predicateType = "urn:proofline:receipts:v1"
const statementType = "https://in-toto.io/Statement/v1"

/** The media type under which a statement is signed. */
export const payloadType = "application/vnd.in-toto+json"

const Subject = Schema.Struct({ name: Schema.String, digest: Schema.Record(Schema.String, Schema.String) })
type Subject = typeof Subject.Type

const Statement = Schema.Struct({
  _type: Schema.String,
  subject: Schema.Array(Subject),
  predicateType: Schema.String,
  predicate: Schema.Json
})

/**
 * The receipts of a run as an in-toto statement, canonical JSON (RFC 8785). The same log gives the same text. `project`: the
 * folder of the project in its repository, `/` separated, where the statement goes with that.
 */
export const statementOf = (receipts: RunReceipts, project = ""): string =>
  canonicalJson({
    _type: statementType,
    subject: subjectsOf(receipts.receipts),
    predicateType,
    predicate: project === "" ? receipts : { ...receipts, project }
  })

/** The folder of the project that a statement speaks of, without a `/` at the end; empty: the top of its repository. */
export const projectIn = (payload: string): string =>
  Result.match(decodePlace(payload), { onFailure: () => "", onSuccess: ({ predicate }) => predicate.project ?? "" })

/**
 * What is attested: every cited file by its blob, where git named it, and every range of lines by the digest of its
 * bytes. The two are artifacts of their own: a digest of lines is none of the file. Evidence of other kinds stands in the
 * predicate alone.
 */
const subjectsOf = (receipts: ReadonlyArray<ItemReceipt>): ReadonlyArray<Subject> => {
  const lines = receipts.map(({ receipt }) => receipt).filter(isLineReceipt)
  const files = lines.flatMap(({ git_blob, path }) => (git_blob === null ? [] : [{ git_blob, path }]))
  const versions = Map.groupBy(files, ({ path }) => path)
  const blobs = [...versions].flatMap(([path, same]) => {
    const ids = [...new Set(same.map(({ git_blob }) => git_blob))]
    return ids.map((id) => ({ name: ids.length === 1 ? path : `${path}@${id}`, digest: { gitBlob: id } }))
  })
  const ranges = lines.map(({ end, path, sha256, start }) => ({
    name: `${path}#L${start}-L${end}`,
    digest: { sha256 }
  }))
  const named = new Map([...blobs, ...ranges].map((subject) => [canonicalJson(subject), subject]))
  return [...named.values()]
}

/** The receipts in an envelope that was opened; or a sentence on why there are none. */
export const receiptsOf = ({
  payload,
  payloadType: type
}: Pick<Opened, "payload" | "payloadType">): Result.Result<RunReceipts, string> =>
  type === payloadType
    ? Result.mapError(receiptsIn(payload), (why) => `It holds no receipts of Proofline: ${why}.`)
    : Result.fail(`Its payload is of the type ${type}, not ${payloadType}.`)

/** The receipts of a statement; or why it is none of ours, as the end of a sentence. */
export const receiptsIn = (payload: string): Result.Result<RunReceipts, string> => {
  const statement = parsed(payload)
  if (Result.isFailure(statement)) return Result.fail(statement.failure)
  const { _type, predicate, predicateType: type } = statement.success
  if (_type !== statementType) return Result.fail(`its statement is of the type ${_type}, not ${statementType}`)
  if (type !== predicateType) return Result.fail(`it attests ${type}, not ${predicateType}`)
  const decoded = decodeReceipts(withKinds(predicate))
  if (Result.isFailure(decoded)) return Result.fail(`its receipts have another shape (${firstLine(decoded.failure)})`)
  const wrong = decoded.success.receipts.find(({ receipt }) => !hasRanges(receipt))
  return wrong === undefined
    ? Result.succeed(decoded.success)
    : Result.fail(`the receipt of "${wrong.item}" names no range of lines`)
}

/** Before there was other evidence than lines, a receipt named no kind. */
const withKinds = (predicate: Json): Json =>
  isFields(predicate) && Array.isArray(predicate["receipts"])
    ? { ...predicate, receipts: predicate["receipts"].map(withKind) }
    : predicate

const withKind = (item: Json): Json =>
  isFields(item) && isFields(item["receipt"]) && !Object.hasOwn(item["receipt"], "kind")
    ? { ...item, receipt: { kind: "lines", ...item["receipt"] } }
    : item

const isFields = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const hasRanges = (receipt: Receipt): boolean =>
  !isLineReceipt(receipt) || (isRange(receipt) && isRange(receipt.covers))

const isRange = ({ end, start }: { readonly start: number; readonly end: number }): boolean =>
  start >= 1 && end >= start

const decodeStatement = Schema.decodeUnknownResult(Schema.fromJsonString(Statement))
const decodePlace = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ predicate: Schema.Struct({ project: Schema.optionalKey(Schema.String) }) }))
)
const decodeReceipts = Schema.decodeUnknownResult(RunReceipts)

const parsed = (payload: string) =>
  Result.mapError(decodeStatement(payload), (issue) => `its payload is no in-toto statement (${firstLine(issue)})`)

const firstLine = (issue: unknown): string => String((issue as Error)?.message ?? issue).split("\n")[0] ?? ""
