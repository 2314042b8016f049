#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/logger.h>

#include "svc/http/http.h"
#include "svc/kernel/config_changes.h"
#include "svc/plugins/plugins.h"

namespace svc::sdkclient {

/// What the operating system says of itself, as uname(2): "linux", "darwin", "wsl" or "unknown".
[[nodiscard]] const char* platformName(std::string_view system, std::string_view release);

struct SystemFacts {
  std::string data_dir;
  /// IANA name. Asked on the main thread.
  std::function<std::string()> timezone;
  /// Id of the server's own machine; empty when the service knows no machines. Any thread.
  std::function<std::string()> host_id = [] { return std::string(); };
  /// A visible thread is unread or waits for input. Any thread, quick.
  std::function<bool()> has_attention = [] { return false; };
  std::string platform = "unknown";  ///< platformName() of this machine
  std::string source = "package";    ///< "source": the program runs where it was built
  std::string cli_path{};            ///< path of `svc`; empty = there is none beside the server
};

/// GET /api/v1/system/config, /version and /attention, POST /api/v1/system/config/reload. Requests arrive on the io thread;
/// config is answered on main, or where the themes answer; when they do not, with the window's own theme, and a line in the log.
class SystemRoutes {
 public:
  /// `changes`: null where the program cannot read its configuration again.
  SystemRoutes(http::IHttpServer& server, plugins::IPluginManager& manager, SystemFacts facts,
               IConfigChanges* changes, std::shared_ptr<spdlog::logger> log)
      : server_(server),
        manager_(manager),
        facts_(std::move(facts)),
        changes_(changes),
        log_(std::move(log)) {}
  [[nodiscard]] Status attach();

 private:
  [[nodiscard]] Status add(std::string_view method, std::string_view path, http::Handler handler);
  void config(const http::ExchangePtr& exchange);
  void reload(const http::ExchangePtr& exchange);

  http::IHttpServer& server_;
  plugins::IPluginManager& manager_;
  SystemFacts facts_;
  IConfigChanges* changes_;
  std::shared_ptr<spdlog::logger> log_;
  std::vector<Handle> routes_;
};

}  // namespace svc::sdkclient
