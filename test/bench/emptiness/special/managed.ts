import { accepted, type Fixture, nothings, refused } from "./Fixture.ts"

const braces = { comment: "// Logs a user in.\n/* later */", close: "}" }

export const java: ReadonlyArray<Fixture> = [
  accepted(
    "A.java",
    "interface",
    `
>public interface Reader {
>    String read(int size);
>}
`
  ),
  accepted(
    "A.java",
    "interface method",
    `
 public interface Reader {
>    String read(int size);
 }
`
  ),
  accepted(
    "A.java",
    "abstract method",
    `
 abstract class Shape {
>    abstract double area();
 }
`
  ),
  accepted(
    "A.java",
    "native method",
    `
 class Shape {
>    native double area();
 }
`
  ),
  accepted(
    "A.java",
    "constructor without parameters",
    `
 final class Texts {
>    private Texts() {}
     static String trim(String text) { return text.strip(); }
 }
`
  ),
  accepted(
    "A.java",
    "exception",
    `
>public class LoginFailed extends RuntimeException {}
`
  ),
  accepted(
    "A.java",
    "marker interface",
    `
>interface Marker {}
`
  ),
  accepted(
    "A.java",
    "annotation",
    `
>public @interface Login {
>    String value() default "";
>}
`
  ),
  accepted(
    "A.java",
    "enum",
    `
>enum Color { RED, GREEN }
`
  ),
  accepted(
    "A.java",
    "enum member",
    `
 enum Color {
>    RED(1),
     GREEN(2);
     Color(int number) { this.number = number; }
     final int number;
 }
`
  ),
  accepted(
    "A.java",
    "record",
    `
>record Point(int x, int y) {}
`
  ),
  accepted(
    "A.java",
    "getter that gives a constant",
    `
 class Plugin {
>    @Override
>    public String name() { return "login"; }
 }
`
  ),
  accepted(
    "A.java",
    "return false",
    `
 class Leaf {
>    boolean hasChildren() {
>        return false;
>    }
 }
`
  ),
  accepted(
    "A.java",
    "empty list",
    `
 class Leaf {
>    List<Node> children() { return List.of(); }
 }
`
  ),
  accepted(
    "A.java",
    "empty catch of a method that works",
    `
 class Files {
     void close(Closeable file) {
         try {
             file.close();
>        } catch (IOException ignored) {
>        }
     }
 }
`
  ),
  refused(
    "A.java",
    "class of stubs",
    `
>public class Login {
>    public void login(String user) {}
>    public void logout() { throw new UnsupportedOperationException("Not implemented"); }
>}
`
  ),
  refused(
    "A.java",
    "one of two methods is empty",
    `
 class Login {
>    boolean login(String user) {
>        return check(user);
>    }
>
>    void logout() {
>        // TODO
>    }
 }
`
  ),
  ...nothings("A.java", {
    ...braces,
    imports: "package a;\nimport java.util.List;\nimport static java.util.Map.entry;",
    body: "class F {\n    int f(int x) { return x + g(x); }\n}"
  })
]

export const csharp: ReadonlyArray<Fixture> = [
  accepted(
    "A.cs",
    "interface",
    `
>public interface IReader
>{
>    string Read(int size);
>}
`
  ),
  accepted(
    "A.cs",
    "interface method",
    `
 public interface IReader
 {
>    string Read(int size);
 }
`
  ),
  accepted(
    "A.cs",
    "abstract method",
    `
 abstract class Shape
 {
>    public abstract double Area();
 }
`
  ),
  accepted(
    "A.cs",
    "partial method",
    `
 partial class Shape
 {
>    partial void OnChanged();
 }
`
  ),
  accepted(
    "A.cs",
    "constructor without parameters",
    `
 sealed class Registry
 {
>    private Registry() { }
     public static Registry Get() { return Load(); }
 }
`
  ),
  accepted(
    "A.cs",
    "constructor that calls another",
    `
 class User
 {
>    public User(string name) : this(name, 0) { }
 }
`
  ),
  accepted(
    "A.cs",
    "exception constructor",
    `
 class LoginFailed : Exception
 {
>    public LoginFailed(string message) : base(message)
>    {
>    }
 }
`
  ),
  accepted(
    "A.cs",
    "exception",
    `
>public class LoginFailed : Exception { }
`
  ),
  accepted(
    "A.cs",
    "automatic property",
    `
 class User
 {
>    public string Name { get; set; }
 }
`
  ),
  accepted(
    "A.cs",
    "property that gives a constant",
    `
 class Plugin
 {
>    public string Name => "login";
 }
`
  ),
  accepted(
    "A.cs",
    "record",
    `
>public record Point(int X, int Y);
`
  ),
  accepted(
    "A.cs",
    "enum",
    `
>enum Color { Red, Green }
`
  ),
  accepted(
    "A.cs",
    "return false",
    `
 class Leaf
 {
>    bool HasChildren()
>    {
>        return false;
>    }
 }
`
  ),
  refused(
    "A.cs",
    "property that is not written",
    `
 class Login
 {
>    public string Name => throw new NotImplementedException();
 }
`
  ),
  refused(
    "A.cs",
    "class of stubs",
    `
>public class Login
>{
>    public void SignIn(string user) { }
>    public void SignOut() => throw new NotImplementedException();
>}
`
  ),
  ...nothings("A.cs", {
    ...braces,
    imports: "using System;\nusing System.Linq;",
    body: "class F\n{\n    int G(int x) { return x + H(x); }\n}"
  })
]

