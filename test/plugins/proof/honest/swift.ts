import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const player = `import Foundation

public enum State {
    case stopped
    case playing
}

public final class Player {
    public private(set) var state: State = .stopped
    private var queue: [String] = []

    public init() {}

    public func play() {
        state = .playing
    }
}
`

/** An enum case, a property with an observer, a protocol, an extension; XCTest and Swift Testing. */
export const swift: Session = {
  name: "Swift: a player with a queue",
  before: {
    "Sources/Player/Player.swift": player,
    "Package.swift": `// swift-tools-version:5.9\nimport PackageDescription\n\nlet package = Package(name: "Player")\n`
  },
  after: {
    "Sources/Player/Player.swift": edited(
      player,
      ["    case playing\n", "    case playing\n    case paused(at: TimeInterval)\n"],
      [
        "public final class",
        "public protocol Listener: AnyObject {\n    func changed(to state: State)\n}\n\npublic enum PlayerError: Error {\n    case nothingToPlay\n}\n\npublic final class"
      ],
      [
        "    public private(set) var state: State = .stopped\n",
        "    public weak var listener: Listener?\n    public private(set) var state: State = .stopped {\n        didSet { listener?.changed(to: state) }\n    }\n"
      ],
      [
        "    public func play() {\n        state = .playing\n    }\n}\n",
        `    public func play() throws {
        guard !queue.isEmpty else { throw PlayerError.nothingToPlay }
        state = .playing
    }

    public func add(_ title: String) {
        queue.append(title)
    }

    @discardableResult
    public func skip() -> String? {
        queue.isEmpty ? nil : queue.removeFirst()
    }
}

extension Player {
    static let maximum = 100

    var isFull: Bool { count >= Player.maximum }
}
`
      ]
    ),
    "Tests/PlayerTests/PlayerTests.swift": `import XCTest
@testable import Player

final class PlayerTests: XCTestCase {
    func testPlaysWhatWasAdded() throws {
        let player = Player()
        player.add("So What")
        try player.play()
        guard case .playing = player.state else { return XCTFail("not playing") }
    }

    func testThrowsWithoutTitles() {
        XCTAssertThrowsError(try Player().play())
    }
}
`,
    "Tests/PlayerTests/SkipTests.swift": `import Testing
@testable import Player

@Suite struct SkipTests {
    @Test func skipsNothing() {
        #expect(Player().skip() == nil)
    }

    @Test("skips the first", arguments: ["a", "b"])
    func skips(title: String) async throws {
        let player = Player()
        player.add(title)
        let skipped = try #require(player.skip())
        #expect(skipped == title)
    }
}
`,
    "Package.swift": `// swift-tools-version:5.9\nimport PackageDescription\n\nlet package = Package(name: "Player", platforms: [.macOS(.v13)])\n`
  },
  items: [
    ["A player can be paused", { path: "Sources/Player/Player.swift", from: "case paused" }],
    ["A protocol for listeners", { path: "Sources/Player/Player.swift", from: "public protocol Listener", to: "}" }],
    [
      "An error where there is nothing to play",
      { path: "Sources/Player/Player.swift", from: "enum PlayerError", to: "}" }
    ],
    ["Listeners are told", { path: "Sources/Player/Player.swift", from: "didSet" }],
    [
      "play throws without titles",
      { path: "Sources/Player/Player.swift", from: "public func play() throws", to: "    }" }
    ],
    ["add", { path: "Sources/Player/Player.swift", from: "public func add", to: "    }" }],
    ["skip", { path: "Sources/Player/Player.swift", from: "public func skip", to: "    }" }],
    ["At most 100 titles", { path: "Sources/Player/Player.swift", from: "static let maximum" }],
    ["isFull", { path: "Sources/Player/Player.swift", from: "var isFull" }],
    ["Test playing", { path: "Tests/PlayerTests/PlayerTests.swift", from: "func testPlays", to: "    }" }],
    ["Test playing nothing", { path: "Tests/PlayerTests/PlayerTests.swift", from: "func testThrows", to: "    }" }],
    ["Test skipping nothing", { path: "Tests/PlayerTests/SkipTests.swift", from: "func skipsNothing", to: "    }" }],
    ["Test skipping", { path: "Tests/PlayerTests/SkipTests.swift", from: "skips the first", to: "    }" }],
    ["Support macOS 13", { path: "Package.swift", from: "platforms" }]
  ]
}
