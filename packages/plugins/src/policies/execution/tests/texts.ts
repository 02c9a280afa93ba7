import { ginkgo, go, gotestsum } from "./go.ts"
import {
  ava,
  bun,
  deno,
  jasmine,
  jest,
  karma,
  lab,
  mocha,
  mochaLines,
  nodeTap,
  playwright,
  uvu,
  vitest
} from "./javascript.ts"
import { gradle, junitConsole, sbt, surefire } from "./jvm.ts"
import type { Reader } from "./model.ts"
import { catch2, ctest, dotnet, googletest, swift } from "./native.ts"
import { nodeSpec } from "./nodeSpec.ts"
import { pytest, unittest } from "./python.ts"
import { cargo, nextest } from "./rust.ts"
import { behave, cucumber, robot } from "./scenarios.ts"
import { bats, busted, dart, exunit, minitest, phpunit, rspec, testthat } from "./scripting.ts"
import { prove, tap } from "./tap.ts"

/** Most outputs are of one runner: their lines are read where something of it is there at all. */
const whereHas =
  (shape: RegExp, read: Reader): Reader =>
  (output) =>
    shape.test(output.text) ? read(output) : []

/** What runners print for people, each with a shape of its own. */
export const texts: ReadonlyArray<Reader> = [
  tap,
  prove,
  nodeSpec,
  whereHas(/^ +Tests {2}|^No test files found/m, vitest),
  whereHas(/^Tests: +\d|^No tests found, exiting/m, jest),
  whereHas(/^ {2}\d+ passing/m, mocha),
  whereHas(/^\["end",/m, mochaLines),
  whereHas(/^ {2}Total: +\d/m, uvu),
  whereHas(/^# \{ total: /m, nodeTap),
  whereHas(/^Test duration: /m, lab),
  whereHas(/: Executed \d+ of \d/, karma),
  jasmine,
  ava,
  playwright,
  whereHas(/^(?:ok|FAILED) \| \d+ passed|^error: No test modules/m, deno),
  bun,
  whereHas(/ in \d[\d.]*s|^(?:collecting \.\.\. )?collected 0 items|^[.FEsxX]+ +\[/m, pytest),
  unittest,
  go,
  whereHas(/^DONE /m, gotestsum),
  whereHas(/^(?:SUCCESS|FAIL)! -- \d/m, ginkgo),
  cargo,
  whereHas(/^ +(?:Summary|Starting) /m, nextest),
  whereHas(/Tests run: *\d+, Failures: |No tests to run\.$|^There are no tests to run\.$/m, surefire),
  gradle,
  whereHas(/^\[ *\d+ tests successful *\]$/m, junitConsole),
  whereHas(/^(?:\[info\] )?Tests: succeeded \d|^\[(?:info|error)\] (?:Passed|Failed): Total \d/m, sbt),
  rspec,
  whereHas(/^\d+ (?:runs|tests), \d+ assertions, /m, minitest),
  whereHas(/^OK \(\d|^Tests: \d|^ {2}Tests: |^No tests executed!$|^ +INFO +No tests found/m, phpunit),
  exunit,
  whereHas(/^\d+ tests?, \d+ failures?/m, bats),
  whereHas(/^\d\d:\d\d \+\d/m, dart),
  whereHas(
    /^(?:\w+! +- Failed: |Total tests: |Test (?:run )?summary: |No test (?:is available|matches)|Zero tests ran)/m,
    dotnet
  ),
  whereHas(/^\d+% tests passed, |^No tests were found!!!$/m, ctest),
  whereHas(/^Test Suite '|Test run with \d|^error: no tests found;/m, swift),
  googletest,
  whereHas(/^\d+ success(?:es)? \/ /m, busted),
  whereHas(/^\[ FAIL \d/m, testthat),
  whereHas(/^\d+ [sS]cenarios?(?: \(|$)/m, cucumber),
  whereHas(/^\d+ scenarios? passed, /m, behave),
  whereHas(/^\d+ tests?, \d+ passed, /m, robot),
  whereHas(/^All tests passed \(|^test cases: |^No tests ran$/m, catch2)
]
