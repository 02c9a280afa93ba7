import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto"
import { Result } from "effect"

/** Lower-case hex SHA-256 of the public key as SubjectPublicKeyInfo in DER: `openssl pkey -pubout -outform der`. */
export const keyId = (key: KeyObject): string => {
  const open = key.type === "private" ? createPublicKey(key) : key
  return createHash("sha256")
    .update(open.export({ type: "spki", format: "der" }))
    .digest("hex")
}

/** An Ed25519 private key from PEM (PKCS#8, not encrypted); or, as a sentence, why it is none. */
export const privateKey = (pem: string): Result.Result<KeyObject, string> => {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type:.*ENCRYPTED/m.test(pem))
    return Result.fail("The key is encrypted, and nobody is asked for a passphrase here.")
  return ed25519(() => createPrivateKey(pem), "private key in PEM")
}

/** An Ed25519 public key from PEM; or, as a sentence, why it is none. */
export const publicKey = (pem: string): Result.Result<KeyObject, string> =>
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)
    ? Result.fail("That is a private key; to verify, the public one is enough.")
    : ed25519(() => createPublicKey(pem), "public key in PEM")

/** All Ed25519 public keys of a text in PEM, one below the other; what stands between them is a comment. */
export const publicKeys = (text: string): Result.Result<ReadonlyArray<KeyObject>, string> => {
  const blocks = text.match(/-----BEGIN [A-Z0-9 ]+-----[^-]*(?:-----END [A-Z0-9 ]+-----|$)/g) ?? []
  if (blocks.length === 0) return Result.fail("There is no public key in PEM in it.")
  const keys: Array<KeyObject> = []
  for (const [i, block] of blocks.entries()) {
    const key = publicKey(block)
    if (Result.isFailure(key)) return Result.fail(`Key ${i + 1} of ${blocks.length}: ${key.failure}`)
    keys.push(key.success)
  }
  return Result.succeed(keys)
}

const ed25519 = (read: () => KeyObject, what: string): Result.Result<KeyObject, string> =>
  Result.flatMap(
    Result.try({ try: read, catch: () => `It is no ${what}.` }),
    (key): Result.Result<KeyObject, string> =>
      key.asymmetricKeyType === "ed25519"
        ? Result.succeed(key)
        : Result.fail(`It is a key for ${key.asymmetricKeyType}, not for ed25519.`)
  )
