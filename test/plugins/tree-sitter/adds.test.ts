import { assert, describe, it } from "@effect/vitest"
import { substantial } from "../../../packages/plugins/src/policies/evidence/code/substance.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "./support.ts"

type Statements = Readonly<Record<string, ReadonlyArray<string>>>

/** A function that does something, with statements more in it. */
const within: Readonly<Record<string, (statement: string) => string>> = {
  "a.js": (s) => `function f(data, items, email) {\n${s}\n  return save(data)\n}\n`,
  "a.ts": (s) => `function f(data: A, items: B[], email: string) {\n${s}\n  return save(data)\n}\n`,
  "a.py": (s) => `def f(data, items, email):\n${s.replace(/^/gm, "    ")}\n    return save(data)\n`,
  "a.go": (s) => `package a\n\nfunc f(data A, items []B, email string) C {\n${s}\n\treturn save(data)\n}\n`,
  "A.java": (s) => `class A {\n  int f(B data, List<B> items) {\n${s}\n    return save(data);\n  }\n}\n`,
  "a.c": (s) => `int f(struct a *data, int n)\n{\n${s}\n\treturn save(data);\n}\n`,
  "a.cpp": (s) => `int f(A* data, std::vector<B> items)\n{\n${s}\n  return save(data);\n}\n`,
  "A.cs": (s) => `class A {\n  int F(B data, List<B> items) {\n${s}\n    return Save(data);\n  }\n}\n`,
  "a.kt": (s) => `fun f(data: A, items: List<B>): Int {\n${s}\n  return save(data)\n}\n`,
  "a.swift": (s) => `func f(data: A, items: [B]) -> Int {\n${s}\n  return save(data)\n}\n`,
  "a.rs": (s) => `fn f(data: A, items: Vec<B>) -> u8 {\n${s}\n  save(data)\n}\n`,
  "a.scala": (s) => `object A {\n  def f(data: A, items: List[B]): Int = {\n${s}\n    save(data)\n  }\n}\n`,
  "a.rb": (s) => `def f(data, items)\n${s}\n  save(data)\nend\n`,
  "a.php": (s) => `<?php\nfunction f($data, $items) {\n${s}\n  return save($data);\n}\n`,
  "a.sh": (s) => `f() {\n${s}\n  save "$1"\n}\n`
}

/** The lines of the statement, from 0, that count as work. */
const working = async (path: string, statement: string): Promise<ReadonlyArray<number>> => {
  const text = within[path]?.(statement) ?? ""
  const before = (within[path]?.("§") ?? "").split("\n").findIndex((line) => line.includes("§"))
  const rows = statement.split("\n").map((_, i) => before + i)
  const lines = splitLines(text)
  return substantial(path, lines, await outlined(path, text), rows).map((row) => row - before)
}

const each = (statements: Statements) =>
  Object.entries(statements).flatMap(([path, all]) => all.map((one) => [path, one] as const))

