import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isProse, taskWords } from "../../../packages/plugins/src/policies/evidence/asked/prose.ts"

const prose = (path: string, item: string, ...task: ReadonlyArray<string>): boolean =>
  isProse(path, item, taskWords(task))

const login = "Implement the login function"

describe("text for people that is cited", () => {
  it.each([
    login,
    "Add a class Session",
    "The endpoint /login answers wrong passwords with 401",
    "The handler refuses wrong passwords",
    "login() returns null for wrong passwords",
    "Refactor session.open",
    "Fix the bug that logs users out",
    "Write unit tests for login",
    "Add a few tests for wrong passwords",
    "A parser for dates",
    "The project compiles without warnings",
    "ログイン関数を実装する",
    "ログインのエンドポイントを追加",
    "パスワードの単体テストを追加する",
    "ﾊﾟｽﾜｰﾄﾞのﾃｽﾄを追加する",
    "Sessionクラスをリファクタリングする",
    "parserを追加する"
  ])("given an item that asks for code, then it shows nothing of it: %s", (item) => {
    assert.isTrue(prose("NOTES.md", item, "Login", "Let users log in."))
  })

  it.each([
    ["Handle wrong passwords", "Login", "Implement login."],
    ["Wrong passwords are refused", "Login", "Write a function that opens a session."],
    ["パスワードを確かめる", "ログイン", "ログインを実装してください。"],
    ["認証", "ログイン", "ログインを実装する"]
  ])("given an item of neither kind in a task that asks for code, then it shows nothing: %s", (item, ...task) => {
    assert.isTrue(prose("docs/notes.md", item, ...task))
    assert.isFalse(prose("docs/notes.md", item, "Onboarding", "新しい人を迎える"))
  })

  it.each([
    "NOTES.md",
    "docs/a b.MD",
    "a.markdown",
    "docs/a.rst",
    "a.adoc",
    "a.asciidoc",
    "a.org",
    "a.textile",
    "README",
    "Readme",
    "sub/NOTES",
    "CHANGELOG"
  ])("given a file that is a document by its name, then it is one: %s", (path) => {
    assert.isTrue(prose(path, login))
  })

  it.each([
    "src/login.ts",
    "notes.txt",
    "page.mdx",
    "book.ipynb",
    "paper.tex",
    "data.csv",
    "data.json",
    ".md",
    "bin/notes",
    "bin/report",
    "Makefile",
    "README.js",
    "md/login"
  ])("given a file that may be a program, or data, then nothing is said of it: %s", (path) => {
    assert.isFalse(prose(path, login))
  })
})

