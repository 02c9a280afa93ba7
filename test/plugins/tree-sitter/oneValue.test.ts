import { assert, describe, it } from "@effect/vitest"
import { judged } from "./support.ts"

/** A function that is given something, with a body; in line 2. */
const functions: Readonly<Record<string, (body: string) => string>> = {
  "a.js": (b) => `// a\nfunction f(email, rows) {\n${b}\n}\n`,
  "a.ts": (b) => `// a\nfunction f(email: string, rows: A[]): B {\n${b}\n}\n`,
  "a.py": (b) => `# a\ndef f(email, rows):\n${b.replace(/^/gm, "    ")}\n`,
  "a.go": (b) => `package a\nfunc f(email string) (A, error) {\n${b}\n}\n`,
  "A.java": (b) => `class A {\n  B f(String email) {\n${b}\n  }\n}\n`,
  "a.c": (b) => `// a\nint f(int email) {\n${b}\n}\n`,
  "a.cpp": (b) => `// a\nstd::vector<std::string> f(int email) {\n${b}\n}\n`,
  "A.cs": (b) => `class A {\n  B F(string email) {\n${b}\n  }\n}\n`,
  "a.kt": (b) => `// a\nfun f(email: String): A ${b}\n`,
  "a.swift": (b) => `// a\nfunc f(email: String) -> A {\n${b}\n}\n`,
  "a.rs": (b) => `// a\nfn f(email: &str) -> A {\n${b}\n}\n`,
  "a.scala": (b) => `object A {\n  def f(email: String): A = ${b}\n}\n`,
  "a.rb": (b) => `# a\ndef f(email)\n${b}\nend\n`,
  "a.php": (b) => `<?php\nfunction f($email) {\n${b}\n}\n`
}

type Bodies = Readonly<Record<string, ReadonlyArray<string>>>

/** On all ways through it the same value. */
const oneWay: Bodies = {
  "a.js": [
    "if (!email) return true\nreturn true",
    "if (!email) {\n  return true\n} else {\n  return true\n}",
    "return email ? true : true",
    "try {\n  return true\n} catch {\n  return true\n}",
    "switch (email) {\ncase 1:\n  return 0\ncase 2:\ndefault:\n  return 0\n}"
  ],
  "a.ts": ["if (!email) return []\nreturn []", "return email.includes('@') ? 'a' : 'a'"],
  "a.py": [
    "if email:\n    return 0\nelse:\n    return 0",
    "if email:\n    return 0\nelif rows:\n    return 0\nreturn 0",
    "return True if email else True",
    "try:\n    return True\nexcept Exception:\n    return True",
    "match email:\n    case 1:\n        return 0\n    case _:\n        return 0"
  ],
  "a.go": [
    '\tif email == "" {\n\t\treturn A{}, nil\n\t}\n\treturn A{}, nil',
    '\tswitch email {\n\tcase "a":\n\t\treturn A{}, nil\n\tdefault:\n\t\treturn A{}, nil\n\t}'
  ],
  "A.java": [
    "if (email == null) return true;\nreturn true;",
    "return email == null ? 0 : 0;",
    "try {\n  return true;\n} catch (Exception e) {\n  return true;\n}",
    'switch (email) {\ncase "a": return 0;\ndefault: return 0;\n}',
    'return switch (email) {\n  case "a" -> 0;\n  default -> 0;\n};'
  ],
  "a.c": [
    "if (email)\n  return 1;\nreturn 1;",
    "return email ? 1 : 1;",
    "switch (email) {\ncase 1: return 0;\ndefault: return 0;\n}"
  ],
  "a.cpp": ["if (email) {\n  return {};\n} else {\n  return {};\n}"],
  "A.cs": [
    "if (email == null) return true;\nreturn true;",
    "return email == null ? 1 : 1;",
    "return email switch { null => 0, _ => 0 };",
    "switch (email) {\ncase null:\n  return 0;\ndefault:\n  return 0;\n}"
  ],
  "a.kt": [
    "{\n  if (email == null) return true\n  return true\n}",
    '= if (email == "") 1 else 1',
    '= when (email) {\n  "a" -> 0\n  else -> 0\n}',
    "{\n  return try { 1 } catch (e: Exception) { 1 }\n}"
  ],
  "a.swift": [
    'if email == "" {\n  return true\n}\nreturn true',
    "return email.isEmpty ? 1 : 1",
    'switch email {\ncase "a": return 0\ndefault: return 0\n}',
    "guard email.isEmpty else { return 0 }\nreturn 0"
  ],
  "a.rs": [
    "if email.is_empty() {\n  return true;\n}\ntrue",
    "if email.is_empty() { 1 } else { 1 }",
    'match email {\n  "a" => 0,\n  _ => 0,\n}'
  ],
  "a.scala": [
    "if (email.isEmpty) 1 else 1",
    'email match {\n    case "a" => 0\n    case _ => 0\n  }',
    "try { 1 } catch { case e: Exception => 1 }"
  ],
  "a.rb": [
    "return true if email.nil?\ntrue",
    "if email\n  0\nelse\n  0\nend",
    "email ? 1 : 1",
    "case email\nwhen 1 then 0\nelse 0\nend"
  ],
  "a.php": [
    "if (!$email) return true;\nreturn true;",
    "return $email ? 1 : 1;",
    "return match($email) { 'a' => 0, default => 0 };",
    "switch ($email) { case 1: return 0; default: return 0; }"
  ]
}

