// SHA-256 (FIPS 180-4) of short texts without `node:crypto`, which takes a sixth of what Node takes to start: more than
// all else that the summaries of a few runs do.

/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
// biome-ignore format: a table
const constants = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
]

const blockBytes = 64
/** A bit and the length of the text, in bits. */
const endBytes = 9

/** In hexadecimal digits, of the text in UTF-8. */
export const shortSha256 = (text: string): string => {
  const hash = new Int32Array([
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
  ])
  const length = Buffer.byteLength(text)
  const padded = Buffer.alloc(Math.ceil((length + endBytes) / blockBytes) * blockBytes)
  padded.write(text)
  padded[length] = 0x80
  padded.writeUInt32BE(length * 8, padded.length - 4)
  const words = new Int32Array(64)
  for (let at = 0; at < padded.length; at += blockBytes) addBlock(hash, words, padded, at)
  return [...hash].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
}

const addBlock = (hash: Int32Array, words: Int32Array, padded: Buffer, at: number): void => {
  const word = (i: number): number => words[i] as number
  for (let i = 0; i < 16; i++) words[i] = padded.readInt32BE(at + i * 4)
  for (let i = 16; i < 64; i++) {
    const x = word(i - 15)
    const y = word(i - 2)
    const low = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const high = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    words[i] = word(i - 16) + low + word(i - 7) + high
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
  for (let i = 0; i < 64; i++) {
    const high = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const low = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const one = (h + high + ((e & f) ^ (~e & g)) + (constants[i] as number) + word(i)) | 0
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  for (const [i, added] of [a, b, c, d, e, f, g, h].entries()) hash[i] = (hash[i] as number) + added
}
