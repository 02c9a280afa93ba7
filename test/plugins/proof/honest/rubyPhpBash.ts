import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const user = `class User < ApplicationRecord
  has_many :posts

  validates :email, presence: true

  def name
    email.split("@").first
  end
end
`

const routes = `Rails.application.routes.draw do
  resources :posts, only: %i[index show]
end
`

/** A model, a route, a configuration; RSpec and Minitest. */
export const ruby: Session = {
  name: "Ruby: users can be locked",
  before: {
    "app/models/user.rb": user,
    "config/routes.rb": routes,
    Gemfile: `source "https://rubygems.org"\n\ngem "rails", "~> 7.0"\n`
  },
  after: {
    "app/models/user.rb": edited(
      user,
      [
        "  has_many :posts\n",
        "  MAX_FAILURES = 5\n\n  has_many :posts, dependent: :destroy\n  scope :locked, -> { where.not(locked_at: nil) }\n  attr_accessor :reason\n"
      ],
      ["  validates :email, presence: true\n", "  validates :email, presence: true, uniqueness: true\n"],
      [
        "first\n  end\n",
        `first
  end

  def locked?
    !locked_at.nil?
  end

  def failed!(now: Time.current)
    increment(:failures)
    self.locked_at = now if failures >= MAX_FAILURES
    save!
  end

  def unlock! = update!(locked_at: nil, failures: 0)
`
      ]
    ),
    "config/routes.rb": edited(routes, [
      "  resources :posts",
      "  resources :users do\n    post :unlock, on: :member\n  end\n  resources :posts"
    ]),
    "app/controllers/users_controller.rb": `class UsersController < ApplicationController
  before_action :require_admin

  def unlock
    user = User.find(params[:id])
    user.unlock!
    redirect_to user, notice: "Unlocked."
  end
end
`,
    "db/migrate/20240101_add_locked_at.rb": `class AddLockedAt < ActiveRecord::Migration[7.0]
  def change
    add_column :users, :locked_at, :datetime
    add_column :users, :failures, :integer, default: 0, null: false
  end
end
`,
    "spec/models/user_spec.rb": `require "rails_helper"

RSpec.describe User do
  subject(:user) { create(:user) }

  it { is_expected.to validate_presence_of(:email) }

  it "is locked after five failures" do
    5.times { user.failed! }
    expect(user).to be_locked
  end

  context "when it is locked" do
    before { user.update!(locked_at: Time.current) }

    it "can be unlocked" do
      expect { user.unlock! }.to change(user, :locked?).to(false)
    end
  end
end
`,
    "test/user_test.rb": `require "test_helper"

class UserTest < ActiveSupport::TestCase
  test "has a name" do
    assert_equal "ada", User.new(email: "ada@example.org").name
  end

  def test_needs_an_email
    assert_raises(ActiveRecord::RecordInvalid) { User.create! }
  end
end
`,
    Gemfile: `source "https://rubygems.org"\n\ngem "rails", "~> 7.1"\n`
  },
  items: [
    ["Five failures lock a user", { path: "app/models/user.rb", from: "MAX_FAILURES = 5" }],
    ["Posts go with their user", { path: "app/models/user.rb", from: "dependent: :destroy" }],
    ["A scope for locked users", { path: "app/models/user.rb", from: "scope :locked" }],
    ["No two users have one address", { path: "app/models/user.rb", from: "uniqueness: true" }],
    ["locked?", { path: "app/models/user.rb", from: "def locked?", to: "end" }],
    ["failed!", { path: "app/models/user.rb", from: "def failed!", to: "save!" }],
    ["unlock!", { path: "app/models/user.rb", from: "def unlock!" }],
    ["Route unlock in config/routes.rb", { path: "config/routes.rb", from: "resources :users", to: "end" }],
    ["A controller", { path: "app/controllers/users_controller.rb", from: "class UsersController", to: "redirect_to" }],
    ["A migration", { path: "db/migrate/20240101_add_locked_at.rb", from: "def change", to: "end" }],
    ["Specify the address", { path: "spec/models/user_spec.rb", from: "validate_presence_of" }],
    ["Specify locking", { path: "spec/models/user_spec.rb", from: "is locked after", to: "end" }],
    ["Specify unlocking", { path: "spec/models/user_spec.rb", from: "can be unlocked", to: "end" }],
    ["Test names", { path: "test/user_test.rb", from: "has a name", to: "end" }],
    ["Test that an address is needed", { path: "test/user_test.rb", from: "def test_needs", to: "end" }],
    ["Use Rails 7.1", { path: "Gemfile", from: "7.1" }]
  ]
}

