import { isTestFile } from "../tests/testCases.ts"
import { codeNamesIn } from "./commentItems.ts"
import { saidOf } from "./said.ts"

/** The functions that an item asks to test, written as calls: `Write a test for parse()`, `Cover save() and load()`. Pure. */
export const functionsToTest = (item: string): ReadonlyArray<string> => {
  const text = saidOf(item)
  if (!testing.test(text)) return []
  const called = codeNamesIn(text).filter((name) => name.includes("("))
  return called.flatMap((name) => /([\w$]+)\(/.exec(name)?.[1] ?? [])
}

const testing = /^(?:(?:add|create|provide|write)\b[^.;]*\b(?:tests?|specs?|test cases?)\b|(?:cover|test)\b)/i

/**
 * These functions, where a file of tests has nothing to do with any of them: no word of their names stands in it, in its code,
 * its texts or its name. A test may come to a function by another way, as over HTTP, but it speaks of the same. Pure.
 */
export const untested = (
  names: ReadonlyArray<string>,
  { lines, path }: { readonly lines: ReadonlyArray<string>; readonly path: string }
): ReadonlyArray<string> => {
  if (names.length === 0 || !isTestFile(path)) return []
  const text = `${path}\n${lines.join("")}`.toLowerCase()
  return names.every((name) => wordsOf(name).every((word) => !text.includes(word))) ? names : []
}

const wordsOf = (name: string): ReadonlyArray<string> => {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[a-z]{3,}/g)
  return words ?? [name.toLowerCase()]
}
