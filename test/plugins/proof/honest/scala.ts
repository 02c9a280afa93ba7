import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const shapes = `package geometry

sealed trait Shape
final case class Circle(radius: Double) extends Shape

object Shape {
  def area(shape: Shape): Double = shape match {
    case Circle(radius) => math.Pi * radius * radius
  }
}
`

/** A case class, a match case, an implicit class; ScalaTest in two styles and MUnit. */
export const scala: Session = {
  name: "Scala: rectangles",
  before: {
    "src/main/scala/geometry/Shape.scala": shapes,
    "build.sbt": `ThisBuild / scalaVersion := "2.13.12"\n\nlazy val root = (project in file("."))\n`
  },
  after: {
    "src/main/scala/geometry/Shape.scala": edited(
      shapes,
      [
        "extends Shape\n\n",
        "extends Shape\nfinal case class Rectangle(width: Double, height: Double) extends Shape\n\n"
      ],
      ["radius * radius\n", "radius * radius\n    case Rectangle(width, height) => width * height\n"],
      [
        "  }\n}\n",
        `  }

  val unit: Rectangle = Rectangle(1, 1)

  def parse(text: String): Either[String, Shape] =
    text.split(' ').toList match {
      case "circle" :: radius :: Nil => radius.toDoubleOption.map(Circle(_)).toRight(s"not a number: $radius")
      case _                         => Left(s"unknown: $text")
    }

  implicit class Scaled(private val shape: Shape) extends AnyVal {
    def scaled(by: Double): Shape = shape match {
      case Circle(radius)           => Circle(radius * by)
      case Rectangle(width, height) => Rectangle(width * by, height * by)
    }
  }
}
`
      ]
    ),
    "src/test/scala/geometry/ShapeSpec.scala": `package geometry

import org.scalatest.flatspec.AnyFlatSpec
import org.scalatest.matchers.should.Matchers

class ShapeSpec extends AnyFlatSpec with Matchers {
  "A rectangle" should "have an area" in {
    Shape.area(Rectangle(2, 3)) shouldBe 6.0
  }

  it should "not be parsed yet" in {
    Shape.parse("rectangle 1 1") should be(Left("unknown: rectangle 1 1"))
  }

  it should "fail for text" in {
    a[NumberFormatException] should be thrownBy "x".toDouble
  }
}
`,
    "src/test/scala/geometry/ScaledSuite.scala": `package geometry

import org.scalatest.funsuite.AnyFunSuite

class ScaledSuite extends AnyFunSuite {
  test("circles grow") {
    import Shape._
    assert((Circle(1): Shape).scaled(2) == Circle(2))
  }

  test("text is no radius") {
    assertResult(Left("not a number: x"))(Shape.parse("circle x"))
  }
}
`,
    "build.sbt": `ThisBuild / scalaVersion := "2.13.14"\n\nlazy val root = (project in file("."))\n`
  },
  items: [
    ["A case class for rectangles", { path: "src/main/scala/geometry/Shape.scala", from: "case class Rectangle" }],
    [
      "The area of a rectangle",
      { path: "src/main/scala/geometry/Shape.scala", from: "case Rectangle(width, height) => width * height" }
    ],
    ["A unit to compare with", { path: "src/main/scala/geometry/Shape.scala", from: "val unit" }],
    ["Parse shapes", { path: "src/main/scala/geometry/Shape.scala", from: "def parse", to: "    }" }],
    ["Scale shapes", { path: "src/main/scala/geometry/Shape.scala", from: "implicit class Scaled" }],
    ["Specify the area", { path: "src/test/scala/geometry/ShapeSpec.scala", from: "have an area", to: "  }" }],
    [
      "Specify what is not parsed",
      { path: "src/test/scala/geometry/ShapeSpec.scala", from: "not be parsed", to: "  }" }
    ],
    ["Specify what fails", { path: "src/test/scala/geometry/ShapeSpec.scala", from: "fail for text", to: "  }" }],
    ["Test scaling", { path: "src/test/scala/geometry/ScaledSuite.scala", from: "circles grow", to: "  }" }],
    [
      "Test what is no radius",
      { path: "src/test/scala/geometry/ScaledSuite.scala", from: "text is no radius", to: "  }" }
    ],
    ["Use Scala 2.13.14", { path: "build.sbt", from: "2.13.14" }]
  ]
}
