import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { conditions: ["@proofline/source"] },
  ssr: { resolve: { conditions: ["@proofline/source"] } },
  test: { include: ["**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 }
})
