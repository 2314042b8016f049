#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/json_slices.h"

#include "access_routes.h"
#include "endpoint.h"
#include "mocks/mock_mcp_source.h"
#include "mocks/mock_mcp_token_store.h"
#include "mocks/mock_reactor.h"
#include "mocks/reactor_clock.h"
#include "mocks/recorded_exchange.h"

namespace svc::mcp {

using svc::test::RecordedExchange;
using Headers = std::vector<http::Header>;

inline constexpr auto kBoth = "application/json, text/event-stream";
inline constexpr auto kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                              R"("io.modelcontextprotocol/clientCapabilities":{}})";

[[nodiscard]] inline common::Json parsed(const std::string& text) {
  auto json = common::Json::parse(text);
  return json ? std::move(json).value() : common::Json();
}

/// A source whose lists a test sets and whose requests it answers by hand.
class HandSource : public ::testing::NiceMock<MockSource> {
 public:
  explicit HandSource(std::string capabilities = R"({"tools":{"listChanged":true}})") {
    using ::testing::_;
    ON_CALL(*this, capabilities).WillByDefault([text = std::move(capabilities)] {
      return parsed(text);
    });
    ON_CALL(*this, list).WillByDefault([this](ListKind kind, const Caller&) {
      return lists[kind];
    });
    ON_CALL(*this, answer).WillByDefault([this](Request request, Completion<Answer> answer) {
      requests.push_back(std::move(request));
      waiting.push_back(std::move(answer));
    });
  }
  void offers(ListKind kind, const std::string& key, const std::string& plugin_id = "") {
    lists[kind].push_back(
        {key, common::RawJson(fmt::format(R"({{"name":"{}"}})", key)), plugin_id});
  }
  void answers(std::string result, bool failed = false) {
    auto done = std::move(waiting.front());
    waiting.erase(waiting.begin());
    done(Answer{.result = common::RawJson(std::move(result)), .failed = failed});
  }
  void fails(Error error) {
    auto done = std::move(waiting.front());
    waiting.erase(waiting.begin());
    done(std::move(error));
  }

  std::map<ListKind, std::vector<Item>> lists;
  std::vector<Request> requests;
  std::vector<Completion<Answer>> waiting;
};

/// A store that answers at once.
class InstantTokenStore : public ::testing::NiceMock<storage::MockMcpTokenStore> {
 public:
  InstantTokenStore() {
    ON_CALL(*this, list).WillByDefault([this] { return rows; });
    ON_CALL(*this, insert).WillByDefault([this](const auto& row, Completion<void> done) {
      rows.push_back(row);
      done({});
    });
    ON_CALL(*this, remove).WillByDefault([this](const auto& id, Completion<void> done) {
      std::erase_if(rows, [&](const auto& row) { return row.id == id; });
      done({});
    });
    ON_CALL(*this, used).WillByDefault([](const auto&, auto, Completion<void> done) { done({}); });
  }
  std::vector<storage::McpTokenRow> rows;
};

/// The endpoint with its routes, on a hand-driven io and main thread.
class McpFixture : public ::testing::Test {
 protected:
  McpFixture() {
    source_->offers(ListKind::kTools, "add");
    added_ = catalogue_->add(source_);
    routes_ = endpoint_->attach(server_).value();
    access_ = std::make_shared<AccessRoutes>(tokens_, surroundings_.clients, surroundings_.history,
                                             [] { return true; })
                  ->attach(server_)
                  .value();
    run();
  }
  ~McpFixture() override {
    source_->waiting.clear();
    run();
  }