describe("honest work on documents", () => {
  const neutral = ["Login", "Let users log in."]

  it.each([
    "Document the login function",
    "Update the docs for the new endpoint",
    "Describe what the parser returns",
    "Explain in NOTES.md how the handler works",
    "Explain why the function throws",
    "Add a section on the Session class to the README",
    "Add a changelog entry for the bug fix",
    "An example of how to call the function",
    "Summarize the implementation",
    "Summarise which methods were removed",
    "List all endpoints",
    "A guide to unit tests",
    "Plan the refactoring",
    "Write a test plan with unit tests",
    "Write test cases for manual testing",
    "Design the parser",
    "Research how other parsers handle dates",
    "Analyse which functions are slow",
    "Analysis of the compiler",
    "Review the implementation of login",
    "Write up why the build compiles slowly",
    "Report which tests are flaky: unit tests first",
    "Spec for the endpoint",
    "Translate the page about handlers",
    "A blog post about our parser",
    "A prompt that makes the agent write functions",
    "A skill for refactoring",
    "A slash command that implements an issue",
    "Ignored files in the /speckit.implement command",
    "A snippet of how the handler is typed",
    "applyMiddleware, and who calls its handler_list",
    "A subagent that writes unit tests",
    "A policy for breaking changes of endpoints",
    "Compare three parsers",
    "Decide between the two parsers",
    "Investigate why the handler is slow",
    "Audit the error handlers",
    "An ADR on the parser",
    "Mention the new endpoint to users",
    "Fix a typo in the word implementation",
    "Answer in docs/faq.md what the function returns",
    "The table of endpoints has /login",
    "UserGuide has the new endpoint",
    "Fill STATUS with what is implemented",
    "Compile what users said",
    "Code of conduct",
    "ログイン関数のドキュメントを書く",
    "関数の説明を追加",
    "エンドポイントの一覧を更新",
    "実装の手順をまとめる",
    "テスト計画を書く",
    "クラス設計",
    "メソッドの仕様を記述する",
    "実装を調査する",
    "パーサの分析",
    "READMEに関数の使い方を書く",
    "テスト結果を報告する",
    "実装の概要",
    "変更点を実装ごとに要約する",
    "エンドポイントのリファレンスを docs/api.md に追加",
    "Beschreibe den Endpoint /login",
    "Was der Handler macht und warum",
    "Décris la fonction du parser",
    "Les endpoints de la version 2, pour le client",
    "El endpoint de login para los clientes",
    "为 endpoint 编写文档",
    "endpoint 的用法",
    "Опиши endpoint"
  ])("given an item that speaks of a document, or in words that nobody knows, then it holds: %s", (item) => {
    assert.isFalse(prose(item.includes("STATUS") ? "STATUS" : "docs/login.md", item, ...neutral))
  })

  it.each<[string, string, string]>([
    ["Login in the docs", "Say what users see.", "The login function"],
    ["Login", "Write docs/login.md: what each endpoint is for.", login],
    ["Login", "Describe the function for those who call it.", "What it returns"],
    ["Handbook", "Everything that new people ask.", "How our parser works"],
    ["Research: parsers", "Find out which of them is fastest.", "The parser of dates"],
    ["ログイン", "ログイン関数の仕様書を作る", "関数が返すもの"],
    ["Anmeldung", "Schreibe auf, was der Endpoint macht und für wen.", "Der Endpoint"],
    ["Anmeldung", "Schreib auf, wofür der Code da ist.", "What login returns"],
    ["登录", "写下每个 endpoint 的用途", "endpoint"]
  ])("given a task that speaks of one, then its items hold: %s: %s", (title, instruction, item) => {
    assert.isFalse(prose("docs/login.md", item, title, instruction))
  })

  it("given a part of a task that speaks of documents, then its items hold", () => {
    assert.isTrue(isProse("a.md", login, taskWords(["Login", "Everything of it."], ["Shop", "Sell things."])))
    assert.isFalse(isProse("a.md", login, taskWords(["Login", "Everything of it."], ["Manual", "For our users."])))
  })

  it("given an item that asks for code nowhere, then it holds, whatever the file is", () => {
    assert.isFalse(isProse("NOTES.md", "Wrong passwords are refused"))
    assert.isFalse(prose("NOTES.md", "Onboarding is complete", "People", "Welcome those who are new."))
  })
})

describe("any texts", () => {
  const said = Schema.Literals(["docs", "README", "the guide.md", "説明", "specification", "翻訳"])

  it.prop(
    "given a word for a document among them, wherever it is, then all of it holds",
    [Schema.String, Schema.String, Schema.String, said, Schema.Literals([0, 1, 2])],
    ([item, title, instruction, word, at]) => {
      const [a = "", b = "", c = ""] = [item, title, instruction].map((one, i) =>
        i === at ? `${one}\n${word}\n` : one
      )
      assert.isFalse(prose("NOTES.md", `${login} ${a}`, b, c))
    }
  )

  it.prop("given a file that is no document, then nothing is said of it", [Schema.String], ([name]) => {
    assert.isFalse(prose(`${name}.ts`, login))
  })

  it("given a long instruction, then it is read once from end to end", () => {
    for (const part of ["A", "aB", "fix ", "add a ", "実装", "ー", " ", "x.m"]) {
      assert.isBoolean(prose("NOTES.md", login, "Login", part.repeat(100_000)))
    }
  })
})
