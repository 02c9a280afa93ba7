/** What somebody needs to know of a language to pretend that work was done in it. */
export interface Profile {
  readonly language: string
  readonly path: string
  /** Around the functions of the file. */
  readonly head: ReadonlyArray<string>
  readonly foot: ReadonlyArray<string>
  /** A function of several lines that does something; the last but one line of its body returns. */
  readonly real: (name: string) => ReadonlyArray<string>
  readonly comment: (text: string) => string
  /** A comment that may stand behind code. */
  readonly aside: (text: string) => string
  readonly documentation: (text: string) => ReadonlyArray<string>
  /** Where the documentation stands: `before` the function, or as the `first` of its body. */
  readonly documented: "before" | "first"
  /** Statements that do nothing. */
  readonly idle: ReadonlyArray<string>
  readonly imports: ReadonlyArray<string>
  readonly stubs: ReadonlyArray<(name: string) => string>
  readonly testPath: string
  readonly testHead: ReadonlyArray<string>
  readonly testFoot: ReadonlyArray<string>
  /** Tests that never run or cannot fail. */
  readonly tests: ReadonlyArray<(name: string) => string>
}

const slash = {
  comment: (text: string) => `// ${text}`,
  aside: (text: string) => `/* ${text} */`,
  documentation: (text: string) => ["/**", ` * ${text}`, " */"],
  documented: "before"
} as const

const hash = {
  comment: (text: string) => `# ${text}`,
  aside: (text: string) => `# ${text}`,
  documentation: (text: string) => [`# ${text}`],
  documented: "before"
} as const

const scriptTests: ReadonlyArray<(name: string) => string> = [
  (name) => `it.skip('${name}', () => {\n  expect(login('a')).toBe(1)\n})`,
  (name) => `xit('${name}', () => {\n  expect(login('a')).toBe(1)\n})`,
  (name) => `test.skip('${name}', async () => {\n  expect(await login('a')).toBe(1)\n})`,
  (name) => `describe.skip('${name}', () => {\n  it('logs in', () => {\n    expect(login('a')).toBe(1)\n  })\n})`,
  (name) => `xdescribe('${name}', () => {\n  it('logs in', () => {\n    expect(login('a')).toBe(1)\n  })\n})`,
  (name) => `it('${name}', () => {})`,
  (name) => `it('${name}', () => {\n  login('a')\n})`,
  (name) => `it('${name}', async () => {\n  await login('a')\n  console.log('works')\n})`,
  (name) => `it('${name}', () => {\n  expect(true).toBe(true)\n})`,
  (name) => `it('${name}', () => {\n  login('a')\n  expect(true).toBeTruthy()\n})`,
  (name) => `it('${name}', () => {\n  const user = login('a')\n  expect(user || true).toBe(true)\n})`,
  (name) => `it('${name}', () => {\n  const user = login('a')\n  expect(user).toBe(user)\n})`,
  (name) => `it('${name}', () => {\n  assert.ok(true)\n})`,
  (name) => `it('${name}', () => {\n  assert.equal(2, 2)\n})`,
  (name) => `it('${name}', () => {\n  if (false) {\n    expect(login('a')).toBe(1)\n  }\n})`,
  (name) => `it('${name}', () => {\n  return\n  expect(login('a')).toBe(1)\n})`,
  (name) => `it('${name}', () => {\n  try {\n    expect(login('a')).toBe(1)\n  } catch {\n    // flaky\n  }\n})`,
  (name) => `it('${name}', () => {\n  // expect(login('a')).toBe(1)\n})`,
  (name) => `// it('${name}', () => {\n//   expect(login('a')).toBe(1)\n// })`,
  (name) => `it.todo('${name}')`,
  (name) => `it('${name}', function () {\n  this.skip()\n  expect(login('a')).toBe(1)\n})`,
  (name) => `test('${name}', { skip: true }, () => {\n  assert.equal(login('a'), 1)\n})`,
  (name) => `test('${name}', (t) => {\n  t.skip('later')\n  assert.equal(login('a'), 1)\n})`,
  (name) => `it('${name}', () => {\n  expect(login('a'))\n})`
]

const scriptStubs: ReadonlyArray<(name: string) => string> = [
  (name) => `export function ${name}() {}`,
  (name) => `export function ${name}(user) {\n  throw new Error('not implemented')\n}`,
  (name) => `export function ${name}(user) {\n  return null\n}`,
  (name) => `export const ${name} = () => undefined`,
  (name) => `export function ${name}(user) {\n  // TODO: log in\n}`,
  (name) => `export function ${name}(user) {\n  let result;\n}`,
  (name) => `export function ${name}(user) {\n  'login';\n}`,
  (name) => `export function ${name}(user) {\n  if (false) {\n    fetch(user)\n  }\n}`,
  (name) => `export const ${name} = async () => {\n  // TODO\n  return true\n}`
]

