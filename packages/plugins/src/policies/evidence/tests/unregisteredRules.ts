/** What is known of a function of a test file. */
export interface Parts {
  readonly name: string
  readonly head: string
  readonly body: string
  /** Says of the class around it, of which it is a method; null: it is none. */
  readonly around: string | null
  /** Of its file. */
  readonly path: string
  /** It is compiled with tests alone. */
  readonly isForTests: boolean
  /** What is said right before it. */
  readonly comment: () => string
}

/** Which functions of a language look like tests and are none. */
export interface Rules {
  /** Whether a function that may make a test fail can be a test, and is none by what it is called. */
  readonly isLike: (parts: Parts) => boolean
  /** Names of what runs around tests, where they are others than people mostly give. */
  readonly hook?: RegExp
  /** By which functions may be called although nobody names them. */
  readonly dynamic: RegExp
  /** Files of the name can be nothing else. */
  readonly isAlwaysTests?: true
  /** Tests stand in files of the program too. */
  readonly isInline?: true
  /** A pattern of what stands before code in a string: `${name()}`, `f"{name()}"`; null: there is none. */
  readonly inString: string | null
  /** Comments that name it for the runner; given a pattern of its name. */
  readonly mentions?: (name: string) => RegExp
  /** Other files that may call it. */
  readonly callers: RegExp
  /** What runs, as the end of a sentence. */
  readonly runs: string
}

/** Names that runners and people give to what runs around tests. */
export const hooks =
  /^_*(?:(?:async_?)?(?:set_?up|tear_?down)(?:_?\w*)?|(?:before|after)_?(?:each|all|class)?|main|run|suite|init|default)$/i

const dollarBrace = String.raw`\$\{[^}\n]*`
const brace = String.raw`\{[^{}\n]*`
const never = /(?!)/

