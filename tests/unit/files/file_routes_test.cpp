#include "file_routes.h"

#include "svc/common/limits/files.h"
#include "svc/hostprotocol/base64.h"

#include "fakes/inline_workers.h"
#include "fixture.h"

namespace svc::files {
namespace {

using ::testing::HasSubstr;

class FileRoutesTest : public MachineFixture {
 protected:
  FileRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> ask(const std::string& route, const std::string& body) {
    http::Request request;
    request.body = body;
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("POST /api/v1/files/" + route, exchange);
    reactor_.runAll();
    return exchange;
  }

  svc::test::InlineWorkers workers_;
  FileRoutes routes_{
      {.reactor = reactor_, .workers = workers_, .commands = commands_, .registry = registry_}};
};

TEST_F(FileRoutesTest, ABodyBecomesACommandAndItsResultTheAnswer) {
  const auto exchange = ask("read", R"({"path":"/a \"b\"","rootPath":"/"})");
  auto asked = commands_.next();
  EXPECT_EQ(asked.host_id, "own");
  EXPECT_EQ(asked.text, R"({"type":"host.read-file","path":"/a \"b\"","rootPath":"/"})");
  asked.done(std::string(R"({"path":"/a","content":"x"})"));
  EXPECT_EQ(exchange->answer->body, R"({"ok":true,"path":"/a","content":"x"})");
}

TEST_F(FileRoutesTest, EveryRouteHasItsCommand) {
  const std::map<std::string, std::string> types{
      {"read", "host.read-file"},        {"write", "host.write-file"}, {"list", "host.list-files"},
      {"list-paths", "host.list-paths"}, {"mkdir", "host.mkdir"},      {"move", "host.move-path"},
      {"remove", "host.remove-path"}};
  for (const auto& [route, type] : types) {
    const auto exchange = ask(route, R"({"rootPath":"/","hostId":"far"})");
    auto asked = commands_.next();
    EXPECT_EQ(asked.host_id, "far");
    EXPECT_EQ(asked.text, R"({"type":")" + type + R"(","rootPath":"/"})");
    asked.done(std::string("{}"));
    EXPECT_EQ(exchange->answer->body, R"({"ok":true})");
  }
}

TEST_F(FileRoutesTest, WhatTheCallerGotWrongKeepsItsCode) {
  for (const auto& [code, status] :
       {std::pair(errc::kNotFound, 404U), std::pair(errc::kConflict, 409U),
        std::pair(errc::kInvalidInput, 400U), std::pair(errc::kTooLarge, 413U),
        std::pair(errc::kForbidden, 403U), std::pair(errc::kOverloaded, 503U),
        std::pair(errc::kHostUnavailable, 502U), std::pair(errc::kTimeout, 504U)}) {
    const auto exchange = ask("read", R"({"path":"/a"})");
    commands_.fail(code);
    EXPECT_EQ(exchange->status(), status) << code.name();
    EXPECT_EQ(exchange->errorCode(), code.name());
  }
  const auto exchange = ask("read", R"({"path":"/a"})");
  commands_.fail(errc::kUnavailable);
  EXPECT_EQ(exchange->errorCode(), "host_error");
  EXPECT_EQ(exchange->json()["error"]["details"]["code"].asString(), "unavailable");
}

TEST_F(FileRoutesTest, AnAnswerThatIsNoObjectOfAResultIsAnError) {
  for (const auto* answer : {"null", "[1]", "", R"({"a":1)", R"({"ok":false})", R"({"error":{}})",
                             R"({"a":[1 2]})", R"({"a":{"b":"\q"}})", R"({"a":1}{"b":2})"}) {
    const auto exchange = ask("read", R"({"path":"/a"})");
    commands_.answer(answer);
    EXPECT_EQ(exchange->status(), 502U) << answer;
    EXPECT_EQ(exchange->errorCode(), "host_error") << answer;
  }
  // Long answers are looked at elsewhere, but no less.
  const std::string text(1024UL * 1024, 'a');
  auto exchange = ask("read", R"({"path":"/a"})");
  commands_.answer(R"({"content":")" + text + R"("})");
  reactor_.runAll();
  EXPECT_EQ(exchange->json()["content"].asString(), text);
  exchange = ask("read", R"({"path":"/a"})");
  commands_.answer(R"({"content":")" + text + R"(","more":[1 2]})");
  reactor_.runAll();
  EXPECT_EQ(exchange->errorCode(), "host_error");
  const auto empty = ask("mkdir", R"({"path":"/a"})");
  commands_.answer(" { } ");
  EXPECT_EQ(empty->json().dump(), R"({"ok":true})");
}