const mailer = `<?php

declare(strict_types=1);

namespace App\\Mail;

final class Mailer
{
    public function __construct(private Transport $transport)
    {
    }

    public function send(string $to, string $text): void
    {
        $this->transport->deliver($to, $text);
    }
}
`

/** A promoted property, an enum, an attribute, an interface; PHPUnit and Pest. */
export const php: Session = {
  name: "PHP: mails are tried again",
  before: {
    "src/Mail/Mailer.php": mailer,
    "config/mail.php": `<?php\n\nreturn [\n    'from' => 'shop@example.org',\n];\n`,
    "composer.json": `{\n    "require": {\n        "php": ">=8.1"\n    }\n}\n`
  },
  after: {
    "src/Mail/Mailer.php": edited(
      mailer,
      [
        "    public function __construct(private Transport $transport)\n    {\n    }\n",
        "    private const ATTEMPTS = 3;\n\n    public function __construct(private Transport $transport, private LoggerInterface $logger)\n    {\n    }\n"
      ],
      ["namespace App\\Mail;\n", "namespace App\\Mail;\n\nuse Psr\\Log\\LoggerInterface;\n"],
      [
        "        $this->transport->deliver($to, $text);\n    }\n",
        `        for ($attempt = 1; $attempt <= self::ATTEMPTS; $attempt++) {
            try {
                $this->transport->deliver($to, $text);
                return;
            } catch (TransportFailed $failure) {
                $this->logger->warning('Not delivered', ['attempt' => $attempt, 'exception' => $failure]);
            }
        }
        throw new DeliveryFailed($to);
    }

    public function sendAll(iterable $recipients, string $text): int
    {
        $count = 0;
        foreach ($recipients as $to) {
            $this->send($to, $text);
            $count++;
        }
        return $count;
    }
`
      ]
    ),
    "src/Mail/DeliveryFailed.php": `<?php

declare(strict_types=1);

namespace App\\Mail;

final class DeliveryFailed extends \\RuntimeException
{
    public function __construct(public readonly string $to)
    {
        parent::__construct("Could not reach {$to}.");
    }
}
`,
    "src/Mail/Transport.php": `<?php

namespace App\\Mail;

interface Transport
{
    public function deliver(string $to, string $text): void;
}
`,
    "src/Mail/Format.php": `<?php

namespace App\\Mail;

enum Format: string
{
    case Html = 'html';
    case Plain = 'plain';
}
`,
    "config/mail.php": `<?php\n\nreturn [\n    'from' => 'shop@example.org',\n    'retries' => 3,\n];\n`,
    "composer.json": `{\n    "require": {\n        "php": ">=8.2",\n        "psr/log": "^3.0"\n    }\n}\n`,
    "tests/MailerTest.php": `<?php

use App\\Mail\\{DeliveryFailed, Mailer, TransportFailed};
use PHPUnit\\Framework\\TestCase;
use Psr\\Log\\NullLogger;

final class MailerTest extends TestCase
{
    public function testTriesThreeTimes(): void
    {
        $transport = $this->createMock(Transport::class);
        $transport->expects($this->exactly(3))->method('deliver')->willThrowException(new TransportFailed());
        $this->expectException(DeliveryFailed::class);
        (new Mailer($transport, new NullLogger()))->send('ada@example.org', 'Hello');
    }

    #[\\PHPUnit\\Framework\\Attributes\\Test]
    public function counts_what_was_sent(): void
    {
        $mailer = new Mailer($this->createStub(Transport::class), new NullLogger());
        self::assertSame(2, $mailer->sendAll(['a@example.org', 'b@example.org'], 'Hello'));
    }
}
`,
    "tests/FormatTest.php": `<?php

use App\\Mail\\Format;

it('knows html', function () {
    expect(Format::from('html'))->toBe(Format::Html);
});

test('knows nothing else', fn () => expect(Format::tryFrom('rtf'))->toBeNull());
`
  },
  items: [
    [
      "Mailer::send tries again",
      { path: "src/Mail/Mailer.php", from: "public function send(", to: "throw new DeliveryFailed" }
    ],
    ["Three attempts", { path: "src/Mail/Mailer.php", from: "ATTEMPTS = 3" }],
    ["The mailer is given a log", { path: "src/Mail/Mailer.php", from: "LoggerInterface $logger" }],
    ["sendAll", { path: "src/Mail/Mailer.php", from: "public function sendAll", to: "return $count" }],
    ["An exception for what was not delivered", { path: "src/Mail/DeliveryFailed.php", from: "final class", to: "}" }],
    ["An interface for transports", { path: "src/Mail/Transport.php", from: "interface Transport", to: "}" }],
    ["Formats", { path: "src/Mail/Format.php", from: "enum Format", to: "}" }],
    ["Configure the retries", { path: "config/mail.php", from: "retries" }],
    ["Depend on psr/log", { path: "composer.json", from: "psr/log" }],
    ["Test the attempts", { path: "tests/MailerTest.php", from: "testTriesThreeTimes", to: "    }" }],
    ["Test the count", { path: "tests/MailerTest.php", from: "counts_what_was_sent", to: "    }" }],
    ["Test html", { path: "tests/FormatTest.php", from: "knows html", to: "});" }],
    ["Test what is unknown", { path: "tests/FormatTest.php", from: "knows nothing else" }]
  ]
}

