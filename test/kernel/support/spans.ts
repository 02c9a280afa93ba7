import { Effect, Tracer } from "effect"

/** What is traced while something is done, in the order in which it began. */
export const spansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    yield* Effect.provideService(effect, Tracer.Tracer, tracer)
    return spans
  })

export const attributesOf = ({ attributes }: Tracer.NativeSpan) => Object.fromEntries(attributes)

export const named = (spans: ReadonlyArray<Tracer.NativeSpan>, name: string) =>
  spans.filter((span) => span.name === name)
