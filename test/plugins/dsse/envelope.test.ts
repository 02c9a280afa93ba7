import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { canonicalJson, type RunReceipts } from "@proofline/kernel"
import {
  keyId,
  open,
  openBy,
  payloadType,
  privateKey,
  projectIn,
  publicKey,
  publicKeys,
  receiptsIn,
  seal,
  statementOf
} from "@proofline/plugins/adapters/dsse"
import { Result, Schema } from "effect"

const ours = generateKeyPairSync("ed25519")
const theirs = generateKeyPairSync("ed25519")

interface Envelope {
  readonly payload: string
  readonly payloadType: string
  readonly signatures: ReadonlyArray<{ readonly keyid?: string; readonly sig: string }>
}

const sealed = (payload: string, key: KeyObject | null = ours.privateKey): Envelope =>
  JSON.parse(seal(payloadType, payload, key))
const opened = (envelope: unknown, key: KeyObject | null = ours.publicKey) => open(JSON.stringify(envelope), key)
const reasonOf = (envelope: unknown, key: KeyObject | null = ours.publicKey) => {
  const result = opened(envelope, key)
  return Result.isFailure(result) ? result.failure.reason : "opened"
}

const WellFormed = Schema.String.check(Schema.makeFilter((text) => text.isWellFormed()))

describe("an envelope", () => {
  it.prop("gives back what was signed, to the key that signed it", [WellFormed], ([payload]) => {
    assert.deepStrictEqual(Result.getOrThrow(opened(sealed(payload))), { payloadType, payload, signatures: 1 })
    assert.strictEqual(reasonOf(sealed(payload), theirs.publicKey), "signature")
  })

  it("is canonical JSON on one line, the same for the same", () => {
    const text = seal(payloadType, '{"a":1}', ours.privateKey)
    assert.strictEqual(text, `${canonicalJson(JSON.parse(text))}\n`)
    assert.strictEqual(seal(payloadType, '{"a":1}', ours.privateKey), text)
  })

  it("signs DSSE's encoding of type and content, lengths in bytes", () => {
    const { signatures } = sealed("grün")
    const signed = Buffer.from("DSSEv1 28 application/vnd.in-toto+json 5 grün")
    assert.strictEqual(signatures[0]?.sig, sign(null, signed, ours.privateKey).toString("base64"))
    assert.strictEqual(signatures[0]?.keyid, keyId(ours.publicKey))
  })

  it.each([
    ["its content", { payload: Buffer.from("other").toString("base64") }],
    ["its type", { payloadType: "application/json" }],
    ["its signature", { signatures: [{ sig: Buffer.alloc(64).toString("base64") }] }],
    ["its signature to nothing", { signatures: [{ sig: "" }] }],
    ["its signature to no base64", { signatures: [{ sig: "%%%" }] }],
    ["its signatures to none", { signatures: [] }]
  ])("is not opened when somebody changed %s", (_, change) => {
    assert.strictEqual(reasonOf({ ...sealed("content"), ...change }), "signature")
  })

  it("may be signed by several; the key id is a hint that decides nothing", () => {
    const [mine, other] = [sealed("content"), sealed("content", theirs.privateKey)]
    const { sig = "" } = mine.signatures[0] ?? {}
    assert.strictEqual(reasonOf({ ...mine, signatures: [...other.signatures, ...mine.signatures] }), "opened")
    assert.strictEqual(reasonOf({ ...mine, signatures: [{ sig }] }), "opened")
    assert.strictEqual(reasonOf({ ...mine, signatures: [{ keyid: "f".repeat(64), sig }] }), "opened")
    const posing = other.signatures.map(({ sig }) => ({ keyid: keyId(ours.publicKey), sig }))
    assert.strictEqual(reasonOf({ ...mine, signatures: posing }), "signature")
  })

  it("may be written in the URL-safe alphabet", () => {
    const { payload, signatures, ...rest } = sealed("???>>>~~~")
    const safe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_")
    assert.include(safe(payload), "_")
    const envelope = { ...rest, payload: safe(payload), signatures: signatures.map(({ sig }) => ({ sig: safe(sig) })) }
    assert.strictEqual(reasonOf(envelope), "opened")
  })

  it("without a signature opens only to who does not ask for one", () => {
    const unsigned = sealed("content", null)
    assert.deepStrictEqual(unsigned.signatures, [])
    assert.strictEqual(reasonOf(unsigned, null), "opened")
    assert.strictEqual(reasonOf(unsigned), "signature")
  })

  it("says which of several keys signed it, and is refused where one is named that did not", () => {
    const by = (envelope: unknown) => openBy(JSON.stringify(envelope), [theirs.publicKey, ours.publicKey])
    const signerOf = (envelope: unknown) => {
      const { claimed, signer } = Result.getOrThrow(by(envelope))
      return [signer === null ? null : keyId(signer), ...claimed]
    }
    const [our, their] = [keyId(ours.publicKey), keyId(theirs.publicKey)]
    const mine = sealed("content")
    assert.deepStrictEqual(signerOf(mine), [our, our])
    assert.deepStrictEqual(signerOf(sealed("content", theirs.privateKey)), [their, their])
    assert.deepStrictEqual(signerOf(sealed("content", null)), [null])
    const stranger = sealed("content", generateKeyPairSync("ed25519").privateKey)
    assert.deepStrictEqual(signerOf(stranger), [null, stranger.signatures[0]?.keyid])
    const posing = by({ ...stranger, signatures: stranger.signatures.map(({ sig }) => ({ keyid: their, sig })) })
    assert.strictEqual(Result.isFailure(posing) ? posing.failure.reason : "opened", "signature")
  })

  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["without a payload", JSON.stringify({ payloadType, signatures: [] })],
    ["no base64", JSON.stringify({ payload: "e3 0=", payloadType, signatures: [] })],
    ["no UTF-8", JSON.stringify({ payload: "/w==", payloadType, signatures: [] })]
  ])("is none when it is %s", (_, text) => {
    const result = open(text, null)
    assert.strictEqual(Result.isFailure(result) ? result.failure.reason : "opened", "malformed")
  })
})

