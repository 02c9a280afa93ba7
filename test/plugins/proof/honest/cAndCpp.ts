import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const ring = `#include "ring.h"

#include <stdlib.h>

struct ring *ring_new(size_t size)
{
    struct ring *ring = malloc(sizeof *ring);
    ring->items = calloc(size, sizeof *ring->items);
    ring->size = size;
    ring->head = 0;
    return ring;
}
`

const header = `#ifndef RING_H
#define RING_H

#include <stddef.h>

struct ring {
    int *items;
    size_t size;
    size_t head;
};

struct ring *ring_new(size_t size);

#endif
`

/** A struct member, a macro, prototypes, a fix, a Makefile, a test by assert. */
export const c: Session = {
  name: "C: a ring buffer that can be read",
  before: { "ring.c": ring, "ring.h": header, Makefile: "all: ring.o\n\nring.o: ring.c ring.h\n\tcc -c ring.c\n" },
  after: {
    "ring.c": edited(
      ring,
      ["    ring->items = calloc", "    if (ring == NULL)\n        return NULL;\n    ring->items = calloc"],
      ["    ring->head = 0;\n", "    ring->head = 0;\n    ring->count = 0;\n"],
      [
        "    return ring;\n}\n",
        `    return ring;
}

void ring_push(struct ring *ring, int item)
{
    ring->items[ring->head] = item;
    ring->head = (ring->head + 1) % ring->size;
    ring->count = MIN(ring->count + 1, ring->size);
}

int ring_last(const struct ring *ring, int *item)
{
    if (ring->count == 0)
        return -1;
    *item = ring->items[(ring->head + ring->size - 1) % ring->size];
    return 0;
}
`
      ]
    ),
    "ring.h": edited(
      header,
      [
        "#include <stddef.h>\n",
        "#include <stddef.h>\n\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n\nenum ring_policy { RING_OVERWRITE, RING_REFUSE };\n"
      ],
      ["    size_t head;\n", "    size_t head;\n    size_t count;\n"],
      [
        "ring_new(size_t size);\n",
        "ring_new(size_t size);\nvoid ring_push(struct ring *ring, int item);\nint ring_last(const struct ring *ring, int *item);\n"
      ]
    ),
    Makefile:
      "CFLAGS = -Wall -O2\n\nall: ring.o\n\nring.o: ring.c ring.h\n\tcc $(CFLAGS) -c ring.c\n\ntest: test_ring\n\t./test_ring\n",
    "test_ring.c": `#include "ring.h"

#include <assert.h>

static void test_push(void)
{
    struct ring *ring = ring_new(2);
    int item = 0;
    ring_push(ring, 1);
    ring_push(ring, 2);
    ring_push(ring, 3);
    assert(ring_last(ring, &item) == 0);
    assert(item == 3);
}

static void test_empty(void)
{
    int item;
    assert(ring_last(ring_new(1), &item) == -1);
}

int main(void)
{
    test_push();
    test_empty();
    return 0;
}
`
  },
  items: [
    ["ring_push in ring.c", { path: "ring.c", from: "void ring_push", to: "}" }],
    ["ring_last in ring.c", { path: "ring.c", from: "int ring_last", to: "}" }],
    ["Do not crash without memory", { path: "ring.c", from: "if (ring == NULL)", to: "return NULL" }],
    ["Begin with no items", { path: "ring.c", from: "count = 0" }],
    ["Count the items", { path: "ring.h", from: "size_t count" }],
    ["A macro for the smaller of two", { path: "ring.h", from: "#define MIN" }],
    ["What to do when it is full", { path: "ring.h", from: "enum ring_policy" }],
    ["Declare the functions in ring.h", { path: "ring.h", from: "void ring_push", to: "ring_last" }],
    ["Compile with warnings", { path: "Makefile", from: "CFLAGS =" }],
    ["A target for the tests", { path: "Makefile", from: "test: test_ring", to: "./test_ring" }],
    ["Test pushing", { path: "test_ring.c", from: "void test_push", to: "}" }],
    ["Test an empty ring", { path: "test_ring.c", from: "void test_empty", to: "}" }]
  ]
}

const vector = `#pragma once

#include <cmath>

namespace geo {

struct Vec {
    double x = 0;
    double y = 0;
};

inline Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y}; }

}  // namespace geo
`

