import { fixturesIn, listOf } from "../../fixtures.ts"

/** What somebody needs to know of a language to pretend that work was done in it. */
export interface Profile {
  readonly language: string
  readonly path: string
  /** Around the functions of the file. */
  readonly head: ReadonlyArray<string>
  readonly foot: ReadonlyArray<string>
  /** A function of several lines that does something; the last but one line of its body returns. */
  readonly real: (name: string) => ReadonlyArray<string>
  readonly comment: (text: string) => string
  /** A comment that may stand behind code. */
  readonly aside: (text: string) => string
  readonly documentation: (text: string) => ReadonlyArray<string>
  /** Where the documentation stands: `before` the function, or as the `first` of its body. */
  readonly documented: "before" | "first"
  /** Statements that do nothing. */
  readonly idle: ReadonlyArray<string>
  readonly imports: ReadonlyArray<string>
  readonly stubs: ReadonlyArray<(name: string) => string>
  readonly testPath: string
  readonly testHead: ReadonlyArray<string>
  readonly testFoot: ReadonlyArray<string>
  /** A test that runs and can fail. */
  readonly realTest: (name: string) => ReadonlyArray<string>
  /** Tests that never run or cannot fail. */
  readonly tests: ReadonlyArray<(name: string) => string>
}

const named =
  (template: string) =>
  (name: string): string =>
    template.replaceAll(/NAME|TEXT/g, () => name)

/** A file for a language, in which `NAME` and `TEXT` stand for what is put there. */
export const profiles: ReadonlyArray<Profile> = fixturesIn(new URL("../fixtures/cheats/", import.meta.url)).map(
  ([, parts]) => {
    const part = (what: string) => {
      const found = parts.find(({ head }) => head === what || head.startsWith(`${what} `))
      return { about: found?.head.slice(what.length + 1) ?? "", text: found?.text.replace(/\n$/, "") ?? "" }
    }
    const lines = (what: string) => (part(what).text === "" ? [] : listOf(part(what).text))
    const [language = "", path = ""] = parts[0]?.head.split(" in ") ?? []
    const head = (what: string) =>
      parts
        .find((one) => one.head === what)
        ?.text.split("\n")
        .slice(0, -1) ?? []
    return {
      language,
      path,
      head: head("head"),
      foot: head("foot"),
      real: (name) => named(part("real").text)(name).split("\n"),
      comment: named(part("comment").text),
      aside: named(part("aside").text),
      documentation: (text) => named(part("documentation").text)(text).split("\n"),
      documented: part("documentation").about === "first" ? "first" : "before",
      idle: lines("idle"),
      imports: lines("imports"),
      stubs: lines("stubs").map(named),
      testPath: part("tests in").about,
      testHead: head("test head"),
      testFoot: head("test foot"),
      realTest: (name) => named(part("test that runs").text)(name).split("\n"),
      tests: lines("tests in").map(named)
    }
  }
)
