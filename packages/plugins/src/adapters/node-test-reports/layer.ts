import { Effect, Layer } from "effect"
import { isNamed, reportPlaces } from "../../policies/execution/contract.ts"
import { type ReportFile, TestReports } from "../../port/index.ts"
import { look, read } from "./files.ts"

/** Files of this machine. */
export const layer: Layer.Layer<TestReports> = Layer.succeed(TestReports, {
  around: ({ command, directory, patterns }, run) =>
    Effect.gen(function* () {
      const places = reportPlaces(command, patterns, directory)
      const before = yield* Effect.promise(() => look(directory, places))
      const result = yield* run
      const after = yield* Effect.promise(() => look(directory, places))
      const written = [...after].filter(([path, { signature }]) => before.get(path)?.signature !== signature)
      const files: ReadonlyArray<ReportFile> = yield* Effect.promise(() => read(written))
      return [result, files] as const
    }),
  named: ({ directory, endings }) =>
    Effect.promise(async () => {
      const isReport = (path: string) => endings.some((one) => isNamed(path, one))
      return read([...(await look(directory, [{ folder: "", depth: 20, isReport }]))])
    })
})
