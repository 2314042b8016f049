#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::serverlink {

/// The artifact identity of a plugin that the server has loaded.
struct PluginGeneration {
  std::string plugin_id;
  std::string generation;
};

struct Download {
  std::uint64_t bytes = 0;
  std::string sha256;  ///< hex, of what was received
};

/// What the server says to a request. Any status is an answer.
struct HttpAnswer {
  unsigned status = 0;
  std::string body;
};

/// Answers one command with the JSON text of its result. `command` is the JSON text of the command object. Called on the main
/// thread; must not block; `done` may fire on any thread. The code of an error, its message and its details (an object) reach
/// the server.
using CommandHandler = UniqueFunction<void(std::string command, Completion<std::string> done)>;

/// Takes one message that is no command and has no answer, as JSON text. Called on the main thread; must not block.
using MessageHandler = std::function<void(const std::string& message)>;

/// The daemon's way to its server. Methods are for the main thread unless they say otherwise.
class IServerLink {
 public:
  static constexpr ServiceId kId{"svc.serverlink.ServerLink", 1};
  virtual ~IServerLink() = default;

  /// Who answers commands of this type; one for each. Commands nobody answers get `invalid_command`.
  [[nodiscard]] virtual Handle onCommand(std::string type, CommandHandler handler) = 0;
  /// Who takes messages of this type, one of hostprotocol::to_daemon; one for each. Messages nobody takes are ignored.
  [[nodiscard]] virtual Handle onMessage(std::string type, MessageHandler handler) = 0;
  /// Called when a session has opened, before its first command, with what the server has loaded now.
  [[nodiscard]] virtual Handle onSession(
      std::function<void(const std::vector<PluginGeneration>& current)> listener) = 0;
  /// Called when a session that was open is none any more, once for each: nothing that is sent arrives until the next one.
  [[nodiscard]] virtual Handle onSessionLost(std::function<void()> listener) = 0;
  /// Called, once after each session, when the server refuses this machine, or whoever answers in its place does so for longer than it is waited for:
  /// what works here for the server has nobody any more. Another session may follow all the same.
  [[nodiscard]] virtual Handle onRefused(std::function<void()> listener) = 0;
  /// Sends one message, JSON text. Any thread; keeps the order of one thread. Dropped while no session is open.
  virtual void send(std::string message) = 0;
  /// Bytes that wait to be sent. A session that takes nothing while more and more is sent is given up: who produces much waits
  /// while this is large. Any thread.
  [[nodiscard]] virtual std::size_t backlog() const { return 0; }
  /// POST of JSON below the server's address with the host key, which needs no open session. Any thread; fires on the main
  /// thread. Errors: `host_unavailable` (no server), `timeout`.
  virtual void post(std::string path, std::string body, Completion<HttpAnswer> done) = 0;
  /// GET below the server's address with the host key, into a new file (0600), at most `limit` bytes. Any thread; fires on the
  /// main thread. A failed download leaves no file. Errors: `host_unavailable` (no server), `not_found`, `too_large`,
  /// `unauthorized`, `unavailable` (the disk).
  virtual void download(std::string path, std::filesystem::path file, std::uint64_t limit,
                        Completion<Download> done) = 0;
  /// Empty before the machine is enrolled.
  [[nodiscard]] virtual std::string hostId() const = 0;
  /// Where this machine reaches its server, "https://svc.example.org"; empty as the host id is. Any thread.
  [[nodiscard]] virtual std::string serverUrl() const { return {}; }
};

}  // namespace svc::serverlink
