#pragma once

#include <functional>
#include <string>
#include <vector>

#include "svc/http/http.h"

#include "registry.h"

namespace svc::machines {

/// /api/v1/hosts: list, show, rename, remove, join codes, updates, providers. Requests arrive on the io thread; what changes something is done on
/// a worker. The collaborators outlive the routes and their jobs.
class HostRoutes {
 public:
  /// `join_address`: where other machines reach the server, empty = nowhere. `removed`: gets the record of a machine that is gone.
  HostRoutes(IWorkerPool& workers, Registry& registry, std::function<std::string()> join_address,
             std::function<void(const common::Json& record)> removed)
      : workers_(workers),
        registry_(registry),
        join_address_(std::move(join_address)),
        removed_(std::move(removed)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  using Member = void (HostRoutes::*)(const http::ExchangePtr& exchange);

  void list(const http::ExchangePtr& exchange);
  void show(const http::ExchangePtr& exchange);
  void rename(const http::ExchangePtr& exchange);
  void remove(const http::ExchangePtr& exchange);
  void create(const http::ExchangePtr& exchange);
  void providers(const http::ExchangePtr& exchange);
  void joinCode(const http::ExchangePtr& exchange);
  void retryUpdate(const http::ExchangePtr& exchange);
  void unsupported(const http::ExchangePtr& exchange);

  IWorkerPool& workers_;
  Registry& registry_;
  std::function<std::string()> join_address_;
  std::function<void(const common::Json& record)> removed_;
  std::vector<Handle> routes_;
};

}  // namespace svc::machines