/** Branches and loops in which nothing is done. */
const emptyBranches: Statements = {
  "a.js": [
    "if (!data.ok) {\n  // handle error\n}",
    "if (!data.ok);",
    "if (!Array.isArray(items)) {}",
    "if (data) {\n} else if (email) {\n  // later\n} else {\n}",
    "if (data) {\n  if (email) {\n  }\n}",
    "for (const item of items) {\n}",
    "for (const item of items) {\n  continue\n}"
  ],
  "a.ts": ["if (data.name.trim().length === 0) {\n  // handle error\n}", "for (const item of items) {\n}"],
  "a.py": [
    "if not data:\n    pass",
    "if len(data) == 0: pass",
    "if data is None:\n    # handle the error\n    pass\nelif email:\n    ...\nelse:\n    pass",
    "if isinstance(data, str) and data.startswith('a'):\n    pass",
    "for item in items:\n    pass",
    "for item in items:\n    continue",
    "for item in items:\n    if item:\n        continue"
  ],
  "a.go": [
    "\tif len(data.rows) == 0 {\n\t\t// TODO\n\t}",
    "\tif v, ok := data.rows[email]; ok {\n\t}",
    '\tif strings.HasPrefix(email, "a") {\n\t} else {\n\t}',
    "\tfor _, item := range items {\n\t}"
  ],
  "A.java": [
    "if (data == null) {\n  // handle error\n}",
    "if (items.isEmpty()) ;",
    "if (data.size() > 3) {\n} else if (data == null) {\n}",
    "for (B item : items) {\n}"
  ],
  "a.c": ["if (!data) {\n\t/* handle error */\n}", "if (n < 0)\n\t;", "if (strlen(data->name) == 0) {\n} else {\n}"],
  "a.cpp": ["if (items.empty()) {\n  // handle error\n}", "for (auto& item : items) {\n}"],
  "A.cs": [
    "if (data == null) {\n  // handle error\n}",
    "if (string.IsNullOrEmpty(data.Name)) ;",
    "foreach (var item in items) {\n}"
  ],
  "a.kt": [
    "if (data == null) {\n  // handle error\n}",
    "if (items.isEmpty()) {\n} else {\n}",
    "for (item in items) {\n}"
  ],
  "a.swift": [
    "if data == nil {\n  // handle error\n}",
    "if items.isEmpty {\n} else if data.ok {\n}",
    "for item in items {\n}"
  ],
  "a.rs": [
    "if items.is_empty() {\n  // handle error\n}",
    "if let Some(x) = data.name {\n} else {\n}",
    "for item in items {\n}"
  ],
  "a.scala": ["if (items.isEmpty) {\n  // handle error\n}", "for (item <- items) {\n}"],
  "a.rb": ["if data.nil?\n  # handle error\nend", "unless items.empty?\nend", "if data\nelsif items\nelse\nend"],
  "a.php": [
    "if (!$data) {\n  // handle error\n}",
    "if (empty($data)) ;",
    "if ($data) {\n} elseif (isset($items)) {\n} else {\n}",
    "foreach ($items as $item) {\n}"
  ],
  "a.sh": [
    'if [ -z "$1" ]; then\n  :\nfi',
    'if [[ -n "$1" ]]; then\n  # handle error\n  true\nelse\n  :\nfi',
    "for a in b c; do\n  :\ndone"
  ]
}

/** The same with work in a branch, in what is asked, or in what is gone through. */
const busyBranches: Statements = {
  "a.js": [
    "while (items.poll());",
    "if (data.save()) {}",
    "if ((data = next)) {}",
    "if (await data) {}",
    "if (data) {} else { warn(data) }",
    "if (data) return",
    "for (const item of items) {\n  if (item) break\n  email += item\n}",
    "for await (const item of items) {}",
    "for (const item of items.drain()) {}",
    "for (const _ of items) {}",
    "for (const item of items) {\n  if (!item) continue\n  save(item)\n}"
  ],
  "a.py": [
    "try:\n    save(data)\nexcept FileNotFoundError:\n    pass",
    "if data:\n    pass\nelse:\n    save(data)",
    "if data:\n    pass\nelif email:\n    save(data)",
    "if data.save():\n    pass",
    "if (rest := data):\n    pass",
    "if not data:\n    raise ValueError(email)",
    "for _ in items:\n    pass",
    "for line in data.stdout:\n    pass",
    "for item in read(items):\n    pass",
    "while not data.ready:\n    pass"
  ],
  "a.go": [
    "\tif err := save(data); err != nil {\n\t}",
    "\tfor range items {\n\t}",
    "\tfor _ = range items {\n\t}",
    "\tif <-data {\n\t}",
    "\tif data.ok {\n\t} else {\n\t\tsave(data)\n\t}"
  ],
  "A.java": ["while (items.poll() != null);", "if (items.remove(data)) {\n}", "for (B item : items.drain()) {\n}"],
  "a.c": ["while (*p++)\n\t;", "for (n = 0; data[n]; n++)\n\t;", "if (n++ > 0) {\n}", "if (read(n)) {\n}"],
  "a.cpp": ["while (std::getline(in, s)) ;", "if (items.erase(data)) {\n}"],
  "A.cs": ["if (items.TryTake(out var x)) {\n}", "while (reader.Read()) ;"],
  "a.kt": ["if (items.remove(data)) {\n}", "if (data.ok) {\n} else {\n  warn(data)\n}"],
  "a.swift": ["if let x = items.popLast() {\n}", "for _ in items {\n}"],
  "a.rs": ["if items.remove(data) {\n}", "for _ in items {\n}", "while let Some(x) = items.pop() {\n}"],
  "a.scala": ["if (items.remove(data)) {\n}", "if (data.ok) {\n} else {\n  warn(data)\n}"],
  "a.rb": ["if data.save\nend", "if save\nend", "unless items.shift!\nend"],
  "a.php": ["if ($data = next($items)) {\n}", "while (fgets($data)) ;", "if ($data) {\n} else {\n  warn($data);\n}"],
  "a.sh": ["if grep -q a b; then\n  :\nfi", 'if [ "$(save)" ]; then\n  :\nfi', "while read -r a; do\n  :\ndone"]
}

