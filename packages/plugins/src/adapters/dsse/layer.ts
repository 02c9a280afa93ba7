/** Receipts for other tools: an in-toto statement in a DSSE envelope, signed with Ed25519. */
export { type NotOpened, type Opened, open, seal } from "./envelope.ts"
export { keyId, privateKey, publicKey } from "./keys.ts"
export { payloadType, receiptsIn, statementOf } from "./statement.ts"
