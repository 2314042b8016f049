#include "clone_path.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

using ::testing::_;
using ::testing::Return;

constexpr const char* kProject = R"json({"ok":true,"project":{"name":"My App (new)"}})json";
constexpr const char* kUnknown = R"({"ok":false,"error":{"code":"not_found","message":"no"}})";

class ClonePathTest : public HostsFixture {
 protected:
  ClonePathTest() {
    EXPECT_TRUE(path_.attach(server_).ok());
    ON_CALL(server_, serves).WillByDefault(Return(true));
    ON_CALL(server_, dispatch)
        .WillByDefault([this](http::Request request, const std::stop_token&, auto done) {
          asked_ = request.target;
          http::Response response;
          response.status = known_ ? 200 : 404;
          response.body = known_ ? kProject : kUnknown;
          done(std::move(response));
        });
  }
  std::shared_ptr<RecordedExchange> ask(const std::string& query) {
    http::Request request;
    request.path_parameters = {{"hostId", "host_1"}};
    request.query = query;
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("GET /api/v1/hosts/:hostId/clone-default-path", exchange);
    reactor_.runAll();
    return exchange;
  }

  bool known_ = true;
  std::string asked_;
  RecordedRoutes server_;
  ClonePath path_{*rpc_};
};

TEST_F(ClonePathTest, IsADirectoryOfTheHomeThatIsNotThere) {
  const auto daemon = connect();
  const auto exchange = ask("projectId=prj_1");
  EXPECT_EQ(asked_, "/api/v1/projects/prj_1");
  const auto home = daemon.socket->next();
  EXPECT_EQ(home["command"].dump(), R"({"type":"host.directory"})");
  daemon.answers(home, R"({"directory":"/home/a","parent":"/home","entries":[]})");
  reactor_.runAll();
  const auto paths = daemon.socket->next();
  EXPECT_EQ(paths["command"]["paths"].items()[1].asString(), "/home/a/My-App-new-2");
  daemon.answers(paths,
                 R"({"existence":{"/home/a/My-App-new":true,"/home/a/My-App-new-2":false}})");
  EXPECT_EQ(exchange->answer->body, R"({"ok":true,"path":"/home/a/My-App-new-2"})");
}

TEST_F(ClonePathTest, SaysWhyThereIsNone) {
  EXPECT_EQ(ask("projectId=prj_1")->errorCode(), "host_unavailable");
  for (const auto* query : {"", "projectId=", "projectId=..", "projectId=a%2Fb"}) {
    EXPECT_EQ(ask(query)->errorCode(), "invalid_input") << query;
  }
  known_ = false;
  EXPECT_EQ(ask("projectId=prj_2")->status(), 404U);
  ON_CALL(server_, serves).WillByDefault(Return(false));
  const auto none = ask("projectId=prj_1");
  EXPECT_EQ(none->status(), 501U);
}

TEST(DirectoryNameTest, HasNoLettersThatShellsMeanSomethingBy) {
  EXPECT_EQ(directoryName("svc"), "svc");
  EXPECT_EQ(directoryName("a b/../c"), "a-b-..-c");
  EXPECT_EQ(directoryName("..hidden."), "hidden");
  EXPECT_EQ(directoryName("$(rm)"), "rm");
  EXPECT_EQ(directoryName("日本"), "project");
}

}  // namespace
}  // namespace svc::hosts
