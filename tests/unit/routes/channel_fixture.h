#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "load_state.h"
#include "mocks/mock_generation.h"
#include "mocks/mock_loaded_plugins.h"
#include "mocks/recorded_exchange.h"

namespace svc::routes {

/// What the plugin was asked, with the means to answer.
struct Asked {
  std::string source;
  script::Invocation invocation;
  Completion<std::string> done;
  std::stop_token returned;  ///< of a request
};

/// One load of the plugin "todo" whose script is the test.
class ChannelTest : public ::testing::Test {
 protected:
  ChannelTest() {
    using ::testing::_;
    using ::testing::Return;
    using ::testing::ReturnRef;
    ON_CALL(*generation, pluginId).WillByDefault(ReturnRef(id));
    ON_CALL(*generation, loadId).WillByDefault(Return(1));
    ON_CALL(*generation, invoke)
        .WillByDefault([this](std::string source, script::Invocation invocation, auto done) {
          asked.push_back({std::move(source), std::move(invocation), std::move(done), {}});
        });
    ON_CALL(*generation, invokeStreaming)
        .WillByDefault(
            [this](std::string source, script::Invocation invocation, auto returned, auto done) {
              asked.push_back(
                  {std::move(source), std::move(invocation), std::move(done), std::move(returned)});
            });
    ON_CALL(loaded, acquire(_, _)).WillByDefault([this](const std::string&, auto done) {
      if (absent) {
        done(*absent);
      } else {
        done(plugins::GenerationPtr(generation));
      }
    });
  }

  /// A request to the mount, as the HTTP module hands it over.
  static http::Request request(const std::string& method, const std::string& rest) {
    http::Request made;
    made.method = method;
    made.path = "/api/v1/plugins/todo/http/" + rest;
    made.path_parameters = {{"id", "todo"}, {"*", rest}};
    made.headers = {{"Host", "127.0.0.1:1"}};
    return made;
  }

  const std::string id = "todo";
  std::shared_ptr<::testing::NiceMock<plugins::MockGeneration>> generation =
      std::make_shared<::testing::NiceMock<plugins::MockGeneration>>();
  ::testing::NiceMock<plugins::MockLoadedPlugins> loaded;
  test::RecordedRoutes server;
  std::optional<Error> absent;
  std::shared_ptr<Loads> loads = std::make_shared<Loads>();
  LoadStatePtr load = loads->create(1, generation);
  std::vector<Asked> asked;
};

}  // namespace svc::routes
