import { assert, describe, it } from "@effect/vitest"
import { normalized } from "../../../packages/plugins/src/policies/evidence/code/normalized.ts"
import { declaredOnly } from "../../../packages/plugins/src/policies/evidence/work/declaredOnly.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

/** What is said of the line with the name. */
const saidOf = async (path: string, text: string, item = "Implement slugify()"): Promise<string | null> => {
  const lines = splitLines(text)
  const outline = await outlined(path, text)
  const row = lines.findIndex((line) => line.includes("slugify("))
  return declaredOnly(item, { path, lines, outline }, normalized(path, lines, outline), {
    start: row + 1,
    end: row + 1
  })
}

describe("a function that is to be implemented, and is only declared", () => {
  it.each([
    ["a.d.ts", "export declare function slugify(text: string): string\n"],
    ["a.ts", "export interface Slugger {\n  slugify(text: string): string\n}\n"],
    ["a.ts", "export abstract class Slugger {\n  abstract slugify(text: string): string\n}\n"],
    ["a.h", "char *slugify(const char *text);\n"],
    ["a.hpp", "class A {\n public:\n  virtual std::string slugify(const std::string &text) = 0;\n};\n"],
    ["a.rs", "pub trait Slug {\n    fn slugify(&self, text: &str) -> String;\n}\n"],
    ["A.java", "interface A {\n  String slugify(String text);\n}\n"],
    ["A.java", "abstract class A {\n  abstract String slugify(String text);\n}\n"],
    ["a.kt", "interface A {\n  fun slugify(text: String): String\n}\n"],
    ["a.cs", "interface IA {\n  string slugify(string text);\n}\n"],
    ["a.swift", "protocol A {\n  func slugify(_ text: String) -> String\n}\n"],
    ["a.go", "package a\n\ntype Slugger interface {\n\tslugify(text string) string\n}\n"],
    ["a.scala", "trait A {\n  def slugify(text: String): String\n}\n"],
    ["a.php", "<?php\ninterface A {\n  public function slugify(string $text): string;\n}\n"],
    ["a.py", "class A(Protocol):\n    def slugify(self, text: str) -> str: ...\n"],
    ["a.py", 'class A(ABC):\n    @abstractmethod\n    def slugify(self, text):\n        """Makes one."""\n'],
    ["a.py", "@overload\ndef slugify(text: str) -> str: ...\n"],
    ["a.pyi", "def slugify(text: str) -> str: ...\n"]
  ])("when nothing in the file gives it a body, then it is told: %s %s", async (path, text) => {
    assert.match((await saidOf(path, text)) ?? "", /slugify \(line \d\)/)
  })

  it.each([
    [
      "a.ts",
      "export function slugify(text: string): string\nexport function slugify(text: string) {\n  return low(text)\n}\n"
    ],
    [
      "a.ts",
      "export interface S {\n  slugify(text: string): string\n}\nexport const s: S = {\n  slugify: (text) => low(text)\n}\n"
    ],
    ["a.c", "char *slugify(const char *text);\nchar *slugify(const char *text) {\n  return low(text);\n}\n"],
    ["a.cpp", "class A {\n  std::string slugify(int a);\n};\nstd::string A::slugify(int a) {\n  return low(a);\n}\n"],
    [
      "a.rs",
      "trait S {\n    fn slugify(&self) -> String;\n}\nimpl S for A {\n    fn slugify(&self) -> String {\n        low(self)\n    }\n}\n"
    ],
    ["a.kt", "fun slugify(text: String) = text.lowercase()\n"],
    ["a.scala", "object A {\n  def slugify(text: String) = text.toLowerCase\n}\n"],
    ["a.cs", "class A {\n  string slugify(string text) => text.ToLower();\n}\n"],
    ["a.py", "@overload\ndef slugify(text: str) -> str: ...\ndef slugify(text):\n    return text.lower()\n"],
    ["A.java", "interface A extends JpaRepository<B, Long> {\n  String slugify(String text);\n}\n"],
    ["A.java", 'interface A {\n  @GET("/slug")\n  String slugify(String text);\n}\n'],
    ["A.java", "class A {\n  native String slugify(String text);\n}\n"],
    ["a.go", "package a\n\nfunc slugify(text string) string\n"],
    ["a.py", 'class A(Consumer):\n    @get("slug")\n    def slugify(self, text): ...\n'],
    ["a.rb", "def slugify(text) = text.downcase\n"]
  ])("when it has a body, or another makes it, then nothing is told: %s %s", async (path, text) => {
    assert.isNull(await saidOf(path, text))
  })

  it.each([
    "Add slugify() to the Slugger interface",
    "Implement the type declaration of slugify()",
    "Implement the abstract method slugify()",
    "Declare slugify()",
    "Implement slugify() in the Slugger protocol"
  ])("when a declaration is asked for, then nothing is told: %s", async (item) => {
    assert.isNull(await saidOf("a.ts", "export interface Slugger {\n  slugify(text: string): string\n}\n", item))
  })
})
