/** Schemas that are made from now on are compiled where they are first used. It is what makes long runs fast. */
import "effect/schema/SchemaJITCompiler/enable"
