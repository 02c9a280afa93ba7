import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const report = process.env["PROOFLINE_TEST_REPORT"]

/** Files that start processes and browsers come first: at the end nobody waits for a long one alone. */
class LongOnesFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(cli|ui|clients|conformance|packages)\//.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  resolve: { conditions: ["@proofline/source"] },
  ssr: { resolve: { conditions: ["@proofline/source"] } },
  test: {
    // the files of the plugins keep to themselves: they share what they import, which takes longer than many of them
    projects: [
      {
        extends: true,
        test: {
          name: "plugins",
          include: ["plugins/**/*.test.ts"],
          isolate: false,
          // to compile grammars again, faster, takes gigabytes for a while, and a process that large starts others slowly
          execArgv: ["--liftoff-only"]
        }
      },
      {
        extends: true,
        test: { name: "more", include: ["**/*.test.ts"], exclude: ["plugins/**", "**/node_modules/**"] }
      }
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongOnesFirst },
    // most of them wait for processes they have started: one file at a time leaves half of two processors idle
    maxWorkers: availableParallelism() + 2,
    // for scripts: what passed and failed, as a file beside what is printed for people
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] })
  }
})
