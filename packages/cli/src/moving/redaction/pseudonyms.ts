import { createHmac } from "node:crypto"
import { filesIn, fileUses } from "@proofline/kernel"

/*
 * A pseudonym is made of a text by HMAC-SHA-256 under a secret key: the same text has the same pseudonym wherever it stands,
 * and nobody without the key can try texts. What rules look at in a text stays as a form: that it is a path, lines of a file,
 * a part of a task, a digest, or that it names files.
 */

export interface Pseudonyms {
  readonly of: (text: string) => string
  /** Says which name stands for another one, such as the id of work that follows from those of run and task. */
  readonly name: (text: string, pseudonym: string) => void
  /** Whether the text was ever asked for. */
  readonly knows: (text: string) => boolean
  /** Whether it is the pseudonym of any text that was asked for. */
  readonly isOne: (pseudonym: string) => boolean
}

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/
const digest = /^[0-9a-f]{32,128}$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const cited = /^(\S+):(\d{1,9})(-\d{1,9})?$/
const schemed = /^(file|absent|url):(\S+)$/
/** Parts of a task and iterations of a run, in the names that rules give them. */
const part = /^(.+)(-sub-\d{1,9}|-iter\d{1,9})$/s
/** A criterion of a requirement. */
const numbered = /^(.+)(\.\d{1,9})$/s
const pathMax = 1_000
/** Which files a longer text names is not looked for. */
const textMax = 100_000
/** What a text says of a file that it names. */
const verbs = { written: "write ", read: "see ", named: "" } as const

/** `named`: ids that parts of what they name are called by. */
export const makePseudonyms = (key: Uint8Array, named: ReadonlySet<string>): Pseudonyms => {
  const secret = createHmac("sha256", key).update("proofline/text").digest()
  const known = new Map<string, string>()
  const given = new Set<string>()
  const mac = (text: string): string => createHmac("sha256", secret).update(text).digest("hex")

  const of = (text: string): string => {
    const before = known.get(text)
    if (before !== undefined) return before
    const made = make(text)
    name(text, made)
    return made
  }

  const name = (text: string, pseudonym: string): void => {
    known.set(text, pseudonym)
    given.add(pseudonym)
  }

  const make = (text: string): string => {
    if (/^\s*$/.test(text) || timestamp.test(text)) return text
    if (digest.test(text)) return (mac(text) + mac(`${text}/2`)).slice(0, text.length)
    if (uuid.test(text)) return mac(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")
    const [, lines = "", start = "", end = ""] = cited.exec(text) ?? []
    if (lines !== "" && isPath(lines)) return `${of(lines)}:${start}${end}`
    const [, scheme = "", rest = ""] = schemed.exec(text) ?? []
    if (rest !== "") return `${scheme}:${of(rest)}`
    const [, whole = "", suffix = ""] = part.exec(text) ?? numbered.exec(text) ?? []
    if (whole !== "" && named.has(whole)) return `${of(whole)}${suffix}`
    if (isPath(text)) return text.split("/").map(segment).join("/")
    const uses = text.length > textMax ? [] : [...fileUses(text)]
    return [`t${mac(text).slice(0, 20)}`, ...uses.map(([file, use]) => `${verbs[use]}${of(file)}`)].join("; ")
  }

  /** The ending says which language it is in, and that it is a file. */
  const segment = (name: string): string => {
    if (name === "" || name === "." || name === "..") return name
    const [file] = filesIn(name)
    const dot = name.lastIndexOf(".")
    return `p${mac(name).slice(0, 16)}${file === name && dot > 0 ? name.slice(dot) : ""}`
  }

  return {
    of,
    name,
    knows: (text) => known.has(text),
    isOne: (pseudonym) => given.has(pseudonym)
  }
}

const isPath = (text: string): boolean =>
  text.length <= pathMax && !/[\s\\]|:\/\//.test(text) && (text.includes("/") || filesIn(text)[0] === text)
