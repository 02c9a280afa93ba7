/** Exit codes; part of the contract with scripts. */
export const exitCodes = {
  proven: 0,
  unmet: 1,
  usage: 2,
  needsPerson: 3,
  breaker: 4,
  integrity: 5,
  interrupted: 130
} as const