describe("keys", () => {
  const pem = (key: KeyObject) =>
    key.export({ type: key.type === "private" ? "pkcs8" : "spki", format: "pem" }).toString()
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 })
  const why = (result: Result.Result<KeyObject, string>) => (Result.isFailure(result) ? result.failure : "a key")

  it("are read from PEM, and named alike from either half", () => {
    assert.strictEqual(keyId(Result.getOrThrow(privateKey(pem(ours.privateKey)))), keyId(ours.publicKey))
    assert.strictEqual(keyId(Result.getOrThrow(publicKey(pem(ours.publicKey)))), keyId(ours.publicKey))
    assert.match(keyId(ours.publicKey), /^[0-9a-f]{64}$/)
  })

  it("of another kind, encrypted, of the wrong half or none at all are refused in words", () => {
    const locked = ours.privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
    assert.include(why(privateKey(locked.toString())), "encrypted")
    assert.include(why(privateKey(pem(rsa.privateKey))), "for rsa")
    assert.include(why(privateKey(pem(ours.publicKey))), "no private key")
    assert.include(why(privateKey("")), "no private key")
    assert.include(why(publicKey(pem(rsa.publicKey))), "for rsa")
    assert.include(why(publicKey(pem(ours.privateKey))), "That is a private key")
    assert.include(why(publicKey("ssh-ed25519 AAAA")), "no public key")
  })

  it("may stand below each other in one text, and one that is none spoils all of them", () => {
    const text = `# ours\n${pem(ours.publicKey)}\n# - theirs -\n${pem(theirs.publicKey)}`
    const ids = Result.getOrThrow(publicKeys(text)).map(keyId)
    assert.deepStrictEqual(ids, [keyId(ours.publicKey), keyId(theirs.publicKey)])
    const fault = (said: string) => Result.match(publicKeys(said), { onFailure: (why) => why, onSuccess: () => "keys" })
    assert.include(fault("# nobody so far"), "no public key")
    assert.include(fault(`${text}${pem(rsa.publicKey)}`), "Key 3 of 3: It is a key for rsa")
    assert.include(fault(`${pem(ours.privateKey)}${text}`), "Key 1 of 3: That is a private key")
    assert.include(fault(text.slice(0, -40)), "Key 2 of 2")
  })
})

// --- the statement ----------------------------------------------------------------------------------------------

