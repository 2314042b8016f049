#include "registry_files.h"

#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"

#include "fakes/inline_workers.h"
#include "mocks/mock_http_server.h"

namespace svc::http {
namespace {

using svc::test::InlineWorkers;
using ::testing::_;
using ::testing::NiceMock;
using ::testing::ReturnRef;

class RegistryFilesTest : public ::testing::Test {
 protected:
  RegistryFilesTest() {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-registry-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directories(directory_ / "registry");
    std::ofstream(directory_ / "registry/table.json") << R"({"name":"table"})";
    std::ofstream(directory_ / "registry/field.json") << "{}";
    std::ofstream(directory_ / "registry/registry.json") << R"({"items":[]})";
    std::ofstream(directory_ / "secret.json") << "secret";
    request_.path_parameters = {{"name", "table.json"}};
    ON_CALL(*exchange_, request()).WillByDefault(ReturnRef(request_));
  }
  ~RegistryFilesTest() override { std::filesystem::remove_all(directory_); }

  void ask(const std::string& name, const std::string& root = "registry") {
    request_.path_parameters = {{"name", name}};
    RegistryFiles(directory_ / root, workers_).answer(exchange_);
  }
  std::string bodyOf(const std::string& name) {
    std::string body;
    EXPECT_CALL(*exchange_, respond(_)).WillOnce([&](const Response& response) {
      EXPECT_EQ(response.content_type, "application/json; charset=utf-8");
      body = response.body;
    });
    ask(name);
    return body;
  }
  std::string refusalOf(const std::string& name, const std::string& root = "registry") {
    std::string message;
    EXPECT_CALL(*exchange_, respond(_)).WillOnce([&](const Response& response) {
      EXPECT_EQ(response.status, 404U);
      const auto body = common::Json::parse(response.body).value();
      EXPECT_EQ(body["error"]["code"].asString(), "unknown_asset");
      message = body["error"]["message"].asString();
    });
    ask(name, root);
    return message;
  }

  std::filesystem::path directory_;
  InlineWorkers workers_;
  Request request_;
  std::shared_ptr<NiceMock<test::MockExchange>> exchange_ =
      std::make_shared<NiceMock<test::MockExchange>>();
};

TEST_F(RegistryFilesTest, ServesAComponentAndTheList) {
  EXPECT_EQ(bodyOf("table.json"), R"({"name":"table"})");
  EXPECT_EQ(bodyOf("registry.json"), R"({"items":[]})");
}

TEST_F(RegistryFilesTest, NamesTheComponentsWhereThereIsNone) {
  for (const std::string name : {"tabel.json", "table", "../secret.json", "..%2Fsecret.json", ""}) {
    EXPECT_EQ(refusalOf(name), "there is no component " + name + "; there are field, table");
  }
}

TEST_F(RegistryFilesTest, SaysThatAnInstallationHasNone) {
  EXPECT_EQ(refusalOf("table.json", "gone"), "the components are not installed with this server");
}

}  // namespace
}  // namespace svc::http
