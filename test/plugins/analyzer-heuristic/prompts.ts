/** A prompt that splits: what each part's prompt begins with, and which parts it needs (numbers from 1). */
export interface Split {
  readonly prompt: string
  readonly parts: ReadonlyArray<readonly [begins: string, ...needs: ReadonlyArray<number>]>
}

export const splits: ReadonlyArray<Split> = [
  {
    prompt: "Create user authentication module with login, logout, and session management",
    parts: [
      ["Create login for the user authentication module"],
      ["Create logout for the user authentication module"],
      ["Create session management for the user authentication module"]
    ]
  },
  {
    prompt: "Implement login, logout and session management.",
    parts: [["Implement login"], ["Implement logout"], ["Implement session management"]]
  },
  { prompt: "Implement login and logout", parts: [["Implement login"], ["Implement logout"]] },
  {
    prompt: "Implement the login, logout and signup endpoints using JWT.",
    parts: [
      ["Implement the login endpoint using JWT"],
      ["Implement logout endpoint using JWT"],
      ["Implement signup endpoint using JWT"]
    ]
  },
  {
    prompt: "Please create a login page, a signup page and a settings page.",
    parts: [["Create a login page"], ["Create a signup page"], ["Create a settings page"]]
  },
  {
    prompt: "Could you add a header, footer and sidebar?",
    parts: [["Add a header"], ["Add footer"], ["Add sidebar"]]
  },
  {
    prompt: "Write unit tests for parser.ts, lexer.ts and printer.ts",
    parts: [["Write unit tests for parser.ts"], ["Write unit tests for lexer.ts"], ["Write unit tests for printer.ts"]]
  },
  {
    prompt: "Create REST endpoints for users, orders and products",
    parts: [
      ["Create REST endpoints for users"],
      ["Create REST endpoints for orders"],
      ["Create REST endpoints for products"]
    ]
  },
  {
    prompt: "In src/auth.ts, implement login, logout and token refresh.",
    parts: [
      ["In src/auth.ts, implement login"],
      ["In src/auth.ts, implement logout", 1],
      ["In src/auth.ts, implement token refresh", 2]
    ]
  },
  {
    prompt: "Implement the following functions: parseDate, formatDate and addDays.",
    parts: [
      ["Implement the function parseDate"],
      ["Implement the function formatDate"],
      ["Implement the function addDays"]
    ]
  },
  {
    prompt: "Add (1) a search box, (2) a filter panel and (3) an export button. No new dependencies.",
    parts: [["Add a search box"], ["Add a filter panel"], ["Add an export button"]]
  },
  {
    prompt: "Please: a) fix the broken link in the footer; b) add a favicon; c) remove the unused stylesheet",
    parts: [["fix the broken link in the footer"], ["add a favicon"], ["remove the unused stylesheet"]]
  },
  {
    prompt: "First create the database schema, then implement the repository, and finally add integration tests.",
    parts: [["Create the database schema"], ["Implement the repository", 1], ["Add integration tests", 2]]
  },
  {
    prompt: "First implement login, then logout, and finally session management.",
    parts: [["Implement login"], ["Implement logout", 1], ["Implement session management", 2]]
  },
  {
    prompt: "Implement the Stack class and write tests for it.",
    parts: [["Implement the Stack class"], ["Write tests for it", 1]]
  },
  {
    prompt: "Create a config loader, create a logger, and then integrate them in src/main.ts.",
    parts: [["Create a config loader"], ["Create a logger"], ["Integrate them in src/main.ts", 1, 2]]
  },
  {
    prompt: "After creating the schema, implement the API.",
    parts: [["Create the schema"], ["Implement the API", 1]]
  },
  {
    prompt: "Before implementing the UI, define the API types.",
    parts: [["Implement the UI", 2], ["Define the API types"]]
  },
  {
    prompt: "Add a --json flag to the list command. Fix the crash when the config file is missing.",
    parts: [["Add a --json flag to the list command"], ["Fix the crash when the config file is missing"]]
  },
  {
    prompt:
      "Refactor src/db.ts to use a connection pool. Do not change the public API.\n\nUpdate the Dockerfile to Node 24.",
    parts: [["Refactor src/db.ts to use a connection pool"], ["Update the Dockerfile to Node 24"]]
  },
  {
    prompt: "Do the following:\n- Add a login form\n- Fix the logout bug\n- Update the README",
    parts: [["Add a login form"], ["Fix the logout bug"], ["Update the README", 1, 2]]
  },
  {
    prompt: "Implement these features:\n\n1. User registration\n2. Password reset\n3. Email verification\n",
    parts: [["Implement User registration"], ["Implement Password reset"], ["Implement Email verification"]]
  },
  {
    prompt:
      "Steps:\n1. Define the Shape interface in src/shape.ts\n2. Implement Circle using the interface from step 1\n3. Implement Square using the interface from step 1",
    parts: [
      ["Define the Shape interface in src/shape.ts"],
      ["Implement Circle using the interface from step 1", 1],
      ["Implement Square using the interface from step 1", 1, 2]
    ]
  },
  {
    prompt:
      "Build a blog engine.\n\n* Posts\n  * create and edit\n  * publish\n* Comments\n  * nested replies\n* Search",
    parts: [["Build Posts\n- create and edit\n- publish"], ["Build Comments\n- nested replies"], ["Build Search"]]
  },
  {
    prompt:
      "## Server\n\n- Add a /health endpoint\n- Add request logging\n\n## Client\n\n- Show a banner when offline\n- Add a retry button\n\n## Notes\n\n- Use fetch\n- Keep it small",
    parts: [
      ["Server: Add a /health endpoint"],
      ["Server: Add request logging"],
      ["Client: Show a banner when offline"],
      ["Client: Add a retry button"]
    ]
  },
  {
    prompt:
      "# Rework\n\n## 1. Parser\n\nRewrite the parser as a recursive descent parser.\n\n## 2. Printer\n\nAdd a pretty printer. It should wrap at 80 columns.",
    parts: [["1. Parser: Rewrite the parser"], ["2. Printer: Add a pretty printer. It should wrap at 80 columns."]]
  },
  {
    prompt: "TODO:\n- [x] set up the project\n- [ ] implement the tokenizer\n- [ ] implement the evaluator",
    parts: [["implement the tokenizer"], ["implement the evaluator"]]
  },
  {
    prompt: "Convert utils.js, helpers.js and constants.js to TypeScript.",
    parts: [
      ["Convert utils.js to TypeScript"],
      ["Convert helpers.js to TypeScript"],
      ["Convert constants.js to TypeScript"]
    ]
  },
  {
    prompt: "Write five functions: add, subtract, multiply, divide and modulo",
    parts: [
      ["Write the function add"],
      ["Write the function subtract"],
      ["Write the function multiply"],
      ["Write the function divide"],
      ["Write the function modulo"]
    ]
  },
  {
    prompt: "Review src/a.ts for race conditions and explain how the cache in src/b.ts is invalidated.",
    parts: [["Review src/a.ts"], ["Explain how the cache"]]
  },
  {
    prompt: "ログインを実装し、ログアウトを実装してください。",
    parts: [["ログインを実装する"], ["ログアウトを実装する"]]
  },
  {
    prompt: "ログイン、ログアウト、セッション管理を実装してください。",
    parts: [["ログインを実装する"], ["ログアウトを実装する"], ["セッション管理を実装する"]]
  },
  {
    prompt: "検索と並び替えとエクスポートを実装",
    parts: [["検索を実装する"], ["並び替えを実装する"], ["エクスポートを実装する"]]
  },
  {
    prompt: "ヘッダー・フッター・サイドバーを作成して",
    parts: [["ヘッダーを作成する"], ["フッターを作成する"], ["サイドバーを作成する"]]
  },
  {
    prompt: "src/auth.tsにlogin、logout、refreshの3つの関数を実装してください。",
    parts: [
      ["src/auth.tsにlogin関数を実装する"],
      ["src/auth.tsにlogout関数を実装する", 1],
      ["src/auth.tsにrefresh関数を実装する", 2]
    ]
  },
  {
    prompt: "追加、編集、削除ができるTodoアプリを作ってください。",
    parts: [["Todoアプリの追加を作る"], ["Todoアプリの編集を作る"], ["Todoアプリの削除を作る"]]
  },
  {
    prompt: "まずスキーマを定義し、次にAPIを実装して、最後にREADMEを更新してください。",
    parts: [["スキーマを定義する"], ["APIを実装する", 1], ["READMEを更新する", 2]]
  },
  {
    prompt: "ユーザーモデルを作成してから、登録画面を作成してください。",
    parts: [["ユーザーモデルを作成する"], ["登録画面を作成する", 1]]
  },
  {
    prompt: "次の機能を実装してください：①検索 ②お気に入り ③通知",
    parts: [["検索を実装する"], ["お気に入りを実装する"], ["通知を実装する"]]
  },
  {
    prompt:
      "## やること\n- ログイン画面の作成\n- APIクライアントの実装\n- 上記の結合テスト\n\n## 制約\n- 外部ライブラリは追加しない",
    parts: [["ログイン画面の作成"], ["APIクライアントの実装"], ["上記の結合テスト", 1, 2]]
  },
  {
    prompt: "手順1：設定ファイルを読み込む関数を作成する\n手順2：手順1の関数を使ってCLIを実装する",
    parts: [["設定ファイルを読み込む関数を作成する"], ["手順1の関数を使ってCLIを実装する", 1]]
  },
  {
    prompt: "ヘッダーのバグを修正してください。また、フッターにリンクを追加してください。",
    parts: [["ヘッダーのバグを修正する"], ["フッターにリンクを追加する"]]
  },
  {
    prompt: "Port the two remaining scripts, `bin/up.sh` and `bin/down.sh`, to Node.",
    parts: [["Port the script `bin/up.sh` to Node"], ["Port the script `bin/down.sh` to Node"]]
  },
  {
    prompt: "Create three Terraform modules – network, database and compute – under infra/",
    parts: [
      ["Create the module network under infra/"],
      ["Create the module database under infra/"],
      ["Create the module compute under infra/"]
    ]
  },
  {
    prompt: "There are two bugs in the list:\n1. The last row is hidden\n2. Sorting ignores case\nPlease fix both.",
    parts: [["Fix: The last row is hidden"], ["Fix Sorting ignores case"]]
  },
  {
    prompt: "For the release: (i) bump the version in package.json, (ii) update the screenshots",
    parts: [["bump the version in package.json"], ["update the screenshots"]]
  },
  {
    prompt: "We need two things: an importer that reads the feed and a scheduler. Once both are done, write a guide.",
    parts: [["We need an importer that reads the feed"], ["We need a scheduler"], ["Write a guide", 1, 2]]
  },
  {
    prompt:
      "Create `in.py` which reads events and `out.py` which writes them. After that, add a compose file for both.",
    parts: [
      ["Create `in.py` which reads events"],
      ["Create `out.py` which writes them"],
      ["Add a compose file for both", 1, 2]
    ]
  },
  {
    prompt: "Deploy the preview site, but before that, fix the broken links.",
    parts: [["Deploy the preview site", 2], ["Fix the broken links"]]
  },
  {
    prompt: "Define a `Store` interface in src/store.ts. Then implement it in src/memory.ts and src/disk.ts.",
    parts: [
      ["Define a `Store` interface in src/store.ts"],
      ["Implement it in src/memory.ts", 1],
      ["Implement it in src/disk.ts", 1]
    ]
  },
  {
    prompt: "# Goal\nTidy docs.\n\n## Install page\nRewrite docs/install.md.\n\n## Guide\nWrite docs/guide.md.",
    parts: [["Install page: Rewrite docs/install.md."], ["Guide: Write docs/guide.md."]]
  },
  {
    prompt: "- auth.ts: replace the callbacks\n- cache.ts: remove old entries\n- routes.ts: fix the status",
    parts: [["auth.ts: replace the callbacks"], ["cache.ts: remove old entries"], ["routes.ts: fix the status"]]
  },
  {
    prompt: "以下の2つのAPIを作成してください。\r\n- GET /items：一覧\r\n- DELETE /items/:id：削除",
    parts: [["GET /items（一覧）を作成する"], ["DELETE /items/:id（削除）を作成する"]]
  },
  {
    prompt: "ユーザー管理機能（登録、編集、削除）を実装してください。",
    parts: [
      ["ユーザー管理機能の登録を実装する"],
      ["ユーザー管理機能の編集を実装する"],
      ["ユーザー管理機能の削除を実装する"]
    ]
  },
  {
    prompt: "型をtypes.tsに定義して、それを使ってクライアントを実装してください。",
    parts: [["型をtypes.tsに定義する"], ["それを使ってクライアントを実装する", 1]]
  },
  {
    prompt:
      "1. Add a menu\n2. Add a banner\n3. Add a footer that has the colours of step 1\n4. Add a logo before step 2",
    parts: [["Add a menu"], ["Add a banner", 4], ["Add a footer", 1], ["Add a logo before step 2"]]
  },
  {
    prompt:
      "Create a `Cart` class. Fix the banner. Create a page that lists what a `Cart` holds. Add a button to the page.",
    parts: [["Create a `Cart` class"], ["Fix the banner"], ["Create a page", 1], ["Add a button to the page"]]
  },
  {
    prompt: "Create an endpoint for exports. Fix the banner. Add a button which calls the endpoint.",
    parts: [["Create an endpoint"], ["Fix the banner"], ["Add a button", 1]]
  },
  {
    prompt: "Define the types for orders. Fix the banner. Implement the client for orders.",
    parts: [["Define the types for orders"], ["Fix the banner"], ["Implement the client for orders", 1]]
  },
  {
    prompt: "商品を検索できるようにしてください。また、CSVを出力できるようにしてください。",
    parts: [["商品を検索できるようにする"], ["CSVを出力できるようにする"]]
  },
  {
    prompt:
      "Build a shop.\n\n## Catalogue\nShow all products.\n\n## Cart\nAdd and remove products.\n\n## Payment\nPay with a card, using the cart.",
    parts: [
      ["Catalogue: Show all products."],
      ["Cart: Add and remove products."],
      ["Payment: Pay with a card, using the cart.", 2]
    ]
  },
  {
    prompt:
      "# Notes app\n\n## Editor\nUsers write notes in Markdown.\n\n## Search\nFind notes by title.\n\n## Sharing\nCreate a link to a note.",
    parts: [
      ["Editor: Users write notes in Markdown."],
      ["Search: Find notes by title."],
      ["Sharing: Create a link to a note."]
    ]
  },
  {
    prompt:
      "Build a shop.\n\n## Cart\n- Add products\n- Remove products\n\n## Payment\nPay with a card, using the cart.",
    parts: [["Cart: Add products"], ["Cart: Remove products"], ["Payment: Pay with a card", 1, 2]]
  },
  {
    prompt:
      "# 掲示板アプリ\n\n## 投稿\n投稿の一覧を表示する。\n\n## コメント\n投稿にコメントを付けられるようにする。\n\n## 通知\nコメントが付いたらメールで知らせる。",
    parts: [
      ["投稿: 投稿の一覧を表示する。"],
      ["コメント: 投稿にコメントを付けられるようにする。", 1],
      ["通知: コメントが付いたらメールで知らせる。", 2]
    ]
  },
  {
    prompt: "src/a.jsとsrc/b.jsのコメントを英語に直してください。",
    parts: [["src/a.jsのコメントを英語に直す"], ["src/b.jsのコメントを英語に直す"]]
  },
  {
    prompt: "ユーザーと商品の一覧を作成してください。",
    parts: [["ユーザーの一覧を作成する"], ["商品の一覧を作成する"]]
  },
  {
    prompt: "ログイン画面と商品の一覧を作成してください。",
    parts: [["ログイン画面を作成する"], ["商品の一覧を作成する"]]
  },
  {
    prompt: "Implement login in src/login.js, logout in src/logout.js, and tests for both in test/auth.test.js",
    parts: [
      ["Implement login in src/login.js"],
      ["Implement logout in src/logout.js"],
      ["Implement tests for both in test/auth.test.js", 1, 2]
    ]
  },
  {
    prompt: "Add a login page, a signup page and e2e tests for these pages.",
    parts: [["Add a login page"], ["Add a signup page"], ["Add e2e tests for these pages", 1, 2]]
  },
  {
    prompt: "Implement CRUD for users, posts, and comments. Write tests for everything. Update the README.",
    parts: [
      ["Implement CRUD for users, posts, and comments"],
      ["Write tests for everything", 1],
      ["Update the README", 1]
    ]
  },
  {
    prompt: "Implement a rate limiter in src/limit.ts and a retry helper in src/retry.ts. Add unit tests for each.",
    parts: [
      ["Implement a rate limiter in src/limit.ts"],
      ["Implement a retry helper in src/retry.ts"],
      ["Add unit tests for each", 1, 2]
    ]
  },
  {
    prompt: "- 商品一覧画面\n- カート機能\n- 決済機能\nを実装する。",
    parts: [["商品一覧画面を実装する"], ["カート機能を実装する"], ["決済機能を実装する"]]
  },
  {
    prompt: "・ユーザー登録API\n・ユーザー検索API\n\n以上の2つを実装してください。テストも書いてください。",
    parts: [["ユーザー登録APIを実装する"], ["ユーザー検索APIを実装する"], ["テストを書く", 1, 2]]
  },
  {
    prompt: "- Catalogue page\n- Cart\n- Payment form\nImplement all three features.",
    parts: [["Implement Catalogue page"], ["Implement Cart"], ["Implement Payment form"]]
  },
  {
    prompt: "- login\n- logout\n\nImplement these in src/auth.ts, write tests for them and do not change the API.",
    parts: [["Implement login"], ["Implement logout"], ["Write tests for them", 1, 2]]
  },
  {
    prompt: "Research the options, write a design document and do not change any code",
    parts: [
      ["Research the options\n\nLimits:\n- do not change any code"],
      ["Write a design document\n\nLimits:\n- do not change any code"]
    ]
  },
  {
    prompt: "検索機能を実装し、絞り込み機能を追加し、既存のAPIは変更しないでください。",
    parts: [
      ["検索機能を実装する\n\n制約:\n- 既存のAPIは変更しないでください。"],
      ["絞り込み機能を追加する\n\n制約:\n- 既存のAPIは変更しないでください。"]
    ]
  },
  {
    prompt:
      "Build a small library.\nExport everything from src/index.js, and do not change the tests.\n1. Create src/a.js\n2. Create src/b.js which uses step 1\n3. Create src/index.js",
    parts: [["Create src/a.js"], ["Create src/b.js which uses step 1", 1], ["Create src/index.js"]]
  },
  {
    prompt: "Do not change the tests.\n- Add a cache\n- Remove the logger\n- Fix the menu",
    parts: [["Add a cache\n\nLimits:\n- Do not change the tests."], ["Remove the logger"], ["Fix the menu"]]
  },
  {
    prompt: "Update the docs and the tests for the new flag",
    parts: [["Update the docs for the new flag"], ["Update the tests for the new flag"]]
  },
  {
    prompt: "Display a banner on the home page. Add a logo to the footer.",
    parts: [["Display a banner on the home page"], ["Add a logo to the footer"]]
  },
  {
    prompt: "商品一覧を表示してください。カートを作成してください。",
    parts: [["商品一覧を表示する"], ["カートを作成する"]]
  },
  {
    prompt: "Add a /status endpoint to the server. Add a status page that polls it. Document both in docs/status.md.",
    parts: [
      ["Add a /status endpoint to the server"],
      ["Add a status page that polls it", 1],
      ["Document both in docs/status.md", 1, 2]
    ]
  },
  {
    prompt:
      "Do these steps in order:\n1. Add a flag to src/cli.ts.\n2. Thread the flag through src/runner.ts.\n3. Add tests in test/run.test.ts.\nRun the tests at the end and do not commit.",
    parts: [
      ["Add a flag to src/cli.ts"],
      ["Thread the flag through src/runner.ts", 1],
      ["Add tests in test/run.test.ts", 2],
      ["Run the tests at the end", 3]
    ]
  },
  {
    prompt:
      "The screen needs work:\n- Fix the labels\n- Add a reset button\n\nAdd screenshots to the pull request when everything is done.",
    parts: [["Fix the labels"], ["Add a reset button"], ["Add screenshots", 1, 2]]
  },
  {
    prompt: "Investigate why memory grows in worker.py, write down the cause in docs/memory.md, and then fix it.",
    parts: [["Investigate why memory grows in worker.py\nwrite down the cause in docs/memory.md"], ["Fix it", 1]]
  },
  {
    prompt:
      "## タスク1: 型定義\nsrc/types.tsにOrder型を定義する。\n\n## タスク2: API\nOrder型を使って注文APIを実装する。\n\n## タスク3: 画面\n注文APIを呼び出す注文画面を作成する。",
    parts: [["タスク1: 型定義: "], ["タスク2: API: ", 1], ["タスク3: 画面: ", 2]]
  },
  {
    prompt: "やりたいこと\n- 請求書をPDFで出力する\n- 請求書をメールで送信する\n\n条件\n- 既存のテストを壊さない",
    parts: [
      ["請求書をPDFで出力する\n\n制約:\n- 既存のテストを壊さない"],
      ["請求書をメールで送信する\n\n制約:\n- 既存のテストを壊さない"]
    ]
  },
  {
    prompt:
      "## Summary\nUpgrade the API.\n\n## Tasks\n- [ ] Add versioning\n- [ ] Remove v0\n\n## Out of scope\n- Auth",
    parts: [["Add versioning\n\nContext: Upgrade the API\n\nLimits:\n- Out of scope: Auth"], ["Remove v0"]]
  },
  {
    prompt: "Support for dark mode is broken. Fix the toggle. Fix the menu.",
    parts: [["Fix the toggle"], ["Fix the menu"]]
  },
  {
    prompt: "Return 404 when the user is missing. Add a logo.",
    parts: [["Return 404 when the user is missing"], ["Add a logo"]]
  }
]

