#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog_routes.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "fakes/fake_managed_plugins.h"
#include "fakes/inline_workers.h"
#include "files.h"
#include "install_routes.h"
#include "memory_installs.h"
#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"

namespace svc::installs {

/// The routes over real jobs and marketplaces; the plugins and the server around them are fakes.
class InstallRoutesTest : public ::testing::Test {
 protected:
  /// A list with one plugin that counts, and one that does not.
  static constexpr const char* kList =
      R"({"schemaVersion":1,"name":"acme","plugins":[{"id":"todo","displayName":"To do","tags":["work"],)"
      R"("author":{"name":"Ann"},"source":{"npm":{"package":"todo","range":"^1"}}},)"
      R"({"id":"bad","author":{"name":"Ann"},"source":{"npm":{"package":"todo"}}}]})";

  InstallRoutesTest() {
    EXPECT_TRUE(routes_.attach(server_).ok());
    EXPECT_TRUE(catalog_.attach(server_).ok());
    ON_CALL(manager_, list).WillByDefault([](Completion<std::vector<plugins::PluginRecord>> done) {
      done(std::vector<plugins::PluginRecord>());
    });
  }
  ~InstallRoutesTest() override { jobs_->stop(); }

  std::shared_ptr<test::RecordedExchange> send(const std::string& route,
                                               const std::string& body = "",
                                               http::Request request = {}) {
    request.body = body;
    auto exchange = std::make_shared<test::RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    main_.runAll();
    return exchange;
  }
  static http::Request withParameter(const std::string& name, const std::string& value) {
    http::Request request;
    request.path_parameters = {{name, value}};
    return request;
  }
  void installsTodo() {
    EXPECT_CALL(manager_, install("/srv/todo", ::testing::_))
        .WillOnce([](const std::string&, Completion<plugins::PluginRecord> done) {
          plugins::PluginRecord record;
          record.id = "todo";
          record.status = plugins::PluginStatus::kError;
          done(record);
        });
  }

  TempDir data_;
  test::RecordedRoutes server_;
  test::FakeClock clock_;
  test::FakeMainExecutor main_;
  svc::test::InlineBulkWorkers threads_;
  svc::test::InlineWorkers workers_;
  MemoryInstalls store_;
  test::FakeManagedPlugins plugins_;
  ::testing::NiceMock<plugins::MockPluginManager> manager_;
  Processes processes_;
  Cache cache_{data_.path() / "cache", clock_, silentLog()};
  Packages packages_{processes_, cache_, plugins_, nullptr, data_.path() / "examples"};
  Work work_{threads_, main_, {}};
  std::shared_ptr<Marketplaces> marketplaces_ =
      std::make_shared<Marketplaces>(Marketplaces::Context{
          work_, clock_, store_, processes_, cache_, silentLog(), data_.path() / "examples"});
  std::shared_ptr<InstallJobs> jobs_ = std::make_shared<InstallJobs>(InstallJobs::Context{
      work_, workers_, clock_, store_, manager_, plugins_, packages_, *marketplaces_, "/home/me",
      [] { return std::uint64_t{7}; }, silentLog()});
  InstallRoutes routes_{jobs_, manager_, cache_, work_, "/home/me"};
  CatalogRoutes catalog_{marketplaces_, jobs_, manager_, plugins_, main_};
};

}  // namespace svc::installs
