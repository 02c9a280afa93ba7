import { assert, describe, it } from "@effect/vitest"
import {
  importsAskedFor,
  importsIn,
  importsReplaced,
  importsStill,
  newImports
} from "../../../packages/plugins/src/policies/evidence/work/importWork.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

const importing = async (path: string, text: string) => ({
  path,
  lines: splitLines(text),
  outline: await outlined(path, text)
})

describe("what an item asks to import", () => {
  it.each([
    ["Import DeaccenterDict and DEACCENT_MAP in boltons/strutils.py", ["DeaccenterDict", "DEACCENT_MAP"]],
    ["Import `slug` into app/views.py", ["slug"]],
    ["Re-export parse() from pkg/__init__.py", ["parse"]],
    [
      "Import the_first, the_second, and the_third from names.py in app/all.py",
      ["the_first", "the_second", "the_third"]
    ]
  ])("when it names what and where, then these: %s", (item, names) => {
    assert.deepStrictEqual(importsAskedFor(item, "a.py"), names)
  })

  it.each([
    "Import users",
    "Import users in app/users.py",
    "Import SalesOrders from the ERP system",
    "Import CSV files into the database",
    "Import parse_csv() in load.py and call it",
    "Import and use parse_csv() in load.py",
    "Add an import of parse_csv() to load.py",
    "Import DEACCENT_MAP",
    "Importer reads FileNames in a.py"
  ])("when it asks for more, or for something else, then none: %s", (item) => {
    assert.deepStrictEqual(importsAskedFor(item, "a.py"), [])
  })

  it("given a language in which an import passes nothing on, when an export is asked for, then none", () => {
    assert.deepStrictEqual(importsAskedFor("Export getUser() from src/api.ts", "src/api.ts"), [])
    assert.deepStrictEqual(importsAskedFor("Import getUser() in src/api.ts", "src/api.ts"), ["getUser"])
  })
})

describe("imports that are new", () => {
  const file = (text: string) => importing("a.py", text)
  const before = "import re\nfrom b import one_b\n\ndef f():\n    return one_b()\n"
  const now = `from c import (\n    TWO_C,\n    three_c,\n)\n${before}`
  const found = async (range: readonly [number, number], ...asked: ReadonlyArray<string>) =>
    importsIn(
      newImports(await file(now), await file(before)),
      { start: range[0], end: range[1] },
      asked,
      (text) => text
    )

  it("given lines that import all that is asked for, then they are named", async () => {
    assert.lengthOf(await found([1, 4], "TWO_C", "three_c"), 3)
    assert.lengthOf(await found([2, 2], "TWO_C"), 1)
  })

  it("given a name that they do not import, one that was there, or none, then nothing is", async () => {
    assert.deepStrictEqual(await found([1, 4], "TWO_C", "other_c"), [])
    assert.deepStrictEqual(await found([6, 6], "one_b"), [])
    assert.deepStrictEqual(await found([8, 9], "one_b"), [])
    assert.deepStrictEqual(await found([1, 4]), [])
  })
})

describe("imports that take the place of others", () => {
  const found = async (item: string, path: string, was: string, is: string) => {
    const rest = path.endsWith(".go") ? "\nfunc f() { g() }\n" : "\nf(1)\n"
    const head = path.endsWith(".go") ? "package a\n" : ""
    const [now, before] = await Promise.all([is, was].map((text) => importing(path, `${head}${text}${rest}`)))
    assert.isDefined(now)
    assert.isDefined(before)
    return [...importsReplaced(item, now, before).values()]
  }

  it.each([
    ["Switch from lodash to lodash-es", "a.ts", 'import _ from "lodash"', 'import _ from "lodash-es"'],
    [
      "Fix the import path of User after the move",
      "a.ts",
      'import { User } from "./models"',
      'import { User } from "./domain/models"'
    ],
    ["Use a type-only import for User", "a.ts", 'import { User } from "./m"', 'import type { User } from "./m"'],
    ["Use node:fs", "a.ts", 'import fs from "fs"', 'import fs from "node:fs"'],
    [
      "Update the imports after the move of Cart to store.cart",
      "a.py",
      "from cart import Cart",
      "from store.cart import Cart"
    ],
    ["Make main.py import from jsonio.py", "main.py", "from .util import load", "from .jsonio import load"],
    [
      "Replace satori/go.uuid with google/uuid",
      "a.go",
      'import "github.com/satori/go.uuid"',
      'import "github.com/google/uuid"'
    ],
    [
      "Import lodash-es instead of lodash in src/a.ts",
      "src/a.ts",
      'import _ from "lodash"',
      'import _ from "lodash-es"'
    ]
  ])("when that is what the item asks for, then they are found: %s", async (item, path, was, is) => {
    assert.deepStrictEqual(await found(item, path, was, is), [is])
  })

  it.each([
    ["Add a retry to User", "a.ts", 'import { User } from "./models"', 'import { User } from "./domain/models"'],
    ["Fix the date of User", "a.ts", 'import { User } from "./date"', 'import { User } from "./models"'],
    ["Switch the colour of the menu", "a.ts", 'import _ from "lodash"', 'import _ from "lodash-es"'],
    ["Use dates in the report", "a.ts", 'import _ from "lodash"', 'import _ from "lodash-es"'],
    ["Import and use retry() in a.py", "a.py", "from a import retry", "from b import retry"],
    // nothing is gone
    [
      "Switch from lodash to lodash-es",
      "a.ts",
      'import _ from "lodash"',
      'import _ from "lodash"\nimport es from "lodash-es"'
    ],
    // it is another thing
    ["Replace a.first with b.other", "a.py", "from a import first", "from b import other"]
  ])("when it asks for something else, or nothing is replaced, then none: %s", async (item, path, was, is) => {
    assert.deepStrictEqual(await found(item, path, was, is), [])
  })
})

describe("imports that are to go", () => {
  const before = "import os\nfrom re import match, sub\nfrom typing import Any, List\nf(os, match)\n"
  const file = (text: string) => importing("a.py", text)
  const still = async (item: string, now: string) => importsStill(item, await file(now), await file(before))
  const [withoutOs, withoutList] = [before.replace("import os\n", ""), before.replace(", List", "")]

  it("given one that is named and still there, then it is told", async () => {
    assert.deepStrictEqual(await still("Remove the unused import of re", withoutOs), ["re"])
    assert.deepStrictEqual(await still("Remove the `re` import from a.py", withoutOs), ["re"])
    assert.deepStrictEqual(await still("Delete the imports of os and Any", withoutOs), ["Any"])
    assert.deepStrictEqual(await still("reの未使用のimportを削除する", withoutOs), ["re"])
  })

  it("given one that is gone, or none that is named, then none is", async () => {
    assert.deepStrictEqual(await still("Remove the unused import of os from re", withoutOs), [])
    assert.deepStrictEqual(await still("Remove the import of typing.List", withoutList), [])
    assert.deepStrictEqual(await still("Remove the unused typing imports", withoutList), [])
    assert.deepStrictEqual(await still("Remove the os import", withoutOs), [])
    assert.deepStrictEqual(await still("Remove unused imports from re", withoutOs), [])
    assert.deepStrictEqual(await still("Remove the unused import", withoutOs), [])
    assert.deepStrictEqual(await still("Add the import of re", before), [])
  })
})
