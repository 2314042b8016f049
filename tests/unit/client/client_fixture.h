#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dispatch.h"
#include "mocks/mock_http_client.h"

namespace svc::client {

/// A Context over string streams and one mocked connection.
class ClientTest : public ::testing::Test {
 protected:
  /// What a command may ask; each expectation names method and target.
  void expect(const std::string& method, const std::string& target, Result<HttpResponse> answer) {
    using ::testing::AllOf;
    using ::testing::Field;
    EXPECT_CALL(*http, send(AllOf(Field(&HttpRequest::method, method),
                                  Field(&HttpRequest::target, target))))
        .InSequence(order)
        .WillOnce([this, answer = std::move(answer)](const HttpRequest& request) {
          requests.push_back(request);
          return answer;
        });
  }
  void expectGet(const std::string& target, const std::string& body, int status = 200) {
    expect("GET", target, HttpResponse{status, body});
  }
  void expectPost(const std::string& target, const std::string& body, int status = 200) {
    expect("POST", target, HttpResponse{status, body});
  }

  Context context() {
    return Context{
        .console = {.in = in, .out = out, .err = err},
        .environment = {.variable =
                            [this](const std::string& name) {
                              const auto found = variables.find(name);
                              return found == variables.end() ? std::nullopt
                                                              : std::optional(found->second);
                            },
                        .working_dir = working_dir,
                        .program_dir = program_dir,
                        .home = home},
        .choice = {},
        .connector = [this](const std::string& url) -> Result<std::unique_ptr<IHttpClient>> {
          connected_to.push_back(url);
          return Result<std::unique_ptr<IHttpClient>>(std::make_unique<Forward>(*http));
        },
        .sleep = [this](std::chrono::milliseconds time) { pauses.push_back(time.count()); }};
  }

  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  std::map<std::string, std::string> variables{{"SVC_SERVER_URL", "http://127.0.0.1:4700"}};
  std::string working_dir = "/work";
  std::string program_dir = "/nowhere";
  std::filesystem::path home = "/home/me";
  std::vector<std::string> connected_to;
  std::vector<std::int64_t> pauses;
  std::vector<HttpRequest> requests;
  std::unique_ptr<::testing::StrictMock<MockHttpClient>> http =
      std::make_unique<::testing::StrictMock<MockHttpClient>>();
  ::testing::Sequence order;

 private:
  /// The context owns its connection; the mock outlives it.
  class Forward final : public IHttpClient {
   public:
    explicit Forward(IHttpClient& target) : target_(target) {}
    Result<HttpResponse> send(const HttpRequest& request) override { return target_.send(request); }

   private:
    IHttpClient& target_;
  };
};

inline constexpr const char* kContributions =
    R"({"ok":true,"cliCommands":[{"pluginId":"todo","name":"todo","summary":"Manage todos","commands":[)"
    R"({"name":"list","summary":"List todos","usage":"svc todo list"},)"
    R"({"name":"add","summary":"Add a todo","usage":"svc todo add <title>"}],"rendersHelp":false},)"
    R"({"pluginId":"notes-plugin","name":"notes","summary":"","commands":[],"rendersHelp":true}],"mentionProviders":[]})";

}  // namespace svc::client
