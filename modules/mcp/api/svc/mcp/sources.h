#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::agents {
class IToolSession;
}

namespace svc::mcp {

/// What clients can list.
enum class ListKind : std::uint8_t { kTools, kPrompts, kResources, kResourceTemplates };

/// What a token is limited to: everything of some plugins, and some tools.
struct Scope {
  std::set<std::string, std::less<>> plugins{};
  std::set<std::string, std::less<>> tools{};  ///< names
};

class FrozenTools;

/// Who asks; empty for a client outside of a thread. What a source offers may differ by it, and by nothing else.
struct Caller {
  std::string thread_id{};
  std::string project_id{};
  /// Null = no restriction.
  std::shared_ptr<const Scope> scope{};
  /// Id of the token of the request; empty = none.
  std::string token{};
  /// The tools of plugins that an agent of a thread has; null = those of everybody.
  std::shared_ptr<agents::IToolSession> tools{};
  /// What all sources have listed for the session of a thread at first, and list until it ends; null = lists are those of the moment.
  std::shared_ptr<FrozenTools> frozen{};

  /// Whether what this plugin offers is there for the caller.
  [[nodiscard]] bool sees(std::string_view plugin_id) const {
    return !scope || scope->plugins.contains(plugin_id);
  }
  [[nodiscard]] bool seesTool(std::string_view name, std::string_view plugin_id) const {
    return sees(plugin_id) || scope->tools.contains(name);
  }
};

/// One entry of a list.
struct Item {
  std::string key;       ///< the name of a tool or prompt, the URI of a resource or of a template
  common::RawJson json;  ///< the object that clients get
  std::string
      plugin_id{};  ///< whose it is; empty = nobody's, and callers with a scope do not get it
};

/// The way back to the client while its request is open. What is sent after the answer, or to a client that does not take streams, is
/// dropped. Thread-safe.
class IConversation {
 public:
  virtual ~IConversation() = default;
  /// Sent when the client asked for progress and the value is greater than the one before.
  virtual void progress(double value, std::optional<double> total, std::string message) = 0;
  /// The call waits for a person: its caller is told at once that it goes on, when what comes of it can be delivered later.
  virtual void letGo() = 0;
  /// Any other notification that belongs to the request; `params` is an object.
  virtual void notify(std::string_view method, common::RawJson params) = 0;
  /// A request to the client, which revisions before 2026-07-28 have. Fires on the io thread with the result. `not_supported` when the
  /// revision has none or the client takes no stream, `handler_error` when the client refuses, `aborted` when the call ends before.
  virtual void ask(std::string_view method, common::RawJson params,
                   Completion<common::RawJson> done) = 0;
};

/// One request of a client.
struct Request {
  std::string method;       ///< "tools/call"
  std::string key;          ///< name or URI it is about; empty for methods without
  std::string plugin_id{};  ///< Item::plugin_id of what it is about
  common::RawJson params;   ///< an object, as the client sent it
  Caller caller{};
  /// Revision 2026-07-28 or newer: no questions in between, `resultType` instead.
  bool modern = false;
  /// Of the client, as an object; null when it has not said, or has said it before the server started.
  common::RawJson capabilities{};
  /// Name of the program that asks, as it introduced itself; empty = it did not.
  std::string client{};
  /// The client asked for progress.
  bool wants_progress = false;
  /// The client has given up.
  std::stop_token stop{};
  std::shared_ptr<IConversation> conversation{};
};

struct Answer {
  common::RawJson result;  ///< an object without `resultType` and `_meta`
  /// `resultType`; of revisions that have one.
  std::string_view type = "complete";
  /// For counters: a tool that failed is a result all the same.
  bool failed = false;
};

/// What a source may answer beside results; everything else is an internal error for the client. Details of an Error become `data`.
/// `not_found` = an unknown name or URI, `invalid_argument` or `invalid_input` = bad parameters, and:
inline constexpr Errc kMissingCapability{
    "mcp_missing_capability"};  ///< details {requiredCapabilities}

/// Something that offers tools, prompts, resources or answers methods of its own.
class ISource {
 public:
  virtual ~ISource() = default;
  /// An object such as {"tools":{"listChanged":true}}; those of all sources are joined. Main thread.
  [[nodiscard]] virtual common::Json capabilities() const = 0;
  /// What clients tell the model when they connect; empty = nothing. Main thread.
  [[nodiscard]] virtual std::string instructions(const Caller& caller) = 0;
  /// In an order that does not change by itself. What is outside the scope of the caller is left out by whoever asks. Main thread.
  [[nodiscard]] virtual std::vector<Item> list(ListKind kind, const Caller& caller) = 0;
  /// Whether this source answers requests whose key is in no list (resources of templates) or that have none
  /// (`completion/complete`). It answers such a request within the scope of its caller. Main thread.
  [[nodiscard]] virtual bool takes(std::string_view method, std::string_view key) const = 0;
  /// Any thread may call; fires on any thread.
  virtual void answer(Request request, Completion<Answer> done) = 0;
};

/// Where sources are added.
class ISources {
 public:
  static constexpr ServiceId kId{"svc.mcp.Sources", 1};
  virtual ~ISources() = default;
  /// Of two items with one key the source has it that was added first. Main thread; the source may be asked a little longer than
  /// the handle lives, by requests that are on their way.
  [[nodiscard]] virtual Handle add(std::shared_ptr<ISource> source) = 0;
  /// Clients that listen are told that a list is not what it was. Any thread.
  virtual void changed(ListKind kind) = 0;
  /// As changed(), for the content of one resource.
  virtual void resourceUpdated(std::string uri) = 0;
};

}  // namespace svc::mcp
