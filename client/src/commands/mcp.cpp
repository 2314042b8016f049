#include <chrono>
#include <istream>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>

#include "commands/commands.h"
#include "exit_code.h"
#include "mcp_bridge.h"
#include "mcp_transport.h"

namespace svc::client {
namespace {

constexpr auto kHint = "start a server with `svc server start`";
/// A client that closes its end waits about two seconds for this program before it kills it.
constexpr std::chrono::milliseconds kGrace{1000};

Error withHint(Error error) {
  if (error.code == errc::kUnavailable || error.code == codes::kUnreachable) {
    error.message += std::string("; ") + kHint;
  }
  return error;
}

/// Says in its errors how to start a server.
class Helpful final : public IMcpTransport {
 public:
  explicit Helpful(std::shared_ptr<IMcpTransport> inner) : inner_(std::move(inner)) {}
  Status call(const McpCall& call, const McpSink& sink) override {
    auto status = inner_->call(call, sink);
    return status ? status : Status(withHint(status.error()));
  }

 private:
  std::shared_ptr<IMcpTransport> inner_;
};

struct Caller {
  ServerChoice server{};
  std::string token{};
};

/// Some agents take the server of their own configuration in place of the one that their thread gives them: it is the bridge, which then
/// acts for the thread whose agent has started it, whatever server and token the configuration names.
Caller callerOf(const Context& context) {
  const auto variable = [&context](const char* name) {
    return context.environment.variable(name).value_or("");
  };
  auto of_thread = variable("SVC_THREAD_TOKEN");
  return of_thread.empty() || variable("SVC_SERVER_URL").empty()
             ? Caller{context.choice, variable("SVC_MCP_TOKEN")}
             : Caller{{}, std::move(of_thread)};
}

}  // namespace

int mcpBridge(Context& context) {
  const auto& console = context.console;
  const auto caller = callerOf(context);
  std::mutex mutex;
  ServerAddress known;
  std::shared_ptr<IMcpTransport> transport;
  McpBridge bridge(
      {.connect = [&]() -> Result<std::shared_ptr<IMcpTransport>> {
         auto address = locateServer(caller.server, context.environment);
         if (!address) {
           return withHint(std::move(address).error());
         }
         const std::scoped_lock lock(mutex);
         // Connections are kept as long as the server is the same.
         if (!transport || address.value().url != known.url ||
             address.value().access_token != known.access_token) {
           auto made = mcpTransport(address.value(), caller.token);
           if (!made) {
             return std::move(made).error();
           }
           known = std::move(address).value();
           transport = std::make_shared<Helpful>(std::move(made).value());
         }
         return transport;
       },
       .write = [&](const std::string& line) { console.out << line << '\n'
                                                           << std::flush; },
       .complain =
           [&](const std::string& text) {
             const std::scoped_lock lock(mutex);
             console.complain(text);
             console.err << std::flush;
           }});
  for (std::string line; std::getline(console.in, line);) {
    bridge.line(line);
  }
  bridge.finish(kGrace);
  return kExitOk;
}

}  // namespace svc::client
