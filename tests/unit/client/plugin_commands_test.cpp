#include <fcntl.h>
#include <unistd.h>

#include "svc/base/fd.h"

#include "client_fixture.h"
#include "commands/commands.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

class PluginCommandsTest : public ClientTest {};

TEST_F(PluginCommandsTest, ListsNothing) {
  expectGet("/api/v1/plugins", R"json({"ok":true,"plugins":[]})json");
  auto made = context();
  EXPECT_EQ(pluginList(made), 0);
  EXPECT_EQ(out.str(), "No plugins installed.\n");
}

TEST_F(PluginCommandsTest, NoMethodsAreThoseOfAPluginThatIsThere) {
  for (const bool there : {true, false}) {
    auto made = context();
    expectGet("/api/v1/plugins/rpc?pluginId=todo&all=true", R"json({"ok":true,"methods":[]})json");
    expect("GET", "/api/v1/plugins/todo",
           there ? HttpResponse{200, R"({"ok":true,"plugin":{}})"}
                 : HttpResponse{
                       404, R"({"ok":false,"error":{"code":"unknown_plugin","message":"no"}})"});
    EXPECT_EQ(pluginRpcList(made, "todo"), there ? 0 : 3);
  }
  EXPECT_EQ(out.str(), "");
}

TEST_F(PluginCommandsTest, WhereNothingIsInstalledWhatComesWithSvcIsNamed) {
  const TempTree tree;
  tree.write("share/svc/builtin/author/package.json", R"({"description":"The guide and more."})");
  tree.write("share/svc/builtin/notes/other.json", "{}");
  expectGet("/api/v1/plugins", R"json({"ok":true,"plugins":[]})json");
  auto made = context();
  made.environment.program_dir = tree.path() / "bin";
  EXPECT_EQ(pluginList(made), 0);
  EXPECT_EQ(out.str(), "No plugins installed.\n");
  EXPECT_EQ(err.str(),
            "hint: `svc plugin install builtin:author` comes with svc: The "
            "guide and more.\n");
}

TEST_F(PluginCommandsTest, ReloadReportsAKeptInstance) {
  expectPost(
      "/api/v1/plugins/reload?id=todo",
      R"json({"ok":false,"error":{"code":"load_failed","message":"boom (the previous instance is still running)",)json"
      R"json("details":{"plugins":[{"id":"todo","version":"1","status":"running","statusDetail":"reload failed: boom","source":"s"}]}}})json",
      422);
  auto made = context();
  EXPECT_EQ(pluginReload(made, "todo"), 1);
  EXPECT_THAT(out.str(), HasSubstr("todo@1  running  (reload failed: boom)\n"));
  EXPECT_EQ(err.str(), "svc: boom (the previous instance is still running)\n");
}

TEST_F(PluginCommandsTest, ReloadOfAnUnknownPluginIsNotFound) {
  expectPost(
      "/api/v1/plugins/reload?id=x",
      R"json({"ok":false,"error":{"code":"unknown_plugin","message":"no plugin \"x\""}})json", 404);
  auto made = context();
  EXPECT_EQ(pluginReload(made, "x"), 3);
}

TEST_F(PluginCommandsTest, RemoveSaysWhatWasKept) {
  expect(
      "DELETE", "/api/v1/plugins/todo",
      HttpResponse{200, R"json({"ok":true,"removed":"todo","kept":["kv: 12 keys","logs"]})json"});
  auto made = context();
  EXPECT_EQ(pluginRemove(made, "todo", {.purge = false, .yes = true}), 0);
  EXPECT_EQ(out.str(), "Removed todo.\nKept: kv: 12 keys, logs\n");
}

TEST_F(PluginCommandsTest, RemovalNeedsConsentAndSaysWhatGoes) {
  expectGet("/api/v1/plugins/todo", R"json({"ok":true,"plugin":{"id":"todo"}})json");
  auto made = context();
  EXPECT_EQ(pluginRemove(made, "todo", {}), 4);
  EXPECT_EQ(err.str(),
            "Removing todo deletes its settings, secrets, schedules and token.\n"
            "Its stored values, database and logs are kept; --purge deletes them, too.\n"
            "svc: nothing was removed: the loss of data was not confirmed\n"
            "hint: run it on a terminal, or add --yes\n");
}

TEST_F(PluginCommandsTest, RemovalAsksOnATerminal) {
  in.str("n\ny\n");
  auto made = context();
  made.console.in_terminal = true;
  expectGet("/api/v1/plugins/todo", R"json({"ok":true,"plugin":{"id":"todo"}})json");
  EXPECT_EQ(pluginRemove(made, "todo", {}), 4);
  expectGet("/api/v1/plugins/todo", R"json({"ok":true,"plugin":{"id":"todo"}})json");
  expect("DELETE", "/api/v1/plugins/todo",
         HttpResponse{200, R"json({"ok":true,"removed":"todo","kept":[]})json"});
  EXPECT_EQ(pluginRemove(made, "todo", {}), 0);
}

