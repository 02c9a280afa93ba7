import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const cart = `const { tax } = require('./tax')

function subtotal(items) {
  return items.reduce((sum, item) => sum + item.price * item.count, 0)
}

function total(items, country) {
  return subtotal(items) + tax(subtotal(items), country)
}

module.exports = { subtotal, total }
`

const app = `const express = require('express')
const cart = require('./cart')

const app = express()
app.use(express.json())

app.post('/total', (req, res) => {
  res.json({ total: cart.total(req.body.items, req.body.country) })
})

module.exports = app
`

const packageJson = `{
  "name": "shop",
  "version": "1.2.0",
  "scripts": {
    "test": "mocha"
  },
  "dependencies": {
    "express": "^4.19.0"
  }
}
`

/** CommonJS with mocha and chai; a dependency, a function that moved and was edited, a removed file. */
export const javascript: Session = {
  name: "JavaScript: vouchers",
  before: {
    "cart.js": cart,
    "app.js": app,
    "package.json": packageJson,
    "coupons.js": "module.exports = { legacy: true }\n",
    "tax.js":
      "const rates = { de: 0.19, fr: 0.2 }\n\nexports.tax = (amount, country) => amount * (rates[country] ?? 0)\n",
    "test/cart.test.js":
      "const { expect } = require('chai')\nconst cart = require('../cart')\n\ndescribe('cart', () => {\n  it('adds up', () => {\n    expect(cart.subtotal([{ price: 2, count: 3 }])).to.equal(6)\n  })\n})\n"
  },
  after: {
    "cart.js": edited(
      cart,
      [
        `function subtotal(items) {
  return items.reduce((sum, item) => sum + item.price * item.count, 0)
}

`,
        ""
      ],
      [
        "const { tax } = require('./tax')\n",
        "const { tax } = require('./tax')\nconst { discount } = require('./vouchers')\n"
      ],
      [
        `function total(items, country) {
  return subtotal(items) + tax(subtotal(items), country)
}
`,
        `function total(items, country, voucher = null) {
  const net = subtotal(items)
  const reduced = voucher === null ? net : discount(net, voucher)
  return reduced + tax(reduced, country)
}

function subtotal(items) {
  return items.filter((item) => item.count > 0).reduce((sum, item) => sum + item.price * item.count, 0)
}
`
      ]
    ),
    "vouchers.js": `const MAX_PERCENT = 50

const vouchers = new Map([
  ['SPRING', { percent: 10 }],
  ['WELCOME', { amount: 500 }]
])

class UnknownVoucher extends Error {}

exports.discount = function discount(amount, code) {
  const voucher = vouchers.get(code.toUpperCase())
  if (!voucher) throw new UnknownVoucher(code)
  if (voucher.amount) return Math.max(0, amount - voucher.amount)
  return amount * (1 - Math.min(voucher.percent, MAX_PERCENT) / 100)
}

exports.UnknownVoucher = UnknownVoucher
`,
    "app.js": edited(
      app,
      ["const cart = require('./cart')\n", "const cart = require('./cart')\nconst helmet = require('helmet')\n"],
      ["app.use(express.json())\n", "app.use(helmet())\napp.use(express.json())\n"],
      ["req.body.country)", "req.body.country, req.body.voucher)"]
    ),
    "package.json": edited(
      packageJson,
      [`"version": "1.2.0"`, `"version": "1.3.0"`],
      [`"express": "^4.19.0"`, `"express": "^4.19.0",\n    "helmet": "^7.1.0"`]
    ),
    "coupons.js": null,
    "test/cart.test.js":
      "const { expect } = require('chai')\nconst cart = require('../cart')\n\ndescribe('cart', () => {\n  it('adds up', () => {\n    expect(cart.subtotal([{ price: 2, count: 3 }])).to.equal(6)\n  })\n\n  it('leaves out what is not wanted', function () {\n    cart.subtotal([{ price: 2, count: -1 }]).should.equal(0)\n  })\n})\n",
    "test/vouchers.test.mjs":
      "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { discount, UnknownVoucher } from '../vouchers.js'\n\ntest('a percentage', () => {\n  assert.equal(discount(1000, 'spring'), 900)\n})\n\ntest('a voucher that nobody knows', () => {\n  assert.throws(() => discount(1000, 'nothing'), UnknownVoucher)\n})\n\ntest('a voucher that everybody knows', () => {\n  assert.doesNotThrow(() => discount(1000, 'welcome'))\n})\n"
  },
  items: [
    ["Reduce the total by a voucher", { path: "cart.js", from: "function total", to: "}" }],
    ["Leave out items that are not wanted from the subtotal", { path: "cart.js", from: "function subtotal", to: "}" }],
    ["The vouchers there are", { path: "vouchers.js", from: "const vouchers", to: "])" }],
    ["At most 50 percent", { path: "vouchers.js", from: "MAX_PERCENT = 50" }],
    ["discount() in `vouchers.js`", { path: "vouchers.js", from: "exports.discount", to: "}" }],
    ["An error of its own for unknown vouchers", { path: "vouchers.js", from: "class UnknownVoucher" }],
    ["Use helmet", { path: "app.js", from: "app.use(helmet" }],
    ["POST /total takes a voucher", { path: "app.js", from: "req.body.voucher" }],
    ["Depend on helmet", { path: "package.json", from: "helmet" }],
    ["Raise the version", { path: "package.json", from: "1.3.0" }],
    ["Delete coupons.js", "absent:coupons.js"],
    ["Test unwanted items", { path: "test/cart.test.js", from: "leaves out", to: "  })" }],
    ["Test a percentage", { path: "test/vouchers.test.mjs", from: "a percentage", to: "})" }],
    ["Test an unknown voucher", { path: "test/vouchers.test.mjs", from: "nobody knows", to: "})" }],
    ["Test that known ones pass", { path: "test/vouchers.test.mjs", from: "everybody knows", to: "})" }]
  ]
}
