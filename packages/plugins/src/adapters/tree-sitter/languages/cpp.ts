import type { LanguageRules, Patch } from "@proofline/kernel"
import { patches, shared } from "./c.ts"

const macro = String.raw`[A-Z][A-Z\d_]{2,}(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?`

const own: ReadonlyArray<Patch> = [
  // class API Name {
  {
    pattern: String.raw`(?<=\b(?:class|struct|union)[ \t]+)(?:${macro}|__\w+\([^()\n]*\))(?=[ \t]+[A-Za-z_][\w:]*(?:<[^<>{};]*>)?\s*(?:final\s*)?(?::(?!:)|\{))`,
    as: ""
  },
  // a macro on a line of its own before a declaration: Q_OBJECT
  {
    pattern: String.raw`(?<=(?:[{};:>]|\*/|^[ \t]*(?://|#)[^\n]*|^)[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*)\b(?!TODO|FIXME)(?:[A-Z][A-Z\d]*_[A-Z\d_]+(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?)[ \t]*$(?=\s*(?:/[/*]|#[ \t]*(?:if|inc|def)|(?!return\b|else\b|if\b|for\b|while\b)(?:[a-z]\w*|[A-Z]\w*[a-z]\w*)(?:::|[<\s*&:])|[A-Z][A-Z\d_]*\([^()\n]*\)\s*\{))`,
    as: ""
  },
  {
    pattern: String.raw`(?<=[\w)][ \t]+)(?:[A-Z]+_)*(?:GUARDED_BY|LOCKS?_(?:REQUIRED|EXCLUDED)|ACQUIRED_(?:AFTER|BEFORE))[ \t]*\([^()\n]*\)(?=\s*[;{=])`,
    as: ""
  },
  { pattern: String.raw`\b__has_include[ \t]*\([^()\n]*\)`, as: "1" },
  { pattern: String.raw`(?<=(?:\breturn|=)[ \t]*)\btypename[ \t]`, as: "" },
  { pattern: String.raw`\b(?:[A-Z\d]+_){0,6}TRY(?=\s*\{)`, as: "try" },
  { pattern: String.raw`\b(?:[A-Z\d]+_){0,6}CATCH(?=[ \t]*\([^;{}]{0,200}\)\s*\{)`, as: "catch" },
  // public slots:
  { pattern: String.raw`(?<=^[ \t]*(?:public|protected|private)[ \t]+)(?:slots|Q_SLOTS)(?=[ \t]*:)`, as: "" },
  { pattern: String.raw`^[ \t]*(?:signals|Q_SIGNALS|[A-Z][A-Z\d]*_[A-Z\d_]+)[ \t]*:(?=[ \t]*$)`, as: "" },
  // TEST_CASE("name") {, TEST_CASE_METHOD(Fixture, "name" * skip()) {
  {
    pattern: String.raw`(?<=^[ \t]*[A-Z][A-Z\d_]+[ \t]*)\(\s*(?:[A-Za-z_][\w:<> ]*,\s*)?"(?:[^"\\\n]|\\.)*"(?:[^()"]|"(?:[^"\\\n]|\\.)*"|\([^()"\n]*\))*\)(?=\s*\{)`,
    as: "(__)"
  },
  // BOOST_AUTO_TEST_CASE(name, *disabled()) {
  {
    pattern: String.raw`(?<=^[ \t]*BOOST_\w*TEST\w*[ \t]*)\(\s*\w+\s*,(?:[^()\n]|\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))*\)(?=\s*\{)`,
    as: "(__)"
  },
  // API int name(, inside of classes too
  {
    pattern: String.raw`(?<=^[ \t]*(?:(?:static|inline|virtual|explicit|friend|constexpr|template[ \t]*<[^<>]*>)[ \t]+){0,4})(?:${macro})(?=[ \t]+(?:static|inline|virtual|explicit|friend|constexpr|auto|void|int|char|bool|float|double|unsigned|signed|long|short|const|struct|class|typename|template|~|operator)\b)`,
    as: ""
  },
  // API Name(int x) : x_(x) {}
  {
    pattern: String.raw`(?<=^[ \t]*(?:(?:explicit|constexpr|inline)[ \t]+)*)(?:${macro})(?=(?:[ \t]+explicit)?[ \t]+[A-Za-z_]\w*[ \t]*\([^;{}]{0,300}\)[^;{}()]{0,60}\s:\s*\w+\s*[({])`,
    as: ""
  },
  // name() const NOEXCEPT {
  {
    pattern: String.raw`(?<=\)[ \t]*(?:(?:const|noexcept|override|final)[ \t]*)*)[ \t]${macro}(?:[ \t]+${macro})*(?=\s*(?:\{|override\b|final\b|noexcept\b|const\b|->|:\s*\w+\s*[({]))`,
    as: ""
  }
]

