import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const repository = `package shop

import java.time.Instant

data class Order(val id: String, val placed: Instant, val cents: Long)

sealed interface Outcome {
    data class Accepted(val order: Order) : Outcome
}

class Orders(private val store: MutableMap<String, Order> = mutableMapOf()) {
    fun place(order: Order): Outcome {
        store[order.id] = order
        return Outcome.Accepted(order)
    }
}
`

/** A sealed case, an extension, a suspending function, kotest and kotlin.test. */
export const kotlin: Session = {
  name: "Kotlin: orders can be refused",
  before: { "src/main/kotlin/shop/Orders.kt": repository },
  after: {
    "src/main/kotlin/shop/Orders.kt": edited(
      repository,
      [
        "import java.time.Instant\n",
        "import java.time.Duration\nimport java.time.Instant\nimport kotlinx.coroutines.delay\n"
      ],
      [
        "(val order: Order) : Outcome\n",
        "(val order: Order) : Outcome\n    data class Refused(val reason: String) : Outcome\n"
      ],
      [
        "        store[order.id] = order\n",
        `        if (order.cents <= 0) return Outcome.Refused("nothing to pay")
        if (order.id in store) return Outcome.Refused("placed before")
        store[order.id] = order
`
      ],
      [
        "        return Outcome.Accepted(order)\n    }\n}\n",
        `        return Outcome.Accepted(order)
    }

    suspend fun placeLater(order: Order, wait: Duration): Outcome {
        delay(wait.toMillis())
        return place(order)
    }

    val total: Long get() = store.values.sumOf { it.cents }

    companion object {
        const val MAX_CENTS = 1_000_000L
    }
}

fun Order.isRecent(now: Instant): Boolean = Duration.between(placed, now) < Duration.ofDays(30)

enum class Currency(val digits: Int) { EUR(2), JPY(0) }
`
      ]
    ),
    "src/test/kotlin/shop/OrdersTest.kt": `package shop

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.time.Instant
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlinx.coroutines.test.runTest

class OrdersTest {
    private val orders = Orders()

    @Test
    fun \`adds up\`() {
        orders.place(Order("a", Instant.EPOCH, 5))
        assertEquals(5, orders.total)
    }

    @Test
    fun refusesTheSameTwice() {
        val order = Order("a", Instant.EPOCH, 5)
        orders.place(order)
        orders.place(order).shouldBeInstanceOf<Outcome.Refused>()
    }

    @Test
    fun waits() = runTest {
        orders.placeLater(Order("a", Instant.EPOCH, 5), java.time.Duration.ofDays(1))
        orders.total shouldBe 5
    }

    @Test
    fun failsWithoutDate() {
        assertFailsWith<java.time.DateTimeException> { Instant.parse("never") }
    }
}
`,
    "src/test/kotlin/shop/OutcomeSpec.kt": `package shop

import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.shouldBe
import java.time.Instant

class OutcomeSpec : StringSpec({
    "an order of nothing is refused" {
        Orders().place(Order("a", Instant.EPOCH, 0)) shouldBe Outcome.Refused("nothing to pay")
    }
})
`
  },
  items: [
    ["Refused is an outcome", { path: "src/main/kotlin/shop/Orders.kt", from: "Refused(val reason" }],
    ["Orders of nothing are refused", { path: "src/main/kotlin/shop/Orders.kt", from: "nothing to pay" }],
    ["Orders placed before are refused", { path: "src/main/kotlin/shop/Orders.kt", from: "placed before" }],
    ["Place an order later", { path: "src/main/kotlin/shop/Orders.kt", from: "suspend fun placeLater", to: "    }" }],
    ["The total of all orders", { path: "src/main/kotlin/shop/Orders.kt", from: "val total" }],
    ["The most an order may be", { path: "src/main/kotlin/shop/Orders.kt", from: "MAX_CENTS" }],
    ["Whether an order is recent", { path: "src/main/kotlin/shop/Orders.kt", from: "fun Order.isRecent" }],
    ["Currencies", { path: "src/main/kotlin/shop/Orders.kt", from: "enum class Currency" }],
    ["Test the total", { path: "src/test/kotlin/shop/OrdersTest.kt", from: "adds up", to: "    }" }],
    [
      "Test orders placed before",
      { path: "src/test/kotlin/shop/OrdersTest.kt", from: "refusesTheSameTwice", to: "    }" }
    ],
    ["Test orders placed later", { path: "src/test/kotlin/shop/OrdersTest.kt", from: "fun waits", to: "    }" }],
    ["Test dates", { path: "src/test/kotlin/shop/OrdersTest.kt", from: "failsWithoutDate", to: "    }" }],
    [
      "Specify orders of nothing",
      { path: "src/test/kotlin/shop/OutcomeSpec.kt", from: "an order of nothing", to: "    }" }
    ]
  ]
}
