import { defineConfig } from "vitest/config"

/**
 * Tests that run the rules in their own process. Left out are those that start programs or draw so many cases that one
 * mutant would take minutes: a change that they alone notice counts as missed.
 */
export default defineConfig({
  resolve: { conditions: ["@proofline/source"] },
  ssr: { resolve: { conditions: ["@proofline/source"] } },
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: [
      "kernel/**/*.test.ts",
      "plugins/{aggregation,analyzer-agent,analyzer-heuristic,attempts,criteria,evidence,execution,oversight,sessions}/**/*.test.ts",
      "plugins/requirements*/**/*.test.ts"
    ],
    exclude: [
      "kernel/purity.test.ts",
      "kernel/engine/chunkingCrash.test.ts",
      "kernel/engine/chunkingSchedule.test.ts",
      "plugins/execution/ablation.test.ts",
      "plugins/evidence/hostile.test.ts",
      "**/*[lL]aws.test.ts",
      "**/properties.test.ts"
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
    maxWorkers: 1
  }
})