export const cpp: LanguageRules = {
  name: "cpp",
  extensions: [
    ".cc",
    ".cpp",
    ".cxx",
    ".c++",
    ".hh",
    ".hpp",
    ".hxx",
    ".h++",
    ".h",
    ".ipp",
    ".tpp",
    ".inl",
    ".cu",
    ".cuh"
  ],
  grammar: "tree-sitter-cpp.wasm",
  fail: "__builtin_trap();",
  patches: [...own, ...patches],
  query: String.raw`${shared}
(raw_string_literal) @string
[(using_declaration) (namespace_alias_definition) (import_declaration) (module_declaration) (global_module_fragment_declaration) (private_module_fragment_declaration)] @import

(namespace_definition name: (_)? @name body: (_) @body) @group
[(class_specifier name: (_) @name body: (_) @body) (alias_declaration name: (_) @name) (concept_definition name: (_) @name)] @type
; class with a macro that is not known before its name
(function_definition type: [(class_specifier !body) (struct_specifier !body)] declarator: (identifier) @name body: (_)) @type
[(template_declaration) (friend_declaration) (linkage_specification body: (function_definition))] @wrapper
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(function_definition declarator: [(operator_cast) (qualified_identifier name: (operator_cast))] @name) @function
(field_declaration declarator: (function_declarator declarator: (_) @name)) @function
(field_declaration declarator: (_ declarator: (function_declarator declarator: (_) @name))) @function
(field_declaration declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
; void f() {};
(field_declaration declarator: (function_declarator) default_value: (initializer_list) @body @transparent) @function
(field_declaration declarator: (_ declarator: (function_declarator)) default_value: (initializer_list) @body @transparent) @function
(field_declaration declarator: (reference_declarator (function_declarator)) default_value: (initializer_list) @body @transparent) @function
(declaration declarator: (init_declarator declarator: (function_declarator declarator: (_) @name) value: (initializer_list) @body @transparent)) @function
(declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)) value: (initializer_list) @body @transparent)) @function
(declaration declarator: (init_declarator declarator: (reference_declarator (function_declarator declarator: (_) @name)) value: (initializer_list) @body @transparent)) @function
(declaration declarator: (init_declarator declarator: (identifier) @name value: (lambda_expression body: (_) @body) @function) @wrapper) @wrapper
; TEST(Suite, name) {}
(function_definition !type declarator: (function_declarator declarator: (identifier) @_f
  parameters: (parameter_list . (parameter_declaration type: (_) @scope !declarator) . (parameter_declaration type: (_) @name !declarator) .)) (#match? @_f "^[A-Z][A-Z\\d_]+$")) @function
(function_definition !type declarator: (function_declarator declarator: (identifier) @_f
  parameters: (parameter_list . (parameter_declaration type: (_) @name !declarator) .)) (#match? @_f "^[A-Z][A-Z\\d_]+$") (#not-eq? @name "__")) @function
; SECTION("name") {} within a test
((expression_statement (call_expression function: (identifier) @_f)) @nothing . (compound_statement)
  (#match? @_f "^(?:SECTION|DYNAMIC_SECTION|SUBCASE|SCENARIO|GIVEN|(?:AND_)?(?:WHEN|THEN)|AND_GIVEN)$") (#not-match? @nothing ";$"))

[(try_statement) (catch_clause)] @transparent
(catch_clause parameters: (_) @nothing)
(if_statement condition: (condition_clause) @nothing (#not-match? @nothing "\\w\\s*\\(|[^=!<>]=[^=]|\\+\\+|--"))
((co_return_statement) @nothing (#match? @nothing "^co_return\\b\\s*(?:nullptr|std::nullopt)?\\s*;$"))
((expression_statement (assignment_expression)) @nothing (#match? @nothing "^std::ignore\\s*=\\s*[\\w.>-]+;$"))
((declaration) @nothing (#match? @nothing "^(?:\\[\\[maybe_unused\\]\\]\\s*)?(?:const\\s+)?auto\\s*&*\\s*_\\w*\\s*=\\s*[\\w.]+;$"))
((expression_statement) @nothing (#match? @nothing "^(?:SUCCEED|GTEST_SKIP)\\(\\);$"))

(throw_statement (_)) @failure
(throw_statement (_) @_m (#unfinished? @_m)) @stub
((throw_statement) @stub (#match? @stub "^throw\\s+(?:new\\s+)?[\\w:]*(?:[nN]ot_?(?:[yY]et_?)?[iI]mpl|[uU]nimplemented|NOT_?IMPL)"))
(expression_statement (binary_expression) @_m (#match? @_m "^(?:std::|::)?w?(?:cout|cerr|clog)\\b|^(?:q(?:Debug|Warning|Critical|Info|Fatal)|\\w*LOG\\w*|FAIL|ADD_FAILURE|GTEST_SKIP|GTEST_FAIL|CHECK|DCHECK)\\(") (#unfinished? @_m)) @stub
(return_statement (call_expression function: (_) @_f) (#match? @_f "(?:[nN]ot_?(?:[yY]et_?)?[iI]mplemented|[uU]nimplemented)\\w*$")) @stub
(return_statement (call_expression function: (_) @_f arguments: (argument_list) @_m) (#match? @_f "(?:[eE]rr\\w*|unexpected|Status|make_exception_\\w+|Status::\\w+)$") (#unfinished? @_m)) @stub
((compound_statement (expression_statement (binary_expression) @_m) . (return_statement) @nothing)
  (#match? @_m "^(?:std::|::)?w?(?:cout|cerr|clog)\\b") (#unfinished? @_m) (#match? @nothing "^return\\b[\\s(]*(?:-?\\d\\w*|true|false|\"[^\"]*\"|\\{\\s*\\})[\\s)]*;$"))

; constructors that only initialise, or have nothing to do; destructors that have nothing to do
((function_definition (field_initializer_list) body: (_) @_b) @exempt (#not-match? @_b "\\b(?:throw|abort|assert)\\b"))
(field_declaration_list (function_definition !type declarator: (function_declarator declarator: (identifier) parameters: (parameter_list) @_p) body: (compound_statement) @_b) @exempt
  (#match? @_p "^\\(\\s*(?:void|(?:const\\s+)?[\\w:]+(?:<[^<>()]*>)?\\s*(?:const\\s*)?&{1,2})?\\s*\\)$") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:TODO|FIXME|XXX|throw|abort|assert)\\b"))
(template_declaration (function_definition !type declarator: (function_declarator declarator: (identifier) parameters: (parameter_list) @_p) body: (compound_statement) @_b) @exempt
  (#match? @_p "^\\(\\s*(?:void|(?:const\\s+)?[\\w:]+(?:<[^<>()]*>)?\\s*(?:const\\s*)?&{1,2})?\\s*\\)$") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:TODO|FIXME|XXX|throw|abort|assert)\\b"))
((function_definition !type declarator: (function_declarator declarator: (qualified_identifier)) @_d body: (compound_statement) @_b) @exempt
  (#match? @_d "(?:^|::)\\s*(\\w+)(?:<[^<>()]*>)?::\\s*\\1\\s*\\(\\s*(?:void)?\\s*\\)") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:TODO|FIXME|XXX|throw|abort|assert)\\b"))
((function_definition declarator: (function_declarator declarator: (_) @_d) body: (compound_statement) @_b) @exempt
  (#match? @_d "^(?:[\\w:<>,\\s*&]*::)?\\s*~\\s*\\w+$") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:throw|assert|return)\\b"))
; a block after a macro: CATCH(...) {}
(compound_statement (function_definition !type) @exempt)
`
}
