#include "client_fixture.h"
#include "commands/commands.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

class PluginDevTest : public ClientTest {
 protected:
  void SetUp() override { working_dir = tree.path().string(); }
  int dev(const std::string& path) {
    auto made = context();
    return pluginDev(made, path);
  }

  TempTree tree;
};

TEST_F(PluginDevTest, NeedsAManifestWithAServerEntry) {
  EXPECT_EQ(dev("x"), 3);
  EXPECT_THAT(err.str(), HasSubstr("svc: x: No such file or directory\n"));
  EXPECT_EQ(dev(""), 3);
  EXPECT_THAT(err.str(), HasSubstr("package.json cannot be read"));
  EXPECT_THAT(err.str(), ::testing::Not(HasSubstr("svc plugin install")));
  tree.write("x/package.json", R"({"name":"x"})");
  EXPECT_EQ(dev("x"), 3);
  EXPECT_THAT(err.str(), HasSubstr("svc.server is missing\nhint: name the directory of a plugin"));
}

TEST_F(PluginDevTest, NeedsAnInstalledPlugin) {
  tree.write("x/package.json", R"({"svc":{"server":"./server.ts"}})");
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[{"id":"y","rootDir":"/elsewhere"}]})");
  EXPECT_EQ(dev("./x"), 3);
  EXPECT_EQ(err.str(),
            "svc: " + working_dir + "/x is not installed\nhint: svc plugin install ./x\n");
  EXPECT_EQ(out.str(), "");
}

TEST_F(PluginDevTest, NeedsAServerToBeginWith) {
  tree.write("package.json", R"({"svc":{"server":"./server.ts"}})");
  expect("GET", "/api/v1/plugins", Error{errc::kUnavailable, "nothing answers"});
  EXPECT_EQ(dev(""), 69);
  EXPECT_THAT(err.str(), HasSubstr("svc server start"));
}

}  // namespace
}  // namespace svc::client
