import { accepted, type Fixture, nothings, refused } from "./Fixture.ts"

const braces = { comment: "// Logs a user in.\n/* later */", close: "}" }

export const typescript: ReadonlyArray<Fixture> = [
  accepted(
    "a.ts",
    "interface",
    `
>export interface Reader {
>  read(size: number): string
>  close(): void
>}
`
  ),
  accepted(
    "a.ts",
    "interface method",
    `
 export interface Reader {
>  read(size: number): string
 }
`
  ),
  accepted(
    "a.ts",
    "abstract method",
    `
 abstract class Shape {
>  abstract area(): number
 }
`
  ),
  accepted(
    "a.ts",
    "overload signatures",
    `
>export function parse(value: string): string
 export function parse(value: number): number
 export function parse(value: unknown) {
   return check(value)
 }
`
  ),
  accepted(
    "a.ts",
    "type alias",
    `
>export type Path = string | ReadonlyArray<string>
`
  ),
  accepted(
    "a.ts",
    "declaration file",
    `
>declare function parse(value: string): string
`
  ),
  accepted(
    "a.d.ts",
    "declarations",
    `
>export function parse(value: string): string
`
  ),
  accepted(
    "a.ts",
    "constructor with parameter properties",
    `
 class User {
>  constructor(private readonly name: string, public email: string) {}
 }
`
  ),
  accepted(
    "a.ts",
    "constructor without parameters",
    `
 class User {
>  private constructor() {}
   static of(name: string) { return load(name) }
 }
`
  ),
  accepted(
    "a.ts",
    "exception",
    `
>export class LoginFailed extends Error {}
`
  ),
  accepted(
    "a.ts",
    "enum",
    `
>export enum Color {
>  Red = 1,
>  Green
>}
`
  ),
  accepted(
    "a.ts",
    "enum member",
    `
 export enum Color {
>  Red = 1,
   Green
 }
`
  ),
  accepted(
    "a.ts",
    "getter that gives a constant",
    `
 class Plugin {
>  get name(): string {
>    return "login"
>  }
 }
`
  ),
  accepted(
    "a.ts",
    "return 0",
    `
>export function exitCode(): number {
>  return 0
>}
`
  ),
  accepted(
    "a.ts",
    "return false",
    `
>export const isLeaf = (): boolean => false
`
  ),
  accepted(
    "a.ts",
    "empty text",
    `
>export const nothing = () => ""
`
  ),
  accepted(
    "a.ts",
    "empty array",
    `
>export function children(): ReadonlyArray<Node> {
>  return []
>}
`
  ),
  accepted(
    "a.ts",
    "object",
    `
>export const initial = () => ({})
`
  ),
  accepted(
    "a.ts",
    "callback that does nothing in a call",
    `
 export function close(file: File) {
>  return file.close().catch(() => {})
 }
`
  ),
  accepted(
    "a.ts",
    "property",
    `
 class User {
>  name = ""
 }
`
  ),
  refused(
    "a.ts",
    "class of stubs",
    `
>export class Login {
>  login(user: string): void {}
>  logout(): void {
>    throw new Error("not implemented")
>  }
>}
`
  ),
  refused(
    "a.ts",
    "one of two functions is empty",
    `
>export function login(user: string) {
>  return check(user)
>}
>
>export function logout() {}
`
  ),
  refused(
    "a.ts",
    "only a closing bracket of a call",
    `
 describe("login", () => {
   it("works", () => check(1))
>})
`
  ),
  ...nothings("a.ts", {
    ...braces,
    imports: "import { a } from './a'\nimport type { B } from './b'",
    body: "export function f(x: number) {\n  return x + g(x)\n}"
  })
]

export const tsx: ReadonlyArray<Fixture> = [
  accepted(
    "a.tsx",
    "component",
    `
>export const Name = ({ name }: Props) => <b>{name}</b>
`
  ),
  accepted(
    "a.tsx",
    "element over several lines",
    `
 export function Name({ name }: Props) {
   return (
>    <div className="name">
>      {name}
>    </div>
   )
 }
`
  ),
  accepted(
    "a.tsx",
    "handler that does nothing",
    `
>export const Button = () => <button onClick={() => {}}>login</button>
`
  ),
  accepted(
    "a.tsx",
    "props",
    `
>interface Props {
>  readonly name: string
>  onClose(): void
>}
`
  ),
  accepted(
    "a.tsx",
    "guard",
    `
 export function Name({ name }: Props) {
>  if (name === undefined) return null
   return <b>{name}</b>
 }
`
  ),
  refused(
    "a.tsx",
    "component without content",
    `
>export function Login() {
>  return null
>}
`
  ),
  refused(
    "a.tsx",
    "only a closing tag and brackets",
    `
 export function Name({ name }: Props) {
   return (
     <b>{name}</b>
>  )
>}
`
  ),
  ...nothings("a.tsx", {
    ...braces,
    imports: "import * as React from 'react'",
    body: "export function F({ x }: P) {\n  return <b>{x}</b>\n}"
  })
]

