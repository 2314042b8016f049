#include <algorithm>
#include <chrono>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/examples.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
using namespace std::chrono_literals;

/// Somebody looks at the terminal: a server that does not answer by then is said to be busy.
constexpr auto kGlance = 2s;
/// Names of plugins on the line that counts them.
constexpr std::size_t kNames = 6;

std::string serverLine(const ServerAddress& address) {
  return address.record ? fmt::format("{} (pid {}, {})", address.url, address.record->pid,
                                      oneLine(address.record->version))
                        : fmt::format("{} (from {})", address.url, address.origin);
}

std::string pluginsLine(const Json& plugins) {
  const auto& records = plugins.items();
  if (records.empty()) {
    return "none yet";
  }
  const auto running = std::count_if(records.begin(), records.end(), [](const Json& record) {
    return record["status"].asString() == "running";
  });
  std::string names;
  for (std::size_t at = 0; at < std::min(records.size(), kNames); ++at) {
    names += (at == 0 ? "" : ", ") + oneLine(records[at]["id"].asString());
  }
  return fmt::format("{} of {} run: {}{}", running, records.size(), names,
                     records.size() > kNames ? ", …" : "");
}

/// What is known of the server within a glance.
struct Seen {
  std::string server;
  std::string plugins{};  ///< empty = nobody said
  bool answers = false;
  bool has_own = false;
};

Seen lookAround(const Context& context) {
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return {.server = "none runs"};
  }
  const auto reply = api.value().call({"GET", "/api/v1/plugins", "", kGlance});
  const auto& address = api.value().address();
  if (!reply || !reply.value().ok()) {
    const bool gone = !reply && reply.error().code == errc::kUnavailable;
    return {.server = gone ? "none runs"
                           : serverLine(address) + " does not answer: " +
                                 oneLine(reply ? reply.value().message() : reply.error().message)};
  }
  const auto& plugins = reply.value().json["plugins"];
  return {.server = serverLine(address),
          .plugins = pluginsLine(plugins),
          .answers = true,
          .has_own = hasOwnPlugins(plugins)};
}

}  // namespace

int overview(Context& context) {
  const auto& console = context.console;
  const auto seen = lookAround(context);
  console.out << "svc " SVC_VERSION ", a server that runs plugins\n\n"
              << fmt::format("  Server   {}\n", seen.server);
  if (!seen.plugins.empty()) {
    console.out << fmt::format("  Plugins  {}\n", seen.plugins);
  }
  using Step = std::pair<std::string_view, std::string_view>;
  const std::vector<Step> steps{
      {"svc up", seen.answers ? "opens the window" : "starts the server and opens the window"},
      seen.has_own ? Step{"svc plugin list", "what is installed"}
                   : Step{"svc plugin new hello", "makes a plugin of your own"},
      {"svc help", "all commands; `svc help <command>` explains one"}};
  console.out << '\n';
  for (const auto& [command, reason] : steps) {
    console.out << fmt::format("  {:<22}{}\n", command, reason);
  }
  return kExitOk;
}

}  // namespace svc::client
