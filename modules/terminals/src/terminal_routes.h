#pragma once

#include <memory>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

#include "book.h"
#include "requests.h"

namespace svc::terminals {

/// /api/v1/terminals. Handlers run on the io thread.
class TerminalRoutes {
 public:
  TerminalRoutes(std::shared_ptr<Book> book, const machines::IHostRegistry& registry,
                 FindPlace find_place)
      : book_(std::move(book)), registry_(registry), find_place_(std::move(find_place)) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void list(const http::ExchangePtr& exchange);
  void create(const http::ExchangePtr& exchange);
  void output(const http::ExchangePtr& exchange);
  void close(const http::ExchangePtr& exchange);
  void input(const http::ExchangePtr& exchange);
  void resize(const http::ExchangePtr& exchange);
  void rename(const http::ExchangePtr& exchange);
  void restart(const http::ExchangePtr& exchange);

  const std::shared_ptr<Book> book_;
  const machines::IHostRegistry& registry_;
  const FindPlace find_place_;
  std::vector<Handle> routes_;
};

}  // namespace svc::terminals
