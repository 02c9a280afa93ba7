/** A growing list of numbers from 0 to 2^32 - 1, four bytes each. */
export class Uints {
  #items = new Uint32Array(64)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(item: number): void {
    if (this.#length === this.#items.length) {
      const larger = new Uint32Array(this.#items.length * 2)
      larger.set(this.#items)
      this.#items = larger
    }
    this.#items[this.#length++] = item
  }

  /** The item at an index below the length. */
  at(index: number): number {
    return this.#items[index] as number
  }

  /** Of a list in ascending order: how many items are less than or equal to this one. */
  upTo(item: number): number {
    let from = 0
    let to = this.#length
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#items[middle] as number) <= item) from = middle + 1
      else to = middle
    }
    return from
  }
}
