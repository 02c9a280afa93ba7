import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"
import { problemTypes } from "../../http/problem.ts"
import { OperationAnswer, ProblemItem } from "./schemas.ts"

/** Beside what RFC 9457 names: the stable code, what to do next, and every single fault where there are several. */
const fields = {
  code: Schema.String,
  hint: Schema.String,
  problems: Schema.optionalKey(Schema.Array(ProblemItem))
}

/** Of an operation: the whole refusal, as it is answered over MCP and by `proofline call`. */
const answered = { ...fields, answer: Schema.optionalKey(OperationAnswer) }

/** The request itself is not as it has to be. */
export class Malformed extends HttpApiError.Problem<Malformed>()("Malformed", problemTypes.malformed, fields) {}

/** No token, or one that is not good. */
export class Unauthorized extends HttpApiError.Problem<Unauthorized>()(
  "Unauthorized",
  problemTypes.unauthorized,
  fields
) {}

/** Who asks may not, or from where it is asked. */
export class Forbidden extends HttpApiError.Problem<Forbidden>()("Forbidden", problemTypes.forbidden, answered) {}

export class Unknown extends HttpApiError.Problem<Unknown>()("Unknown", problemTypes.unknown, fields) {}

/** It does not go with how things are. */
export class Conflicting extends HttpApiError.Problem<Conflicting>()("Conflicting", problemTypes.conflict, answered) {}

export class TooLarge extends HttpApiError.Problem<TooLarge>()("TooLarge", problemTypes.tooLarge, fields) {}

export class Unsupported extends HttpApiError.Problem<Unsupported>()("Unsupported", problemTypes.unsupported, fields) {}

/** Understood, and refused for what it says: a file with faults, an answer that does not fit. */
export class Refused extends HttpApiError.Problem<Refused>()("Refused", problemTypes.refused, answered) {}

export class TooMany extends HttpApiError.Problem<TooMany>()("TooMany", problemTypes.tooMany, fields) {}

/** A mistake of the server, which says more of it in its own log. */
export class Internal extends HttpApiError.Problem<Internal>()("Internal", problemTypes.internal, fields) {}

/** The log cannot be read or written now. */
export class Unavailable extends HttpApiError.Problem<Unavailable>()(
  "Unavailable",
  problemTypes.unavailable,
  answered
) {}
