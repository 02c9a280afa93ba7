/** Tests that show nothing, each a whole file: path, text, words of the reason. */
export const never: ReadonlyArray<readonly [path: string, text: string, reason: string]> = [
  // JavaScript and TypeScript
  ["a.test.js", "it.skip('logs in', () => { expect(login()).toBe(1) })\n", "skipped"],
  ["a.test.js", "xit('logs in', () => { expect(login()).toBe(1) })\n", "skipped"],
  ["a.test.js", "xtest('logs in', function () { expect(login()).toBe(1) })\n", "skipped"],
  ["a.test.ts", "describe.skip('a', () => {\n  it('b', () => { expect(f()).toBe(1) })\n})\n", "around it"],
  ["a.test.ts", "xdescribe('a', () => {\n  it('b', () => { expect(f()).toBe(1) })\n})\n", "around it"],
  ["a.test.ts", "test.todo('logs in')\n", "nothing"],
  ["a.test.ts", "it.todo('logs in')\n", "nothing"],
  ["a.test.ts", "it.skipIf(true)('logs in', () => { expect(f()).toBe(1) })\n", "skipped"],
  ["a.test.ts", "it.runIf(false)('logs in', () => { expect(f()).toBe(1) })\n", "skipped"],
  ["a.spec.ts", "test.fixme('logs in', async ({ page }) => { await expect(page).toHaveURL('/') })\n", "skipped"],
  [
    "a.spec.ts",
    "test('logs in', async ({ page }) => {\n  test.skip()\n  await expect(page).toHaveURL('/')\n})\n",
    "skipped"
  ],
  ["a.test.mjs", "test('logs in', { skip: true }, () => { assert.equal(f(), 1) })\n", "skipped"],
  ["a.test.mjs", "test('logs in', { todo: 'later' }, () => { assert.equal(f(), 1) })\n", "skipped"],
  ["a.test.mjs", "test('logs in', (t) => {\n  t.skip('later')\n  assert.equal(f(), 1)\n})\n", "skipped"],
  ["a.test.js", "it('logs in', function () {\n  this.skip()\n  expect(f()).toBe(1)\n})\n", "skipped"],
  ["a.test.ts", "it.skip.each([[1], [2]])('adds %i', (n) => { expect(f(n)).toBe(n) })\n", "skipped"],
  ["a.test.js", "it('logs in', () => {})\n", "nothing"],
  ["a.test.js", "it('logs in', () => { login('a', 'b') })\n", "asserts nothing"],
  ["a.test.js", "it('logs in', async () => {\n  const expected = 1\n  await login(expected)\n})\n", "asserts nothing"],
  ["a.test.js", "it('logs in', () => { expect(true).toBe(true) })\n", "always holds"],
  ["a.test.js", "it('logs in', () => { expect(1).toBe(1) })\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  login()\n  expect(true).toBeTruthy()\n})\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  login()\n  expect('a').toEqual('a')\n})\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  login()\n  expect(true).to.be.true\n})\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  login()\n  assert.ok(true)\n})\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  login()\n  assert.strictEqual(1, 1)\n})\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  login()\n  assert(login() || true)\n})\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  if (false) {\n    expect(login()).toBe(1)\n  }\n})\n", "never reached"],
  ["a.test.js", "it('logs in', () => {\n  login()\n  return\n  expect(login()).toBe(1)\n})\n", "never reached"],
  [
    "a.test.js",
    "it('logs in', () => {\n  try {\n    expect(login()).toBe(1)\n  } catch (error) {\n    console.log(error)\n  }\n})\n",
    "catches every failure"
  ],
  ["a.test.js", "it('logs in', () => {\n  try { expect(login()).toBe(1) } catch {}\n})\n", "catches every failure"],
  ["a.test.js", "it('logs in', () => {\n  expect(login())\n})\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  expect(login()).toBe\n})\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  login()\n  expect(1 + 1).toBe(2)\n})\n", "always holds"],
  ["a.test.js", "it('logs in', () => {\n  if (true) return\n  expect(login()).toBe(1)\n})\n", "never reached"],
  ["a.test.js", "it('logs in', function () {\n  if (true) { this.skip() }\n  expect(login()).toBe(1)\n})\n", "skipped"],
  ["a.test.js", "const later = it.skip\nlater('logs in', () => {\n  expect(login()).toBe(1)\n})\n", "skipped"],
  ["a.test.js", "it('logs in', () => { expect(login()).toBe(1) }, { skip: true })\n", "skipped"],
  ["a.test.js", "it('logs in', () => {\n  const user = login()\n  expect(user).toEqual(user)\n})\n", "always holds"],
  // Python
  ["test_a.py", "def test_login():\n    user = login()\n    assert user == user\n", "always holds"],
  ["test_a.py", "def test_login():\n    assert (login() == 1, 'message')\n", "always holds"],
  ["test_a.py", "def test_login():\n    login()\n    assert 1 + 1 == 2\n", "always holds"],
  ["test_a.py", "def test_login():\n    if True:\n        return\n    assert login() == 1\n", "never reached"],
  ["test_a.py", "@pytest.mark.skip\ndef test_login():\n    assert login() == 1\n", "skipped"],
  ["test_a.py", "@pytest.mark.skip(reason='later')\ndef test_login():\n    assert login() == 1\n", "skipped"],
  ["test_a.py", "@pytest.mark.skipif(True, reason='x')\ndef test_login():\n    assert login() == 1\n", "skipped"],
  ["test_a.py", "def test_login():\n    pytest.skip('later')\n    assert login() == 1\n", "skipped"],
  ["test_a.py", "def test_login():\n    user = make()\n    pytest.skip('later')\n    assert login() == 1\n", "skipped"],
  [
    "test_a.py",
    "class TestA(unittest.TestCase):\n    @unittest.skip('x')\n    def test_login(self):\n        self.assertTrue(login())\n",
    "skipped"
  ],
  [
    "test_a.py",
    "@unittest.skip('x')\nclass TestA(unittest.TestCase):\n    def test_login(self):\n        self.assertTrue(login())\n",
    "around it"
  ],
  [
    "test_a.py",
    "class TestA(unittest.TestCase):\n    def test_login(self):\n        self.skipTest('x')\n        self.assertTrue(login())\n",
    "skipped"
  ],
  [
    "test_a.py",
    "import pytest\n\npytestmark = pytest.mark.skip\n\ndef test_login():\n    assert login() == 1\n",
    "whole file"
  ],
  ["test_a.py", "def test_login():\n    login('a')\n", "asserts nothing"],
  ["test_a.py", "def test_login():\n    x = login('a')\n    assert True\n", "always holds"],
  ["test_a.py", "def test_login():\n    x = login('a')\n    assert x or True\n", "always holds"],
  ["test_a.py", "def test_login():\n    login('a')\n    assert 1 == 1, 'one'\n", "always holds"],
  [
    "test_a.py",
    "class TestA(TestCase):\n    def test_login(self):\n        login('a')\n        self.assertTrue(True)\n",
    "always holds"
  ],
  [
    "test_a.py",
    "class TestA(TestCase):\n    def test_login(self):\n        login('a')\n        self.assertEqual(1, 1)\n",
    "always holds"
  ],
  ["test_a.py", "def test_login():\n    if False:\n        assert login() == 1\n", "never reached"],
  ["test_a.py", "def test_login():\n    login()\n    return\n    assert login() == 1\n", "never reached"],
  [
    "test_a.py",
    "def test_login():\n    try:\n        assert login() == 1\n    except Exception:\n        pass\n",
    "catches every failure"
  ],
  [
    "test_a.py",
    "def test_login():\n    try:\n        assert login() == 1\n    except:\n        print('no')\n",
    "catches every failure"
  ],
  // Go
  [
    "a_test.go",
    'package a\n\nfunc TestLogin(t *testing.T) {\n\tt.Skip("later")\n\tif login() != 1 {\n\t\tt.Fatal("no")\n\t}\n}\n',
    "skipped"
  ],
  [
    "a_test.go",
    "package a\n\nfunc TestLogin(t *testing.T) {\n\tt.SkipNow()\n\tif login() != 1 {\n\t\tt.Fatal(1)\n\t}\n}\n",
    "skipped"
  ],
  [
    "a_test.go",
    'package a\n\nfunc TestLogin(t *testing.T) {\n\tt.Parallel()\n\tt.Skipf("%d", 1)\n\tt.Error(login())\n}\n',
    "skipped"
  ],
  ["a_test.go", 'package a\n\nfunc TestLogin(t *testing.T) {\n\tlogin("a")\n}\n', "asserts nothing"],
  ["a_test.go", "package a\n\nfunc TestLogin(t *testing.T) {\n\tlogin()\n\tassert.True(t, true)\n}\n", "always holds"],
  [
    "a_test.go",
    "package a\n\nfunc TestLogin(t *testing.T) {\n\tlogin()\n\trequire.Equal(t, 1, 1)\n}\n",
    "always holds"
  ],
  [
    "a_test.go",
    "package a\n\nfunc TestLogin(t *testing.T) {\n\tif false {\n\t\tt.Error(login())\n\t}\n}\n",
    "never reached"
  ],
  [
    "a_test.go",
    "//go:build ignore\n\npackage a\n\nfunc TestLogin(t *testing.T) {\n\tt.Error(login())\n}\n",
    "whole file"
  ],
  [
    "a_test.go",
    'package a\n\nfunc TestLogin(t *testing.T) {\n\tt.Run("a", func(t *testing.T) {\n\t\tt.Skip()\n\t\tt.Fatal(login())\n\t})\n}\n',
    "never reached"
  ],
  // Java, Kotlin, Scala
  [
    "ATest.java",
    "class ATest {\n  @Test void login() { var a = shop.login(); assertEquals(a, a); }\n}\n",
    "always holds"
  ],
  ["test/ASuite.scala", 'class ASuite extends AnyFunSuite {\n  test("logs in") (pending)\n}\n', "skipped"],
  ["ATest.java", "class ATest {\n  @Test\n  @Disabled\n  void login() { assertEquals(1, login()); }\n}\n", "skipped"],
  [
    "ATest.java",
    'class ATest {\n  @Disabled("later") @Test void login() { assertEquals(1, login()); }\n}\n',
    "skipped"
  ],
  [
    "ATest.java",
    "class ATest {\n  @Ignore\n  @Test\n  public void login() { assertEquals(1, login()); }\n}\n",
    "skipped"
  ],
  ["ATest.java", "@Disabled\nclass ATest {\n  @Test void login() { assertEquals(1, a.login()); }\n}\n", "around it"],
  [
    "ATest.java",
    "class ATest {\n  @Test(enabled = false)\n  public void login() { assertEquals(1, a.login()); }\n}\n",
    "skipped"
  ],
  ["ATest.java", "class ATest {\n  @Test void login() { new Auth().login(); }\n}\n", "asserts nothing"],
  ["ATest.java", "class ATest {\n  @Test void login() { auth.login(); assertTrue(true); }\n}\n", "always holds"],
  [
    "ATest.java",
    "class ATest {\n  @Test void login() {\n    try {\n      assertEquals(1, a.login());\n    } catch (Throwable e) {\n    }\n  }\n}\n",
    "catches every failure"
  ],
  ["ATest.kt", "class ATest {\n  @Test\n  @Disabled\n  fun login() { assertEquals(1, a.login()) }\n}\n", "skipped"],
  ["ATest.kt", "class ATest {\n  @Ignore @Test\n  fun login() { assertEquals(1, a.login()) }\n}\n", "skipped"],
  ["ATest.kt", "class ATest {\n  @Test fun login() { a.login() }\n}\n", "asserts nothing"],
  ["ATest.kt", "class ATest {\n  @Test fun login() { a.login(); assertTrue(true) }\n}\n", "always holds"],
  [
    "ASpec.scala",
    'class ASpec extends AnyFunSuite {\n  ignore("logs in") {\n    assert(login() == 1)\n  }\n}\n',
    "skipped"
  ],
  [
    "ASpec.scala",
    'class ASpec extends AnyFunSuite {\n  test("logs in") {\n    pending\n    assert(login() == 1)\n  }\n}\n',
    "skipped"
  ],
  ["ASpec.scala", 'class ASpec extends AnyFunSuite {\n  test("logs in") {\n    a.login()\n  }\n}\n', "asserts nothing"],
  ["ASpec.scala", 'class ASpec extends AnyFunSuite {\n  test("logs in") {\n    assert(true)\n  }\n}\n', "always holds"],
  [
    "ASpec.scala",
    'class ASpec extends AnyFlatSpec {\n  it should "log in" ignore {\n    assert(login() == 1)\n  }\n}\n',
    "skipped"
  ],
  ["ASpec.scala", 'class ASpec extends AnyFlatSpec {\n  it should "log in" in pending\n}\n', "skipped"],
  // Rust
  ["src/a.rs", "#[test]\n#[ignore]\nfn logs_in() {\n    assert_eq!(login(), 1);\n}\n", "skipped"],
  ["src/a.rs", '#[test]\n#[ignore = "later"]\nfn logs_in() {\n    assert_eq!(login(), 1);\n}\n', "skipped"],
  [
    "src/a.rs",
    "#[cfg(any())]\nmod tests {\n    #[test]\n    fn logs_in() {\n        assert_eq!(login(), 1);\n    }\n}\n",
    "around it"
  ],
  ["src/a.rs", "#[test]\nfn logs_in() {\n    login();\n}\n", "asserts nothing"],
  ["src/a.rs", "#[test]\nfn logs_in() {\n    login();\n    assert!(true);\n}\n", "always holds"],
  ["src/a.rs", "#[test]\nfn logs_in() {\n    login();\n    assert_eq!(1, 1);\n}\n", "always holds"],
  // C#
  [
    "ATests.cs",
    'class ATests {\n  [Test, Ignore("later")]\n  public void LogsIn() { Assert.AreEqual(1, a.Login()); }\n}\n',
    "skipped"
  ],
  [
    "ATests.cs",
    "class ATests {\n  [Ignore]\n  [TestMethod]\n  public void LogsIn() { Assert.AreEqual(1, a.Login()); }\n}\n",
    "skipped"
  ],
  [
    "ATests.cs",
    'class ATests {\n  [Fact(Skip = "later")]\n  public void LogsIn() { Assert.Equal(1, a.Login()); }\n}\n',
    "skipped"
  ],
  ["ATests.cs", "class ATests {\n  [Fact]\n  public void LogsIn() { a.Login(); }\n}\n", "asserts nothing"],
  [
    "ATests.cs",
    "class ATests {\n  [Fact]\n  public void LogsIn() { a.Login(); Assert.True(true); }\n}\n",
    "always holds"
  ],
  [
    "ATests.cs",
    "class ATests {\n  [Fact]\n  public void LogsIn() {\n    try { Assert.Equal(1, a.Login()); } catch (Exception) { }\n  }\n}\n",
    "catches every failure"
  ],
  // Ruby
  ["a_spec.rb", "describe A do\n  xit 'logs in' do\n    expect(login).to eq(1)\n  end\nend\n", "skipped"],
  ["a_spec.rb", "describe A do\n  it 'logs in' do\n    skip\n    expect(login).to eq(1)\n  end\nend\n", "skipped"],
  [
    "a_spec.rb",
    "describe A do\n  it 'logs in' do\n    pending 'later'\n    expect(login).to eq(1)\n  end\nend\n",
    "skipped"
  ],
  ["a_spec.rb", "describe A do\n  it 'logs in', skip: true do\n    expect(login).to eq(1)\n  end\nend\n", "skipped"],
  ["a_spec.rb", "xdescribe A do\n  it 'logs in' do\n    expect(login).to eq(1)\n  end\nend\n", "around it"],
  ["a_spec.rb", "describe A do\n  it 'logs in' do\n    login\n  end\nend\n", "asserts nothing"],
  [
    "a_spec.rb",
    "describe A do\n  it 'logs in' do\n    login\n    expect(true).to be true\n  end\nend\n",
    "always holds"
  ],
  ["a_spec.rb", "describe A do\n  it 'logs in' do\n    login\n    expect(1).to eq(1)\n  end\nend\n", "always holds"],
  [
    "a_test.rb",
    "class ATest < Minitest::Test\n  def test_login\n    skip 'later'\n    assert_equal 1, login\n  end\nend\n",
    "skipped"
  ],
  [
    "a_test.rb",
    "class ATest < Minitest::Test\n  def test_login\n    login\n    assert true\n  end\nend\n",
    "always holds"
  ],
  // PHP
  [
    "ATest.php",
    "<?php\nclass ATest extends TestCase {\n  public function testLogin() {\n    $this->markTestSkipped();\n    $this->assertSame(1, login());\n  }\n}\n",
    "skipped"
  ],
  [
    "ATest.php",
    "<?php\nclass ATest extends TestCase {\n  public function testLogin() {\n    $this->markTestIncomplete('later');\n    $this->assertSame(1, login());\n  }\n}\n",
    "skipped"
  ],
  [
    "ATest.php",
    "<?php\nclass ATest extends TestCase {\n  public function testLogin() {\n    login();\n  }\n}\n",
    "asserts nothing"
  ],
  [
    "ATest.php",
    "<?php\nclass ATest extends TestCase {\n  public function testLogin() {\n    login();\n    $this->assertTrue(true);\n  }\n}\n",
    "always holds"
  ],
  ["tests/ATest.php", "<?php\nit('logs in', function () {\n  expect(login())->toBe(1);\n})->skip();\n", "skipped"],
  // Swift
  [
    "ATests.swift",
    'class ATests: XCTestCase {\n  func testLogin() throws {\n    throw XCTSkip("later")\n    XCTAssertEqual(login(), 1)\n  }\n}\n',
    "skipped"
  ],
  ["ATests.swift", '@Test(.disabled("later")) func logsIn() {\n  #expect(login() == 1)\n}\n', "skipped"],
  ["ATests.swift", "class ATests: XCTestCase {\n  func testLogin() {\n    login()\n  }\n}\n", "asserts nothing"],
  [
    "ATests.swift",
    "class ATests: XCTestCase {\n  func testLogin() {\n    login()\n    XCTAssertTrue(true)\n  }\n}\n",
    "always holds"
  ],
  // C++
  ["a_test.cpp", "TEST(Login, DISABLED_works) {\n  EXPECT_EQ(login(), 1);\n}\n", "skipped"],
  ["a_test.cpp", "TEST(Login, Works) {\n  GTEST_SKIP();\n  EXPECT_EQ(login(), 1);\n}\n", "skipped"],
  ["a_test.cpp", 'TEST(Login, Works) {\n  GTEST_SKIP() << "later";\n  EXPECT_EQ(login(), 1);\n}\n', "skipped"],
  ["a_test.cpp", "TEST(Login, Works) {\n  login();\n}\n", "asserts nothing"],
  ["a_test.cpp", "TEST(Login, Works) {\n  login();\n  EXPECT_TRUE(true);\n}\n", "always holds"],
  ["a_test.cpp", "TEST(Login, Works) {\n  login();\n  EXPECT_EQ(1, 1);\n}\n", "always holds"],
  ["a_test.cpp", 'TEST_CASE("logs in", "[.]") {\n  REQUIRE(login() == 1);\n}\n', "skipped"],
  // bats
  ["a.bats", '@test "logs in" {\n  skip\n  run login\n  [ "$status" -eq 0 ]\n}\n', "skipped"],
  ["a.bats", '@test "logs in" {\n  skip "later"\n  run login\n  [ "$status" -eq 0 ]\n}\n', "skipped"],
  ["a.bats", '@test "logs in" {\n  run login\n  true\n}\n', "asserts nothing"],
  ["a.bats", '@test "logs in" {\n  run login\n  [ 1 -eq 1 ]\n}\n', "asserts nothing"]
]