/** The same value, however it is written. */
const oneSpelling: Bodies = {
  "a.js": ["return NaN", "return Array.from([])", 'return JSON.parse("[]")', "return Object.create(null)"],
  "a.ts": [
    'return JSON.parse("[]")',
    "return Array.from([])",
    "return Object.freeze([])",
    "return new Promise((done) => done([]))",
    "return new Promise(d => d([]))",
    'return "sl" + "ug"',
    "return new Map<string, A>()",
    "return await Promise.resolve([])"
  ],
  "a.py": [
    "return cast(Any, None)",
    "return True, None",
    'return int("350")',
    "saved = True; return saved",
    "saved = True\nreturn saved",
    "return dict()",
    'return ["a", "b"]'
  ],
  "a.go": [
    "\treturn make(map[string]Item), nil",
    "\treturn new(Item), nil",
    '\treturn []string{"a"}, nil',
    "\treturn make([]Item, 0), nil"
  ],
  "A.java": [
    "return Collections.emptyList();",
    "return List.of();",
    "return Arrays.asList();",
    'return List.of("Alice", "Bob");',
    "return Collections.<String>emptyList();"
  ],
  "a.cpp": ["std::vector<std::string> found;\nreturn found;", "return std::vector<std::string>();"],
  "A.cs": [
    "return Task.FromResult(new List<string>());",
    "return Enumerable.Empty<string>().ToList();",
    'return new List<string> { "a" };',
    "return new Dictionary<string, B>();"
  ],
  "a.kt": [
    "= emptyList()",
    "= listOf()",
    "= mapOf()",
    "= mutableListOf<String>()",
    '= listOf("a", "b")',
    "{\n  return mutableListOf<String>()\n}"
  ],
  "a.swift": ["return []", "return [String]()", "return Set<String>()", 'return ["a", "b"]'],
  "a.rs": ["vec![]", "Vec::new()", "Default::default()", "Ok(HashMap::new())", 'vec!["a".to_string()]'],
  "a.scala": ["Nil", "List.empty", "Map.empty[String, Int]", "Future.successful(Nil)", "List()"],
  "a.rb": ["Array.new", "[].freeze", "Hash.new", "%w[a b]"],
  "a.php": ["return array_merge([], []);", "return [];", "return (int) '3';"]
}