/** Code that never runs. */
const neverRun: Statements = {
  "a.js": [
    "if (!true) {\n  save(items)\n}",
    "if (false && email) save(items)",
    "if (1 === 2) {\n  save(items)\n}",
    "for (; false; ) {\n  save(items)\n}",
    "for (let i = 0; false; i++) save(items)",
    "do {} while (false)",
    "false && save(items)",
    "true || save(items)",
    "while (0) save(items)",
    "for (const item of []) {\n  save(item)\n}"
  ],
  "a.ts": ["if (!true) {\n  save(items)\n}", "while (email && false) save(items)"],
  "a.py": [
    "if not True:\n    save(items)",
    "False and save(items)",
    "not False or save(items)",
    "while 0:\n    save(items)",
    "if False and email:\n    save(items)",
    "for item in []:\n    save(item)",
    "for item in range(0):\n    save(item)",
    "if 1 == 2:\n    save(items)",
    "if TYPE_CHECKING:\n    save(items)"
  ],
  "a.go": [
    "\tfor false {\n\t\tsave(items)\n\t}",
    "\tif !true {\n\t\tsave(items)\n\t}",
    "\tfor _, one := range []B{} {\n\t\tsave(one)\n\t}"
  ],
  "A.java": ["while (false) {\n  save(items);\n}", "if (!true) save(items);", "for (; false; ) save(items);"],
  "a.c": [
    "while (0) {\n\tsave(n);\n}",
    "if (!1)\n\tsave(n);",
    "#if 0\n\tsave(n);\n#endif",
    "if (FALSE && n)\n\tsave(n);"
  ],
  "a.cpp": [
    "while (false) save(items);",
    "false && save(items);",
    "if (!true) {\n  save(items);\n}",
    "#if 0\n  save(items);\n#endif"
  ],
  "A.cs": [
    "while (false) {\n  Save(items);\n}",
    "if (!true) Save(items);",
    "#if NEVER\n  Save(items);\n#endif",
    "#if false\n  Save(items);\n#endif"
  ],
  "a.kt": ["while (false) {\n  save(items)\n}", "if (!true) {\n  save(items)\n}", "do { } while (false)"],
  "a.swift": ["while false {\n  save(items)\n}", "if !true {\n  save(items)\n}", "#if NEVER\n  save(items)\n#endif"],
  "a.rs": [
    "while false {\n  save(items);\n}",
    "if !true {\n  save(items);\n}",
    "if false && data.ok {\n  save(items);\n}"
  ],
  "a.scala": ["while (false) {\n  save(items)\n}", "if (!true) {\n  save(items)\n}"],
  "a.rb": [
    "save(items) if false",
    "save(items) unless true",
    "unless true\n  save(items)\nend",
    "while false\n  save(items)\nend",
    "until true\n  save(items)\nend"
  ],
  "a.php": [
    "while (false) {\n  save($items);\n}",
    "false && save($items);",
    "if (!true) save($items);",
    "for (; false; ) save($items);"
  ],
  "a.sh": [
    "false && save b",
    "true || save b",
    "false && save b && save c",
    ": <<'END'\nsave b\nEND",
    "while false; do\n  save b\ndone",
    "if ! true; then\n  save b\nfi"
  ]
}