const event = { version: 3, position: 4, hash: "e".repeat(64) }
const itemOf = (path: string, start: number, git_blob: string | null) =>
  ({
    task_id: "a",
    task_title: "A",
    task_completed: true,
    item_index: 0,
    item: "one",
    attempt: 1,
    agent: null,
    evidence: `${path}:${start}`,
    receipt: {
      kind: "lines",
      path,
      start,
      end: start + 1,
      sha256: "a".repeat(64),
      git_blob,
      git_commit: null,
      covers: { start, end: start + 1, sha256: null },
      declaration: null
    },
    weak: [],
    verifier_runs: [],
    review: null,
    events: {
      checklist_item_accepted: event,
      evidence_checked: null,
      verification_run: null,
      quality_judgment: null,
      task_completed: null
    }
  }) as const

const runOf = (...receipts: RunReceipts["receipts"]): RunReceipts => ({
  run_id: "run_1",
  name: "a run",
  status: "completed",
  base_commit: null,
  head: { version: 9, hash: "f".repeat(64) },
  receipts,
  waived: [],
  open: []
})

describe("a statement", () => {
  const subjects = (run: RunReceipts) => JSON.parse(statementOf(run)).subject

  it("is canonical and reads back as the receipts it was made of", () => {
    const run = runOf(itemOf("a.ts", 1, "1".repeat(40)))
    const text = statementOf(run)
    assert.strictEqual(text, canonicalJson(JSON.parse(text)))
    assert.deepStrictEqual(Result.getOrThrow(receiptsIn(text)), run)
  })

  it("names the folder of its project where that is not the top, and says the same of the receipts", () => {
    const run = runOf(itemOf("a.ts", 1, null))
    const text = statementOf(run, "apps/a")
    assert.strictEqual(projectIn(text), "apps/a")
    assert.deepStrictEqual(Result.getOrThrow(receiptsIn(text)), run)
    assert.strictEqual(statementOf(run, ""), statementOf(run))
    for (const none of [statementOf(run), "{", '{"predicate":{"project":3}}']) assert.strictEqual(projectIn(none), "")
  })

  it("of a release that knew of lines alone reads as one of lines", () => {
    const run = runOf(itemOf("a.ts", 1, null))
    const old = JSON.parse(statementOf(run))
    for (const { receipt } of old.predicate.receipts) delete receipt.kind
    assert.deepStrictEqual(Result.getOrThrow(receiptsIn(JSON.stringify(old))), run)
  })

  it("names files by their blob and ranges by their bytes, each once", () => {
    const [one, two] = ["1".repeat(40), "2".repeat(40)]
    assert.deepStrictEqual(subjects(runOf(itemOf("a.ts", 1, one), itemOf("a.ts", 1, one), itemOf("b.ts", 5, null))), [
      { name: "a.ts", digest: { gitBlob: one } },
      { name: "a.ts#L1-L2", digest: { sha256: "a".repeat(64) } },
      { name: "b.ts#L5-L6", digest: { sha256: "a".repeat(64) } }
    ])
    const versions = subjects(runOf(itemOf("a.ts", 1, one), itemOf("a.ts", 3, two)))
    assert.deepStrictEqual(
      versions.map(({ name }: { readonly name: string }) => name),
      [`a.ts@${one}`, `a.ts@${two}`, "a.ts#L1-L2", "a.ts#L3-L4"]
    )
  })

  const statement = JSON.parse(statementOf(runOf(itemOf("a.ts", 1, null))))
  const [first] = statement.predicate.receipts
  const withReceipt = (receipt: object) => ({
    ...statement,
    predicate: { ...statement.predicate, receipts: [{ ...first, receipt: { ...first.receipt, ...receipt } }] }
  })

  it.each([
    ["of another version of in-toto", { ...statement, _type: "https://in-toto.io/Statement/v0.1" }],
    ["about something else", { ...statement, predicateType: "https://slsa.dev/provenance/v1" }],
    ["without receipts", { ...statement, predicate: {} }],
    ["with a line 0", withReceipt({ start: 0 })],
    ["with an end before its start", withReceipt({ start: 5 })],
    ["with half a line", withReceipt({ end: 2.5 })],
    ["with a judged range that is none", withReceipt({ covers: { start: 3, end: 1, sha256: null } })],
    ["that is a list", []]
  ])("is refused: %s", (_, wrong) => {
    assert.isTrue(Result.isFailure(receiptsIn(JSON.stringify(wrong))))
  })

  it("with fields that are new is read all the same", () => {
    const later = { ...withReceipt({ more: 1 }), extension: true }
    assert.isTrue(Result.isSuccess(receiptsIn(JSON.stringify(later))))
  })
})
