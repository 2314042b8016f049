#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::cli {

/// One run of a plugin command for one request. Lives on the io thread; the plugin's answer is posted to it. The
/// response shows life with a newline every lim.cliKeepAlive, so the status code is open only until the first one.
class CliCall : public std::enable_shared_from_this<CliCall> {
 public:
  CliCall(http::ExchangePtr exchange, http::IReactor& reactor);

  /// Reads the request and calls the plugin. Io thread.
  void start(plugins::ILoadedPlugins& loaded);

 private:
  struct RequestStop {
    std::stop_source target;
    void operator()() { target.request_stop(); }
  };

  void armKeepAlive();
  void keepAlive();
  void expire();
  /// Any thread.
  void answer(Result<std::string> result);
  void finish(Result<std::string> result);

  http::ExchangePtr exchange_;
  http::IReactor& reactor_;
  const std::string plugin_id_;
  std::stop_source stop_;
  std::stop_callback<RequestStop> on_disconnect_;
  Handle keep_alive_;
  Handle limit_;
  bool own_load_ = false;  ///< a child process of the plugin asks, and the plugin is not loaded
  bool begun_ = false;
  bool finished_ = false;
};

}  // namespace svc::cli