/** A member, a template, an operator, a header of headers; GoogleTest and Catch2. */
export const cpp: Session = {
  name: "C++: lengths and rotations",
  before: { "include/geo/vec.hpp": vector, "CMakeLists.txt": "project(geo CXX)\nset(CMAKE_CXX_STANDARD 14)\n" },
  after: {
    "include/geo/vec.hpp": edited(
      vector,
      ["#include <cmath>\n", "#include <cmath>\n#include <ostream>\n#include <stdexcept>\n"],
      [
        "    double y = 0;\n",
        "    double y = 0;\n\n    [[nodiscard]] double length() const { return std::hypot(x, y); }\n    Vec rotated(double angle) const;\n"
      ],
      [
        "b.y}; }\n",
        `b.y}; }

inline std::ostream& operator<<(std::ostream& out, const Vec& vec) {
    return out << '(' << vec.x << ", " << vec.y << ')';
}

template <typename T>
constexpr T clamp(T value, T low, T high) {
    if (high < low) throw std::invalid_argument("high < low");
    return value < low ? low : high < value ? high : value;
}

enum class Axis { X, Y };

constexpr double epsilon = 1e-9;
`
      ]
    ),
    "src/vec.cpp": `#include "geo/vec.hpp"

namespace geo {

Vec Vec::rotated(double angle) const {
    const auto sin = std::sin(angle);
    const auto cos = std::cos(angle);
    return {x * cos - y * sin, x * sin + y * cos};
}

}  // namespace geo
`,
    "include/geo.hpp": `#pragma once\n\n#include "geo/vec.hpp"\n#include "geo/matrix.hpp"\n`,
    "CMakeLists.txt": "project(geo CXX)\nset(CMAKE_CXX_STANDARD 17)\nadd_library(geo src/vec.cpp)\n",
    "test/vec_test.cpp": `#include <gtest/gtest.h>

#include "geo.hpp"

TEST(Vec, HasALength) {
    EXPECT_DOUBLE_EQ((geo::Vec{3, 4}).length(), 5.0);
}

TEST(Vec, CanBeRotated) {
    const auto turned = geo::Vec{1, 0}.rotated(M_PI / 2);
    ASSERT_NEAR(turned.x, 0.0, geo::epsilon);
    ASSERT_NEAR(turned.y, 1.0, geo::epsilon);
}

TEST(Clamp, RefusesAnEmptyRange) {
    EXPECT_THROW(geo::clamp(1, 3, 2), std::invalid_argument);
}

TEST(Clamp, TakesARange) {
    EXPECT_NO_THROW(geo::clamp(1, 2, 3));
}
`,
    "test/catch_test.cpp": `#include <catch2/catch_test_macros.hpp>

#include "geo.hpp"

TEST_CASE("vectors are clamped", "[vec]") {
    SECTION("from above") { REQUIRE(geo::clamp(5, 0, 3) == 3); }
    SECTION("from below") { CHECK(geo::clamp(-1, 0, 3) == 0); }
}
`
  },
  items: [
    ["A vector has a length", { path: "include/geo/vec.hpp", from: "double length()" }],
    ["Declare rotated()", { path: "include/geo/vec.hpp", from: "Vec rotated" }],
    ["A vector can be printed", { path: "include/geo/vec.hpp", from: "std::ostream& operator<<", to: "}" }],
    ["clamp()", { path: "include/geo/vec.hpp", from: "template <typename T>", to: "}" }],
    ["Axes", { path: "include/geo/vec.hpp", from: "enum class Axis" }],
    ["How near is near enough", { path: "include/geo/vec.hpp", from: "constexpr double epsilon" }],
    ["rotated() in src/vec.cpp", { path: "src/vec.cpp", from: "Vec Vec::rotated", to: "}" }],
    ["One header for all, include/geo.hpp", { path: "include/geo.hpp", from: "geo/vec.hpp", to: "geo/matrix.hpp" }],
    ["Build with C++17", { path: "CMakeLists.txt", from: "STANDARD 17" }],
    ["Build the library", { path: "CMakeLists.txt", from: "add_library" }],
    ["Test the length", { path: "test/vec_test.cpp", from: "TEST(Vec, HasALength)", to: "}" }],
    ["Test rotations", { path: "test/vec_test.cpp", from: "TEST(Vec, CanBeRotated)" }],
    ["Test empty ranges", { path: "test/vec_test.cpp", from: "RefusesAnEmptyRange", to: "}" }],
    ["Test ranges", { path: "test/vec_test.cpp", from: "TakesARange", to: "}" }],
    ["Test clamping", { path: "test/catch_test.cpp", from: "TEST_CASE" }]
  ]
}