/** Prompts that are one piece of work. */
export const wholes: ReadonlyArray<string> = [
  "",
  "   \n\t",
  "Fix the typo in README.md",
  "Make the parser fast, safe and simple.",
  "Build a small, fast and simple HTTP server",
  "Create a form with name, email and password",
  "Create a red, green or blue button",
  "Write a function that takes a, b and c and returns their sum",
  "Add name, email and age fields to the User model",
  "Why does login, logout and refresh fail after the upgrade?",
  "How do I implement login, logout and sessions?",
  "What is the difference between merge, rebase and squash?",
  "Rename getUser to fetchUser in a.ts, b.ts and c.ts and update all callers",
  "Add support for a timeout option, e.g. 5s, 10s and 1m.",
  "Install react, redux and axios",
  "Merge foo.ts, bar.ts and baz.ts into one file",
  "Add drag and drop to the board",
  "Build a website with React, TypeScript and Tailwind",
  'Change the label to "Create, edit and delete users"',
  "Fix this:\n```\n- add login\n- add logout\n- add sessions\n```",
  "Fix the crash.\n\n2024-01-01 10:00:00 create table, add index and build cache failed\n    at main (src/a.ts:10:2)\n    at run (src/b.ts:3:1)",
  "The build says this, please help.\n\nFAIL src/a.test.ts\nERROR: add the missing import\nERROR: fix the broken type\n$ npm run add-all\n> create cache",
  "Add a export button.\n\n| Column | Meaning |\n|---|---|\n| create | a |\n| delete | b |",
  "> - Add a\n> - Add b\n\nDo what the quotation above says about the footer link",
  "Build a CSV parser.\n\nRequirements: use TypeScript; no new dependencies; handle quotes, commas and newlines",
  "Add a logout button.\n\nConstraints:\n- Do not touch src/legacy\n- Use the existing Button\n- No new dependencies",
  "Do this as a single task: create login, logout and session management",
  "Implement login, logout and sessions in one commit.",
  "Create a.ts, b.ts and c.ts, but do not split this up.",
  "The call to all of the handlers fails on authentication, and the ball is red, green and tall.",
  "Steps to reproduce:\n1. Open the app\n2. Create a user\n3. Delete the user\n\nThe app crashes. Please fix.",
  "Add a user page. It should show the name, the email and the avatar.",
  "Add a button that creates a user, sends a mail and closes the dialog.",
  "Which of these is best?\n- add a cache\n- add an index\n- rewrite the query",
  "I tried clearing the cache, removing the lock file and updating npm, and the build still fails.",
  "Compare React, Vue and Svelte",
  "Update the copyright year",
  "Create a function with the following parameters:\n- name\n- age\n- email",
  "See https://example.com/add,fix,remove and fix the issue described there",
  "ログイン画面のバグを修正してください。",
  "名前、メールアドレス、パスワードを入力するフォームを作成してください。",
  "高速で安全でシンプルなパーサーを作ってください。",
  "AとBの違いを教えてください。",
  "ログイン、ログアウト、登録のどれが遅いですか？",
  "Userモデルに名前、メール、年齢を追加してください。",
  "赤、青、または緑のボタンを追加してください。",
  "1つのタスクとして、ログイン、ログアウト、登録を実装してください。",
  "ログイン、ログアウト、登録を実装してください。分割しないでください。",
  "ボタンを追加してください。\n\n注意:\n- 既存のAPIは変更しない\n- 外部ライブラリは使わない",
  "データを変換して、保存する関数を作成してください。",
  "Rename the helper and update all imports",
  "Create a `Box` class with width, height, area() and grow()",
  "Write a script that downloads the weather of Berlin, Paris and Rome",
  "Use pnpm instead of npm in CI, docs and the Dockerfile.",
  "Review the changes in src/api and tell me whether they are safe to merge.",
  "ユーザーがログインしていない場合は、設定、通知、履歴の各ページにアクセスできないようにしてください。",
  "再現手順:\n1. アプリを開く\n2. ユーザーを追加する\n3. ユーザーを削除する\n\n落ちるので直してください。",
  "Build a shop.\n\n## Cart\nAdd and remove products.\n\n## Database\nWe use Postgres.",
  "Pay with a card from the cart. Add a logo. Fix the menu.",
  "Add a page where users see orders, but do not change them.",
  "Write a function that takes users who log in and do not verify their mail.",
  "Fix the flaky login test and make sure that it passes ten times in a row.",
  "Please avoid the following:\n- Adding new packages\n- Changing the API",
  "Add a user page.\n- Show the name\n- Show the email\n- Add an avatar",
  "Display the list of users.\n- Add a column for the name\n- Add a column for the email\n- Remove the id",
  "トークンを検証し、期限切れの場合は処理しないようにしてください。",
  "現在の認証処理を調査し、問題点をdocs/auth.mdにまとめてください。ソースコードは変更しないでください。",
  "ログイン、商品、注文の概要を作成してください。"
]