/** The same where it may run, or where something runs to find out. */
const mayRun: Statements = {
  "a.js": [
    "if (true) {\n  save(items)\n}",
    "true && save(items)",
    "email || save(items)",
    "do {\n  save(items)\n} while (false)",
    "if (save(items) && false) {}",
    "for (;;) {\n  if (save(items)) break\n}",
    "for (email = data; false; ) {}",
    "if (false) {\n} else {\n  save(items)\n}",
    "for (const item of [data]) {\n  save(item)\n}"
  ],
  "a.py": [
    "if True:\n    save(items)",
    "while 1:\n    save(items)\n    break",
    "if not email:\n    save(items)",
    "for item in []:\n    pass\nelse:\n    save(items)"
  ],
  "a.go": ["\tfor {\n\t\tsave(items)\n\t}", "\tfor true {\n\t\tsave(items)\n\t}"],
  "A.java": ["while (true) {\n  save(items);\n}"],
  "a.c": [
    "do {\n\tsave(n);\n} while (0);",
    "#if 1\n\tsave(n);\n#endif",
    "#if 0\n#else\n\tsave(n);\n#endif",
    "#ifdef A\n\tsave(n);\n#endif",
    "#if __has_include(<a.h>)\n#else\n\tsave(n);\n#endif"
  ],
  "A.cs": ["#if DEBUG\n  Save(items);\n#endif", "#if false\n#else\n  Save(items);\n#endif"],
  "a.kt": ["while (true) {\n  save(items)\n}"],
  "a.swift": [
    "#if DEBUG\n  save(items)\n#endif",
    "while true {\n  save(items)\n}",
    "if #available(iOS 15, *) {\n} else {\n  save(items)\n}"
  ],
  "a.rs": ["while true {\n  save(items);\n}"],
  "a.scala": ["if (false) 1 else save(items)"],
  "a.rb": [
    "save(items) if true",
    "save(items) unless false",
    "if 0\n  save(items)\nend",
    "begin\n  save(items)\nend while false"
  ],
  "a.php": ["if (true) save($items);"],
  "a.sh": [
    "true && save b",
    "false || save b",
    "false && save b || save c",
    ": <<END\n$(save b)\nEND",
    "cat <<'END'\nsave b\nEND"
  ]
}

/** Statements without effect. */
const withoutEffect: Statements = {
  "a.js": [
    "email = email",
    "console.assert(true)",
    'console.assert(true, "fine")',
    "typeof email;",
    'data == "";',
    "!data;",
    "data.rows === 3;",
    "const maxRetries = 3",
    "let rest = []"
  ],
  "a.ts": ["const maxRetries: number = 3;", "email = email", "typeof email;"],
  "a.py": [
    "email = email",
    "assert True",
    "assert 1 == 1",
    'data == ""',
    "not data",
    "data.rows is None",
    "max_retries = 3",
    "limit: int = 3"
  ],
  "a.go": ["\temail = email"],
  "A.java": ["data = data;", "assert true;", "int maxRetries = 3;", 'final String name = "a";'],
  "a.c": ["n = n;", "assert(1);", "n == 3;", "data->rows == n;"],
  "a.cpp": ["data = data;", "assert(true);"],
  "A.cs": ["data = data;", "Debug.Assert(true);", "var maxRetries = 3;"],
  "a.kt": ["data = data"],
  "a.swift": ["data = data"],
  "a.rs": ["data = data;", "assert!(true);"],
  "a.rb": ["data = data"],
  "a.php": ["$data = $data;", "assert(true);", "$data == 3;"]
}