export const javascript: ReadonlyArray<Fixture> = [
  accepted(
    "a.js",
    "constructor without parameters",
    `
 class User {
>  constructor() {}
   get() { return load(this) }
 }
`
  ),
  accepted(
    "a.js",
    "exception",
    `
>class LoginFailed extends Error {}
`
  ),
  accepted(
    "a.js",
    "return 0",
    `
>function exitCode() {
>  return 0
>}
`
  ),
  accepted(
    "a.js",
    "return true",
    `
>const isLeaf = () => true
`
  ),
  accepted(
    "a.js",
    "empty object",
    `
>module.exports = () => ({})
`
  ),
  accepted(
    "a.js",
    "exports",
    `
>module.exports = { login, logout }
`
  ),
  accepted(
    "a.js",
    "getter",
    `
 const plugin = {
>  get name() { return "login" }
 }
`
  ),
  accepted(
    "a.js",
    "early return of a function that works",
    `
 function find(users, name) {
   for (const user of users) if (user.name === name) return user
>  return null
 }
`
  ),
  accepted(
    "a.js",
    "function with a TODO that works",
    `
>function find(users, name) {
>  // TODO: use an index
>  return users.filter((user) => user.name === name)
>}
`
  ),
  refused(
    "a.js",
    "function expression",
    `
>exports.login = function (user) {
>  // TODO
>}
`
  ),
  refused(
    "a.js",
    "object of stubs",
    `
>const login = {
>  login() {},
>  logout() { throw new Error("not implemented") }
>}
`
  ),
  ...nothings("a.js", {
    ...braces,
    imports: "const a = require('a')\nimport b from 'b'",
    body: "function f(x) {\n  return x + g(x)\n}"
  })
]

export const php: ReadonlyArray<Fixture> = [
  accepted(
    "a.php",
    "interface",
    `
 <?php
>interface Reader
>{
>    public function read(int $size): string;
>}
`
  ),
  accepted(
    "a.php",
    "interface method",
    `
 <?php
 interface Reader
 {
>    public function read(int $size): string;
 }
`
  ),
  accepted(
    "a.php",
    "abstract method",
    `
 <?php
 abstract class Shape
 {
>    abstract public function area(): float;
 }
`
  ),
  accepted(
    "a.php",
    "constructor promotion",
    `
 <?php
 class User
 {
>    public function __construct(private string $name, public readonly string $email) {}
 }
`
  ),
  accepted(
    "a.php",
    "constructor without parameters",
    `
 <?php
 final class Registry
 {
>    private function __construct() {}
     public static function get() { return load(); }
 }
`
  ),
  accepted(
    "a.php",
    "exception",
    `
 <?php
>class LoginFailed extends \\RuntimeException {}
`
  ),
  accepted(
    "a.php",
    "exception over lines",
    `
 <?php
>final class LoginFailed extends \\RuntimeException implements Failure
>{
>}
`
  ),
  accepted(
    "a.php",
    "enum cases",
    `
 <?php
 enum Color: string
 {
>    case Red = 'r';
>    case Green = 'g';
 }
`
  ),
  accepted(
    "a.php",
    "return false",
    `
 <?php
>function isLeaf(): bool
>{
>    return false;
>}
`
  ),
  accepted(
    "a.php",
    "empty array",
    `
 <?php
>function children(): array
>{
>    return [];
>}
`
  ),
  accepted(
    "a.php",
    "text",
    `
 <?php
 class Plugin
 {
>    public function name(): string { return 'login'; }
 }
`
  ),
  refused(
    "a.php",
    "class of stubs",
    `
 <?php
>class Login
>{
>    public function login($user) {}
>    public function logout() { throw new \\Exception('Not implemented'); }
>}
`
  ),
  ...nothings("a.php", {
    ...braces,
    head: "<?php",
    imports: "use App\\User;\nuse App\\{Login, Logout};",
    body: "function f($x)\n{\n    return $x + g($x);\n}"
  })
]
