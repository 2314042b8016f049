#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "svc/hosts/host_commands.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

namespace svc::files {

/// POST /api/v1/files/create-preview and the files behind its address, which is the permission to read them: random, and gone after its
/// time, or before with DELETE. Lives on the io thread.
class Previews : public std::enable_shared_from_this<Previews> {
 public:
  struct With {
    hosts::IHostCommands& commands;
    const machines::IHostRegistry& registry;
    const IClock& clock;
  };
  explicit Previews(With with) : with_(with) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);
  /// No more requests; those under way go on.
  void detach() { routes_.clear(); }

 private:
  struct Preview {
    std::string host_id;
    bool is_server = false;
    std::string root;
    std::int64_t expires_at = 0;
  };
  struct Download;

  void create(const http::ExchangePtr& exchange);
  void created(const http::ExchangePtr& exchange, Preview preview, std::int64_t ttl);
  void end(const http::ExchangePtr& exchange);
  void serve(const http::ExchangePtr& exchange);
  void describe(const std::shared_ptr<Download>& download, const std::string& metadata);
  void next(const std::shared_ptr<Download>& download);
  void arrived(const std::shared_ptr<Download>& download, const std::string& answer);

  With with_;
  std::map<std::string, Preview> previews_;
  std::vector<Handle> routes_;
};

}  // namespace svc::files
