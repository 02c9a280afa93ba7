import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const service = `using System;
using System.Collections.Generic;

namespace Mailing;

public enum Priority
{
    Low,
    Normal
}

public class Queue
{
    private readonly List<Message> _messages = new();

    public int Count => _messages.Count;

    public void Add(Message message)
    {
        _messages.Add(message);
    }
}

public record Message(string To, string Text);
`

/** A property, a constructor, LINQ, an attribute; xUnit, NUnit and FluentAssertions. */
export const csharp: Session = {
  name: "C#: priorities",
  before: {
    "src/Queue.cs": service,
    "src/appsettings.json": `{\n  "Queue": {\n    "Size": 100\n  }\n}\n`
  },
  after: {
    "src/Queue.cs": edited(
      service,
      ["using System.Collections.Generic;\n", "using System.Collections.Generic;\nusing System.Linq;\n"],
      ["    Normal\n", "    Normal,\n    Urgent\n"],
      [
        "    public int Count",
        "    public const int MaxSize = 500;\n\n    private readonly TimeProvider _time;\n\n    public Queue(TimeProvider time)\n    {\n        _time = time;\n    }\n\n    public int Count"
      ],
      [
        "        _messages.Add(message);\n",
        '        ArgumentNullException.ThrowIfNull(message);\n        if (Count >= MaxSize) throw new InvalidOperationException("full");\n        _messages.Add(message with { Added = _time.GetUtcNow() });\n'
      ],
      [
        "    }\n}\n\npublic record Message(string To, string Text);\n",
        `    }

    /// <summary>The most urgent message that was added first.</summary>
    public Message? Next() =>
        _messages.OrderByDescending(message => message.Priority).ThenBy(message => message.Added).FirstOrDefault();

    [Obsolete("Use Next.")]
    public Message? Peek() => Next();
}

public record Message(string To, string Text, Priority Priority = Priority.Normal)
{
    public DateTimeOffset Added { get; init; }
}
`
      ]
    ),
    "src/IClock.cs": `namespace Mailing;

public interface IClock
{
    DateTimeOffset Now { get; }
}
`,
    "src/appsettings.json": `{\n  "Queue": {\n    "Size": 500\n  }\n}\n`,
    "tests/QueueTests.cs": `using System;
using FluentAssertions;
using Mailing;
using Xunit;

public class QueueTests
{
    private readonly Queue _queue = new(TimeProvider.System);

    [Fact]
    public void TakesTheMostUrgent()
    {
        _queue.Add(new Message("a", "later"));
        _queue.Add(new Message("b", "now", Priority.Urgent));
        Assert.Equal("b", _queue.Next()?.To);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public void Counts(int count)
    {
        for (var i = 0; i < count; i++) _queue.Add(new Message("a", "text"));
        _queue.Count.Should().Be(count);
    }

    [Fact]
    public void RefusesNothing()
    {
        Action add = () => _queue.Add(null!);
        add.Should().Throw<ArgumentNullException>();
    }
}
`,
    "tests/OldTests.cs": `using Mailing;
using NUnit.Framework;

[TestFixture]
public class OldTests
{
    [Test]
    public void IsEmpty()
    {
        Assert.That(new Queue(System.TimeProvider.System).Next(), Is.Null);
    }
}
`
  },
  items: [
    ["Urgent is a priority", { path: "src/Queue.cs", from: "    Urgent" }],
    ["At most 500 messages", { path: "src/Queue.cs", from: "MaxSize = 500" }],
    ["The queue is given the time", { path: "src/Queue.cs", from: "public Queue(TimeProvider", to: "    }" }],
    ["Add refuses nothing", { path: "src/Queue.cs", from: "ThrowIfNull" }],
    ["Add refuses more than fits", { path: "src/Queue.cs", from: "Count >= MaxSize" }],
    ["Next", { path: "src/Queue.cs", from: "public Message? Next", to: "FirstOrDefault" }],
    ["Peek is obsolete", { path: "src/Queue.cs", from: "[Obsolete", to: "Peek()" }],
    ["A message knows when it was added", { path: "src/Queue.cs", from: "Added { get" }],
    ["An interface for clocks", { path: "src/IClock.cs", from: "public interface", to: "}" }],
    ["Configure the size", { path: "src/appsettings.json", from: "500" }],
    ["Test urgency", { path: "tests/QueueTests.cs", from: "void TakesTheMostUrgent", to: "    }" }],
    ["Test counting", { path: "tests/QueueTests.cs", from: "[Theory]", to: "    }" }],
    ["Test what is refused", { path: "tests/QueueTests.cs", from: "void RefusesNothing", to: "    }" }],
    ["Test emptiness", { path: "tests/OldTests.cs", from: "void IsEmpty", to: "    }" }]
  ]
}