TEST_F(FileRoutesTest, AnOlderDaemonIsToBeUpdated) {
  const auto exchange = ask("read", R"({"path":"/a"})");
  commands_.fail(errc::kInvalidCommand, "this daemon has no command \"host.read-file\"");
  EXPECT_EQ(exchange->status(), 502U);
  EXPECT_THAT(exchange->json()["error"]["message"].asString(), HasSubstr("update svc-hostd"));
}

TEST_F(FileRoutesTest, RequestsThatAreNoneReachNoMachine) {
  for (const auto& [body, code] : {std::pair(R"({"path":"/a","hostId":7})", "invalid_input"),
                                   std::pair(R"({"path":"/a","hostId":"nobody"})", "unknown_host"),
                                   std::pair("[]", "invalid_input"), std::pair("{", "invalid_json"),
                                   std::pair("", "invalid_json")}) {
    EXPECT_EQ(ask("read", body)->errorCode(), code) << body;
  }
  hosts_.clear();
  EXPECT_EQ(ask("read", R"({"path":"/a"})")->errorCode(), "host_unavailable");
  EXPECT_TRUE(commands_.asked.empty());
}

TEST_F(FileRoutesTest, WhatIsUnknownStaysHere) {
  ask("read", R"({"path":"/a","type":"host.remove-path","more":1})");
  EXPECT_EQ(commands_.next().command.dump(), R"({"type":"host.read-file","path":"/a"})");
}

TEST_F(FileRoutesTest, ALargeTextTravelsAsBase64) {
  const std::string text(9'000'000, '\n');
  std::string escaped;
  common::appendJsonString(escaped, text);
  ask("write", R"({"path":"/a","contentEncoding":"utf8","content":)" + escaped + "}");
  const auto asked = commands_.next();
  EXPECT_EQ(asked.command["contentEncoding"].asString(), "base64");
  EXPECT_EQ(hostprotocol::decodeBase64(asked.command["content"].asString()), text);
}

TEST_F(FileRoutesTest, EscapesTakeNothingOfTheLimit) {
  constexpr std::string_view kEscape = R"(\u001b)";
  EXPECT_GE(server_.routeOf("POST /api/v1/files/write").body_limit.get(),
            limits::kFileWrite * kEscape.size());
  constexpr std::size_t kCharacters = 1'500'000;
  std::string escaped;
  for (std::size_t count = 0; count < kCharacters; ++count) {
    escaped += kEscape;
  }
  ask("write", R"({"path":"/a","content":")" + escaped + "\"}");
  EXPECT_EQ(hostprotocol::decodeBase64(commands_.next().command["content"].asString()),
            std::string(kCharacters, '\x1b'));
}

TEST_F(FileRoutesTest, SlashesOfBase64MayBeEscaped) {
  const std::string all_slashes(13'000'000, '\xff');
  std::string escaped;
  for (const char digit : hostprotocol::encodeBase64(all_slashes)) {
    escaped += digit == '/' ? "\\/" : std::string(1, digit);
  }
  ask("write", R"({"path":"/a","contentEncoding":"base64","content":")" + escaped + "\"}");
  EXPECT_EQ(hostprotocol::decodeBase64(commands_.next().command["content"].asString()),
            all_slashes);
}

TEST_F(FileRoutesTest, ContentHasALimit) {
  const std::string most(limits::kFileWrite, 'x');
  ask("write", R"({"path":"/a","content":")" + most + "\"}");
  EXPECT_EQ(commands_.asked.size(), 1U);
  const auto refused = ask("write", R"({"path":"/a","content":")" + most + "x\"}");
  EXPECT_EQ(refused->status(), 413U);
  EXPECT_THAT(refused->json()["error"]["message"].asString(),
              HasSubstr("limit fileWrite: 25000000"));
  EXPECT_EQ(ask("write", R"({"path":"/a","contentEncoding":"base64","content":")" +
                             hostprotocol::encodeBase64(most + "xxxx") + "\"}")
                ->status(),
            413U);
  EXPECT_EQ(ask("write", R"({"path":"/a","contentEncoding":"latin1","content":""})")->errorCode(),
            "invalid_input");
}

}  // namespace
}  // namespace svc::files
