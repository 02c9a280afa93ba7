import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{}",
  "{\n    /* TODO: implement */\n}",
  "{\n    // later\n    ;\n}",
  "{ return; }",
  "{ return NULL; }",
  "{ return (NULL); }",
  "{ return (void *)0; }",
  "{ return ((char *) 0); }",
  "{ (void)a; }",
  "{ (void)a; (void)b; return NULL; }",
  "{ UNUSED(a); }",
  "{ int result; return NULL; }",
  "{ Py_RETURN_NONE; }",
  "{ abort(); }",
  "{ __builtin_trap(); }",
  "{ assert(0); }",
  '{ assert(0 && "not implemented"); }',
  '{ assert(!"TODO: implement"); return 0; }',
  '{ printf("TODO\\n"); }',
  '{ fprintf(stderr, "%s: not implemented\\n", __func__); return -1; }',
  '{ puts("not implemented"); return NULL; }',
  '{ log_error("TODO: login"); return false; }',
  '{ die("not implemented"); }',
  "{ NOT_IMPLEMENTED(); }",
  "{ TODO(); }",
  "{ errno = ENOSYS; return -1; }",
  "{ return -ENOSYS; }",
  "{ return E_NOTIMPL; }",
  "{ return ERR_NOT_IMPLEMENTED; }",
  "{ if (!a) return NULL; return NULL; }",
  "{ if (a == b) { return; } else { } }",
  "{\n#ifdef DEBUG\n    return NULL;\n#else\n    return NULL;\n#endif\n}",
  "{\n    return 0; /* not implemented */\n}",
  "{\n    // TODO\n    return -1;\n}",
  "{\n    /* placeholder */\n    return false;\n}"
]

/** Bodies that do something, however little. */
const real = [
  "{ return a; }",
  "{ return 0; }",
  "{ return -1; }",
  '{ return ""; }',
  "{ return a->b; }",
  "{ b(a); }",
  "{ *a = 0; }",
  "{ a++; }",
  "{ (void)b(a); }",
  "{\n    /* TODO: faster */\n    return a + b;\n}",
  "{ if (b(a)) return NULL; return NULL; }",
  "{ if (!a) return NULL; return a->next; }",
  "{ while (*a++) ; }",
  '{ printf("hello\\n"); }',
  "{ errno = EINVAL; return -1; }",
  "{ assert(a); }",
  "{ exit(1); }",
  '{ return "todo"; }',
  "{\n#ifdef DEBUG\n    b(a);\n#endif\n}"
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a function": (body) => `int f(int a, char *b) ${body}\n`,
  "a function with its brace below": (body) => `static inline const char *\nf(struct x *a)\n${body}\n`,
  "a function that returns a pointer to pointers": (body) => `char **f(void) ${body}\n`,
  "a function of old": (body) => `int f(a, b)\n    int a;\n    char *b;\n${body}\n`,
  "a function with attributes": (body) => `__attribute__((noinline)) int f(int a) ${body}\n`,
  "an exported function": (body) => `LIB_API int LIB_CALL f(int a) ${body}\n`,
  "a function with a macro for its convention": (body) => `DWORD WINAPI f(void *a) ${body}\n`,
  "a function with its name in brackets": (body) => `LUA_API void (f) (lua_State *a) ${body}\n`,
  "a function behind a condition": (body) => `#ifdef LIB\nint f(int a)\n${body}\n#endif\n`,
  "a function whose head has variants": (body) => `#ifdef LIB\nint f(int a)\n#else\nint f(void)\n#endif\n${body}\n`,
  "what a macro with types defines": (body) => `SYSCALL_DEFINE2(f, const char *, a, int, b)\n${body}\n`,
  "what a macro defines": (body) => `DEFINE_TEST(f)\n${body}\n`
}

for (const path of ["a.c", "a.h"]) {
  describe(`given ${path}`, () => {
    for (const [place, put] of Object.entries(places)) {
      if (path === "a.h" && place === "a function of old") continue
      const headed = (body: string) => {
        const text = put(body)
        return { text, head: text.split("\n").findIndex((line) => /\bf\b/.test(line)) + 1 }
      }

      it(`when ${place} does nothing, then it is empty, by its signature and as a whole`, async () => {
        for (const body of stubs) {
          const { head, text } = headed(body)
          assert.isNotNull((await judged(path, text, head)).empty, text)
          assert.isNotNull((await judged(path, text, [1, text.trimEnd().split("\n").length])).empty, text)
        }
      })

      it(`when ${place} does something, then it is none`, async () => {
        for (const body of real) {
          const { head, text } = headed(body)
          const { empty } = await judged(path, text, head)
          assert.isNull(empty, `${text}: ${empty}`)
        }
      })
    }

    it("when it declares what needs no body, then nothing is empty", async () => {
      const text = `int add(int a, int b);
extern char *name(void);
LIB_API int LIB_CALL exported(int a);
struct point { int x, y; };
struct forward;
typedef struct { int a; } item_t;
typedef int (*callback_t)(int);
enum colour { RED };
#define SQUARE(x) ((x) * (x))
#define LOG(x) do { } while (0)
static void noop(void) {}
static void *no_op(void) { return NULL; }
`
      const found = await verdicts(path, text)
      assert.deepStrictEqual(
        Object.entries(found).filter(([, empty]) => empty !== null),
        []
      )
      assert.containsAllKeys(found, ["add", "name", "point", "item_t", "colour", "SQUARE", "LOG", "noop"])
      assert.isNull((await judged(path, text, [1, 10])).empty)
    })

    it("when lines hold only includes, comments or braces, then they show nothing", async () => {
      const text = `#include <stdio.h>\n#pragma once\n\n/* Prints. */\nint f(void)\n{\n    puts("a");\n}\n`
      assert.include((await judged(path, text, [1, 2])).empty, "imports")
      assert.include((await judged(path, text, 4)).empty, "comments")
      assert.isNotNull((await judged(path, text, 8)).empty)
      assert.isNull((await judged(path, text, 5)).empty)
    })

    it("when a macro that takes a type is called, then the function around it is read without a fault", async () => {
      const text = `int f(int n, ...)\n{\n    char *s = va_arg(args, char *);\n    return use(s);\n}\n`
      assert.deepStrictEqual((await outlined(path, text)).faults, [])
    })

    it("when lines are neutralised, then a trap stands before them and the rest stays", async () => {
      const text = "int f(int a)\n{\n    int x = a;\n    return x;\n}\n"
      const { neutralised } = await outlined(path, text)
      assert.strictEqual(
        neutralised({ start: 1, end: 5 }),
        text.replace("    int x", "    __builtin_trap();\n    int x")
      )
      assert.strictEqual(
        neutralised({ start: 4, end: 4 }),
        text.replace("    return", "    __builtin_trap();\n    return")
      )
    })
  })
}