/** What is given decides, something is done on the way, or the value is of elsewhere. */
const real: Bodies = {
  "a.js": [
    "if (!email) return true\nreturn false",
    "if (!email) return true",
    "return email ? 1 : 2",
    "if (save(email)) return true\nreturn true",
    "try {\n  JSON.parse(email)\n  return true\n} catch {\n  return true\n}",
    "switch (email) {\ncase 1:\n  return 0\n}",
    "return JSON.parse(email)",
    "return Array.from(rows)",
    "return new Promise(done => setTimeout(done, 3))",
    "return new Store()",
    "return defaults()",
    "return DEFAULTS.slice()"
  ],
  "a.ts": ["return Object.freeze([email])", "return new Promise((done) => done(rows))", "return ids + 1"],
  "a.py": [
    "if email:\n    return 0\nreturn 1",
    "if email:\n    return 0",
    "try:\n    int(email)\n    return True\nexcept ValueError:\n    return True",
    "return cast(A, rows)",
    "return int(email)",
    "return True, rows",
    "match email:\n    case 1:\n        return 0"
  ],
  "a.go": [
    "\tif err := save(email); err != nil {\n\t\treturn A{}, nil\n\t}\n\treturn A{}, nil",
    "\treturn make([]Item, len(email)), nil"
  ],
  "A.java": [
    "return List.of(email);",
    "return Arrays.asList(names);",
    "if (email == null) return 1;\nreturn 2;",
    'return switch (email) {\n  case "a" -> 0;\n  default -> 1;\n};'
  ],
  "a.c": ["if (email)\n  return 1;\nreturn 0;", "return email ? 1 : 0;"],
  "a.cpp": ["std::vector<std::string> found;\nfill(found);\nreturn found;"],
  "A.cs": ["return Task.FromResult(new List<string> { email });", "return names.ToList();"],
  "a.kt": ["= listOf(email)", '= if (email == "") 1 else 2', "= emptyFlow(email)", "= names()"],
  "a.swift": ["return [email]", "guard email.isEmpty else { return 0 }\nreturn 1"],
  "a.rs": ["vec![email]", "Store::open()", "if email.is_empty() { 1 } else { 2 }"],
  "a.scala": ["List(email)", "if (email.isEmpty) 1 else 2", "Future.successful(email)"],
  "a.rb": ["return true if email.nil?\nfalse", "Array.new(email)", "rows.freeze"],
  "a.php": ["return ['a' => 1];", "return array_merge([], $email);", "if (!$email) return true;\nreturn false;"]
}

const cases = (bodies: Bodies) =>
  Object.entries(bodies).flatMap(([path, all]) => all.map((body) => [path, body] as const))

const emptiness = async (path: string, body: string): Promise<string | null> =>
  (await judged(path, functions[path]?.(body) ?? "", 2)).empty

describe("given a function that is given something", () => {
  it.each(cases(oneWay))("when all ways through it give one value in %s: %s, then it is empty", async (path, body) => {
    assert.include((await emptiness(path, body)) ?? "", "always returns the same value")
  })

  it.each(cases(oneSpelling))("when it gives one value in %s: %s, then it is empty", async (path, body) => {
    assert.include((await emptiness(path, body)) ?? "", "always returns the same value")
  })

  it.each(cases(real))("when it does more in %s: %s, then it is none", async (path, body) => {
    assert.isNull(await emptiness(path, body))
  })
})

describe("given a member of a type of Rust", () => {
  const store = (head: string, body: string) =>
    `struct Store { rows: Vec<u8> }\n${head} {\n    fn f(&self, id: u8) -> A { ${body} }\n    fn add(&mut self, id: u8) { self.rows.push(id) }\n}\n`

  it.each(["vec![]", "Vec::new()", "Default::default()", "unreachable!()", 'panic!("x")'])(
    "when the type implements nothing and it is %s, then it is empty beside one that works",
    async (body) => {
      assert.include((await judged("a.rs", store("impl Store", body), 3)).empty ?? "", "whatever it is given")
    }
  )

  it.each(["vec![]", "unreachable!()"])(
    "when the type implements something and it is %s, then it is none",
    async (body) => {
      assert.isNull((await judged("a.rs", store("impl Rows for Store", body), 3)).empty)
    }
  )
})
