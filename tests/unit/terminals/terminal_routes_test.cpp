#include "terminal_routes.h"

#include "svc/common/limits/terminals.h"
#include "svc/common/shown_text.h"

#include "fixture.h"

namespace svc::terminals {
namespace {

using ::testing::HasSubstr;

class TerminalRoutesTest : public BookFixture {
 protected:
  TerminalRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> ask(const std::string& route, const std::string& body = {},
                                        const std::string& id = {}, const std::string& query = {}) {
    http::Request request;
    request.path_parameters = {{"terminalId", id}};
    request.body = body;
    request.query = query;
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    const auto space = route.find(' ');
    server_.call(route.substr(0, space) + " /api/v1/terminals" + route.substr(space + 1), exchange);
    return exchange;
  }

  TerminalRoutes routes_{book_, registry_,
                         [](const std::string& kind, const std::string& id) -> Result<NewTerminal> {
                           if (id != "here") {
                             return Error{errc::kNotFound, "there is no such " + kind};
                           }
                           NewTerminal out;
                           out.host_id = "far";
                           out.cwd = "/work/tree";
                           out.thread_id = kind == "thread" ? "here" : "";
                           out.environment_id = "env_1";
                           out.project_id = "proj_1";
                           return out;
                         }};
};

TEST_F(TerminalRoutesTest, CreatesOnTheNamedMachineOrTheServersOwn) {
  const auto own = ask("POST ", R"({"scope":{"kind":"host_path","cwd":"/a"},"cols":80,"rows":24})");
  EXPECT_EQ(commands_.asked.front().host_id, "own");
  EXPECT_EQ(commands_.asked.front().command["cwd"].asString(), "/a");
  commands_.answer(R"({"pid":1,"initialCwd":"/a"})");
  EXPECT_EQ(own->status(), 201U);
  const auto terminal = own->json()["terminal"];
  EXPECT_EQ(terminal["scope"].dump(), R"({"kind":"host_path","hostId":"own","cwd":"/a"})");
  EXPECT_EQ(terminal["title"].asString(), "Terminal");
  EXPECT_TRUE(terminal["threadId"].isNull());
  ask("POST ",
      R"({"target":{"kind":"host_path","hostId":"far","cwd":null},"cols":80,"rows":24,"start":{"mode":"command","command":"npm test\nmore"}})");
  EXPECT_EQ(commands_.asked.front().host_id, "far");
  EXPECT_EQ(commands_.asked.front().command["env"].dump(), "{}")
      << "no data directory of the server";
  commands_.answer(R"({"pid":1,"initialCwd":"/a"})");
  const auto list = ask("GET ", "", "", "hostId=far")->json();
  ASSERT_EQ(list["sessions"].items().size(), 1U);
  EXPECT_EQ(list["sessions"].items()[0]["title"].asString(), "npm test");
  EXPECT_EQ(ask("GET ")->json()["sessions"].items().size(), 2U);
  EXPECT_EQ(ask("GET ", "", "", "kind=thread&threadId=x")->json()["sessions"].items().size(), 0U);
}

TEST_F(TerminalRoutesTest, ThreadsAndEnvironmentsHaveTerminalsWhereTheyWork) {
  ask("POST ", R"({"scope":{"kind":"thread","threadId":"here"},"cols":80,"rows":24})");
  const auto& opened = commands_.asked.front();
  EXPECT_EQ(opened.host_id, "far");
  EXPECT_EQ(opened.command["cwd"].asString(), "/work/tree");
  EXPECT_EQ(opened.command["env"].dump(),
            R"({"SVC_THREAD_ID":"here","SVC_ENVIRONMENT_ID":"env_1","SVC_PROJECT_ID":"proj_1"})");
  commands_.answer(R"({"pid":1,"initialCwd":"/work/tree"})");
  const auto list = ask("GET ", "", "", "kind=thread&threadId=here")->json();
  ASSERT_EQ(list["sessions"].items().size(), 1U);
  const auto& record = list["sessions"].items()[0];
  EXPECT_EQ(record["scope"].dump(), R"({"kind":"thread","threadId":"here"})");
  EXPECT_EQ(record["environmentId"].asString(), "env_1");
  EXPECT_EQ(
      ask("POST ", R"({"scope":{"kind":"environment","environmentId":"gone"},"cols":80,"rows":24})")
          ->status(),
      404U);
  EXPECT_EQ(ask("POST ", R"({"scope":{"kind":"thread"},"cols":80,"rows":24})")->status(), 400U);
}

TEST_F(TerminalRoutesTest, NonsenseIsRefused) {
  for (const auto* body :
       {R"({})", R"({"scope":{"kind":"other"},"cols":80,"rows":24})",
        R"({"scope":{"kind":"host_path"},"cols":0,"rows":24})",
        R"({"scope":{"kind":"host_path"},"cols":80,"rows":1001})",
        R"({"scope":{"kind":"host_path"},"cols":80,"rows":24.5})",
        R"({"scope":{"kind":"host_path","cwd":5},"cols":80,"rows":24})",
        R"({"scope":{"kind":"host_path"},"cols":80,"rows":24,"title":""})",
        R"({"scope":{"kind":"host_path"},"cols":80,"rows":24,"start":{"mode":"command"}})"}) {
    EXPECT_EQ(ask("POST ", body)->errorCode(), "invalid_input") << body;
  }
  EXPECT_EQ(ask("POST ", R"({"scope":{"kind":"host_path","hostId":"x"},"cols":80,"rows":24})")
                ->errorCode(),
            "unknown_host");
}

TEST_F(TerminalRoutesTest, WhatIsUnknownInABodyIsIgnored) {
  const auto made = ask("POST ", R"({"scope":{"kind":"host_path"},"cols":80,"rows":24,"more":1})");
  commands_.answer(R"({"pid":1,"initialCwd":"/a"})");
  EXPECT_EQ(made->status(), 201U);
  const auto id = made->json()["terminal"]["id"].asString();
  for (const auto& [route, members] :
       {std::pair("POST /:terminalId/rename", R"("title":"x")"),
        std::pair("POST /:terminalId/resize", R"("cols":81,"rows":24)"),
        std::pair("POST /:terminalId/input", R"("dataBase64":"")")}) {
    EXPECT_EQ(ask(route, std::string("{") + members + R"(,"more":1})", id)->status(), 200U)
        << route;
  }
}

TEST_F(TerminalRoutesTest, TitlesAreOneLineThatIsShownAsItIs) {
  const auto id = open();
  for (const char* odd : {"\\u001b[31m", "\\u0000", "\\u007f", "\\u009b", "\\u202e", "\\u2067"}) {
    const auto title = std::string(R"("title":"a)") + odd + "z\"}";
    for (const auto& refused :
         {ask("POST ", R"({"scope":{"kind":"host_path"},"cols":80,"rows":24,)" + title),
          ask("POST /:terminalId/rename", "{" + title, id)}) {
      EXPECT_EQ(refused->errorCode(), "invalid_input") << odd;
      EXPECT_THAT(refused->answer->body, HasSubstr(R"("path":["title"])"));
    }
  }
  const auto titled = [](const auto& exchange) {
    return exchange->json()["terminal"]["title"].asString();
  };
  EXPECT_EQ(titled(ask("POST /:terminalId/rename", R"({"title":" a\tb\nc "})", id)), "a b c");
  const auto made = ask(
      "POST ",
      R"({"scope":{"kind":"host_path"},"cols":80,"rows":24,"start":{"mode":"command","command":"a\u001b[0m"}})");
  commands_.answer(R"({"pid":1,"initialCwd":"/a"})");
  EXPECT_EQ(titled(made), "a\uFFFD[0m");
}

TEST_F(TerminalRoutesTest, ACommandOfMegabytesNamesItsTerminalAtOnce) {
  std::string command = "  echo ";
  // Whatever is done for each of its characters is done for two million of them.
  while (command.size() < 4UL * 1024 * 1024) {
    command += "é";
  }
  const auto made = ask("POST ", R"({"scope":{"kind":"host_path"},"cols":80,"rows":24,"start":)"
                                 R"({"mode":"command","command":")" +
                                     command + "\"}}");
  commands_.answer(R"({"pid":1,"initialCwd":"/a"})");
  const auto title = made->json()["terminal"]["title"].asString();
  EXPECT_TRUE(title.starts_with("echo éé"));
  EXPECT_TRUE(title.ends_with("é"));
  EXPECT_EQ(common::countCharacters(title), limits::kTerminalTitle);
}

TEST_F(TerminalRoutesTest, OneIsUsedByItsRoutes) {
  const auto id = open();
  EXPECT_EQ(ask("GET /:terminalId", "", id)->json()["terminal"]["id"].asString(), id);
  EXPECT_EQ(ask("GET /:terminalId", "", "none")->status(), 404U);
  EXPECT_EQ(ask("POST /:terminalId/input", R"({"dataBase64":"YQ=="})", id)->status(), 200U);
  EXPECT_EQ(ask("POST /:terminalId/input", R"({"dataBase64":"Y"})", id)->status(), 400U);
  EXPECT_EQ(
      ask("POST /:terminalId/input",
          R"({"dataBase64":")" + hostprotocol::encodeBase64(std::string(65537, 'x')) + "\"}", id)
          ->status(),
      413U);
  EXPECT_EQ(ask("POST /:terminalId/resize", R"({"cols":132,"rows":50})", id)
                ->json()["terminal"]["cols"]
                .asInteger(),
            132);
  EXPECT_EQ(ask("POST /:terminalId/resize", R"({"cols":1e9,"rows":50})", id)->status(), 400U);
  EXPECT_EQ(ask("POST /:terminalId/rename", R"({"title":"ü"})", id)
                ->json()["terminal"]["title"]
                .asString(),
            "ü");
  EXPECT_EQ(ask("POST /:terminalId/rename", R"({"title":")" + std::string(201, 'x') + "\"}", id)
                ->status(),
            400U);
  EXPECT_EQ(ask("GET /:terminalId/output", "", id, "sinceSeq=x")->status(), 400U);
  EXPECT_EQ(ask("GET /:terminalId/output", "", id)->answer->body,
            R"({"ok":true,"chunks":[],"nextSeq":0,"truncated":false})");
  EXPECT_EQ(ask("POST /:terminalId/close", R"({"mode":"gently"})", id)->status(), 400U);
  const auto closing = ask("POST /:terminalId/close", "", id);
  EXPECT_EQ(commands_.asked.front().command["mode"].asString(), "if-clean");
  commands_.answer(R"({"closed":true})");
  exits(id);
  EXPECT_EQ(closing->json()["terminal"]["status"].asString(), "exited");
}

}  // namespace
}  // namespace svc::terminals
