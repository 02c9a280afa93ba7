/** Receipts for other tools: an in-toto statement in a DSSE envelope, signed with Ed25519. */
export { type NotOpened, type Opened, type OpenedBy, open, openBy, seal } from "./envelope.ts"
export { keyId, privateKey, publicKey, publicKeys } from "./keys.ts"
export { payloadType, projectIn, receiptsIn, receiptsOf, statementOf } from "./statement.ts"
