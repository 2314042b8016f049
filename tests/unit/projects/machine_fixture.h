#pragma once

#include <string>
#include <utility>
#include <vector>

#include "svc/common/json.h"

#include "fixture.h"
#include "machine_commands.h"
#include "mocks/mock_host_commands.h"
#include "mocks/recorded_exchange.h"

namespace svc::projects {

/// Routes on a machine that the test plays: what it is asked, and answers that are given when the test wants.
class MachineFixture : public ProjectsFixture {
 protected:
  struct Asked {
    std::string host_id;
    common::Json command;
    Completion<std::string> done;
  };

  MachineFixture() {
    ON_CALL(commands_, send)
        .WillByDefault([this](const std::string& host_id, const std::string& command,
                              std::chrono::milliseconds, Completion<std::string> done) {
          asked_.push_back({host_id, common::Json::parse(command).value(), std::move(done)});
        });
  }

  std::shared_ptr<svc::test::RecordedExchange> send(const std::string& route,
                                                    const std::string& project_id,
                                                    std::string query = {},
                                                    std::string clone_id = {}) {
    http::Request request;
    request.query = std::move(query);
    request.path_parameters = {{"projectId", project_id}, {"cloneId", std::move(clone_id)}};
    auto exchange = std::make_shared<svc::test::RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }
  void answer(std::size_t at, Result<std::string> result) {
    ASSERT_LT(at, asked_.size());
    // What it leads to may ask again.
    auto done = std::move(asked_[at].done);
    done(std::move(result));
  }
  [[nodiscard]] const common::Json& command(std::size_t at) const { return asked_.at(at).command; }

  ::testing::NiceMock<hosts::MockHostCommands> commands_;
  std::vector<Asked> asked_;
  svc::test::InlineWorkers workers_;
  svc::test::RecordedRoutes server_;
  MachineCommands machines_{&commands_};
};

}  // namespace svc::projects
