#include "client_fixture.h"
#include "commands/commands.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::_;
using ::testing::HasSubstr;

class ProfilersTest : public ClientTest {
 protected:
  ProfilersTest() { working_dir = tree.path().string(); }
  Context dated() {
    auto made = context();
    made.now = [] { return 1'767'225'600'000; };
    return made;
  }
  TempTree tree;
};

TEST_F(ProfilersTest, WritesTheProfileAlone) {
  expectPost("/api/v1/plugins/todo/profile", R"({"ok":true,"profile":{"nodes":[1]}})");
  auto made = dated();
  EXPECT_EQ(pluginProfile(made, "todo", {.seconds = 2, .file = "p.cpuprofile"}), 0);
  EXPECT_EQ(requests.back().body, R"({"seconds":2})");
  EXPECT_GT(requests.back().timeout, std::chrono::seconds(2));
  EXPECT_EQ(tree.read("p.cpuprofile"), R"({"nodes":[1]})");
  EXPECT_EQ(out.str(), "p.cpuprofile\n");
}

TEST_F(ProfilersTest, NamesTheFileByPluginAndTime) {
  expectPost("/api/v1/plugins/todo/profile", R"({"ok":true,"profile":{}})");
  auto made = dated();
  EXPECT_EQ(pluginProfile(made, "todo", {}), 0);
  EXPECT_EQ(out.str(), "todo-2026-01-01T00-00-00Z.cpuprofile\n");
  EXPECT_TRUE(tree.has("todo-2026-01-01T00-00-00Z.cpuprofile"));
}

TEST_F(ProfilersTest, SaysWhereItCannotWrite) {
  expectPost("/api/v1/plugins/todo/profile", R"({"ok":true,"profile":{}})");
  auto made = dated();
  EXPECT_EQ(pluginProfile(made, "todo", {.file = "no/where"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("cannot write " + working_dir + "/no/where"));
}

TEST_F(ProfilersTest, SavesAHeapAsItComes) {
  EXPECT_CALL(*http,
              send(::testing::Field(&HttpRequest::target, "/api/v1/plugins/todo/heap-snapshot")))
      .WillOnce([](const HttpRequest& request) {
        *request.save << "{}";
        return HttpResponse{200, ""};
      });
  auto made = dated();
  EXPECT_EQ(pluginHeap(made, "todo", "h"), 0);
  EXPECT_EQ(tree.read("h"), "{}");
  EXPECT_FALSE(tree.has("h.partial"));
  EXPECT_THAT(err.str(), HasSubstr("stands still"));
}

TEST_F(ProfilersTest, WhatLiesBesideAHeapIsNotTouched) {
  EXPECT_CALL(*http, send(_)).WillOnce([](const HttpRequest& request) {
    *request.save << "{}";
    return HttpResponse{200, ""};
  });
  tree.write("h.partial", "mine");
  auto made = dated();
  EXPECT_EQ(pluginHeap(made, "todo", "h"), 0);
  EXPECT_EQ(tree.read("h"), "{}");
  EXPECT_EQ(tree.read("h.partial"), "mine");
  EXPECT_FALSE(tree.has("h.partial-2"));
}

TEST_F(ProfilersTest, LeavesNoHalfHeap) {
  EXPECT_CALL(*http, send(::testing::_)).WillOnce([](const HttpRequest& request) {
    *request.save << "{";
    return Error{errc::kAborted, "cut short"};
  });
  auto made = dated();
  EXPECT_EQ(pluginHeap(made, "todo", "h"), 69);
  EXPECT_TRUE(std::filesystem::is_empty(tree.path()));
}

TEST_F(ProfilersTest, ReportsAPluginWithoutAHeap) {
  expectPost("/api/v1/plugins/todo/heap-snapshot",
             R"({"ok":false,"error":{"code":"unknown_plugin","message":"no plugin"}})", 404);
  auto made = dated();
  EXPECT_EQ(pluginHeap(made, "todo", "h"), 3);
  EXPECT_TRUE(std::filesystem::is_empty(tree.path()));
}

TEST_F(ProfilersTest, PrintsOnlyTheAddressOnStdout) {
  expectPost("/api/v1/plugins/todo/inspector",
             R"({"ok":true,"url":"ws://x","devtoolsUrl":"devtools://x"})");
  auto made = dated();
  EXPECT_EQ(pluginInspect(made, "todo", {}), 0);
  EXPECT_EQ(out.str(), "devtools://x\n");
  EXPECT_THAT(err.str(), HasSubstr("`svc plugin inspect todo --close` closes it"));
}

}  // namespace
}  // namespace svc::client