TEST_F(PluginCommandsTest, NobodyIsAskedAboutAPluginThatIsNotThere) {
  expectGet("/api/v1/plugins/todo",
            R"json({"ok":false,"error":{"code":"unknown_plugin","message":"no"}})json", 404);
  auto made = context();
  EXPECT_EQ(pluginRemove(made, "todo", {}), 3);
}

TEST_F(PluginCommandsTest, PurgeNeedsConsent) {
  expectGet("/api/v1/plugins/todo", R"json({"ok":true,"plugin":{"id":"todo"}})json");
  auto made = context();
  EXPECT_EQ(pluginRemove(made, "todo", {.purge = true, .yes = false}), 4);
  EXPECT_THAT(err.str(), HasSubstr("database and logs are deleted, too."));
  expect("DELETE", "/api/v1/plugins/todo?purge=true",
         HttpResponse{200, R"json({"ok":true,"removed":"todo","kept":[]})json"});
  EXPECT_EQ(pluginRemove(made, "todo", {.purge = true, .yes = true}), 0);
}

TEST_F(PluginCommandsTest, TokenPrintsTheTokenAndNothingElse) {
  expect("POST", "/api/v1/plugins/todo/token",
         HttpResponse{200, R"json({"ok":true,"token":"0a1b"})json"});
  expect("POST", "/api/v1/plugins/todo/token",
         HttpResponse{200, R"json({"ok":true,"token":"2c3d"})json"});
  auto made = context();
  EXPECT_EQ(pluginToken(made, "todo", false), 0);
  EXPECT_EQ(pluginToken(made, "todo", true), 0);
  EXPECT_EQ(out.str(), "0a1b\n2c3d\n");
  EXPECT_EQ(requests.at(0).body, "{}");
  EXPECT_EQ(requests.at(1).body, R"({"rotate":true})");
  EXPECT_EQ(err.str(), "");
}

TEST_F(PluginCommandsTest, LogsAreJsonLinesInAPipe) {
  const std::string page =
      R"json({"ok":true,"lines":["{\"seq\":1,\"ts\":0,\"level\":\"error\",\"message\":\"a\\u001b\",\"stack\":\"at x\"}"],"cursor":1})json";
  expectGet("/api/v1/plugins/todo/logs?tail=5&level=warn", page);
  auto made = context();
  EXPECT_EQ(pluginLogs(made, "todo", {.lines = 5, .follow = false, .level = "warn"}), 0);
  EXPECT_EQ(
      out.str(),
      "{\"seq\":1,\"ts\":0,\"level\":\"error\",\"message\":\"a\\u001b\",\"stack\":\"at x\"}\n");
}

TEST_F(PluginCommandsTest, LogsAreTextOnATerminal) {
  const std::string page =
      R"json({"ok":true,"lines":["{\"seq\":1,\"ts\":0,\"level\":\"error\",\"message\":\"a\\u001b\",\"stack\":\"at x\"}"],"cursor":1})json";
  expectGet("/api/v1/plugins/todo/logs?tail=100", page);
  auto made = context();
  made.console.out_terminal = true;
  EXPECT_EQ(pluginLogs(made, "todo", {}), 0);
  EXPECT_EQ(out.str(), "1970-01-01T00:00:00.000Z  error  a\n    at x\n");
}

TEST_F(PluginCommandsTest, FollowingAsksBehindTheCursor) {
  expectGet("/api/v1/plugins/todo/logs?tail=100",
            R"json({"ok":true,"lines":["{}"],"cursor":7})json");
  expectGet("/api/v1/plugins/todo/logs?after=7&tail=10000&wait=25000",
            R"json({"ok":true,"lines":["{\"seq\":8}"],"cursor":8})json");
  expect("GET", "/api/v1/plugins/todo/logs?after=8&tail=10000&wait=25000",
         Error{errc::kUnavailable, "gone"});
  auto made = context();
  EXPECT_EQ(pluginLogs(made, "todo", {.lines = 100, .follow = true, .level = ""}), 69);
  EXPECT_EQ(out.str(), "{}\n{\"seq\":8}\n");
}

TEST_F(PluginCommandsTest, StatusFailsWhenAnEnabledPluginDoesNotRun) {
  const std::string ready =
      R"json({"modules":[{"name":"http","state":"ready","detail":null}],"plugins":[]})json";
  expectGet("/readyz", ready);
  expectGet(
      "/api/v1/plugins",
      R"json({"ok":true,"plugins":[{"id":"a","version":"1","enabled":false,"status":"disabled"}]})json");
  expectGet("/readyz", ready);
  expectGet(
      "/api/v1/plugins",
      R"json({"ok":true,"plugins":[{"id":"a","version":"1","enabled":true,"status":"error","statusDetail":"boom"}]})json");
  auto made = context();
  EXPECT_EQ(status(made), 0);
  EXPECT_EQ(out.str(),
            "KIND\tNAME\tSTATE\tDETAIL\n"
            "server\thttp://127.0.0.1:4700\nmodule\thttp\tready\t\nplugin\ta@1\tdisabled\t\n");
  EXPECT_EQ(status(made), 1);
}

