#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "load_state.h"

namespace svc::routes {

/// One request between its arrival and the end of its answer. The script reads its body and sends the answer through the
/// functions below; what it leaves open is failed or cut off when its call ends. Thread-safe.
class HttpCall : public std::enable_shared_from_this<HttpCall> {
 public:
  HttpCall(http::ExchangePtr exchange, std::string plugin_id, Auth auth);

  /// Calls the script. `key` as RouteMatch::key.
  static void run(const http::ExchangePtr& exchange, const plugins::GenerationPtr& generation,
                  const LoadStatePtr& load, const std::string& key, Auth auth);

  /// "" at the end. A body that is too large or not HTTP is answered here, whatever the script does about it.
  void read(Completion<std::string> done);
  void respond(http::Response response, std::string body);
  void begin(http::Response head);
  /// Fires when the next piece may come.
  void write(std::string piece, Completion<std::string> done);
  void finish();

 private:
  struct RequestStop {
    std::stop_source target;
    void operator()() { target.request_stop(); }
  };

  void fail(Error error);
  void ended(Result<std::string> result);

  const http::ExchangePtr exchange_;
  const std::string plugin_id_;
  const Auth auth_;
  std::stop_source stop_;
  std::stop_source returned_;  ///< the handler has returned its response
  const std::stop_callback<RequestStop> on_disconnect_;
};

/// Adds what keeps an answer from harming the window, which has the same origin, where the plugin has not said otherwise. Pages that
/// outsiders reach are sandboxed; what only the window may ask for is embedded by no other page.
void addProtection(http::Response& head, Auth auth);
/// The answer to a request or upgrade that reaches no handler.
[[nodiscard]] http::Response refusal(const Error& error, const std::string& allow);

}  // namespace svc::routes
