/** Texts that would do something if a page took them for more than text. */
export const hostile = [
  `<img src=x onerror="globalThis.pwned=1">`,
  `"><script>globalThis.pwned=1</script>`,
  `</script><svg onload=globalThis.pwned=1>`,
  `javascript:globalThis.pwned=1`,
  `\${globalThis.pwned=1}{{constructor.constructor('globalThis.pwned=1')()}}`,
  `<style>*{display:none}</style><link rel=stylesheet href=//example.invalid/x.css>`,
  `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
  `\u202eesrever\u202c \u0000 \u001b[31mred\u001b[0m \u001b]8;;https://example.invalid\u0007link\u001b]8;;\u0007`,
  // what turns the direction of writing, in all its ways, and separators that end a line
  `\u202d\u202a\u202b\u2066\u2067\u2068\u061c\u200e\u200f gpj.exe \u2028\u2029\ufeff\u{e0041}\u202e`,
  `__proto__ constructor toString ${"x".repeat(3_000)}`
] as const

/** The same once more as one text, for fields of which there is only one. */
export const everything = hostile.join(" ")
