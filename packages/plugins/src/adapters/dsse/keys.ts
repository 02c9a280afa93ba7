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

const ed25519 = (read: () => KeyObject, what: string): Result.Result<KeyObject, string> =>
  Result.flatMap(
    Result.try({ try: read, catch: () => `It is no ${what}.` }),
    (key): Result.Result<KeyObject, string> =>
      key.asymmetricKeyType === "ed25519"
        ? Result.succeed(key)
        : Result.fail(`It is a key for ${key.asymmetricKeyType}, not for ed25519.`)
  )
