#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "svc/base/random.h"
#include "svc/common/codes.h"

#include "mocks/mock_projects.h"
#include "mocks/mock_realtime_hub.h"
#include "mocks/recorded_exchange.h"
#include "runner_fixture.h"
#include "thread_routes.h"

namespace svc::threads {

/// The routes over a real book and runner; projects, windows and the server around them are mocks.
class ThreadRoutesTest : public RunnerFixture {
 protected:
  ThreadRoutesTest()
      : extras_(*book_),
        queue_(*book_),
        log_(*book_, executor_),
        interactions_(*book_, *runner_),
        routes_(workers_,
                Desk{*book_, *records_, extras_, queue_, interactions_, log_, *runner_, live_,
                     timelines_,
                     Surroundings{.folders = folders_,
                                  .hub = &hub_,
                                  .server_host = [] { return std::string("host_a"); },
                                  .check_plugin =
                                      [](const std::string& id) {
                                        return id == "ghost"
                                                   ? Status(Error{errc::kUnknownPlugin, "no ghost"})
                                                   : Status();
                                      }}},
                projects_) {
    ON_CALL(projects_, find(::testing::_))
        .WillByDefault([](std::string_view id) -> std::optional<projects::Project> {
          return id == "proj_a" ? std::optional(projects::Project{.id = "proj_a", .name = "a"})
                                : std::nullopt;
        });
    ON_CALL(server_, dispatch(::testing::_, ::testing::_, ::testing::_))
        .WillByDefault([this](const http::Request& request, const std::stop_token&,
                              Completion<http::Response> done) {
          asked_[request.target] = request.body;
          const auto found = elsewhere_.find(request.target);
          http::Response response;
          response.status = found == elsewhere_.end() ? 404 : found->second.first;
          response.body = found == elsewhere_.end() ? R"({"ok":false})" : found->second.second;
          done(std::move(response));
        });
    EXPECT_TRUE(routes_.attach(server_).ok());
  }
  std::shared_ptr<svc::test::RecordedExchange> ask(
      const std::string& route, std::string body = {}, std::string query = {},
      std::pair<std::string, std::string> parameter = {}) {
    http::Request request;
    request.body = std::move(body);
    request.query = std::move(query);
    request.path_parameters = {{"threadId", thread_}, std::move(parameter)};
    request.caller_plugin = caller_;
    auto exchange = std::make_shared<svc::test::RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }

  ~ThreadRoutesTest() override { std::filesystem::remove_all(root_); }
  ThreadRoutesTest(const ThreadRoutesTest&) = delete;
  ThreadRoutesTest& operator=(const ThreadRoutesTest&) = delete;
  /// What another route answers when this module asks it.
  void elsewhere(const std::string& target, unsigned status, const std::string& body) {
    elsewhere_[target] = {status, body};
  }
  std::string caller_;  ///< the plugin whose server entry asks; empty = a person
  /// The request that was sent to it.
  std::map<std::string, std::string> asked_;
  std::map<std::string, std::pair<unsigned, std::string>> elsewhere_;

  const std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("svc-threads-" + base::randomHex(8));
  ThreadFolders folders_{root_};
  ::testing::NiceMock<svc::test::MockRealtimeHub> hub_;
  ::testing::NiceMock<projects::MockProjects> projects_;
  svc::test::RecordedRoutes server_;
  ThreadExtras extras_;
  MessageQueue queue_;
  test::FakeExecutor executor_;
  EventLog log_;
  InteractionDesk interactions_;
  KeptTimelines timelines_{*book_};
  ThreadRoutes routes_;
};

}  // namespace svc::threads