const script: Rules = {
  isLike: ({ head }) =>
    /^(?:export\s+)?(?:async\s+)?function\b/.test(head) ||
    /^(?:export\s+)?(?:const|let|var)\s[^=]*=\s*(?:async\s+)?(?:function\b|[(<]|[\w$]+\s*=>)/.test(head) ||
    /^(?:module\.)?exports\.[\w$]+\s*=\s*(?:async\s+)?(?:function\b|[(<]|[\w$]+\s*=>)/.test(head),
  dynamic:
    /\beval\s*\(|Object\.(?:keys|values|entries)\s*\(\s*(?:module\.)?(?:exports|globalThis|window)|\brequire\s*\(\s*__filename|\bimport\s*\(\s*import\.meta/,
  inString: String.raw`\$\{[^}]*`,
  callers: /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html?)$/,
  runs: "what runs is given to the runner ('test(…)', 'it(…)')"
}

/** A method that its framework does not know, of a class of which nothing else is known either: no other type calls it. */
const annotated = (method: RegExp, rest: Pick<Rules, "inString" | "callers" | "runs">): Rules => ({
  isLike: ({ around, head }) => method.test(head) && around !== null && plainClass.test(around),
  dynamic: /\bgetDeclaredMethods?\b|\bgetMethods?\b|\bGetMethods?\b|\bdeclaredFunctions\b/,
  ...rest
})

const plainClass = /^(?:(?:public|internal|final|sealed|open)\s+)*class\s+\w+\s*(?:\(\s*\)\s*)?\{?$/

const jvm = {
  inString: dollarBrace,
  callers: /\.(?:java|kts?|groovy|scala|xml|feature)$/,
  runs: "tests have an annotation ('@Test')"
}

const rules: Readonly<Record<string, Rules>> = {
  java: annotated(/^(?:(?:public|protected|private|final)\s+)*void\s+\w+\s*\(\s*\)\s*(?:throws\s+[\w.,\s]+)?\{?$/, jvm),
  kotlin: annotated(/^(?:(?:public|private|internal|suspend)\s+)*fun\s+\w+\s*\(\s*\)\s*\{?$/, jvm),
  csharp: annotated(/^(?:(?:public|private|internal|async)\s+)*(?:void|Task)\s+\w+\s*\(\s*\)\s*\{?$/, {
    inString: brace,
    callers: /\.(?:cs|feature)$/,
    runs: "tests have an attribute ('[Fact]', '[Test]')"
  }),
  javascript: script,
  typescript: script,
  tsx: script,
  python: {
    // nose and settings of pytest collect by other patterns, and what is decorated is given to something
    isLike: ({ around, body, head, name }) =>
      !/\breturn[ \t]+\S|\byield\b/.test(body) &&
      /^(?:async\s+)?def\b/.test(head) &&
      !/test|^__|^assert|^(?:pytest|load|describe|context|it|its|given|when|then|step|should|spec|scenario|bench|prop)_/i.test(
        name
      ) &&
      (around === null ||
        (/^class\s+\w+\s*(?:\(\s*(?:(?:unittest\.)?(?:IsolatedAsyncio)?TestCase|object)?\s*\))?\s*:/.test(around) &&
          /\(\s*self\s*\)/.test(head))),
    dynamic:
      /\b(?:globals|locals|vars|dir|getattr|setattr|eval|exec)\s*\(|\b__dict__\b|\bgetmembers\b|\bsys\.modules\b|\bimport\s+nose\b|\bFunctionTestCase\b/,
    inString: brace,
    callers: /\.py$/,
    runs: "unittest and pytest run functions whose names begin with 'test'"
  },
  go: {
    isLike: ({ body, head, name }) =>
      !/\.Helper\s*\(\s*\)/.test(body) &&
      /^func\s+\w+\s*\(\s*\w+\s+\*?testing\.(?:T|B|F|TB)\s*\)\s*\{?\s*$/.test(head) &&
      !/^(?:Test|Benchmark|Fuzz|Example)(?![a-z])/.test(name),
    hook: /^(?:init|main|_)$/,
    dynamic: never,
    isAlwaysTests: true,
    inString: null,
    callers: /_test\.go$/,
    runs: "Go runs functions whose names begin with 'Test', 'Benchmark', 'Fuzz' or 'Example'"
  },
  rust: {
    // with any attribute it may be one
    isLike: ({ head, isForTests, path }) =>
      (isForTests || /(?:^|\/)tests\/(?:[^/]+|[^/]+\/main)\.rs$/.test(path)) &&
      /^(?:async\s+)?fn\s+\w+\s*\(\s*\)\s*(?:->\s*(?:\w+::)*Result\b[^{]*)?\{?$/.test(head),
    dynamic: /\bmacro_rules!|\bpaste!|\bproptest!|\bquickcheck!/,
    isInline: true,
    inString: brace,
    callers: /\.rs$/,
    runs: "tests have an attribute ('#[test]')"
  },
  php: {
    isLike: ({ around, body, comment, head, name }) =>
      !/\breturn\s+[^;\s]/.test(body) &&
      !/^test/i.test(name) &&
      !/@(?:test|before|after|beforeClass|afterClass|postCondition|preCondition|given|when|then|and|but)\b/i.test(
        comment()
      ) &&
      /^(?:(?:public|final)\s+)*function\s+\w+\s*\(\s*\)\s*(?::\s*(?:void|never)\s*)?\{?$/.test(head) &&
      around !== null &&
      /^(?:final\s+)?class\s+\w+\s+extends\s+[\w\\]*TestCase\b/.test(around),
    dynamic: /\$this->[${]|\bcall_user_func|\bReflection|\[\s*\$this\s*,/,
    inString: String.raw`\{\$[^}\n]*`,
    mentions: (name) => new RegExp(String.raw`@\w+\s+(?:[\w\\]+::)?${name}`),
    callers: /\.(?:php|inc|xml|ya?ml|feature)$/,
    runs: "PHPUnit runs methods whose names begin with 'test', or that '#[Test]' or '@test' marks"
  },
  ruby: {
    isLike: ({ around, head, name }) =>
      !/^(?:test|before|after|assert|refute|must|wont|should)_?/.test(name) &&
      /^def\s+\w+(?:\s*\(\s*\))?$/.test(head) &&
      around !== null &&
      /^class\s+[\w:]+\s*<\s*(?:::)?(?:Minitest::Test|MiniTest::Unit::TestCase|Test::Unit::TestCase|Action\w+::\w*Test(?:Case)?|Active\w+::TestCase)$/.test(
        around
      ),
    dynamic: /\b(?:public_)?send\b|\b(?:instance|public_instance)_methods?\b|\bmethod\s*\(|\bdefine_method\b|%i[[({<]/,
    inString: String.raw`#\{[^}\n]*`,
    callers: /\.(?:rb|rake|erb|ru)$/,
    runs: "methods run whose names begin with 'test'"
  },
  swift: {
    isLike: ({ around, head, name }) =>
      !/^test/.test(name) &&
      /^(?:(?:public|internal|final)\s+)*func\s+\w+\s*\(\s*\)\s*(?:async\s*)?(?:throws\s*)?\{?$/.test(head) &&
      // what else it is may be called by others
      (around === null ||
        /:\s*XCTestCase\s*\{?$|@Suite\b|^(?:final\s+)?(?:struct|class|actor)\s+\w+\s*\{?$/.test(around)),
    dynamic: /#selector|\bNSSelectorFromString\b|\bSelector\s*\(/,
    inString: String.raw`\\\([^\n]*`,
    callers: /\.(?:swift|m|mm)$/,
    runs: "methods of an XCTestCase run whose names begin with 'test', and what '@Test' marks"
  },
  cpp: {
    isLike: ({ around, head }) =>
      around === null && /^(?:(?:static|inline)\s+)*void\s+\w+\s*\(\s*(?:void)?\s*\)\s*(?:noexcept\s*)?\{?$/.test(head),
    dynamic: /##|\bextern\s*"/,
    inString: null,
    callers: /\.(?:c|h|cc|hh|cpp|hpp|cxx|hxx|c\+\+|h\+\+|cuh?|tpp|ipp|inl|inc|mm?)$/,
    runs: "a macro makes a test ('TEST(…)')"
  }
}

export const rulesOf = (language: string): Rules | undefined => rules[language]
