import { assert, describe, it } from "@effect/vitest"
import { asksForComments } from "../../../packages/plugins/src/policies/evidence/asked/commentItems.ts"
import { commentsAt, newComments } from "../../../packages/plugins/src/policies/evidence/work/comments.ts"
import { outlined } from "../tree-sitter/support.ts"

describe("what an item asks for", () => {
  it.each([
    "doc: do not repeat the efficient-ness of it all",
    "docs(api): Use a better example for log_enabled!",
    "Clarify documentation on original circuit breaker",
    "Fix incorrect HTML headings in Javadoc",
    "Add links to other walkdir items in WalkDir docs",
    "Add documentation for use and run methods in Builder",
    "Describe the parameters of slugify()",
    "Update the copyright year",
    "Minor doc updates in Plug.Router",
    "Document dotize() in its docstring",
    "Describe compare() with a JSDoc comment",
    "Describe Dedent() with a comment",
    "Add a docstring to dotize()",
    "Add JSDoc to every exported function",
    "Add a comment that explains the regular expression",
    "Write a comment above parse()",
    "Document compare(), its parameters and return value",
    "Add a licence header to main.go",
    "Every exported function has a doc comment",
    "Extend the comment of WordCount",
    "Document in the comment of WordCount that it does not allocate",
    "Extend the documentation of WordCount in count.go",
    "Mention in the documentation of `walk` that it is slow",
    "Rewrite the docstring of the parse function",
    "Shorten the JSDoc of compare()",
    "Update the comment of count_words",
    "Correct the comment in src/count.rs",
    "Add documentation to WordCount",
    "Document WordCount",
    "Document recent(_:)",
    "Document slugify(text)",
    "Document recent(_:) in a comment",
    "Document compare(), its sort order and read modes",
    "Document that WordCount does not allocate",
    "The comment of WordCount says that it does not allocate",
    "The docstring of parse_date names the time zone",
    "WordCountのコメントを拡張する",
    "WordCountのコメントに、メモリを確保しないことを明記する",
    "count_words関数のドキュメントを補足する",
    "compare()にコメントを追加する",
    "dotize()のdocstringを書く",
    "関数の説明をコメントに記述する",
    "fix typo in doc/man_docs.go",
    "fix grammatical error in command.go",
    "chore: fix some typos in comments",
    "Fix typo in comment in packaging.specifiers",
    "Fix typo in `_parser` docstring",
    "Correct trailing comments.",
    "Fix link to MetadataBuilder in RecordBuilder",
    "fix markdown links in lib.rs",
    "Fix struct's name in documentation",
    "Fix import syntax in example in `index.d.ts`",
    "Fix a typo in the comment of GenManHeader",
    "Fix typo in comment",
    "Fix typos in the comments of doc/man_docs.go",
    "Fix docstring typo",
    "Update JsonAdapter documentation",
    "Improve `JsonObject` null handling documentation",
    "Add examples to the `JsonParser` documentation",
    "test: explain why completionShells is mutated in completion error tests",
    "Add comment explaining why main foreach loop was changed to for",
    "Add a comment explaining the loop",
    "Explain in a comment why the loop uses for",
    "Document where env-logger logs",
    "Mention that set_logger requires `use_std`.",
    "add comment to HyperfineOptions#names field",
    "Add a comment to the `names` field",
    "Add a comment in src/hyperfine/types.rs",
    "Add documentation to plot_benchmark_results script",
    "Update regression test comment",
    "update comment at the top of the file",
    "Add a comment to `refill`",
    "Add comments in a.py",
    "Document LIMIT",
    "Document Options.Port",
    "Document the Port field of Options",
    "Add a package comment",
    "Document the port option in conf.yml",
    "Fix the rdoc of Rack::Builder",
    "Add a comment to get_user()",
    "Document `get_user`",
    "Document `parse_token`",
    "Add a comment to parser()",
    "Extend the documentation of `JsonParser`",
    "Add a comment explaining the regular expression in src/parse.ts",
    "Explain the magic number 86400 in clock.py",
    "Add a comment about the magic number 86400 in clock.py",
    "Comment the magic number in clock.py",
    "Explain in a comment where 86400 comes from",
    "Add an explanatory comment above the return",
    "Add a comment explaining the calculation",
    "Add inline comments to clock.py",
    "docs: Add a comment to refill()",
    "chore(a): document `refill`",
    "[docs] Document `refill`"
  ])("when it is documentation of code, then it asks for comments: %s", (item) => {
    assert.isTrue(asksForComments(item))
  })

  it.each([
    "docs: implement search",
    "Add a link to the docs",
    "Add a docs command",
    "Update the docs command",
    "Generate docs for the API",
    "Make docs searchable",
    "Document upload endpoint",
    "Describe the error in the response of login()",
    "Add login()",
    "login is implemented",
    "Implement dotize() with a docstring",
    "Add dotize() with a docstring",
    "Add a docstring to dotize() and return early on an empty object",
    "Document login() and fix the session leak",
    "Add a comment form to the post page",
    "Add comments to posts",
    "Create the comments endpoint",
    "Users can add a comment to a post",
    "Add a comment field to the class Post",
    "Support comments in the config parser",
    "Describe what went wrong in the error message",
    "Strip comments from the output",
    "Resolve the TODO in login()",
    "Return the docstring of a function",
    "Add a docstring parser",
    "Add a function that reads JSDoc",
    "Add the JSDoc generator",
    "Mention the assignee in a comment",
    "Document class is added",
    "Document login() after moving it to auth.js",
    "Document login() by adding input validation",
    "Document login() with input validation",
    "Comment class stores its author",
    "Add inline comments to the review page",
    "Add a licence header to every export that the code writes",
    "Every order has a file comment",
    "Add a comment that says that the build failed",
    "Implement the login function and document it",
    "Extend WordCount and its documentation",
    "Extend the comment of WordCount and count runes",
    "Add a docstring to dotize() and skip empty keys",
    "Document WordCount, then cache the result",
    "Extend the comment parser of MarkdownReader",
    "Extend the comment of BlogPost",
    "Extend the comments of the blog",
    "Add comments to OrderItem",
    "Update comments in CommentList",
    "Extend the comment of WordCount so that it returns runes",
    "Document WordCount with input validation",
    "Document store is created",
    "WordCountを拡張しコメントを書く機能",
    "BlogPostのコメントを拡張する",
    "商品のコメントを拡張する",
    "投稿にコメントを追加できる",
    "コメント機能を追加する",
    "login()を実装しコメントを書く",
    "Fix typo in the error message of parse()",
    "Fix the typo in the title of the page",
    "Fix spelling of the label",
    "Fix a bug in comments",
    "Update comments in real time",
    "Edit comments",
    "Add comments to the file upload page",
    "Document upload",
    "Add document upload",
    "Explain the error to the user in a dialog",
    "Fix the broken links on the page",
    "Update the comment count",
    "Improve comment moderation",
    "Add inline comments to the review page",
    "Add comments to posts",
    "Fix the link in the footer",
    "Fix link resolution",
    "Fix the crash in the docs builder",
    "Fix sorting in comments",
    "Document viewer is added",
    "Comment on issues",
    "Explain plan output for queries",
    "Fix typo in the variable name",
    "Add type comments parser",
    "Document the users table",
    "Update the option parser and its documentation",
    "Add documentation generator",
    "Note that users may log in twice",
    "Add a comment box",
    "Add comments endpoint to src/api.ts",
    "Add comment support to src/parser.ts",
    "Add comments to src/models/post.ts"
  ])("when it is code, also beside documentation, then it does not: %s", (item) => {
    assert.isFalse(asksForComments(item))
  })
})

