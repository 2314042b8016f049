#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"
#include "svc/mcp/sources.h"

#include "call_history.h"
#include "clients.h"
#include "counters.h"
#include "late_results.h"
#include "message.h"

namespace svc::mcp {

class OpenRequest;

/// What requests need while they are open.
struct Surroundings {
  http::IReactor& reactor;
  const IClock& clock;
  std::shared_ptr<Counters> counters;
  /// {"name","version"} as JSON text.
  std::string server_info;
  /// Something nobody can guess.
  std::function<std::string()> random;
  std::shared_ptr<CallHistory> history;
  std::shared_ptr<Clients> clients;
  std::shared_ptr<LateResults> late{};
};

/// Every request that a source has not answered, detached ones included. A timer runs while there is one. Io thread.
class OpenRequests : public std::enable_shared_from_this<OpenRequests> {
 public:
  explicit OpenRequests(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

  [[nodiscard]] const Surroundings& surroundings() const { return surroundings_; }
  [[nodiscard]] bool full() const;

  /// False: its client cancelled it before it came.
  [[nodiscard]] bool add(const std::shared_ptr<OpenRequest>& request);
  void remove(const std::shared_ptr<OpenRequest>& request);
  /// `notifications/cancelled` of the client with this session.
  void cancel(const std::string& session, std::string_view id);
  /// A question to a client; `done` fires when it answers, and with `aborted` when the request ends. Returns its id as JSON.
  [[nodiscard]] std::string ask(const OpenRequest& asking, Completion<common::RawJson> done);
  /// A client's answer.
  void answered(const Message& response);
  /// Ends what came with a token that does not work any more.
  void revoke(const TokenPtr& token);
  /// Tells the sources of this token's requests that nobody waits any more; of detached ones only with `all`.
  void abort(const TokenPtr& token, bool all);
  /// Tells every source that nobody waits any more.
  void stopAll();

 private:
  struct Question {
    const OpenRequest* asking;
    Completion<common::RawJson> done;
  };

  /// `notifications/cancelled` that came on another connection than its request, and overtook it.
  struct Early {
    std::string key;
    std::chrono::steady_clock::time_point until;
  };

  [[nodiscard]] bool wasCancelled(const std::string& key);
  void arm();
  void tick();

  const Surroundings surroundings_;
  std::set<std::shared_ptr<OpenRequest>> requests_;
  std::map<std::string, OpenRequest*> by_id_;  // session and id
  std::deque<Early> early_;
  std::map<std::string, Question, std::less<>> questions_;
  Handle timer_;
  bool armed_ = false;
};

}  // namespace svc::mcp
