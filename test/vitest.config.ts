import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const report = process.env["PROOFLINE_TEST_REPORT"]

export default defineConfig({
  resolve: { conditions: ["@proofline/source"] },
  ssr: { resolve: { conditions: ["@proofline/source"] } },
  test: {
    include: ["**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // most of them wait for processes they have started: one file at a time leaves half of two processors idle
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // for scripts: what passed and failed, as a file beside what is printed for people
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] })
  }
})
