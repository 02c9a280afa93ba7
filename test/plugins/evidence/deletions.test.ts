import { assert, describe, it } from "@effect/vitest"
import { filesToDelete, placesToDelete } from "../../../packages/plugins/src/policies/evidence/asked/deletions.ts"

describe("the files that an item asks to delete", () => {
  it.each([
    ["Delete CONTRIBUTING.md and stringbuilder.go", "CONTRIBUTING.md", "stringbuilder.go"],
    ["Remove a.go, b.go and c.go", "a.go", "b.go", "c.go"],
    ["Remove a.go, b.go, and c.go.", "a.go", "b.go", "c.go"],
    ["Delete the files `src/a.ts` and `src/b.ts`", "src/a.ts", "src/b.ts"],
    ["Delete both old scripts: run.sh & build.sh", "run.sh", "build.sh"],
    ["2. Please drop the unused modules a.py, b.py (nobody imports them)", "a.py", "b.py"],
    ["Delete a.js and use b.js instead", "a.js"],
    ["Delete a.go, b.go and add c.go", "a.go", "b.go"],
    ["Delete a.go and b.go, and remove them from c.mod", "a.go", "b.go"],
    ["Get rid of Makefile and LICENSE", "Makefile", "LICENSE"],
    ["Delete the a.go and b.go files", "a.go", "b.go"],
    ["Delete `a.go` and `b.go` from src/old/.", "a.go", "b.go"],
    ["Remove a.md and b.md in the docs folder, and link to c.md", "a.md", "b.md"],
    ["a.goとb.goを削除する", "a.go", "b.go"],
    ["`a.go`、`b.go` を削除し、c.goを追加する", "a.go", "b.go"]
  ])("are found: %s", (item, ...names) => {
    assert.deepStrictEqual(filesToDelete(item), names)
  })

  it.each([
    "Remove a.js and b.js from the index",
    "Remove a.js and b.js imports",
    "Remove the a.js and b.js files from the index",
    "Remove a.js and b.js from dist/index.html",
    "Remove a.js and b.js in the folder listing",
    "Remove the import of a.js and b.js",
    "Delete login() from a.js and b.js",
    "Delete a.js or b.js",
    "Delete a.js and b.js if nobody uses them",
    "Delete a.js and b.js and recreate them from scratch",
    "Replace a.js and b.js",
    "Remove .env from the repository",
    "Add a command that deletes a.js and b.js",
    "Drop support for a.json and b.json",
    "a.goとb.goからimportを削除する",
    "a.goとb.goのimportを削除する"
  ])("are none where it asks for something else, or it depends: %s", (item) => {
    assert.deepStrictEqual(filesToDelete(item), [])
  })

  it("stand beside the one that is gone where no folder is named", () => {
    assert.deepStrictEqual(placesToDelete("Delete a.go and b.go", "a.go"), ["a.go", "b.go"])
    assert.deepStrictEqual(placesToDelete("Delete a.go and b.go", "pkg/a.go"), ["pkg/a.go", "pkg/b.go"])
    assert.deepStrictEqual(placesToDelete("Delete a.go and b.go", "c.go"), [])
  })
})
