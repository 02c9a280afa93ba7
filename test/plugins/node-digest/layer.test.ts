import { it } from "@effect/vitest"
import { Digest } from "@proofline/kernel"
import { layer } from "@proofline/plugins/adapters/node-digest"
import { Effect } from "effect"
import { assert } from "vitest"

const digest = Effect.runSync(Digest.pipe(Effect.provide(layer)))

it("hashes the UTF-8 bytes of a text, and bytes, as FIPS 180-4 says", () => {
  assert.strictEqual(digest.sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  assert.strictEqual(digest.sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  assert.strictEqual(digest.sha256("é😀"), digest.sha256(new TextEncoder().encode("é😀")))
})

it("names things by version 5 UUIDs that never change", () => {
  assert.strictEqual(digest.uuid5("run_a/attempt/login/1"), "6fd73659-c99e-5c1a-83b6-5142f3dc50e4")
  assert.match(digest.uuid5(""), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.notStrictEqual(digest.uuid5("a"), digest.uuid5("b"))
})