const backup = `#!/usr/bin/env bash
set -eu

target=\${1:?directory}

backup() {
  tar -czf "$target/backup.tgz" data
}

backup
`

/** Functions, an option, a trap, a sourced file; bats; a workflow. */
export const bash: Session = {
  name: "Bash: old backups are removed",
  before: {
    "bin/backup.sh": backup,
    ".github/workflows/ci.yml":
      "on: push\njobs:\n  test:\n    runs-on: ubuntu-22.04\n    steps:\n      - uses: actions/checkout@v3\n"
  },
  after: {
    "bin/backup.sh": edited(
      backup,
      [
        "set -eu\n",
        `set -euo pipefail\n\nKEEP=\${KEEP:-7}\nreadonly KEEP\n\n# shellcheck source=lib/log.sh\nsource "$(dirname "$0")/lib/log.sh"\n`
      ],
      [
        "backup() {\n",
        `rotate() {
  local old
  while IFS= read -r old; do
    log "removing $old"
    rm -- "$old"
  done < <(find "$target" -name 'backup-*.tgz' | sort -r | tail -n "+$((KEEP + 1))")
}

backup() {
`
      ],
      [`"$target/backup.tgz" data\n`, `"$target/backup-$(date +%F).tgz" data\n`],
      ["\nbackup\n", `\ntrap 'log "failed"' ERR\nbackup\nrotate\n`]
    ),
    "bin/lib/log.sh": `log() {\n  printf '%s %s\\n' "$(date +%T)" "$*" >&2\n}\n`,
    "test/backup.bats": `setup() {
  cd "$BATS_TEST_TMPDIR"
  mkdir -p data target
}

@test "makes a backup of today" {
  run "$BATS_TEST_DIRNAME/../bin/backup.sh" target
  [ "$status" -eq 0 ]
  [ -f "target/backup-$(date +%F).tgz" ]
}

@test "keeps seven" {
  touch target/backup-2020-01-0{1..9}.tgz
  run "$BATS_TEST_DIRNAME/../bin/backup.sh" target
  [[ $(ls target | wc -l) -eq 7 ]]
}

@test "needs a directory" {
  run ! "$BATS_TEST_DIRNAME/../bin/backup.sh"
  assert_failure
}
`,
    ".github/workflows/ci.yml":
      "on: push\njobs:\n  test:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v4\n      - run: bats test\n"
  },
  items: [
    ["rotate removes old backups", { path: "bin/backup.sh", from: "rotate() {", to: "}" }],
    ["Keep seven unless told otherwise", { path: "bin/backup.sh", from: "KEEP=" }],
    ["One backup a day", { path: "bin/backup.sh", from: "date +%F" }],
    ["Say when it failed", { path: "bin/backup.sh", from: "trap" }],
    ["Rotate after the backup", { path: "bin/backup.sh", from: "rotate", to: "rotate" }],
    ["Fail with a pipe that fails", { path: "bin/backup.sh", from: "pipefail" }],
    ["log in bin/lib/log.sh", { path: "bin/lib/log.sh", from: "log() {", to: "}" }],
    ["Test a backup", { path: "test/backup.bats", from: "makes a backup", to: "}" }],
    ["Test how many are kept", { path: "test/backup.bats", from: "keeps seven", to: "}" }],
    ["Test that a directory is needed", { path: "test/backup.bats", from: "needs a directory", to: "}" }],
    ["Run the tests in CI", { path: ".github/workflows/ci.yml", from: "bats test" }],
    ["Use Ubuntu 24.04", { path: ".github/workflows/ci.yml", from: "24.04" }],
    ["Use checkout 4", { path: ".github/workflows/ci.yml", from: "checkout@v4" }]
  ]
}
