import { c, cpp } from "./honest/cAndCpp.ts"
import { csharp } from "./honest/csharp.ts"
import { go } from "./honest/go.ts"
import { java } from "./honest/java.ts"
import { javascript } from "./honest/javascript.ts"
import { kotlin } from "./honest/kotlin.ts"
import { data, refactoring } from "./honest/others.ts"
import { python } from "./honest/python.ts"
import { bash, php, ruby } from "./honest/rubyPhpBash.ts"
import { rust } from "./honest/rust.ts"
import { scala } from "./honest/scala.ts"
import { swift } from "./honest/swift.ts"
import { tsx } from "./honest/tsx.ts"
import { typescript } from "./honest/typescript.ts"
import type { Session } from "./sessions.ts"

/** Real work with honest evidence: at least one commit of each language, and what has no grammar. */
export const honest: ReadonlyArray<Session> = [
  typescript,
  javascript,
  tsx,
  python,
  go,
  rust,
  java,
  kotlin,
  scala,
  csharp,
  c,
  cpp,
  ruby,
  php,
  bash,
  swift,
  data,
  refactoring
]
