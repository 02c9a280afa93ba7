/** How tests say that they do not run, by language. Texts have their comments blanked and their strings hidden. */
export interface SkipRules {
  /** In what leads to a test or a suite: its name, its annotations, its options. */
  readonly head?: RegExp
  /** The first thing a test does. */
  readonly first?: RegExp
  /** Somewhere in the file, outside of every test. */
  readonly file?: RegExp
  /** Directly in the body of a suite. */
  readonly suite?: RegExp
  /** In what leads to a test or a suite: it passes when it fails. */
  readonly failing?: RegExp
  /** The same, as the first thing a test does. */
  readonly failingFirst?: RegExp
}

const script: SkipRules = {
  head: /^(?:\w+\.)?x(?:it|test|describe|specify|context|suite)\b|^[\w.]*\.(?:skip|todo|fixme|ignore)\b|\.skipIf\s*\(\s*(?:true|1)\s*\)|\.each\s*\(\s*\[\s*\]\s*\)|\.runIf\s*\(\s*(?:false|0)\s*\)|[{,]\s*(?:skip|todo|ignore|fixme)\s*:\s*(?:true\b|1\b|")/,
  first: /^(?:return\s+|await\s+)*(?:this|t|ctx|context|test|it|tap)\.(?:skip|fixme|todo)\s*\(\s*(?:\)|true\b|")/,
  suite: /^(?:this|test|it|describe)\.(?:skip|fixme)\s*\(\s*(?:\)|true\b)/,
  failing:
    /^[\w.]*\.(?:failing|fails)\b|^(?:test|it)(?:\.only)?\.fail(?:\.only)?\s*\(|[{,]\s*(?:fails|expectFailure)\s*:\s*(?:true\b|1\b|")/,
  // of Playwright: `t.fail()` of others is a failure
  failingFirst: /^test\.fail\s*\(\s*(?:\)|true\b)|^(?:test\.info\(\)|testInfo)\.fail\s*\(\s*(?:\)|true\b)/
}

const jvm: SkipRules = {
  head: /@(?:[\w.]+\.)?(?:Disabled|Ignore|Ignored)\b|\benabled\s*=\s*false\b|^x(?:it|test|describe|context|should|feature|scenario)\b/,
  first:
    /^(?:[\w.]+\.)?(?:assumeTrue|assumeThat)\s*\(\s*false\b|^(?:[\w.]+\.)?assumeFalse\s*\(\s*true\b|^(?:[\w.]*Assumptions\.)?abort\s*\(|^throw\s+(?:new\s+)?[\w.]*(?:SkipException|TestAbortedException|AssumptionViolatedException)\b/,
  failing: /@(?:[\w.]+\.)?(?:ExpectedToFail|NotWorking)\b/
}

export const skipRules: Readonly<Record<string, SkipRules>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  python: {
    head: /@(?:[\w.]+\.)?parametrize\s*\(\s*"[^"]*"\s*,\s*(?:\[\s*\]|\(\s*\))\s*[,)]|@(?:[\w.]+\.)?skip\b(?!\s*\()|@(?:[\w.]+\.)?skip\s*\(|@(?:[\w.]+\.)?(?:skipif|skipIf)\s*\(\s*(?:True|1)\b|@(?:[\w.]+\.)?skipUnless\s*\(\s*(?:False|0|None)\b|@(?:[\w.]+\.)?xfail\s*\([^)]*\brun\s*=\s*False/,
    first:
      /^(?:pytest\.(?:skip|xfail)|self\.skipTest|self\.skip|skip|skipTest)\s*\(|^raise\s+(?:[\w.]+\.)?(?:SkipTest|Skipped)\b/,
    file: /^pytestmark\s*=[^\n]*\bmark\.skip\b(?!if)|^pytest\.skip\s*\([^)]*allow_module_level\s*=\s*True|^raise\s+(?:unittest\.)?SkipTest\b|^__test__\s*=\s*False\b/m,
    suite: /^pytestmark\s*=[^\n]*\bmark\.skip\b(?!if)|^__test__\s*=\s*False\b/,
    // under a condition it fails in some surroundings only
    failing:
      /@(?:[\w.]+\.)?expectedFailure\b|@(?:[\w.]+\.)?xfail\b(?!\s*\()|@(?:[\w.]+\.)?xfail\s*\(\s*(?:(?:True|1)\b|(?:condition\s*=\s*(?:True|1)\b|(?![^)]*\bcondition\s*=)(?:reason|raises|strict|run)\s*=|\)))/
  },
  go: { first: /^[a-z]\w*\.(?:Skip|Skipf|SkipNow)\s*\(/ },
  java: jvm,
  kotlin: jvm,
  scala: {
    head: /@(?:[\w.]+\.)?(?:Disabled|Ignore)\b|^ignore\b|\bignore\s*$|\bpending\s*\)?$|\.(?:ignore|pending)\b/,
    first: /^(?:pending\b(?!UntilFixed)|cancel\s*\(|assume\s*\(\s*false\b)/,
    failing: /^test\s*\(\s*"[^"]*"\s*\.fail\b|\bpendingUntilFixed\b/,
    failingFirst: /^pendingUntilFixed\b/
  },
  csharp: {
    head: /\[(?:[^\]]*,)?\s*(?:[\w.]+\.)?(?:Ignore|Explicit)(?:Attribute)?\b|\b(?:Skip|Ignore|IgnoreReason)\s*=\s*"|\bExplicit\s*=\s*true\b/,
    first: /^(?:Assert\.(?:Ignore|Inconclusive|Skip|Pass)\s*\(|Skip\.(?:If\s*\(\s*true|Always)\b)/
  },
  rust: {
    head: /#\[\s*ignore\b|#\[\s*cfg_attr\s*\(\s*all\s*\(\s*\)\s*,\s*ignore\b|#\[\s*cfg\s*\(\s*(?:any\s*\(\s*\)|never|FALSE|false|none)\s*\)\s*\]/
  },
  php: {
    head: /^(?:xit|todo)\b|->\s*(?:skip|todo)\s*\(\s*(?:\)|true\b|"[^,]*\))/,
    first: /^(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)\s*\(/
  },
  swift: {
    head: /\.disabled\s*\(\s*(?:\)|")|\.enabled\s*\(\s*if\s*:\s*false\b|^xit\b|^xdescribe\b/,
    first: /^throw\s+XCTSkip\b|^try\s+XCTSkipIf\s*\(\s*true\b|^try\s+XCTSkipUnless\s*\(\s*false\b/,
    // with a block it is that block alone
    failingFirst: /^XCTExpectFailure\s*\([^{]*$/
  },
  cpp: {
    head: /\bDISABLED_\w+|doctest::skip\s*\(\s*(?:true)?\s*\)|\*\s*(?:boost::)?(?:unit_test|utf)::disabled\s*\(/,
    first: /^(?:GTEST_SKIP|SKIP)\s*\(/
  },
  ruby: {
    head: /^(?:RSpec\.)?x(?:it|specify|example|describe|context|feature|scenario)\b|,\s*:(?:skip|pending)\b|\b(?:skip|pending):\s*(?:true\b|")|\bif:\s*false\b/,
    first: /^(?:skip|pending|omit|pend)\b(?!.*\b(?:if|unless)\b)/
  },
  bash: { first: /^skip\b/ }
}

/** Hidden by its tags: Catch2 runs `[.]` only when asked to. */
export const hiddenByTag = (headText: string): boolean =>
  /^(?:TEST_CASE|SCENARIO)[\s\S]*\[(?:\.\w*|!hide)\]/.test(headText)

/** Catch2 lets it pass when it fails. */
export const failingByTag = (headText: string): boolean =>
  /^(?:TEST_CASE|SCENARIO)[\s\S]*\[!(?:shouldfail|mayfail)\]/.test(headText)

/** Left out by a constraint that no build fulfils. */
export const leftOut = (lines: ReadonlyArray<string>): boolean =>
  lines
    .slice(0, 30)
    .some((line) => /^\/\/(?:go:build| \+build)\s+(?:ignore|never|none|disabled|false)\s*$/.test(line.trim()))
