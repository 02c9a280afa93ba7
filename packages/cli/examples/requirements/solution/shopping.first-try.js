/** What the stock lacks for a recipe, as `{ name, amount, unit }`, in the order of the recipe. */
export function missing(stock, recipe) {
  return recipe.flatMap(({ name, amount, unit }) => {
    const same = stock.find((entry) => entry.name === name && entry.unit === unit)
    const there = same?.amount ?? 0
    return there >= amount ? [] : [{ name, amount: amount - there, unit }]
  })
}