  void run() {
    while (reactor_.runAll() + main_.runAll() > 0) {
    }
  }
  std::shared_ptr<RecordedExchange> send(std::string body, Headers headers = {}) {
    http::Request request;
    request.method = "POST";
    request.body = std::move(body);
    request.headers = std::move(headers);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("POST /api/v1/mcp", exchange);
    run();
    return exchange;
  }
  /// A request of a client with a handshake.
  std::shared_ptr<RecordedExchange> old(const std::string& method, const std::string& params = "{}",
                                        Headers more = {}) {
    Headers headers{{"Accept", kBoth}, {"MCP-Protocol-Version", "2025-11-25"}};
    headers.insert(headers.end(), more.begin(), more.end());
    return send(
        fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{}}})", method, params),
        std::move(headers));
  }
  /// A request of a client of 2026-07-28; `members` are those of its params beside _meta.
  std::shared_ptr<RecordedExchange> modern(const std::string& method,
                                           const std::string& members = "",
                                           const std::string& name = "") {
    Headers headers{
        {"Accept", kBoth}, {"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
    if (!name.empty()) {
      headers.push_back({"Mcp-Name", name});
    }
    return send(fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{}{}{}}}}})",
                            method, members, members.empty() ? "" : ",", kMeta),
                std::move(headers));
  }
  /// A request to another route of the module.
  std::shared_ptr<RecordedExchange> route(
      const std::string& key, const std::string& body = "",
      std::vector<std::pair<std::string, std::string>> parameters = {}) {
    http::Request request;
    request.body = body;
    request.path_parameters = std::move(parameters);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(key, exchange);
    run();
    return exchange;
  }
  /// The secret of a new token.
  std::string token(const std::string& name, Scope scope = {}) {
    std::string secret;
    tokens_->create({.name = name, .scope = std::move(scope)},
                    [&](const Result<CreatedToken>& made) { secret = made.value().secret; });
    return secret;
  }
  static http::Header bearer(const std::string& secret) {
    return {"Authorization", "Bearer " + secret};
  }
  void revoke(const std::string& name) {
    tokens_->revoke(name, [](const Result<TokenPtr>& revoked) { ASSERT_TRUE(revoked.ok()); });
    run();
  }
  /// A tools/call of "add"; `meta` are members of _meta.
  std::shared_ptr<RecordedExchange> callAdd(const std::string& meta = "", Headers more = {}) {
    return old("tools/call",
               fmt::format(R"({{"name":"add","arguments":{{"n":1}},"_meta":{{{}}}}})", meta),
               std::move(more));
  }
  static std::int64_t codeOf(const RecordedExchange& exchange) {
    return exchange.json()["error"]["code"].asInteger();
  }
  /// The messages of a stream.
  static std::vector<common::Json> events(const RecordedExchange& exchange) {
    std::vector<common::Json> all;
    constexpr std::string_view kData = "data: ";
    const auto& text = exchange.written;
    for (auto at = text.find(kData); at != std::string::npos; at = text.find(kData, at + 1)) {
      const auto start = at + kData.size();
      all.push_back(parsed(text.substr(start, text.find('\n', start) - start)));
    }
    return all;
  }

  svc::test::FakeReactor reactor_;
  svc::test::FakeMainExecutor main_;
  svc::test::ReactorClock clock_{reactor_};
  svc::test::RecordedRoutes server_;
  std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
  int randoms_ = 0;
  std::shared_ptr<LateResults> late_ = std::make_shared<LateResults>();
  Surroundings surroundings_{.reactor = reactor_,
                             .clock = clock_,
                             .counters = counters_,
                             .server_info = R"({"name":"svc","version":"1.2.3"})",
                             .random = [this] { return fmt::format("r{}", ++randoms_); },
                             .history = std::make_shared<CallHistory>(),
                             .clients = std::make_shared<Clients>(clock_),
                             .late = late_};
  std::shared_ptr<OpenRequests> open_ = std::make_shared<OpenRequests>(surroundings_);
  std::shared_ptr<Streams> streams_ = std::make_shared<Streams>(surroundings_);
  std::shared_ptr<Catalogue> catalogue_ = std::make_shared<Catalogue>(Catalogue::Listeners{
      .changed = [this](ListKind kind) { streams_->changed(kind); },
      .resource_updated = [this](std::string uri) { streams_->resourceUpdated(std::move(uri)); }});
  std::shared_ptr<HandSource> source_ = std::make_shared<HandSource>();
  InstantTokenStore store_;
  int secrets_ = 0;
  std::shared_ptr<Tokens> tokens_ = std::make_shared<Tokens>(Tokens::Parts{
      .store = store_,
      .clock = clock_,
      .secret = [this] { return fmt::format("secret{}", ++secrets_); },
      .id = [this] { return fmt::format("{}", secrets_); },
      .revoked =
          [this](const TokenPtr& token) {
            streams_->revoke(token);
            open_->revoke(token);
          },
      .aborted = [this](const TokenPtr& token, bool all) { open_->abort(token, all); }});
  bool settled_ = true;  ///< false: plugins are still being loaded
  std::vector<std::shared_ptr<Completion<void>>> waiting_;
  std::vector<std::string> loading_;
  std::map<std::string, Status> plugins_;  ///< those that are installed, and why one does not run
  std::shared_ptr<Endpoint> endpoint_ = std::make_shared<Endpoint>(
      catalogue_, open_, streams_, tokens_, main_,
      Endpoint::Plugins{
          .settled =
              [this](std::chrono::milliseconds, Completion<void> done) {
                if (settled_) {
                  done({});
                } else {
                  waiting_.push_back(std::make_shared<Completion<void>>(std::move(done)));
                }
              },
          .loading = [this] { return loading_; },
          .running =
              [this](const std::string& id, Completion<void> done) {
                const auto plugin = plugins_.find(id);
                done(plugin == plugins_.end() ? Error{errc::kUnknownPlugin, "not installed"}
                                              : plugin->second);
              }});
  Handle added_;
  std::vector<Handle> routes_;
  std::vector<Handle> access_;
};

}  // namespace svc::mcp
