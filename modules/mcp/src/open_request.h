#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "svc/mcp/sources.h"

#include "catalogue.h"
#include "incoming.h"
#include "open_requests.h"
#include "progress.h"

namespace svc::mcp {

/// One request that a source answers. Plain JSON when the answer comes at once, an event stream from the first sign of life on. Lives
/// on the io thread; what IConversation says may come from any.
class OpenRequest final : public IConversation, public std::enable_shared_from_this<OpenRequest> {
 public:
  /// `key` is the name or URI that it is about.
  OpenRequest(std::shared_ptr<OpenRequests> open, Incoming incoming, std::string key);

  void start(const Found& found);

  [[nodiscard]] const std::string& session() const { return session_; }
  [[nodiscard]] const TokenPtr& token() const { return incoming_.token; }
  [[nodiscard]] const std::string& id() const { return incoming_.message.id; }
  /// Shows life when it is time to, and lets a call go that has taken too long for its client.
  void tick(std::chrono::steady_clock::time_point now);
  /// The client does not want the answer any more, and gets none.
  void cancel();
  /// As cancel(), for a client whose token does not work any more: it is told so.
  void revoke();
  /// The client gets what the source makes of its stop.
  void abort() { stop_.request_stop(); }
  [[nodiscard]] bool isDetached() const { return detached_; }
  /// The server ends: what does not finish by itself at once is told so.
  void giveUp();

  void progress(double value, std::optional<double> total, std::string message) override;
  void letGo() override;
  void notify(std::string_view method, common::RawJson params) override;
  void ask(std::string_view method, common::RawJson params,
           Completion<common::RawJson> done) override;

 private:
  struct ClientGone {
    std::stop_source target;
    void operator()() { target.request_stop(); }
  };

  void onIo(Task task);
  void finish(Result<Answer> answer);
  void send(std::string message);
  void begin();
  /// `why` goes on after the name of the tool.
  void detach(const std::string& why);
  /// The thread that gets what comes of a call that was let go; empty = nobody does.
  [[nodiscard]] std::string lateThread() const;
  [[nodiscard]] common::RawJson capabilities() const;
  void record(const std::string& plugin_id);
  void recordEnd(const Result<Answer>& answer);
  [[nodiscard]] bool reportsProgress() const;
  void sendProgress(const ProgressReport& report);
  /// One JSON-RPC message that ends the request.
  void end(unsigned status, std::string message);
  [[nodiscard]] std::string resultOf(const Answer& answer) const;
  [[nodiscard]] Refusal refusalFor(const Error& error) const;
  [[nodiscard]] bool isCall() const { return incoming_.message.method == "tools/call"; }

  const std::shared_ptr<OpenRequests> open_;
  const Incoming incoming_;
  const std::string key_;
  const std::string session_;
  const bool streams_;
  const std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point next_sign_;
  std::stop_source stop_;
  CallPtr call_;  // of tools only
  std::optional<std::stop_callback<ClientGone>> on_disconnect_;
  Progress progress_;
  bool begun_ = false;
  bool server_ends_ = false;
  bool detached_ = false;
  std::string late_id_{};  ///< of a detached call whose result is delivered later
  bool ended_ = false;     // the client has its answer, or wants none
};

}  // namespace svc::mcp
