/** Clopper–Pearson intervals over the regularised incomplete beta function. */

const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7
]

const logGamma = (x: number): number => {
  const sum = lanczos.reduce((all, factor, i) => all + factor / (x + i), 0.9999999999998099)
  const t = x + lanczos.length - 1.5
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum)
}

/** The continued fraction of the incomplete beta function, by Lentz. */
const fraction = (x: number, a: number, b: number): number => {
  const kept = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value)
  let c = 1
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1))
  let product = d
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / kept(1 + even * d)
    c = kept(1 + even / c)
    product *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / kept(1 + odd * d)
    c = kept(1 + odd / c)
    product *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return product
}

/** The regularised incomplete beta function. */
export const beta = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a)
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  return (front * fraction(x, a, b)) / a
}

const inverse = (share: number, a: number, b: number): number => {
  let low = 0
  let high = 1
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (beta(middle, a, b) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Between what shares the true one lies, with 95 % confidence, when `count` of `of` were seen. */
export const interval = (count: number, of: number): readonly [low: number, high: number] => [
  count === 0 ? 0 : inverse(0.025, count, of - count + 1),
  count === of ? 1 : inverse(0.975, count + 1, of - count)
]
