/**
 * Lets WebAssembly be compiled once, quickly. V8 compiles what is called often a second time, and measures that by the size
 * of functions: the grammars have some of a megabyte, most of which a call does not come to. To compile them again takes
 * seconds and up to 3 GB, more than evidence in tens of thousands of files ever wins by it.
 */
export const compileGrammarsOnce = (): void => {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8")
  setFlagsFromString("--no-wasm-tier-up")
  setFlagsFromString("--no-wasm-dynamic-tiering")
}
