#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svc/hosts/host_commands.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

namespace svc::files {

/// A body of a route about files, made a command: its members without hostId, behind the type. `invalid_input` when it has others than
/// `known`, `too_large` for the content of a write. Pure; takes long for large contents.
struct FileCommand {
  std::string host_id;
  std::string text;
};
[[nodiscard]] Result<FileCommand> fileCommand(std::string_view body, std::string_view type,
                                              const std::vector<std::string_view>& known);

/// POST /api/v1/files/…: passed on to the machine, which knows paths and checks them. Handlers run on the io thread; bodies are read on
/// workers.
class FileRoutes {
 public:
  struct With {
    http::IReactor& reactor;
    IWorkerPool& workers;
    hosts::IHostCommands& commands;
    const machines::IHostRegistry& registry;
  };
  explicit FileRoutes(With with) : with_(with) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void pass(const http::ExchangePtr& exchange, std::string_view type,
            const std::vector<std::string_view>& known);
  static void send(const With& with, const http::ExchangePtr& exchange, FileCommand command);

  With with_;
  std::vector<Handle> routes_;
};

}  // namespace svc::files
