#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "svc/http/http.h"

#include "book.h"

namespace svc::environments {

/// /api/v1/environments: records, and what their machines say of the folders. On io. The collaborators outlive the routes.
class EnvironmentRoutes {
 public:
  struct With {
    std::shared_ptr<Book> book;
    std::shared_ptr<Rows> rows;
    hosts::IHostCommands& commands;
    const IClock& clock;
    Announcer announce;
  };
  explicit EnvironmentRoutes(With with) : with_(std::move(with)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  using Row = storage::EnvironmentRow;
  using Take = std::function<void(const http::ExchangePtr& exchange, const common::Json& answer)>;

  void list(const http::ExchangePtr& exchange);
  void providers(const http::ExchangePtr& exchange);
  void show(const http::ExchangePtr& exchange);
  void update(const http::ExchangePtr& exchange);
  void remove(const http::ExchangePtr& exchange);
  void status(const http::ExchangePtr& exchange);
  void diff(const http::ExchangePtr& exchange);
  void diffFiles(const http::ExchangePtr& exchange);
  void diffPatch(const http::ExchangePtr& exchange);
  void diffFile(const http::ExchangePtr& exchange);
  void diffBranches(const http::ExchangePtr& exchange);
  void paths(const http::ExchangePtr& exchange);
  void commit(const http::ExchangePtr& exchange);
  void pullRequest(const http::ExchangePtr& exchange);

  /// The row that the request is about, when it has a folder; else the exchange has failed.
  [[nodiscard]] std::optional<Row> placed(const http::ExchangePtr& exchange) const;
  /// Answers with an outcome of the folder's repository; one that has none is not asked.
  void outcome(const http::ExchangePtr& exchange, std::string_view type, common::Json command);
  void target(const http::ExchangePtr& exchange, std::string_view type);
  /// The branch that work there is compared with when a request names none; empty = not known.
  [[nodiscard]] std::string baseOf(const http::ExchangePtr& exchange) const;
  /// The target with that branch, where it compares with one.
  [[nodiscard]] common::Json compared(const http::ExchangePtr& exchange, common::Json target) const;
  void ask(const http::ExchangePtr& exchange, const Row& row, std::string_view type,
           common::Json command, Take take) const;

  const With with_;
  struct KeptRequest {
    common::Json answer;
    std::chrono::steady_clock::time_point until;
  };
  /// What machines have said of pull requests, for a while.
  std::shared_ptr<std::map<std::string, KeptRequest>> kept_ =
      std::make_shared<std::map<std::string, KeptRequest>>();
  std::vector<Handle> routes_;
};

}  // namespace svc::environments