export const kotlin: ReadonlyArray<Fixture> = [
  accepted(
    "A.kt",
    "interface",
    `
>interface Reader {
>    fun read(size: Int): String
>}
`
  ),
  accepted(
    "A.kt",
    "interface method",
    `
 interface Reader {
>    fun read(size: Int): String
 }
`
  ),
  accepted(
    "A.kt",
    "abstract method",
    `
 abstract class Shape {
>    abstract fun area(): Double
 }
`
  ),
  accepted(
    "A.kt",
    "data class",
    `
>data class Point(val x: Int, val y: Int)
`
  ),
  accepted(
    "A.kt",
    "object",
    `
>object Nothing
`
  ),
  accepted(
    "A.kt",
    "exception",
    `
>class LoginFailed(message: String) : RuntimeException(message)
`
  ),
  accepted(
    "A.kt",
    "sealed class",
    `
>sealed class Answer {
>    object Yes : Answer()
>    object No : Answer()
>}
`
  ),
  accepted(
    "A.kt",
    "enum",
    `
>enum class Color { RED, GREEN }
`
  ),
  accepted(
    "A.kt",
    "false",
    `
>fun isLeaf() = false
`
  ),
  accepted(
    "A.kt",
    "empty list",
    `
>fun children(): List<Node> = emptyList()
`
  ),
  accepted(
    "A.kt",
    "getter",
    `
 class Plugin {
>    val name: String get() = "login"
 }
`
  ),
  accepted(
    "A.kt",
    "text",
    `
>fun name(): String {
>    return "login"
>}
`
  ),
  accepted(
    "A.kt",
    "type alias",
    `
>typealias Path = List<String>
`
  ),
  refused(
    "A.kt",
    "class of stubs",
    `
>class Login {
>    fun login(user: String) = TODO()
>    fun logout() {}
>}
`
  ),
  ...nothings("A.kt", {
    ...braces,
    imports: "package a\nimport a.b.C\nimport a.b.D as E",
    body: "fun f(x: Int): Int {\n    return x + g(x)\n}"
  })
]

export const scala: ReadonlyArray<Fixture> = [
  accepted(
    "A.scala",
    "trait",
    `
>trait Reader {
>  def read(size: Int): String
>}
`
  ),
  accepted(
    "A.scala",
    "trait method",
    `
 trait Reader {
>  def read(size: Int): String
 }
`
  ),
  accepted(
    "A.scala",
    "case class",
    `
>case class Point(x: Int, y: Int)
`
  ),
  accepted(
    "A.scala",
    "case object",
    `
>case object Red extends Color
`
  ),
  accepted(
    "A.scala",
    "exception",
    `
>class LoginFailed(message: String) extends RuntimeException(message)
`
  ),
  accepted(
    "A.scala",
    "sealed trait",
    `
>sealed trait Answer
`
  ),
  accepted(
    "A.scala",
    "false",
    `
 object Leaf {
>  def hasChildren: Boolean = false
 }
`
  ),
  accepted(
    "A.scala",
    "empty list",
    `
 object Leaf {
>  def children: List[Node] = Nil
 }
`
  ),
  accepted(
    "A.scala",
    "text",
    `
 object Plugin {
>  val name = "login"
 }
`
  ),
  accepted(
    "A.scala",
    "type",
    `
 object Types {
>  type Path = List[String]
 }
`
  ),
  refused(
    "A.scala",
    "class of stubs",
    `
>class Login {
>  def login(user: String): Unit = ???
>  def logout(): Unit = {}
>}
`
  ),
  ...nothings("A.scala", {
    ...braces,
    imports: "package a\nimport scala.util.Try\nimport a.{B, C}",
    body: "object F {\n  def f(x: Int): Int = { x + g(x) }\n}"
  })
]