/** Tests that run and can fail. */
export const runs: ReadonlyArray<readonly [path: string, text: string]> = [
  ["a.test.js", "it('equals itself', () => {\n  const user = login()\n  expect(user).toEqual(user)\n})\n"],
  ["a.test.js", "it('logs in', () => {\n  const user = login()\n  expect(user).toEqual(user.copy())\n})\n"],
  ["test_a.py", "def test_eq():\n    user = login()\n    assert user == user\n"],
  [
    "a_test.go",
    'package a\n\nfunc TestLogin(t *testing.T) {\n\tt.Run("a", func(t *testing.T) {\n\t\tt.Skip()\n\t})\n\tt.Run("b", func(t *testing.T) {\n\t\tt.Fatal(login())\n\t})\n}\n'
  ],
  ["a.test.js", "it('logs in', () => { expect(login()).toBe(1) })\n"],
  ["a.test.js", "it('logs in', () => {\n  expect(login())\n    .toBe(1)\n})\n"],
  ["a.test.js", "it('logs in', () => { expect(login()).to.be.true })\n"],
  ["test_a.py", "def test_login():\n    assert (login() ==\n        1)\n"],
  ["test_a.py", "class TestA(TestCase):\n    def test_a(self):\n        self.assertTrue('a'.isidentifier())\n"],
  ["test_a.py", "def test_login():\n    assert login(1, 2) == (1, 2)\n"],
  ["a.test.js", "it('logs in', () => expect(login()).resolves.toBe(1))\n"],
  ["a.test.js", "it('logs in', () => {\n  return request(app)\n    .get('/')\n    .expect(200)\n})\n"],
  ["a.test.js", "it('logs in', (done) => {\n  login((error) => done(error))\n})\n"],
  ["a.test.js", "import { runScenario } from './helpers/scenario.js'\nit('logs in', () => { runScenario('login') })\n"],
  [
    "a.test.js",
    "const same = (a, b) => { if (a !== b) throw new Error('no') }\nit('logs in', () => { same(login(), 1) })\n"
  ],
  ["a.test.js", "it('logs in', () => { cy.visit('/').get('h1') })\n"],
  ["a.test.js", "it('logs in', () => {\n  try { login() } catch (e) { expect(e.code).toBe(1) }\n})\n"],
  [
    "a.test.js",
    "it('logs in', () => {\n  try {\n    login()\n    expect.fail('no error')\n  } catch (e) {\n    expect(e.code).toBe(1)\n  }\n})\n"
  ],
  ["a.test.js", "it.skipIf(process.platform === 'win32')('logs in', () => { expect(f()).toBe(1) })\n"],
  ["a.test.js", "it('logs in', function () {\n  if (!process.env.CI) this.skip()\n  expect(f()).toBe(1)\n})\n"],
  ["a.test.js", "test('logs in', (t) => { t.is(login(), 1) })\n"],
  ["a.test.js", "test('logs in', () => { strictEqual(login(), 1) })\n"],
  ["a.test.js", "it.each([[1, 2]])('adds %i', (a, b) => { expect(f(a)).toBe(b) })\n"],
  ["a.test.js", "it('is skipped by name only: it.skip', () => { expect(f('it.skip(')).toBe(1) })\n"],
  ["a.test.js", "afterEach(() => { mock.verify() })\nit('logs in', () => { login() })\n"],
  ["a.test.js", "it('logs in', () => { expect(true).toBe(login()) })\n"],
  ["a.test.tsx", "it('renders', () => { render(<A />); screen.getByText('x') })\n"],
  ["a.test.ts", "it.effect('logs in', () => Effect.gen(function* () { assert.strictEqual(yield* login, 1) }))\n"],
  ["a.test.ts", "it.prop('adds', [fc.integer()], ([n]) => add(n) === n + 1)\nit('x', () => { fc.assert(p) })\n"],
  ["src/a.js", "const test = (x) => x\nexport const a = regex.test('x')\n"],
  ["test_a.py", "def test_login():\n    assert login() == 1\n"],
  ["test_a.py", "def test_login():\n    with pytest.raises(ValueError):\n        login()\n"],
  [
    "test_a.py",
    "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_login():\n    assert login() == 1\n"
  ],
  ["test_a.py", "def test_login():\n    if not ready():\n        pytest.skip('x')\n    assert login() == 1\n"],
  ["test_a.py", "from tests.helpers import run_case\n\ndef test_login():\n    run_case('login')\n"],
  [
    "test_a.py",
    "class TestA(Base):\n    def test_login(self):\n        self._check(login())\n\n    def _check(self, x):\n        self.assertTrue(x)\n"
  ],
  [
    "test_a.py",
    "def test_login():\n    try:\n        login()\n    except ValueError:\n        pass\n    else:\n        raise AssertionError\n"
  ],
  ["test_a.py", "def test_login(mock):\n    login()\n    mock.assert_called_once()\n"],
  [
    "test_a.py",
    "class TestA(Base):\n    def test_names(self):\n        self.check('c', 'C')\n        self.check('', '')\n"
  ],
  ["test_a.py", "@raises(ValueError)\ndef test_login():\n    login()\n"],
  ["test_a.py", "class TestA(Base):\n    def test_login(self):\n        run_all(self, login)\n"],
  ["a.test.js", "const equal = (a, b) => assert.equal(login(a), b)\nit('a', () => { equal('a', 'b') })\n"],
  ["a.test.js", "for (const { name, run } of cases) it(name, () => run())\n"],
  ["a_test.go", "package a\n\nfunc TestLogin(t *testing.T) {\n\tif login() != 1 {\n\t\tt.Fatal(1)\n\t}\n}\n"],
  [
    "a_test.go",
    "package a\n\nfunc TestLogin(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\tt.Error(login())\n}\n"
  ],
  ["a_test.go", "package a\n\nfunc TestLogin(t *testing.T) {\n\trun(t, login)\n}\n"],
  ["ATest.java", "class ATest {\n  @Test void login() { assertEquals(1, a.login()); }\n}\n"],
  [
    "ATest.java",
    "class ATest {\n  @Test(expected = IllegalStateException.class)\n  public void login() { a.login(); }\n}\n"
  ],
  ["ATest.java", "class ATest extends Base {\n  @Test void login() { loggedIn(a); }\n}\n"],
  [
    "ATest.java",
    "class ATest {\n  @DisabledOnOs(OS.WINDOWS)\n  @Test void login() { assertEquals(1, a.login()); }\n}\n"
  ],
  [
    "ATest.java",
    "class ATest {\n  @Test void login() {\n    try { a.login(); fail(); } catch (IllegalStateException e) { }\n  }\n}\n"
  ],
  ["ATest.kt", "class ATest {\n  @Test fun login() = runTest { assertEquals(1, a.login()) }\n}\n"],
  ["ATest.kt", 'class ATest : StringSpec({\n  "logs in" { a.login() shouldBe 1 }\n})\n'],
  ["ASpec.scala", 'class ASpec extends AnyFunSuite {\n  test("logs in") {\n    assert(login() == 1)\n  }\n}\n'],
  ["ASpec.scala", 'class ASpec extends AnyFlatSpec {\n  it should "log in" in {\n    login() shouldBe 1\n  }\n}\n'],
  ["src/a.rs", "#[test]\nfn logs_in() {\n    assert_eq!(login(), 1);\n}\n"],
  ["src/a.rs", "#[test]\nfn logs_in() {\n    login().unwrap();\n}\n"],
  ["src/a.rs", "#[test]\n#[should_panic]\nfn logs_in() {\n    login();\n}\n"],
  [
    "src/a.rs",
    "pub fn login() -> u8 {\n    1 + two()\n}\n\n#[test]\n#[ignore]\nfn logs_in() {\n    assert_eq!(login(), 1);\n}\n"
  ],
  ["ATests.cs", "class ATests {\n  [Fact]\n  public void LogsIn() { Assert.Equal(1, a.Login()); }\n}\n"],
  ["ATests.cs", "class ATests {\n  [Fact]\n  public void LogsIn() { a.Login().Should().Be(1); }\n}\n"],
  ["a_spec.rb", "describe A do\n  it 'logs in' do\n    expect(login).to eq(1)\n  end\nend\n"],
  ["a_spec.rb", "describe A do\n  it 'logs in' do\n    skip 'x' if windows?\n    expect(login).to eq(1)\n  end\nend\n"],
  ["a_spec.rb", "describe A do\n  it { is_expected.to be_valid }\nend\n"],
  [
    "ATest.php",
    "<?php\nclass ATest extends TestCase {\n  public function testLogin() {\n    $this->expectException(E::class);\n    login();\n  }\n}\n"
  ],
  ["ATests.swift", "class ATests: XCTestCase {\n  func testLogin() {\n    XCTAssertEqual(login(), 1)\n  }\n}\n"],
  ["a_test.cpp", "TEST(Login, Works) {\n  EXPECT_EQ(login(), 1);\n}\n"],
  ["a.bats", '@test "logs in" {\n  run login\n  [ "$status" -eq 0 ]\n}\n'],
  ["a.bats", '@test "logs in" {\n  login\n}\n'],
  ["a.bats", '@test "logs in" {\n  if windows; then skip; fi\n  run login\n  assert_success\n}\n']
]
