import type { LanguageRules } from "@proofline/kernel"
import { bash } from "./bash.ts"
import { c } from "./c.ts"
import { cpp } from "./cpp.ts"
import { csharp } from "./csharp.ts"
import { go } from "./go.ts"
import { java } from "./java.ts"
import { javascript, tsx, typescript } from "./javascript.ts"
import { kotlin } from "./kotlin.ts"
import { php } from "./php.ts"
import { python, pythonStubs } from "./python.ts"
import { ruby } from "./ruby.ts"
import { rust } from "./rust.ts"
import { scala } from "./scala.ts"
import { swift } from "./swift.ts"

/** The languages that Proofline reads by itself. */
export const languages: ReadonlyArray<LanguageRules> = [
  bash,
  c,
  cpp,
  csharp,
  go,
  java,
  javascript,
  kotlin,
  php,
  python,
  pythonStubs,
  ruby,
  rust,
  scala,
  swift,
  tsx,
  typescript
]
