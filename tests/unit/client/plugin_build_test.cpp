#include <fstream>

#include "client_fixture.h"
#include "commands/commands.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A program of the test stands for Node and the builder.
class PluginBuildTest : public ClientTest {
 protected:
  void SetUp() override {
    working_dir = tree.path().string();
    tree.write("x/package.json", R"({"name":"svc-plugin-x"})");
  }
  void answers(const std::string& lines) {
    tree.write("node", "#!/bin/sh\nread -r request\necho \"$request\" > " +
                           (tree.path() / "request").string() + "\ncat <<'END'\n" + lines +
                           "END\n");
    std::filesystem::permissions(tree.path() / "node", std::filesystem::perms::owner_all);
    variables["SVC_BUILD_NODE"] = (tree.path() / "node").string();
  }
  int build(const std::string& path, bool as_json = false) {
    auto made = context();
    made.console.json = as_json;
    return pluginBuild(made, path);
  }

  TempTree tree;
};

TEST_F(PluginBuildTest, PrintsEachFileRelativeToTheWorkingDirectory) {
  answers(R"({"id":1,"target":"app","type":"progress","message":"bundling"}
{"id":1,"target":"app","type":"warning","text":"clsx is in \"dependencies\"","file":"package.json"}
{"id":1,"target":"app","type":"built","ms":1}
{"id":1,"target":"app","type":"wrote","path":"dist/app.js","bytes":5}
{"id":1,"target":"app","type":"wrote","path":"dist/app.meta.json","bytes":6}
{"id":1,"type":"done","ok":true}
)");
  EXPECT_EQ(build("x"), 0);
  EXPECT_EQ(out.str(), "x/dist/app.js\nx/dist/app.meta.json\n");
  EXPECT_EQ(err.str(), "svc: warning: package.json: clsx is in \"dependencies\"\n");
  EXPECT_THAT(tree.read("request"),
              HasSubstr(R"("targets":["server","app","host"],"minify":true)"));
}

TEST_F(PluginBuildTest, AsJson) {
  answers(R"({"id":1,"target":"app","type":"wrote","path":"dist/app.js","bytes":5}
{"id":1,"target":"app","type":"built","ms":1}
{"id":1,"type":"done","ok":true}
)");
  EXPECT_EQ(build("x", true), 0);
  EXPECT_EQ(out.str(),
            "{\"ok\":true,\"files\":[{\"target\":\"app\",\"path\":\"x/dist/"
            "app.js\",\"bytes\":5}],\"warnings\":[]}\n");
}

constexpr const char* kFailure =
    R"({"id":1,"target":"app","type":"error","text":"Unexpected \"}\"","file":"app.tsx","line":2,"column":3,"length":1,"lineText":"a(}"}
{"id":1,"target":"app","type":"failed","ms":1}
{"id":1,"type":"done","ok":false}
)";

TEST_F(PluginBuildTest, AFailureShowsThePlace) {
  answers(kFailure);
  EXPECT_EQ(build("x"), 1);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(),
            "app.tsx:2:3: Unexpected \"}\"\n  2 | a(}\n    |   ^\n"
            "svc: the app bundle could not be built; nothing was replaced\n");
}

TEST_F(PluginBuildTest, AFailureAsJson) {
  answers(kFailure);
  EXPECT_EQ(build("x", true), 1);
  EXPECT_THAT(out.str(), HasSubstr(R"("code":"build_failed")"));
  EXPECT_THAT(out.str(), HasSubstr(R"("file":"app.tsx","line":2,"column":3,"source":"a(}")"));
}

TEST_F(PluginBuildTest, WarnsOfWhatNpmWouldLeaveOut) {
  answers("{\"id\":1,\"type\":\"done\",\"ok\":true}\n");
  struct Package {
    const char* files;
    const char* ignore;
    const char* expected;
  };
  constexpr const char* kDist = "npm leaves dist out of the package, because ";
  for (const auto& each : {Package{R"(["dist/","./skills/**"])", "dist", ""},
                           {R"(["skills","dist/*.js"])", "", ""},
                           {R"(["*"])", "dist", ""},
                           {R"(["*","!dist"])", "", kDist},
                           {R"(["skills"])", "", kDist},
                           {R"(["dist"])", "", "npm leaves skills out of the package"},
                           {"null", "node_modules\n/dist/\n", ".gitignore lists it"},
                           {"null", "dist\n!dist\n", ""}}) {
    tree.write("x/skills/a/SKILL.md", "a");
    tree.write("x/.gitignore", each.ignore);
    tree.write("x/package.json",
               std::string(R"({"name":"svc-plugin-x","files":)") + each.files + "}");
    err.str("");
    EXPECT_EQ(build("x"), 0);
    EXPECT_THAT(err.str(), HasSubstr(each.expected)) << each.files;
    EXPECT_EQ(err.str().find("npm leaves") != std::string::npos, each.expected[0] != '\0');
  }
  tree.write("x/.npmignore", "tests");
  tree.write("x/.gitignore", "dist");
  tree.write("x/package.json", R"({"name":"svc-plugin-x"})");
  err.str("");
  EXPECT_EQ(build("x"), 0);
  EXPECT_THAT(err.str(), Not(HasSubstr("npm leaves")));
}

TEST_F(PluginBuildTest, ADirectoryThatIsNoPluginIsNotFound) {
  EXPECT_EQ(build("nowhere"), 3);
  EXPECT_THAT(err.str(), HasSubstr("nowhere: No such file or directory"));
  tree.write("empty/file", "");
  EXPECT_EQ(build("empty"), 3);
}

TEST_F(PluginBuildTest, WithoutNodeItSaysWhatToDo) {
  variables["SVC_BUILD_NODE"] = "/no/such/node";
  EXPECT_EQ(build("x"), 1);
  EXPECT_THAT(err.str(), HasSubstr("Node.js 20 or newer"));
  EXPECT_THAT(err.str(), Not(HasSubstr("nothing was replaced")));
}

}  // namespace
}  // namespace svc::client
