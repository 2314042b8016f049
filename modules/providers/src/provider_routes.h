#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

#include "catalogue.h"

namespace svc::providers {

/// What people and plugins ask about agents. Any thread.
class ProviderRoutes {
 public:
  struct With {
    std::shared_ptr<Catalogue> catalogue;
    machines::IHostRegistry& machines;
    http::IHttpServer& server;
  };
  explicit ProviderRoutes(With with) : with_(std::move(with)) {}

  [[nodiscard]] Status attach();

 private:
  /// Calls with the machine that the query means, empty when it names none; the exchange has failed otherwise.
  void withHost(const http::ExchangePtr& exchange,
                std::function<void(const std::string& host_id)> then);
  void list(const http::ExchangePtr& exchange, const std::string& host_id) const;
  void models(const http::ExchangePtr& exchange, const std::string& host_id) const;
  void states(const http::ExchangePtr& exchange, const std::string& host_id) const;
  void usage(const http::ExchangePtr& exchange, const std::string& host_id) const;

  const With with_;
  std::vector<Handle> routes_;
};

}  // namespace svc::providers