describe("comments at the code that an item names", () => {
  const text =
    "package a\n\n// WordCount counts words.\nfunc WordCount() int { return g(1) }\n\n// Other counts all runes.\nfunc Other() int {\n\treturn g(2) // twice as many\n}\n"
  const comments = new Map([
    [2, "a"],
    [5, "b"],
    [7, "c"]
  ])
  const at = async (item: string) => {
    const file = { path: "a.go", lines: text.split(/(?<=\n)/), outline: await outlined("a.go", text) }
    return [...commentsAt(item, file, comments).keys()]
  }

  it("given a name that is declared, then those in it and right before it", async () => {
    assert.deepStrictEqual(await at("Extend the comment of WordCount"), [2])
    assert.deepStrictEqual(await at("Extend the comment of Other()"), [5, 7])
    assert.deepStrictEqual(await at("Document Other() in a.go"), [5, 7])
    assert.deepStrictEqual(await at("Document `Other`"), [5, 7])
  })

  it("given that only words are to be mended, then all", async () => {
    assert.deepStrictEqual(await at("Fix the link to WordCount in a.go"), [2, 5, 7])
  })

  it("given a name that the file does not know, then none, and without a name all", async () => {
    assert.deepStrictEqual(await at("Extend the comment of WordCounter"), [])
    assert.deepStrictEqual(await at("Add a comment that explains the loop"), [2, 5, 7])
  })
})

describe("comments that are new", () => {
  const file = (text: string) => ({ path: "a.js", lines: text.split(/(?<=\n)/), outline: null })
  const old = file("// The old sentence about sorting.\nexport const a = (b) => b\n")
  const rowsOf = (text: string) => [...newComments(file(text), old).keys()]

  it("given that only words are to be mended, when a sign of a comment differs, then it is one", () => {
    const link = file("// See [the order](https://a.example/old).\nf()\n")
    const now = file("// See [the order]: https://a.example/old.\nf()\n")
    assert.deepStrictEqual([...newComments(now, link).keys()], [])
    assert.deepStrictEqual([...newComments(now, link, true).keys()], [0])
    assert.deepStrictEqual(
      [...newComments(file("//  See [the order](https://a.example/old).\nf()\n"), link, true).keys()],
      []
    )
  })

  it("given a sentence, when it was not there before, then it is one, and once", () => {
    assert.deepStrictEqual(rowsOf("// Orders two names, Swedish letters last.\nf()\n"), [0])
    assert.deepStrictEqual(rowsOf("// Orders two names, Swedish.\nf()\n// Orders two names, Swedish.\n"), [0])
    assert.deepStrictEqual(rowsOf("/**\n * 二つの名前を比べて順番を返す。\n */\nf()\n"), [1])
  })

  it.each([
    "//\n// ----\nf()\n",
    "// TODO: describe the order of names\nf()\n",
    "// The old sentence about sorting.\nf()\n",
    "f()\n// the old   sentence, about sorting\n",
    "// export const a = (b) => b\nf()\n",
    "// login is implemented\nf()\n",
    "// eslint-disable-next-line no-console\nf()\n"
  ])("given signs, open work, what stood there, code, filler or an instruction, then it is none: %j", (text) => {
    assert.deepStrictEqual(rowsOf(text), [])
  })
})