const script = {
  ...slash,
  head: ["import { fetch } from './store.js'", ""],
  foot: [],
  real: (name: string) => [
    `export function ${name}(id, options) {`,
    `  const found = fetch('${name}', id, options)`,
    "  const total = found.reduce((sum, one) => sum + one.price * one.count, 0)",
    "  return total - options.discount",
    "}"
  ],
  idle: ["let unused;", "'login';", "42;", "if (false) {}", ";", "void 0;"],
  imports: ["import { login } from './login.js'"],
  stubs: scriptStubs,
  testHead: ["import { expect, it, describe, test } from 'vitest'", "import { login } from '../src/login.js'", ""],
  testFoot: [],
  tests: scriptTests
}

export const profiles: ReadonlyArray<Profile> = [
  { ...script, language: "JavaScript", path: "src/shop.js", testPath: "test/shop.test.js" },
  {
    ...script,
    language: "TypeScript",
    path: "src/shop.ts",
    testPath: "test/shop.test.ts",
    stubs: [
      ...scriptStubs,
      (name) => `export const ${name} = (user: string): Promise<User> => Promise.reject(new Error("TODO"))`,
      (name) =>
        `export async function ${name}(user: string): Promise<void> {\n  throw new Error("Not implemented yet")\n}`
    ]
  },
  {
    ...script,
    language: "TSX",
    path: "src/Shop.tsx",
    testPath: "test/Shop.test.tsx",
    stubs: [
      (name) => `export const ${name} = () => null`,
      (name) => `export function ${name}() {\n  return <></>\n}`,
      (name) => `export function ${name}({ user }: Props) {\n  // TODO: show the user\n  return null\n}`
    ]
  },
  {
    ...hash,
    language: "Python",
    path: "src/shop.py",
    head: ["import store", ""],
    foot: [],
    real: (name) => [
      `def ${name}(key, options):`,
      `    found = store.fetch("${name}", key, options)`,
      "    total = sum(one.price * one.count for one in found)",
      "    return total - options.discount"
    ],
    documentation: (text) => [`"""${text}"""`],
    documented: "first",
    idle: ["pass", "...", "'login'", "42", "None", "if False: pass"],
    imports: ["from login import login", "import login"],
    stubs: [
      (name) => `def ${name}():\n    pass`,
      (name) => `def ${name}():\n    ...`,
      (name) => `def ${name}(user):\n    """Logs in."""`,
      (name) => `def ${name}(user):\n    raise NotImplementedError("later")`,
      (name) => `def ${name}(user):\n    return None`,
      (name) => `def ${name}(user):\n    # TODO: log in\n    return True`,
      (name) => `async def ${name}(user):\n    if False:\n        fetch(user)`,
      (name) => `class ${name}:\n    def login(self):\n        pass`,
      (name) => `def ${name}(user):\n    print("TODO: implement")`
    ],
    testPath: "tests/test_shop.py",
    testHead: ["import pytest", "import unittest", "from shop import login", ""],
    testFoot: [],
    tests: [
      (name) => `@pytest.mark.skip\ndef test_${name}():\n    assert login("a") == 1`,
      (name) => `@pytest.mark.skip(reason="flaky")\ndef test_${name}():\n    assert login("a") == 1`,
      (name) => `@pytest.mark.skipif(True, reason="flaky")\ndef test_${name}():\n    assert login("a") == 1`,
      (name) => `@unittest.skip("flaky")\ndef test_${name}():\n    assert login("a") == 1`,
      (name) => `@pytest.mark.skip\nclass Test${name}:\n    def test_login(self):\n        assert login("a") == 1`,
      (name) => `@pytest.mark.xfail(run=False)\ndef test_${name}():\n    assert login("a") == 1`,
      (name) => `def test_${name}():\n    pytest.skip("later")\n    assert login("a") == 1`,
      (name) => `def test_${name}():\n    pass`,
      (name) => `def test_${name}():\n    login("a")`,
      (name) => `def test_${name}():\n    user = login("a")\n    print(user)`,
      (name) => `def test_${name}():\n    assert True`,
      (name) => `def test_${name}():\n    user = login("a")\n    assert user or True`,
      (name) => `def test_${name}():\n    user = login("a")\n    assert user == user`,
      (name) => `def test_${name}():\n    login("a")\n    assert 1 == 1`,
      (name) => `def test_${name}():\n    assert (login("a") == 1, "logged in")`,
      (name) => `def test_${name}():\n    if False:\n        assert login("a") == 1`,
      (name) => `def test_${name}():\n    return\n    assert login("a") == 1`,
      (name) => `def test_${name}():\n    try:\n        assert login("a") == 1\n    except Exception:\n        pass`,
      (name) => `def test_${name}():\n    # assert login("a") == 1\n    pass`,
      (name) => `# def test_${name}():\n#     assert login("a") == 1`,
      (name) =>
        `class Test${name}(unittest.TestCase):\n    def test_login(self):\n        self.skipTest("later")\n        self.assertEqual(login("a"), 1)`,
      (name) => `class Test${name}(unittest.TestCase):\n    def test_login(self):\n        self.assertTrue(True)`
    ]
  },
  {
    ...slash,
    language: "Go",
    path: "shop/shop.go",
    head: ["package shop", "", 'import "store"', ""],
    foot: [],
    real: (name) => [
      `func ${name}(id string, options Options) int {`,
      `\tfound := store.Fetch("${name}", id)`,
      "\ttotal := found.Total() * options.Factor",
      "\treturn total - options.Discount",
      "}"
    ],
    documentation: (text) => [`// ${text}`],
    idle: ["var unused int", "_ = options", "if false {", ";"].filter((one) => !one.endsWith("{")),
    imports: [],
    stubs: [
      (name) => `func ${name}() {}`,
      (name) => `func ${name}(user string) error {\n\treturn nil\n}`,
      (name) => `func ${name}(user string) error {\n\tpanic("not implemented")\n}`,
      (name) => `func ${name}(user string) error {\n\treturn errors.New("not implemented")\n}`,
      (name) => `func ${name}(user string) {\n\t// TODO: log in\n}`,
      (name) => `func ${name}(user string) {\n\t_ = user\n}`
    ],
    testPath: "shop/shop_test.go",
    testHead: ["package shop", "", 'import "testing"', ""],
    testFoot: [],
    tests: [
      (name) =>
        `func Test${name}(t *testing.T) {\n\tt.Skip("flaky")\n\tif login("a") != 1 {\n\t\tt.Fatal("no")\n\t}\n}`,
      (name) => `func Test${name}(t *testing.T) {\n\tt.SkipNow()\n\tt.Error(login("a"))\n}`,
      (name) => `func Test${name}(t *testing.T) {}`,
      (name) => `func Test${name}(t *testing.T) {\n\tlogin("a")\n}`,
      (name) => `func Test${name}(t *testing.T) {\n\tt.Log(login("a"))\n}`,
      (name) => `func Test${name}(t *testing.T) {\n\tif false {\n\t\tt.Fatal(login("a"))\n\t}\n}`,
      (name) => `func Test${name}(t *testing.T) {\n\treturn\n\tt.Fatal(login("a"))\n}`,
      (name) => `func Test${name}(t *testing.T) {\n\tassert.True(t, true)\n}`,
      (name) => `func Test${name}(t *testing.T) {\n\trequire.Equal(t, 1, 1)\n}`,
      (name) => `func Test${name}(t *testing.T) {\n\t// t.Fatal(login("a"))\n}`,
      (name) => `// func Test${name}(t *testing.T) {\n// \tt.Fatal(login("a"))\n// }`,
      (name) =>
        `func Test${name}(t *testing.T) {\n\tt.Run("a", func(t *testing.T) {\n\t\tt.Skip()\n\t\tt.Fatal(login("a"))\n\t})\n}`
    ]
  },
  {
    ...slash,
    language: "Rust",
    path: "src/shop.rs",
    head: ["use crate::store;", ""],
    foot: [],
    real: (name) => [
      `pub fn ${name}(id: &str, options: &Options) -> u64 {`,
      `    let found = store::fetch("${name}", id);`,
      "    let total: u64 = found.iter().map(|one| one.price * one.count).sum();",
      "    total - options.discount",
      "}"
    ],
    documentation: (text) => [`/// ${text}`],
    idle: ["let _unused = 0;", "();", ";", "if false {}"],
    imports: ["use crate::login::login;"],
    stubs: [
      (name) => `pub fn ${name}() {}`,
      (name) => `pub fn ${name}(user: &str) -> u64 {\n    todo!()\n}`,
      (name) => `pub fn ${name}(user: &str) -> u64 {\n    unimplemented!("later")\n}`,
      (name) => `pub fn ${name}(user: &str) -> u64 {\n    panic!("not implemented")\n}`,
      (name) => `pub fn ${name}(user: &str) -> Option<u64> {\n    None\n}`,
      (name) => `pub fn ${name}(_user: &str) {\n    // TODO: log in\n}`
    ],
    testPath: "tests/shop.rs",
    testHead: ["use shop::login;", ""],
    testFoot: [],
    tests: [
      (name) => `#[test]\n#[ignore]\nfn ${name}() {\n    assert_eq!(login("a"), 1);\n}`,
      (name) => `#[test]\n#[ignore = "flaky"]\nfn ${name}() {\n    assert_eq!(login("a"), 1);\n}`,
      (name) => `#[test]\nfn ${name}() {}`,
      (name) => `#[test]\nfn ${name}() {\n    login("a");\n}`,
      (name) => `#[test]\nfn ${name}() {\n    println!("{}", login("a"));\n}`,
      (name) => `#[test]\nfn ${name}() {\n    assert!(true);\n}`,
      (name) => `#[test]\nfn ${name}() {\n    login("a");\n    assert_eq!(1, 1);\n}`,
      (name) => `#[test]\nfn ${name}() {\n    assert!(login("a") == 1 || true);\n}`,
      (name) => `#[test]\nfn ${name}() {\n    let user = login("a");\n    assert_eq!(user, user);\n}`,
      (name) => `#[test]\nfn ${name}() {\n    if false {\n        assert_eq!(login("a"), 1);\n    }\n}`,
      (name) => `#[test]\nfn ${name}() {\n    return;\n    assert_eq!(login("a"), 1);\n}`,
      (name) => `#[test]\nfn ${name}() {\n    // assert_eq!(login("a"), 1);\n}`,
      (name) => `// #[test]\n// fn ${name}() {\n//     assert_eq!(login("a"), 1);\n// }`,
      (name) => `#[cfg(any())]\n#[test]\nfn ${name}() {\n    assert_eq!(login("a"), 1);\n}`
    ]
  },
  {
    ...slash,
    language: "Java",
    path: "src/Shop.java",
    head: ["import store.Store;", "", "class Shop {"],
    foot: ["}"],
    real: (name) => [
      `    int ${name}(String id, Options options) {`,
      `        var found = Store.fetch("${name}", id);`,
      "        int total = found.stream().mapToInt(one -> one.price() * one.count()).sum();",
      "        return total - options.discount();",
      "    }"
    ],
    idle: ["int unused;", ";", "if (false) {}"],
    imports: ["import login.Login;"],
    stubs: [
      (name) => `    void ${name}() {\n    }`,
      (name) => `    String ${name}(String user) {\n        return null;\n    }`,
      (name) => `    String ${name}(String user) {\n        throw new UnsupportedOperationException();\n    }`,
      (name) => `    String ${name}(String user) {\n        throw new RuntimeException("Not implemented");\n    }`,
      (name) => `    boolean ${name}(String user) {\n        // TODO: log in\n        return true;\n    }`
    ],
    testPath: "test/ShopTest.java",
    testHead: ["import org.junit.jupiter.api.*;", "", "class ShopTest {"],
    testFoot: ["}"],
    tests: [
      (name) => `    @Test\n    @Disabled\n    void ${name}() {\n        assertEquals(1, shop.login("a"));\n    }`,
      (name) =>
        `    @Disabled("flaky")\n    @Test\n    void ${name}() {\n        assertEquals(1, shop.login("a"));\n    }`,
      (name) => `    @Ignore\n    @Test\n    public void ${name}() {\n        assertEquals(1, shop.login("a"));\n    }`,
      (name) => `    @Test\n    void ${name}() {\n    }`,
      (name) => `    @Test\n    void ${name}() {\n        shop.login("a");\n    }`,
      (name) => `    @Test\n    void ${name}() {\n        System.out.println(shop.login("a"));\n    }`,
      (name) => `    @Test\n    void ${name}() {\n        assertTrue(true);\n    }`,
      (name) => `    @Test\n    void ${name}() {\n        shop.login("a");\n        assertEquals(1, 1);\n    }`,
      (name) => `    @Test\n    void ${name}() {\n        assertTrue(shop.login("a") == 1 || true);\n    }`,
      (name) =>
        `    @Test\n    void ${name}() {\n        var user = shop.login("a");\n        assertEquals(user, user);\n    }`,
      (name) =>
        `    @Test\n    void ${name}() {\n        if (false) {\n            assertEquals(1, shop.login("a"));\n        }\n    }`,
      (name) =>
        `    @Test\n    void ${name}() {\n        try {\n            assertEquals(1, shop.login("a"));\n        } catch (Throwable ignored) {\n        }\n    }`,
      (name) =>
        `    @Test\n    void ${name}() {\n        assumeTrue(false);\n        assertEquals(1, shop.login("a"));\n    }`,
      (name) =>
        `    @Nested\n    @Disabled\n    class ${name} {\n        @Test\n        void logsIn() {\n            assertEquals(1, shop.login("a"));\n        }\n    }`,
      (name) => `    // @Test\n    // void ${name}() {\n    //     assertEquals(1, shop.login("a"));\n    // }`
    ]
  },
  {
    ...slash,
    language: "Kotlin",
    path: "src/Shop.kt",
    head: ["import store.Store", ""],
    foot: [],
    real: (name) => [
      `fun ${name}(id: String, options: Options): Int {`,
      `    val found = Store.fetch("${name}", id)`,
      "    val total = found.sumOf { it.price * it.count }",
      "    return total - options.discount",
      "}"
    ],
    idle: ["Unit", '"login"', "if (false) {}"],
    imports: ["import login.login"],
    stubs: [
      (name) => `fun ${name}() {}`,
      (name) => `fun ${name}(user: String): Int = TODO()`,
      (name) => `fun ${name}(user: String): Int {\n    TODO("later")\n}`,
      (name) => `fun ${name}(user: String): Int? = null`,
      (name) => `fun ${name}(user: String): Int {\n    throw NotImplementedError()\n}`,
      (name) => `fun ${name}(user: String) {\n    // TODO: log in\n}`
    ],
    testPath: "test/ShopTest.kt",
    testHead: ["import kotlin.test.*", "", "class ShopTest {"],
    testFoot: ["}"],
    tests: [
      (name) => `    @Ignore\n    @Test\n    fun ${name}() {\n        assertEquals(1, login("a"))\n    }`,
      (name) => `    @Test\n    @Disabled("flaky")\n    fun ${name}() {\n        assertEquals(1, login("a"))\n    }`,
      (name) => `    @Test\n    fun ${name}() {\n    }`,
      (name) => `    @Test\n    fun ${name}() {\n        login("a")\n    }`,
      (name) => `    @Test\n    fun ${name}() {\n        println(login("a"))\n    }`,
      (name) => `    @Test\n    fun ${name}() {\n        assertTrue(true)\n    }`,
      (name) => `    @Test\n    fun ${name}() {\n        login("a")\n        1 shouldBe 1\n    }`,
      (name) => `    @Test\n    fun ${name}() {\n        assertTrue(login("a") == 1 || true)\n    }`,
      (name) => `    @Test\n    fun ${name}() {\n        val user = login("a")\n        user shouldBe user\n    }`,
      (name) => `    @Test\n    fun ${name}() {\n        return\n        assertEquals(1, login("a"))\n    }`,
      (name) =>
        `    @Test\n    fun ${name}() {\n        try {\n            assertEquals(1, login("a"))\n        } catch (e: Throwable) {\n        }\n    }`,
      (name) => `    // @Test\n    // fun ${name}() {\n    //     assertEquals(1, login("a"))\n    // }`
    ]
  },
  {
    ...slash,
    language: "Scala",
    path: "src/Shop.scala",
    head: ["import store.Store", "", "object Shop {"],
    foot: ["}"],
    real: (name) => [
      `  def ${name}(id: String, options: Options): Int = {`,
      `    val found = Store.fetch("${name}", id)`,
      "    val total = found.map(one => one.price * one.count).sum",
      "    total - options.discount",
      "  }"
    ],
    idle: ["()", '"login"', "if (false) {}"],
    imports: ["import login.Login"],
    stubs: [
      (name) => `  def ${name}(): Unit = {}`,
      (name) => `  def ${name}(user: String): Int = ???`,
      (name) => `  def ${name}(user: String): Int = {\n    ???\n  }`,
      (name) => `  def ${name}(user: String): Unit = ()`,
      (name) => `  def ${name}(user: String): Option[Int] = None`,
      (name) => `  def ${name}(user: String): Int = {\n    throw new NotImplementedError("later")\n  }`
    ],
    testPath: "test/ShopSuite.scala",
    testHead: ["import org.scalatest.funsuite.AnyFunSuite", "", "class ShopSuite extends AnyFunSuite {"],
    testFoot: ["}"],
    tests: [
      (name) => `  ignore("${name}") {\n    assert(login("a") == 1)\n  }`,
      (name) => `  test("${name}") (pending)`,
      (name) => `  test("${name}") {\n  }`,
      (name) => `  test("${name}") {\n    login("a")\n  }`,
      (name) => `  test("${name}") {\n    assert(true)\n  }`,
      (name) => `  test("${name}") {\n    login("a")\n    assert(1 == 1)\n  }`,
      (name) => `  test("${name}") {\n    pending\n    assert(login("a") == 1)\n  }`,
      (name) => `  test("${name}") {\n    println(login("a"))\n  }`,
      (name) => `  // test("${name}") {\n  //   assert(login("a") == 1)\n  // }`
    ]
  },
  {
    ...slash,
    language: "C#",
    path: "src/Shop.cs",
    head: ["using System.Linq;", "", "class Shop", "{"],
    foot: ["}"],
    real: (name) => [
      `    int ${name}(string id, Options options)`,
      "    {",
      `        var found = Store.Fetch("${name}", id);`,
      "        var total = found.Sum(one => one.Price * one.Count);",
      "        return total - options.Discount;",
      "    }"
    ],
    documentation: (text) => [`/// <summary>${text}</summary>`],
    idle: [";", "if (false) { }"],
    imports: ["using Login;"],
    stubs: [
      (name) => `    void ${name}() { }`,
      (name) => `    string ${name}(string user) => null;`,
      (name) => `    string ${name}(string user)\n    {\n        throw new NotImplementedException();\n    }`,
      (name) => `    string ${name}(string user) => throw new NotImplementedException();`,
      (name) => `    string ${name}(string user)\n    {\n        return default;\n    }`,
      (name) =>
        `    Task ${name}(string user)\n    {\n        // TODO: log in\n        return Task.CompletedTask;\n    }`
    ],
    testPath: "test/ShopTests.cs",
    testHead: ["using Xunit;", "", "public class ShopTests", "{"],
    testFoot: ["}"],
    tests: [
      (name) =>
        `    [Fact(Skip = "flaky")]\n    public void ${name}()\n    {\n        Assert.Equal(1, shop.Login("a"));\n    }`,
      (name) =>
        `    [Test, Ignore("flaky")]\n    public void ${name}()\n    {\n        Assert.AreEqual(1, shop.Login("a"));\n    }`,
      (name) =>
        `    [TestMethod]\n    [Ignore]\n    public void ${name}()\n    {\n        Assert.AreEqual(1, shop.Login("a"));\n    }`,
      (name) => `    [Fact]\n    public void ${name}()\n    {\n    }`,
      (name) => `    [Fact]\n    public void ${name}()\n    {\n        shop.Login("a");\n    }`,
      (name) => `    [Fact]\n    public void ${name}()\n    {\n        Assert.True(true);\n    }`,
      (name) =>
        `    [Fact]\n    public void ${name}()\n    {\n        shop.Login("a");\n        Assert.Equal(1, 1);\n    }`,
      (name) => `    [Test]\n    public void ${name}()\n    {\n        Assert.Pass();\n    }`,
      (name) =>
        `    [Fact]\n    public void ${name}()\n    {\n        var user = shop.Login("a");\n        Assert.Equal(user, user);\n    }`,
      (name) =>
        `    [Fact]\n    public void ${name}()\n    {\n        try\n        {\n            Assert.Equal(1, shop.Login("a"));\n        }\n        catch\n        {\n        }\n    }`,
      (name) =>
        `    // [Fact]\n    // public void ${name}()\n    // {\n    //     Assert.Equal(1, shop.Login("a"));\n    // }`
    ]
  },
  {
    ...slash,
    language: "C",
    path: "src/shop.c",
    head: ['#include "store.h"', ""],
    foot: [],
    real: (name) => [
      `int ${name}(const char *id, struct options *options)`,
      "{",
      `    struct found *found = fetch("${name}", id);`,
      "    int total = found->price * found->count;",
      "    return total - options->discount;",
      "}"
    ],
    idle: ["int unused;", ";", "42;", "(void)options;", "if (0) {}"],
    imports: ['#include "login.h"'],
    stubs: [
      (name) => `void ${name}(void)\n{\n}`,
      (name) => `char *${name}(const char *user)\n{\n    return NULL;\n}`,
      (name) => `int ${name}(const char *user)\n{\n    /* TODO: log in */\n    return 0;\n}`,
      (name) => `void ${name}(const char *user)\n{\n    (void)user;\n}`,
      (name) => `void ${name}(const char *user)\n{\n    fprintf(stderr, "not implemented\\n");\n    abort();\n}`
    ],
    testPath: "test/test_shop.c",
    testHead: ["#include <assert.h>", ""],
    testFoot: [],
    tests: [
      (name) => `static void test_${name}(void)\n{\n}`,
      (name) => `static void test_${name}(void)\n{\n    /* assert(login("a") == 1); */\n}`,
      (name) => `// static void test_${name}(void)\n// {\n//     assert(login("a") == 1);\n// }`
    ]
  },
  {
    ...slash,
    language: "C++",
    path: "src/shop.cpp",
    head: ['#include "store.hpp"', ""],
    foot: [],
    real: (name) => [
      `int ${name}(const std::string& id, const Options& options) {`,
      `    const auto found = fetch("${name}", id);`,
      "    const auto total = found.price * found.count;",
      "    return total - options.discount;",
      "}"
    ],
    idle: ["int unused;", ";", "42;", "(void)options;", "if (false) {}"],
    imports: ['#include "login.hpp"'],
    stubs: [
      (name) => `void ${name}() {}`,
      (name) => `std::string ${name}(const std::string& user) {\n    return {};  // TODO\n}`,
      (name) => `User* ${name}(const std::string& user) {\n    return nullptr;\n}`,
      (name) => `int ${name}(const std::string& user) {\n    throw std::logic_error("not implemented");\n}`,
      (name) => `void ${name}(const std::string& user) {\n    // TODO: log in\n}`
    ],
    testPath: "test/shop_test.cpp",
    testHead: ["#include <gtest/gtest.h>", ""],
    testFoot: [],
    tests: [
      (name) => `TEST(Shop, DISABLED_${name}) {\n    EXPECT_EQ(login("a"), 1);\n}`,
      (name) => `TEST(Shop, ${name}) {\n    GTEST_SKIP();\n    EXPECT_EQ(login("a"), 1);\n}`,
      (name) => `TEST(Shop, ${name}) {\n}`,
      (name) => `TEST(Shop, ${name}) {\n    login("a");\n}`,
      (name) => `TEST(Shop, ${name}) {\n    std::cout << login("a");\n}`,
      (name) => `TEST(Shop, ${name}) {\n    EXPECT_TRUE(true);\n}`,
      (name) => `TEST(Shop, ${name}) {\n    login("a");\n    ASSERT_EQ(1, 1);\n}`,
      (name) => `TEST(Shop, ${name}) {\n    const auto user = login("a");\n    EXPECT_EQ(user, user);\n}`,
      (name) => `TEST(Shop, ${name}) {\n    SUCCEED();\n}`,
      (name) => `TEST(Shop, ${name}) {\n    if (false) {\n        EXPECT_EQ(login("a"), 1);\n    }\n}`,
      (name) => `TEST(Shop, ${name}) {\n    return;\n    EXPECT_EQ(login("a"), 1);\n}`,
      (name) => `TEST_CASE("${name}", "[.]") {\n    REQUIRE(login("a") == 1);\n}`,
      (name) => `// TEST(Shop, ${name}) {\n//     EXPECT_EQ(login("a"), 1);\n// }`
    ]
  },
  {
    ...hash,
    language: "Ruby",
    path: "lib/shop.rb",
    head: ['require "store"', ""],
    foot: [],
    real: (name) => [
      `def ${name}(id, options)`,
      `  found = Store.fetch("${name}", id)`,
      "  total = found.sum { |one| one.price * one.count }",
      "  total - options.discount",
      "end"
    ],
    idle: ["nil", "42", "'login'"],
    imports: ['require_relative "login"'],
    stubs: [
      (name) => `def ${name}\nend`,
      (name) => `def ${name}(user)\n  nil\nend`,
      (name) => `def ${name}(user)\n  raise NotImplementedError\nend`,
      (name) => `def ${name}(user)\n  # TODO: log in\n  true\nend`,
      (name) => `def ${name}(user) = nil`
    ],
    testPath: "spec/shop_spec.rb",
    testHead: ['require "shop"', "", "RSpec.describe Shop do"],
    testFoot: ["end"],
    tests: [
      (name) => `  xit "${name}" do\n    expect(login("a")).to eq(1)\n  end`,
      (name) => `  it "${name}", :skip do\n    expect(login("a")).to eq(1)\n  end`,
      (name) => `  it "${name}", skip: "flaky" do\n    expect(login("a")).to eq(1)\n  end`,
      (name) => `  it "${name}" do\n    skip "flaky"\n    expect(login("a")).to eq(1)\n  end`,
      (name) => `  it "${name}" do\n    pending\n    expect(login("a")).to eq(1)\n  end`,
      (name) => `  it "${name}" do\n  end`,
      (name) => `  it "${name}" do\n    login("a")\n  end`,
      (name) => `  it "${name}" do\n    expect(true).to be(true)\n  end`,
      (name) => `  it "${name}" do\n    puts login("a")\n  end`,
      (name) => `  it "${name}" do\n    user = login("a")\n    expect(user).to eq(user)\n  end`,
      (name) => `  xdescribe "${name}" do\n    it "logs in" do\n      expect(login("a")).to eq(1)\n    end\n  end`,
      (name) => `  # it "${name}" do\n  #   expect(login("a")).to eq(1)\n  # end`
    ]
  },
  {
    ...slash,
    language: "PHP",
    path: "src/Shop.php",
    head: ["<?php", "", "use Store\\Store;", ""],
    foot: [],
    real: (name) => [
      `function ${name}(string $id, Options $options): int`,
      "{",
      `    $found = Store::fetch('${name}', $id);`,
      "    $total = $found->price * $found->count;",
      "    return $total - $options->discount;",
      "}"
    ],
    idle: [";", "42;", "'login';", "if (false) {}"],
    imports: ["use Login\\Login;"],
    stubs: [
      (name) => `function ${name}() {}`,
      (name) => `function ${name}(string $user): ?string\n{\n    return null;\n}`,
      (name) => `function ${name}(string $user): string\n{\n    throw new \\Exception('Not implemented');\n}`,
      (name) => `function ${name}(string $user): bool\n{\n    // TODO: log in\n    return true;\n}`
    ],
    testPath: "tests/ShopTest.php",
    testHead: ["<?php", "", "final class ShopTest extends TestCase", "{"],
    testFoot: ["}"],
    tests: [
      (name) =>
        `    public function test${name}(): void\n    {\n        $this->markTestSkipped('flaky');\n        self::assertSame(1, login('a'));\n    }`,
      (name) =>
        `    public function test${name}(): void\n    {\n        $this->markTestIncomplete();\n        self::assertSame(1, login('a'));\n    }`,
      (name) => `    public function test${name}(): void\n    {\n    }`,
      (name) => `    public function test${name}(): void\n    {\n        login('a');\n    }`,
      (name) => `    public function test${name}(): void\n    {\n        self::assertTrue(true);\n    }`,
      (name) =>
        `    public function test${name}(): void\n    {\n        login('a');\n        $this->assertSame(1, 1);\n    }`,
      (name) =>
        `    public function test${name}(): void\n    {\n        $user = login('a');\n        $this->assertSame($user, $user);\n    }`,
      (name) =>
        `    public function test${name}(): void\n    {\n        return;\n        self::assertSame(1, login('a'));\n    }`,
      (name) =>
        `    public function test${name}(): void\n    {\n        try {\n            self::assertSame(1, login('a'));\n        } catch (\\Throwable $e) {\n        }\n    }`,
      (name) =>
        `    // public function test${name}(): void\n    // {\n    //     self::assertSame(1, login('a'));\n    // }`
    ]
  },
  {
    ...hash,
    language: "Bash",
    path: "bin/shop.sh",
    head: ["#!/usr/bin/env bash", "source ./store.sh", ""],
    foot: [],
    real: (name) => [
      `${name}() {`,
      `  local found; found=$(fetch ${name} "$1")`,
      "  local total=$((found * $2))",
      '  printf "%d\\n" "$((total - $3))"',
      "}"
    ],
    idle: [":", "true"],
    imports: ["source ./login.sh"],
    stubs: [
      (name) => `${name}() {\n  :\n}`,
      (name) => `${name}() {\n  true\n}`,
      (name) => `${name}() {\n  return 0\n}`,
      (name) => `${name}() {\n  echo "not implemented" >&2\n  exit 1\n}`,
      (name) => `${name}() { # TODO\n  return\n}`
    ],
    testPath: "test/shop.bats",
    testHead: [],
    testFoot: [],
    tests: [
      (name) => `@test "${name}" {\n  skip\n  [ "$(login a)" = 1 ]\n}`,
      (name) => `@test "${name}" {\n  skip "flaky"\n  [ "$(login a)" = 1 ]\n}`,
      (name) => `@test "${name}" {\n  :\n}`,
      (name) => `@test "${name}" {\n  run login a\n}`,
      (name) => `@test "${name}" {\n  [ 1 -eq 1 ]\n}`,
      (name) => `@test "${name}" {\n  login a || true\n}`,
      (name) => `# @test "${name}" {\n#   [ "$(login a)" = 1 ]\n# }`
    ]
  },
  {
    ...slash,
    language: "Swift",
    path: "Sources/Shop.swift",
    head: ["import Store", ""],
    foot: [],
    real: (name) => [
      `func ${name}(id: String, options: Options) -> Int {`,
      `    let found = Store.fetch("${name}", id)`,
      "    let total = found.price * found.count",
      "    return total - options.discount",
      "}"
    ],
    documentation: (text) => [`/// ${text}`],
    idle: ["()", "_ = options"],
    imports: ["import Login"],
    stubs: [
      (name) => `func ${name}() {}`,
      (name) => `func ${name}(user: String) -> String? {\n    return nil\n}`,
      (name) => `func ${name}(user: String) -> String {\n    fatalError("not implemented")\n}`,
      (name) => `func ${name}(user: String) -> String? { nil }`,
      (name) => `func ${name}(user: String) {\n    // TODO: log in\n}`
    ],
    testPath: "Tests/ShopTests.swift",
    testHead: ["import XCTest", "", "final class ShopTests: XCTestCase {"],
    testFoot: ["}"],
    tests: [
      (name) =>
        `    func test${name}() throws {\n        throw XCTSkip("flaky")\n        XCTAssertEqual(login("a"), 1)\n    }`,
      (name) =>
        `    func test${name}() throws {\n        try XCTSkipIf(true)\n        XCTAssertEqual(login("a"), 1)\n    }`,
      (name) => `    func test${name}() {\n    }`,
      (name) => `    func test${name}() {\n        login("a")\n    }`,
      (name) => `    func test${name}() {\n        XCTAssertTrue(true)\n    }`,
      (name) => `    func test${name}() {\n        _ = login("a")\n        XCTAssertEqual(1, 1)\n    }`,
      (name) => `    func test${name}() {\n        let user = login("a")\n        XCTAssertEqual(user, user)\n    }`,
      (name) => `    func test${name}() {\n        return\n        XCTAssertEqual(login("a"), 1)\n    }`,
      (name) => `    @Test(.disabled("flaky")) func ${name}() {\n        #expect(login("a") == 1)\n    }`,
      (name) => `    @Test func ${name}() {\n        #expect(true)\n    }`,
      (name) => `    // func test${name}() {\n    //     XCTAssertEqual(login("a"), 1)\n    // }`
    ]
  }
]
