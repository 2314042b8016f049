#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "svc/agents/agent_tools.h"
#include "svc/http/http.h"
#include "svc/kernel/executor.h"

namespace svc::agents {

/// One call of a tool for one request. Lives on the io thread; what comes from the plugin is posted to it. The answer shows life with a
/// line break every lim.cliKeepAlive; who asked for progress gets a line of JSON for each report, and the envelope as the last line. Who can
/// show forms (`forms=true`) gets a line with the id of each that the tool opens, one at a time.
class ToolRequest : public std::enable_shared_from_this<ToolRequest> {
 public:
  /// `page`: where forms are shown; null = nowhere.
  ToolRequest(http::ExchangePtr exchange, http::IReactor& reactor, const IClock& clock,
              std::shared_ptr<const FormPage> page);

  /// Calls the tool of this plugin, whoever has its name. Io thread.
  void start(IAgentTools& tools);

 private:
  struct RequestStop {
    std::stop_source target;
    void operator()() { target.request_stop(); }
  };

  [[nodiscard]] ToolContext context();
  void openForm(FormRequest request, Completion<common::RawJson> done);
  void armKeepAlive();
  /// `line` without its end; empty = only life.
  void writeLine(const std::string& line);
  void expire();
  void finish(Result<ToolResult> result);

  http::ExchangePtr exchange_;
  http::IReactor& reactor_;
  const IClock& clock_;
  const std::string plugin_id_;
  const std::string name_;
  const std::chrono::steady_clock::time_point started_;
  std::stop_source stop_;
  std::stop_callback<RequestStop> on_disconnect_;
  const std::shared_ptr<const FormPage> page_;
  std::string form_;  // the open one
  Handle keep_alive_;
  Handle limit_;
  bool begun_ = false;
  bool finished_ = false;
};

}  // namespace svc::agents
