import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const models = `from dataclasses import dataclass
from enum import Enum


class Status(Enum):
    OPEN = "open"
    PAID = "paid"


@dataclass
class Invoice:
    number: str
    cents: int
    status: Status = Status.OPEN

    def pay(self, cents: int) -> None:
        if cents < self.cents:
            raise ValueError("not enough")
        self.status = Status.PAID
`

const api = `from fastapi import FastAPI

from billing.models import Invoice
from billing.store import find, save

app = FastAPI()


@app.get("/invoices/{number}")
def show(number: str) -> Invoice:
    return find(number)
`

const tests = `import pytest

from billing.models import Invoice, Status


def test_paying_closes_it():
    invoice = Invoice("1", 100)
    invoice.pay(100)
    assert invoice.status is Status.PAID
`

const toml = `[project]
name = "billing"
version = "0.3.0"
dependencies = ["fastapi>=0.110"]
`

/** Methods, an enum member, a decorator, a route, wiring, tests in four idioms, a package of re-exports, an empty marker file. */
export const python: Session = {
  name: "Python: invoices can be overdue",
  before: {
    "billing/models.py": models,
    "billing/api.py": api,
    "billing/__init__.py": "",
    "tests/test_models.py": tests,
    "pyproject.toml": toml,
    "migrations/0001.sql": "create table invoice (\n  number text primary key,\n  cents integer not null\n);\n"
  },
  after: {
    "billing/models.py": edited(
      models,
      [
        "from dataclasses import dataclass\n",
        "from dataclasses import dataclass, field\nfrom datetime import date, timedelta\n"
      ],
      [`    PAID = "paid"\n`, `    PAID = "paid"\n    OVERDUE = "overdue"\n\n\nPAYMENT_DAYS = 14\n`],
      ["@dataclass\n", "@dataclass(slots=True)\n"],
      [
        "    status: Status = Status.OPEN\n",
        "    status: Status = Status.OPEN\n    issued: date = field(default_factory=date.today)\n"
      ],
      [
        "        self.status = Status.PAID\n",
        `        self.status = Status.PAID

    @property
    def due(self) -> date:
        """The last day on which it can be paid."""
        return self.issued + timedelta(days=PAYMENT_DAYS)

    def remind(self, today: date) -> bool:
        if self.status is not Status.OPEN or today <= self.due:
            return False
        self.status = Status.OVERDUE
        return True
`
      ]
    ),
    "billing/api.py": edited(
      api,
      ["from fastapi import FastAPI\n", "from fastapi import FastAPI, HTTPException\n"],
      [
        "    return find(number)\n",
        `    if (invoice := find(number)) is None:
        raise HTTPException(404)
    return invoice


@app.post("/reminders")
def remind_all() -> dict[str, int]:
    overdue = [invoice for invoice in all_open() if invoice.remind(date.today())]
    for invoice in overdue:
        save(invoice)
    return {"reminded": len(overdue)}
`
      ],
      ["from billing.store import find, save\n", "from billing.store import all_open, find, save\n"]
    ),
    "billing/__init__.py": `from billing.models import Invoice, Status\nfrom billing.store import find\n\n__all__ = ["Invoice", "Status", "find"]\n`,
    "billing/py.typed": "",
    "tests/test_models.py": edited(
      tests,
      ["from billing.models", "from datetime import date, timedelta\n\nfrom billing.models"],
      [
        "    assert invoice.status is Status.PAID\n",
        `    assert invoice.status is Status.PAID


def test_paying_too_little():
    with pytest.raises(ValueError, match="not enough"):
        Invoice("1", 100).pay(99)


@pytest.mark.parametrize(("days", "reminded"), [(14, False), (15, True)])
def test_is_reminded_of_after_two_weeks(days, reminded):
    invoice = Invoice("1", 100, issued=date(2024, 1, 1))
    assert invoice.remind(date(2024, 1, 1) + timedelta(days=days)) is reminded


class TestOverdue:
    def test_is_reminded_of_once(self, invoice):
        invoice.remind(date.max)
        assert not invoice.remind(date.max)
`
      ]
    ),
    "pyproject.toml": edited(
      toml,
      [`"0.3.0"`, `"0.4.0"`],
      [`dependencies = ["fastapi>=0.110"]`, `dependencies = ["fastapi>=0.110"]\nrequires-python = ">=3.12"`]
    ),
    "migrations/0002.sql": "alter table invoice add column issued date not null default current_date;\n"
  },
  items: [
    ["Overdue is a status", { path: "billing/models.py", from: "OVERDUE =" }],
    ["Two weeks to pay", { path: "billing/models.py", from: "PAYMENT_DAYS = 14" }],
    ["Invoices take less memory (slots)", { path: "billing/models.py", from: "slots=True" }],
    ["Remember when it was issued", { path: "billing/models.py", from: "issued: date" }],
    ["An invoice knows when it is due", { path: "billing/models.py", from: "def due", to: "return" }],
    ["`remind` in `billing/models.py`", { path: "billing/models.py", from: "def remind", to: "return True" }],
    ["POST /reminders", { path: "billing/api.py", from: "/reminders", to: "return {" }],
    ["404 for unknown invoices", { path: "billing/api.py", from: "if (invoice", to: "raise HTTP" }],
    [
      "Export what is public from billing/__init__.py",
      { path: "billing/__init__.py", from: "from billing.models", to: "__all__" }
    ],
    ["Say that the package is typed", "file:billing/py.typed"],
    ["Test paying too little", { path: "tests/test_models.py", from: "def test_paying_too_little", to: "pay(99)" }],
    ["Test when reminders are sent", { path: "tests/test_models.py", from: "parametrize", to: "is reminded" }],
    ["Test that one is sent only", { path: "tests/test_models.py", from: "class TestOverdue", to: "assert not" }],
    ["Raise the version in pyproject.toml", { path: "pyproject.toml", from: "0.4.0" }],
    ["A migration", { path: "migrations/0002.sql", from: "alter table" }]
  ]
}
