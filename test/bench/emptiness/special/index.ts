import type { Language } from "../types.ts"
import type { Fixture } from "./Fixture.ts"
import { bash, python, ruby } from "./indented.ts"
import { csharp, java, kotlin, scala } from "./managed.ts"
import { javascript, php, tsx, typescript } from "./scripts.ts"
import { swift } from "./swift.ts"
import { c, cpp, go, rust } from "./systems.ts"

export const fixtures: Readonly<Record<Language, ReadonlyArray<Fixture>>> = {
  python,
  typescript,
  tsx,
  javascript,
  go,
  rust,
  java,
  c,
  cpp,
  csharp,
  ruby,
  php,
  kotlin,
  swift,
  scala,
  bash
}
