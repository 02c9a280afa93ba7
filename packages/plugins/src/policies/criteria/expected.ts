import type { FileRefused } from "../../port/index.ts"
import { placesOf } from "../../text/places.ts"
import type { Finding } from "./file.ts"

/** What there is under a path that a part names; null: a file that can be read. */
export type Found = FileRefused["reason"] | null

export interface Expectation {
  readonly prompt: string
  /** Files that changed; with exact names. */
  readonly files: ReadonlyArray<string>
}

/** Whether a file that a part names is missing, though nothing says that it should be. */
export const missingFile = (path: string, found: Found, { files, prompt }: Expectation): Finding | null => {
  if (path.includes("*") || goesAway(prompt, path)) return null
  const name = path.slice(path.lastIndexOf("/") + 1)
  if (found === "not_a_file") return name.includes(".") ? { path, line: null, text: "it is not a file" } : null
  // what cannot be read, or is elsewhere, is not known to be missing
  if (found !== "not_found" || !isFileName(path, name)) return null
  // people leave out the folders that everybody knows
  if (files.some((file) => file.endsWith(`/${path}`))) return null
  if (!path.includes("/") && !isMade(prompt)) return null
  const other = files.find((file) => file !== path && file.toLowerCase() === path.toLowerCase())
  return {
    path,
    line: null,
    text: other === undefined ? "it does not exist" : `it does not exist; ${other} is written in another way`
  }
}

/** A name with a dot, or one of those that are known without. */
const isFileName = (path: string, name: string): boolean =>
  /.\.?[^.]*\.[^.]|^\.[^.]/.test(name) ||
  /^(?:[A-Z][A-Za-z]*file|LICEN[CS]E|README|CHANGELOG|NOTICE|CODEOWNERS|AUTHORS|gradlew|mvnw)$/.test(name) ||
  /^(?:bin|scripts?)\//.test(path)

/** Words with which somebody asks for something that is not there yet. */
const making =
  /\b(?:creat(?:e|es|ing)|add(?:s|ing)?|writ(?:e|es|ing)|mak(?:e|es|ing)|generat(?:e|es|ing)|build(?:s|ing)?|produc(?:e|es|ing)|sav(?:e|es|ing)|output|export|implement(?:s|ing)?|put|new|set up|scaffold|introduce|provide)\b|作成|作っ|作る|追加|実装|生成|書[いくき]|新規|出力|用意/i

const isMade = (prompt: string): boolean => making.test(prompt)

const verb =
  /\b(?:(?<gone>remov|delet|drop|renam|mov|get(?:ting)? rid|replac|merg|migrat|convert|split|inlin|extract|clean|eliminat|deprecat|port|consolidat|combin|transform|turn)|creat|add|writ|mak|generat|build|produc|sav|output|export|implement|put|updat|fix|chang|edit|modif|extend|use|refactor|document|test|keep)\w*\b/gi

/** The prompt asks for the file to be removed, or for something else in its place. */
const goesAway = (prompt: string, path: string): boolean => {
  for (const sentence of prompt.split(/(?<=[.!?;。！？])\s+|[\n。]/)) {
    for (const at of placesOf(sentence, path)) {
      const before = sentence.slice(0, at)
      const after = sentence.slice(at + path.length)
      const last = [...before.matchAll(verb)].at(-1)
      if (last?.groups?.["gone"] !== undefined) {
        const between = before.slice(last.index + last[0].length)
        if (!/\b(?:to|into|as|with|by)\b/i.test(between)) return true
      }
      if (
        /^[`"'」』]?\s*(?:(?:の|ファイル)*(?:を|は)[^、。]{0,12}(?:削除|消|除去|リネーム|改名|移動|統合|置き換え|分割))/.test(
          after
        )
      )
        return true
      if (
        /^[`"']?\s+(?:(?:should|must|can|is|are|to|will)\s+(?:be\s+)?){1,2}(?:removed|deleted|renamed|moved|dropped|replaced|merged|split)/i.test(
          after
        )
      )
        return true
    }
  }
  return false
}
