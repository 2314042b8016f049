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

}  // namespace

int mcpBridge(Context& context) {
  const auto& console = context.console;
  std::mutex mutex;
  ServerAddress known;
  std::shared_ptr<IMcpTransport> transport;
  McpBridge bridge(
      {.connect = [&]() -> Result<std::shared_ptr<IMcpTransport>> {
         auto address = locateServer(context.choice, context.environment);
         if (!address) {
           return withHint(std::move(address).error());
         }
         const std::scoped_lock lock(mutex);
         // Connections are kept as long as the server is the same.
         if (!transport || address.value().url != known.url ||
             address.value().access_token != known.access_token) {
           auto made = mcpTransport(address.value(),
                                    context.environment.variable("SVC_MCP_TOKEN").value_or(""));
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