TEST_F(PluginCommandsTest, RpcCallSendsTheInputAsItIsAndPrintsTheResult) {
  expect("POST", "/api/v1/plugins/todo/rpc/todos_add",
         HttpResponse{200, R"json({"ok":true,"result":{"id":1}})json"});
  auto made = context();
  EXPECT_EQ(pluginRpcCall(made, "todo", "todos_add", {.json = R"({"title":"a"})", .file = ""}), 0);
  EXPECT_EQ(out.str(), "{\"id\":1}\n");
}

TEST_F(PluginCommandsTest, RpcCallRefusesAnInputThatIsNotJson) {
  auto made = context();
  EXPECT_EQ(pluginRpcCall(made, "todo", "todos_add", {.json = "{title:1}", .file = ""}), 2);
  EXPECT_THAT(err.str(), HasSubstr("the input is not JSON"));
  EXPECT_EQ(pluginRpcCall(made, "todo", "todos_add", {.json = "", .file = "/nowhere/in.json"}), 2);
}

TEST_F(PluginCommandsTest, RpcInspectOfAMethodThatIsNotThereSaysWhatIs) {
  expectGet("/api/v1/plugins/rpc?pluginId=todo&method=x&all=true",
            R"json({"ok":true,"methods":[]})json");
  auto made = context();
  EXPECT_EQ(pluginRpcInspect(made, "todo", "x"), 3);
  EXPECT_THAT(err.str(),
              HasSubstr("plugin \"todo\" has no method \"x\"\nhint: `svc plugin rpc list todo`"));
}

TEST_F(PluginCommandsTest, ToolCallShowsProgressOnATerminalOnly) {
  for (const bool terminal : {true, false}) {
    EXPECT_CALL(*http, send).WillOnce([](const HttpRequest& request) {
      EXPECT_EQ(request.target, "/api/v1/plugins/todo/tools/add?progress=true");
      request.on_line("");
      request.on_line(R"({"progress":1,"total":4,"message":"reading"})");
      request.on_line(R"({"progress":2.5})");
      return HttpResponse{200, R"json({"ok":true,"content":[],"isError":false})json"};
    });
    auto made = context();
    made.console.err_terminal = terminal;
    EXPECT_EQ(pluginToolCall(made, "todo", "add", {}), 0);
    EXPECT_EQ(err.str(), terminal ? "\r\x1b[Kreading (1 of 4) …\r\x1b[K2.5 …\r\x1b[K" : "");
    err.str("");
  }
}

TEST_F(PluginCommandsTest, ToolCallWritesImagesToFiles) {
  const TempTree directory;
  const auto file = (directory.path() / "chart.png").string();
  expectPost(
      "/api/v1/plugins/todo/tools/add?progress=true",
      R"json({"ok":true,"content":[{"type":"image","data":"b25l","mimeType":"image/png"},)json"
      R"json({"type":"image","data":"dHdv","mimeType":"image/png"}],"isError":false})json");
  auto made = context();
  EXPECT_EQ(pluginToolCall(made, "todo", "add", {.arguments = {}, .image = file}), 0);
  EXPECT_THAT(out.str(), HasSubstr("[image/png, 3 bytes, written to " + file + "]\n"));
  EXPECT_EQ(directory.read("chart.png") + " " + directory.read("chart-2.png"), "one two");
}

TEST_F(PluginCommandsTest, AToolIsNotCalledForAFileThatCannotBeWritten) {
  const TempTree directory;
  auto made = context();
  for (const char* file : {"none/chart.png", "."}) {
    EXPECT_EQ(pluginToolCall(made, "todo", "add",
                             {.arguments = {}, .image = (directory.path() / file).string()}),
              2);
  }
  EXPECT_THAT(err.str(), HasSubstr("hint: the tool was not called"));
}

TEST_F(PluginCommandsTest, AFileForAnImageStaysAsItIsWithoutOne) {
  const TempTree directory;
  directory.write("old.png", "old");
  for (const char* file : {"old.png", "new.png"}) {
    expectPost("/api/v1/plugins/todo/tools/add?progress=true",
               R"json({"ok":true,"content":[],"isError":false})json");
    auto made = context();
    EXPECT_EQ(pluginToolCall(made, "todo", "add",
                             {.arguments = {}, .image = (directory.path() / file).string()}),
              0);
  }
  EXPECT_EQ(directory.read("old.png"), "old");
  EXPECT_FALSE(directory.has("new.png"));
}

TEST_F(PluginCommandsTest, ADashIsStandardInput) {
  TempTree directory;
  directory.write("input", R"({"title":"tea"})");
  const base::Fd before(::dup(STDIN_FILENO));
  const base::Fd file(::open((directory.path() / "input").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::dup2(file.get(), STDIN_FILENO), STDIN_FILENO);
  const auto read = readInput({.json = {}, .file = "-"});
  ASSERT_EQ(::dup2(before.get(), STDIN_FILENO), STDIN_FILENO);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read.value(), R"({"title":"tea"})");
}

}  // namespace
}  // namespace svc::client
