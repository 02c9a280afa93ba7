import { describe, it } from "@effect/vitest"
import { modules } from "@proofline/kernel"
import { pluginContract } from "@proofline/kernel/testing"

describe("the kernel's own modules, as any plugin", () => {
  for (const plugin of modules) for (const { name, run } of pluginContract(plugin)) it.effect(name, () => run)
})
