#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "svc/http/http.h"
#include "svc/kernel/completion.h"

namespace svc::sdkclient {

/// The calls one load of a plugin has open. Thread-safe.
class SdkCalls : public std::enable_shared_from_this<SdkCalls> {
 public:
  /// Calls open at a time; more are `overloaded`.
  static constexpr std::size_t kMaxOpen = 1024;

  SdkCalls(http::IHttpServer& server, std::string plugin_id)
      : server_(server), plugin_id_(std::move(plugin_id)) {}

  /// `argument`: call id, method, target and body, a line each; the body may have more lines. Answers with the status, a
  /// line break and the body of the response.
  void send(const std::string& argument, Completion<std::string> done);
  /// The caller gives up: the handler's signal aborts.
  void cancel(const std::string& call_id);

 private:
  [[nodiscard]] std::optional<std::stop_token> open(std::uint64_t call_id);
  void close(std::uint64_t call_id);

  http::IHttpServer& server_;
  const std::string plugin_id_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::stop_source> calls_;
};

}  // namespace svc::sdkclient
