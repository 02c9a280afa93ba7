import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { readTextFile } from "@proofline/plugins/adapters/project-files"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe } from "vitest"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "proofline-files-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const written = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const refused = (path: string) =>
  Effect.map(Effect.flip(readTextFile(path)), ({ code, column, file, hint, line, message }) => {
    assert.strictEqual(file, path)
    return `${line}:${column} ${code} | ${message} | ${hint}`
  })

const bytes = (...parts: ReadonlyArray<string | number>): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.of(part) : Buffer.from(part))))

describe("reading a text file", () => {
  it.effect("gives its text as it is", () =>
    Effect.gen(function* () {
      const text = "\uFEFFname: grün 👩‍🚀\r\n"
      assert.strictEqual(yield* readTextFile(written("text.yaml", text)), text)
      assert.strictEqual(yield* readTextFile(written("empty.yaml", "")), "")
    })
  )

  it.effect("follows links", () =>
    Effect.gen(function* () {
      symlinkSync(written("target.yaml", "x"), join(folder, "link.yaml"))
      assert.strictEqual(yield* readTextFile(join(folder, "link.yaml")), "x")
    })
  )

  it.effect("reads up to 5 MiB and refuses more", () =>
    Effect.gen(function* () {
      const path = written("large.yaml", "x".repeat(5 * 1024 * 1024))
      assert.strictEqual((yield* readTextFile(path)).length, 5 * 1024 * 1024)
      truncateSync(path, 5 * 1024 * 1024 + 1)
      assert.strictEqual(
        yield* refused(path),
        "1:1 file_too_large | The file is larger than 5 MiB. | Split it into several files."
      )
    })
  )

  it.effect("suggests a file with a similar name", () =>
    Effect.gen(function* () {
      written("tasks.yaml", "")
      assert.strictEqual(
        yield* refused(join(folder, "task.yml")),
        "1:1 file_not_found | There is no such file. | Did you mean tasks.yaml?"
      )
      assert.strictEqual(
        yield* refused(join(folder, "zebra")),
        "1:1 file_not_found | There is no such file. | Check the path."
      )
      assert.strictEqual(
        yield* refused(join(folder, "nowhere", "tasks.yaml")),
        "1:1 file_not_found | There is no such file. | Check the path."
      )
      assert.strictEqual(
        yield* refused(join(folder, "tasks.yaml", "x")),
        "1:1 file_not_found | There is no such file. | Check the path."
      )
    })
  )

  it.effect("refuses a directory and a pipe", () =>
    Effect.gen(function* () {
      mkdirSync(join(folder, "dir"))
      assert.strictEqual(
        yield* refused(join(folder, "dir")),
        "1:1 file_is_directory | This is a directory, not a file. | Name a file in it."
      )
      execFileSync("mkfifo", [join(folder, "pipe")])
      assert.strictEqual(
        yield* refused(join(folder, "pipe")),
        "1:1 file_not_regular | This is a device or a pipe, not a file. | Write its content to a file and name that."
      )
    })
  )

  // root may read everything
  it.effect.skipIf(process.getuid?.() === 0)("refuses a file that may not be read", () =>
    Effect.gen(function* () {
      const path = written("secret.yaml", "x")
      chmodSync(path, 0o000)
      assert.strictEqual(
        yield* refused(path),
        "1:1 file_forbidden | The file may not be read. | Give yourself permission to read it."
      )
    })
  )

  it.effect("refuses what the system refuses for other reasons", () =>
    Effect.gen(function* () {
      symlinkSync(join(folder, "loop"), join(folder, "loop"))
      assert.match(yield* refused(join(folder, "loop")), /^1:1 file_unreadable \| The file could not be read: ELOOP/)
      assert.match(yield* refused(join(folder, "\0")), /^1:1 file_unreadable \| /)
    })
  )

  it.effect("names the first byte that is not UTF-8", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [place: string, byte: string, content: Uint8Array]> = [
        ["1:1", "ff", bytes(0xff)],
        ["2:6", "fc", bytes("# ä\na: gr", 0xfc, "n\n")],
        ["1:3", "e4", bytes("👩é", 0xe4, " x")],
        ["1:2", "e2", bytes("a", 0xe2, 0x82)],
        ["1:1", "c0", bytes(0xc0, 0x80)],
        ["1:1", "ed", bytes(0xed, 0xa0, 0x80)],
        ["1:1", "f5", bytes(0xf5, 0x80, 0x80, 0x80)],
        ["1:2", "80", bytes("\uFEFFa", 0x80)]
      ]
      for (const [place, byte, content] of cases) {
        assert.strictEqual(
          yield* refused(written("bytes.yaml", content)),
          `${place} file_not_utf8 | The file is not UTF-8: the byte 0x${byte} fits no character. | Save it as UTF-8.`
        )
      }
      assert.strictEqual(
        yield* refused(written("utf16.yaml", bytes(0xff, 0xfe, "t", 0))),
        "1:1 file_not_utf8 | The file is not UTF-8: the byte 0xff fits no character. | Save it as UTF-8; it seems to be UTF-16."
      )
      const swapped = Buffer.from("tasks:\n", "utf16le").swap16()
      for (const wide of [Buffer.from("tasks:\n", "utf16le"), swapped, bytes("t", 0, 0, 0, "a", 0, 0, 0)]) {
        assert.match(
          yield* refused(written("wide.yaml", wide)),
          /^1:1 file_not_utf8 \| The file is not UTF-8 text: .+0x00\. \| It seems to be UTF-16, UTF-32 or no text; save it as UTF-8\.$/
        )
      }
      // a zero that came in by mistake is told at its place
      assert.strictEqual(yield* readTextFile(written("zero.yaml", "tasks: \0\n")), "tasks: \0\n")
    })
  )
})
