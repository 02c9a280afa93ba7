import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const account = `package bank;

import java.math.BigDecimal;

public class Account {
    private final String owner;
    private BigDecimal balance = BigDecimal.ZERO;

    public Account(String owner) {
        this.owner = owner;
    }

    public void deposit(BigDecimal amount) {
        balance = balance.add(amount);
    }

    public BigDecimal balance() {
        return balance;
    }
}
`

const kind = `package bank;

public enum Kind {
    CHECKING,
    SAVINGS
}
`

/** JUnit 5 and 4, a record, an interface, an enum case, an annotation, Spring configuration. */
export const java: Session = {
  name: "Java: withdrawals",
  before: {
    "src/main/java/bank/Account.java": account,
    "src/main/java/bank/Kind.java": kind,
    "src/main/resources/application.yml": "spring:\n  application:\n    name: bank\n"
  },
  after: {
    "src/main/java/bank/Account.java": edited(
      account,
      [
        "import java.math.BigDecimal;\n",
        "import java.math.BigDecimal;\nimport java.util.ArrayList;\nimport java.util.List;\n"
      ],
      [
        "    private BigDecimal balance",
        '    private static final BigDecimal LIMIT = new BigDecimal("1000");\n    private final List<Entry> entries = new ArrayList<>();\n    private BigDecimal balance'
      ],
      [
        "        balance = balance.add(amount);\n",
        "        requirePositive(amount);\n        balance = balance.add(amount);\n        entries.add(new Entry(amount));\n"
      ],
      [
        "    public BigDecimal balance()",
        `    public void withdraw(BigDecimal amount) {
        requirePositive(amount);
        if (balance.compareTo(amount) < 0) {
            throw new InsufficientFunds(owner, amount.subtract(balance));
        }
        balance = balance.subtract(amount);
        entries.add(new Entry(amount.negate()));
    }

    private static void requirePositive(BigDecimal amount) {
        if (amount.signum() <= 0 || amount.compareTo(LIMIT) > 0) {
            throw new IllegalArgumentException("amount: " + amount);
        }
    }

    @Override
    public String toString() {
        return owner + ": " + balance;
    }

    public BigDecimal balance()`
      ]
    ),
    "src/main/java/bank/Entry.java": `package bank;

import java.math.BigDecimal;

public record Entry(BigDecimal amount) {
    public boolean isDebit() {
        return amount.signum() < 0;
    }
}
`,
    "src/main/java/bank/InsufficientFunds.java": `package bank;

import java.math.BigDecimal;

public class InsufficientFunds extends RuntimeException {
    public InsufficientFunds(String owner, BigDecimal missing) {
        super(owner + " lacks " + missing);
    }
}
`,
    "src/main/java/bank/Ledger.java": `package bank;

import java.util.List;

public interface Ledger {
    List<Entry> entriesOf(String owner);

    default boolean isEmpty(String owner) {
        return entriesOf(owner).isEmpty();
    }
}
`,
    "src/main/java/bank/Kind.java": edited(kind, ["    SAVINGS\n", "    SAVINGS,\n    CREDIT\n"]),
    "src/main/resources/application.yml": "spring:\n  application:\n    name: bank\nserver:\n  port: 8081\n",
    "src/test/java/bank/AccountTest.java": `package bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccountTest {
    private final Account account = new Account("Ada");

    @Test
    void withdraws() {
        account.deposit(BigDecimal.TEN);
        account.withdraw(BigDecimal.ONE);
        assertEquals(new BigDecimal("9"), account.balance());
    }

    @Test
    void refusesWhatIsNotThere() {
        assertThrows(InsufficientFunds.class, () -> account.withdraw(BigDecimal.ONE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1001"})
    void refusesAmounts(String amount) {
        assertThat(new BigDecimal(amount)).satisfies(one -> assertThrows(IllegalArgumentException.class, () -> account.deposit(one)));
    }
}
`,
    "src/test/java/bank/OldTest.java": `package bank;

import java.math.BigDecimal;
import org.junit.Test;

public class OldTest {
    @Test(expected = IllegalArgumentException.class)
    public void refusesNothing() {
        new Account("Ada").deposit(BigDecimal.ZERO);
    }
}
`
  },
  items: [
    ["Withdraw money", { path: "src/main/java/bank/Account.java", from: "public void withdraw", to: "    }" }],
    [
      "Amounts are positive and at most the limit",
      { path: "src/main/java/bank/Account.java", from: "private static void requirePositive" }
    ],
    ["A limit of 1000", { path: "src/main/java/bank/Account.java", from: "LIMIT =" }],
    ["Deposits are checked", { path: "src/main/java/bank/Account.java", from: "requirePositive(amount);" }],
    ["Deposits leave an entry", { path: "src/main/java/bank/Account.java", from: "entries.add(new Entry(amount));" }],
    ["An account can be printed", { path: "src/main/java/bank/Account.java", from: "@Override", to: "    }" }],
    ["A record for entries", { path: "src/main/java/bank/Entry.java", from: "public record Entry", to: "}" }],
    ["An exception of its own", { path: "src/main/java/bank/InsufficientFunds.java", from: "public class", to: "}" }],
    ["An interface for ledgers in Ledger.java", { path: "src/main/java/bank/Ledger.java", from: "public interface" }],
    ["Credit is a kind of account", { path: "src/main/java/bank/Kind.java", from: "CREDIT" }],
    ["Serve on port 8081", { path: "src/main/resources/application.yml", from: "port: 8081" }],
    ["Test withdrawing", { path: "src/test/java/bank/AccountTest.java", from: "void withdraws", to: "    }" }],
    ["Test what is not there", { path: "src/test/java/bank/AccountTest.java", from: "void refusesWhatIsNotThere" }],
    ["Test amounts", { path: "src/test/java/bank/AccountTest.java", from: "@ParameterizedTest", to: "    }" }],
    ["Test nothing", { path: "src/test/java/bank/OldTest.java", from: "@Test(expected", to: "    }" }]
  ]
}