const withEffect: Statements = {
  "a.js": [
    "email = data.email",
    "this.a = email",
    "console.assert(data)",
    "data.size;",
    "typeof save(email);",
    "email += email",
    "assert(save(data))",
    "const rest = save(items)",
    "let more = 3\nmore += save(data)",
    "const all = []\nsave(() => all)"
  ],
  "a.py": [
    "email = data",
    "self.email = email",
    "assert data",
    "assert len(items) == 1",
    "data >> items",
    "data | items",
    "data[email]",
    "data.email",
    "save(data) == 3",
    "global limit\nlimit = 3",
    "rest = 3\nsave(rest)",
    "_ = 3",
    "__tracebackhide__ = True"
  ],
  "a.go": ["\temail := email", "\temail = data.email"],
  "A.java": ["this.data = data;", "assert data != null;", "int rest = 3;\nsave(rest);"],
  "a.c": ["n = data->n;", "assert(n);", "n++ == 3;"],
  "a.cpp": ["out << data;", "data == other;"],
  "A.cs": ["Data = data;"],
  "a.kt": ["val data = data"],
  "a.rs": ["let data = data;", "assert!(data.ok);"],
  "a.php": ["$this->data = $data;", "assert($data);"]
}

/** Handlers that give on what they caught; the lines with `try` hold no more than its head. */
const givingOn: ReadonlyArray<readonly [path: string, handler: string, isNothing: boolean]> = [
  ["a.js", "} catch (e) { throw e }", true],
  ["A.java", "} catch (Exception e) { throw e; }", true],
  ["A.cs", "} catch (E e) { throw; }", true],
  ["a.php", "} catch (E $e) { throw $e; }", true],
  ["a.kt", "} catch (e: E) { throw e }", true],
  ["a.js", "} catch (e) { throw new Refused(e) }", false],
  ["a.js", "} catch (e) { throw other }", false],
  ["a.js", "} catch (e) { warn(e); throw e }", false],
  ["A.java", "} catch (A e) { throw e; } catch (B e) { warn(e); }", false],
  ["A.java", "} catch (A e) { throw e; } finally { save(data); }", false]
]

describe("given a function to which a branch or a loop is added", () => {
  it.each(each(emptyBranches))(
    "when nothing is done in it in %s: %s, then no line of it is work",
    async (path, statement) => {
      assert.deepStrictEqual(await working(path, statement), [])
    }
  )

  it.each(each(busyBranches))("when something is done in %s: %s, then it is work", async (path, statement) => {
    assert.notDeepEqual(await working(path, statement), [])
  })
})

describe("given a function to which code is added", () => {
  it.each(each(neverRun))("when it never runs in %s: %s, then no line of it is work", async (path, statement) => {
    assert.deepStrictEqual(await working(path, statement), [])
  })

  it.each(each(mayRun))("when it may run in %s: %s, then it is work", async (path, statement) => {
    assert.notDeepEqual(await working(path, statement), [])
  })

  it.each([
    ["a.sh", "save a\nexit 0\nsave b\nsave c"],
    ["a.sh", "f() {\n  save a\n  return 0\n  save b\n  save c\n}"]
  ])("when it stands behind what leaves in %s: %s, then it is no work", async (path, text) => {
    const lines = splitLines(text)
    const rows = lines.flatMap((line, row) => (/save [bc]/.test(line) ? [row] : []))
    assert.deepStrictEqual(substantial(path, lines, await outlined(path, text), rows), [])
  })

  it.each([
    ["a.sh", "if [ -z $1 ]; then\n  exit 1\nelse\n  save b\nfi\nsave c"],
    ["a.sh", "save a && exit 0\nsave b\nsave c"],
    ["a.sh", "exit 0\nf() {\n  save b\n}\n"]
  ])("when it stands beside what leaves in %s: %s, then it is work", async (path, text) => {
    const lines = splitLines(text)
    const rows = lines.flatMap((line, row) => (/save [bc]/.test(line) ? [row] : []))
    assert.deepStrictEqual(substantial(path, lines, await outlined(path, text), rows), rows)
  })
})

describe("given a function to which a statement is added", () => {
  it.each(each(withoutEffect))("when it has no effect in %s: %s, then it is no work", async (path, statement) => {
    assert.deepStrictEqual(await working(path, statement), [])
  })

  it.each(each(withEffect))("when it has one in %s: %s, then it is work", async (path, statement) => {
    assert.notDeepEqual(await working(path, statement), [])
  })

  it.each(givingOn)("when %s handles a failure so: %s, then it is nothing: %s", async (path, handler, isNothing) => {
    assert.strictEqual(!(await working(path, `try {\nsave(data);\n${handler}`)).includes(2), isNothing)
  })
})
