#include "header_rules.h"

#include <gtest/gtest.h>

#include "mcp_fixture.h"

namespace svc::mcp {
namespace {

TEST(HeaderValueTest, UnwrapsBase64AndNothingElse) {
  struct Case {
    const char* sent;
    std::optional<std::string> value;
  };
  for (const auto& [sent, value] : {
           Case{"plain", "plain"},
           Case{"  plain\t", "plain"},
           Case{"=?base64?SGVsbG8=?=", "Hello"},
           Case{"=?base64?w6Q=?=", "\xc3\xa4"},
           Case{"=?base64?"
                "?=",
                ""},
           Case{"=?base64?SGVsbG8?=", std::nullopt},
           Case{"=?base64?SGVs!!!bG8=?=", std::nullopt},
           Case{"=?base64?SGVsbG8=", "=?base64?SGVsbG8="},
           Case{"SGVsbG8=", "SGVsbG8="},
           Case{"=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="},
       }) {
    EXPECT_EQ(headerValue(sent), value) << sent;
  }
}

class EraTest : public McpFixture {
 protected:
  /// -32020 and the like, 0 for a result; 404 and others beside it.
  void expect(const std::string& params, Headers headers, std::int64_t code, unsigned status,
              const std::string& method = "tools/list") {
    headers.push_back({"Accept", kBoth});
    const auto exchange =
        send(fmt::format(R"({{"jsonrpc":"2.0","id":9,"method":"{}","params":{}}})", method, params),
             headers);
    EXPECT_EQ(codeOf(*exchange), code) << method << params;
    EXPECT_EQ(exchange->status(), status) << method << params;
    EXPECT_EQ(exchange->json()["id"].asInteger(), 9) << method << params;
  }
  static std::string meta(const std::string& version, const std::string& more = "") {
    return R"({"_meta":{"io.modelcontextprotocol/protocolVersion":")" + version +
           R"(","io.modelcontextprotocol/clientCapabilities":{})" + more + "}}";
  }
  static Headers modernHeaders(const std::string& method = "tools/list") {
    return {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
  }
};

TEST_F(EraTest, HandshakeRevisionsAndNoneAreServed) {
  for (const char* version : {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
    expect("{}", {{"MCP-Protocol-Version", version}}, 0, 200);
  }
  expect("{}", {}, 0, 200);
  expect(R"({"_meta":{"progressToken":1}})", {}, 0, 200);
}

TEST_F(EraTest, AnUnknownVersionIsRefusedWithThoseThereAre) {
  expect("{}", {{"MCP-Protocol-Version", "2031-01-01"}}, rpc::kUnsupportedVersion, 400);
  const auto exchange =
      send(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})", {{"MCP-Protocol-Version", "x"}});
  EXPECT_EQ(exchange->json()["error"]["data"].dump(),
            R"({"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],)"
            R"("requested":"x"})");
  // Headers that agree with each other come before the version.
  expect(meta("2031-01-01"), {{"MCP-Protocol-Version", "2031-01-01"}, {"Mcp-Method", "tools/list"}},
         rpc::kUnsupportedVersion, 400);
  expect(meta("2025-11-25"), {{"MCP-Protocol-Version", "2025-11-25"}, {"Mcp-Method", "tools/list"}},
         rpc::kUnsupportedVersion, 400);
}

TEST_F(EraTest, HeadersMustAgreeWithTheBody) {
  const auto good = meta("2026-07-28");
  expect(good, modernHeaders(), 0, 200);
  expect(good, {{"mcp-protocol-version", " 2026-07-28 "}, {"MCP-METHOD", "tools/list"}}, 0, 200);
  expect(good,
         {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "=?base64?dG9vbHMvbGlzdA==?="}}, 0,
         200);
  expect(good, {{"Mcp-Method", "tools/list"}}, rpc::kHeaderMismatch, 400);
  expect(good, {{"MCP-Protocol-Version", "2026-07-28"}}, rpc::kHeaderMismatch, 400);
  expect(good, {{"MCP-Protocol-Version", "2025-11-25"}, {"Mcp-Method", "tools/list"}},
         rpc::kHeaderMismatch, 400);
  expect(meta("v999"), modernHeaders(), rpc::kHeaderMismatch, 400);
  expect(good, {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "TOOLS/LIST"}},
         rpc::kHeaderMismatch, 400);
  expect(good, {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "=?base64?x?="}},
         rpc::kHeaderMismatch, 400);
  expect(good,
         {{"MCP-Protocol-Version", "2026-07-28"},
          {"Mcp-Method", "tools/list"},
          {"mcp-method", "tools/call"}},
         rpc::kHeaderMismatch, 400);
}

TEST_F(EraTest, TheNameIsRepeatedInAHeader) {
  const auto call = [&](Headers more, std::int64_t code, const std::string& member = "name",
                        const std::string& method = "tools/call") {
    auto headers = modernHeaders(method);
    headers.insert(headers.end(), more.begin(), more.end());
    headers.push_back({"Accept", kBoth});
    const auto exchange =
        send(fmt::format(R"({{"jsonrpc":"2.0","id":9,"method":"{}","params":{{"{}":"gone",{}}}}})",
                         method, member, kMeta),
             headers);
    EXPECT_EQ(codeOf(*exchange), code) << method;
  };
  call({{"Mcp-Name", "  gone "}}, rpc::kInvalidParams);  // there is no such tool
  call({{"Mcp-Name", "=?base64?Z29uZQ==?="}}, rpc::kInvalidParams);
  call({}, rpc::kHeaderMismatch);
  call({{"Mcp-Name", "Gone"}}, rpc::kHeaderMismatch);
  call({}, rpc::kHeaderMismatch, "uri", "resources/read");
  call({}, rpc::kHeaderMismatch, "name", "prompts/get");
  // What is not there cannot be repeated: the parameters are wrong.
  call({}, rpc::kInvalidParams, "other");
}

TEST_F(EraTest, EveryRequestSaysItsVersionAndCapabilities) {
  expect("{}", modernHeaders(), rpc::kInvalidParams, 400);
  expect(R"({"_meta":{}})", modernHeaders(), rpc::kInvalidParams, 400);
  expect(R"({"_meta":5})", modernHeaders(), rpc::kInvalidParams, 400);
  expect(R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}})", modernHeaders(),
         rpc::kInvalidParams, 400);
  expect(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})", modernHeaders(),
         rpc::kInvalidParams, 400);
  expect(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
         R"("io.modelcontextprotocol/clientCapabilities":[]}})",
         modernHeaders(), rpc::kInvalidParams, 400);
}

TEST_F(EraTest, WrongTokensAndLogLevelsAreRefused) {
  expect(R"({"_meta":{"progressToken":{}}})", {}, rpc::kInvalidParams, 400);
  expect(R"({"_meta":{"progressToken":")" + std::string(300, 'x') + R"("}})", {},
         rpc::kInvalidParams, 400);
  expect(meta("2026-07-28", R"(,"io.modelcontextprotocol/logLevel":"info")"), modernHeaders(), 0,
         200);
  expect(meta("2026-07-28", R"(,"io.modelcontextprotocol/logLevel":"loud")"), modernHeaders(),
         rpc::kInvalidParams, 400);
  expect(meta("2026-07-28", R"(,"io.modelcontextprotocol/logLevel":5)"), modernHeaders(),
         rpc::kInvalidParams, 400);
}

TEST_F(EraTest, MethodsOfTheOtherEraAreUnknown) {
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                             "resources/unsubscribe", "unknown/method"}) {
    expect(meta("2026-07-28"), modernHeaders(method), rpc::kMethodNotFound, 404, method);
  }
  for (const char* method : {"server/discover", "subscriptions/listen", "unknown/method"}) {
    expect("{}", {}, rpc::kMethodNotFound, 200, method);
  }
}

class ParamHeadersTest : public McpFixture {
 protected:
  static constexpr auto kTool =
      R"({"name":"where","inputSchema":{"type":"object","properties":{)"
      R"("region":{"type":"string","x-mcp-header":"Region"},)"
      R"("deep":{"type":"object","properties":{"count":{"type":"integer","x-mcp-header":"Count"}}},)"
      R"("dry":{"type":"boolean","x-mcp-header":"Dry"},"note":{"type":"string"}}}})";

  ParamHeadersTest() {
    source_->lists[ListKind::kTools].push_back({"where", common::RawJson(kTool)});
    catalogue_->changed(ListKind::kTools);
  }
  /// The code of the answer, and of the same call once more, when the tool is known.
  std::int64_t call(const std::string& arguments, const Headers& params) {
    Headers headers{{"Accept", kBoth},
                    {"MCP-Protocol-Version", "2026-07-28"},
                    {"Mcp-Method", "tools/call"},
                    {"Mcp-Name", "where"}};
    headers.insert(headers.end(), params.begin(), params.end());
    const auto body = fmt::format(
        R"({{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"where","arguments":{},{}}}}})",
        arguments, kMeta);
    std::int64_t code = 0;
    for (int again = 0; again < 2; ++again) {
      const auto exchange = send(body, headers);
      if (!source_->waiting.empty()) {
        source_->answers(R"({"content":[]})");
        run();
      }
      last_ = exchange->json();
      code = codeOf(*exchange);
      EXPECT_EQ(exchange->status(), code == 0 ? 200U : 400U) << arguments;
    }
    return code;
  }
  common::Json last_;
};

TEST_F(ParamHeadersTest, RepeatTheArguments) {
  EXPECT_EQ(call("{}", {}), 0);
  EXPECT_EQ(call(R"({"note":"x","region":null})", {}), 0);
  EXPECT_EQ(call(R"({"region":"eu"})", {{"mcp-param-region", " eu "}}), 0);
  EXPECT_EQ(call(R"({"region":"\u00e4"})", {{"Mcp-Param-Region", "=?base64?w6Q=?="}}), 0);
  EXPECT_EQ(call(R"({"deep":{"count":42}})", {{"Mcp-Param-Count", "42"}}), 0);
  EXPECT_EQ(call(R"({"deep":{"count":42}})", {{"Mcp-Param-Count", "42.0"}}), 0);
  EXPECT_EQ(call(R"({"dry":true})", {{"Mcp-Param-Dry", "true"}}), 0);
  EXPECT_EQ(call("{}", {{"Mcp-Param-Unknown", "x"}}), 0);
  EXPECT_EQ(call(R"({"region":{"a":1}})", {}), 0) << "what is wrong with it says the tool";
}

TEST_F(ParamHeadersTest, ThatSayAnythingElseAreRefused) {
  const auto mismatch = static_cast<std::int64_t>(rpc::kHeaderMismatch);
  EXPECT_EQ(call(R"({"region":"eu"})", {}), mismatch);
  EXPECT_EQ(call(R"({"region":"eu"})", {{"Mcp-Param-Region", "EU"}}), mismatch);
  EXPECT_EQ(call(R"({"region":"eu"})", {{"Mcp-Param-Region", "=?base64?SGVs!!!bG8=?="}}), mismatch);
  EXPECT_EQ(call(R"({"region":"eu"})", {{"Mcp-Param-Region", "eu"}, {"Mcp-Param-Region", "us"}}),
            mismatch);
  EXPECT_EQ(call(R"({"region":"42"})", {{"Mcp-Param-Region", "42.0"}}), mismatch);
  EXPECT_EQ(call(R"({"deep":{"count":42}})", {{"Mcp-Param-Count", "43"}}), mismatch);
  EXPECT_EQ(call(R"({"deep":{"count":42}})", {{"Mcp-Param-Count", "many"}}), mismatch);
  EXPECT_EQ(call(R"({"dry":true})", {{"Mcp-Param-Dry", "True"}}), mismatch);
  EXPECT_EQ(call("{}", {{"Mcp-Param-Region", "eu"}}), mismatch);
  EXPECT_EQ(call(R"({"region":["eu"]})", {{"Mcp-Param-Region", "eu"}}), mismatch);
  EXPECT_TRUE(source_->requests.empty()) << "the tool was not called";
}

TEST_F(ParamHeadersTest, AreNamedInTheRefusal) {
  call(R"({"region":"eu","deep":{"count":42},"dry":false})", {{"Mcp-Param-Region", "eu"}});
  EXPECT_EQ(last_["error"]["message"].asString(),
            R"(the header Mcp-Param-Count is missing; the argument "deep.count" is "42")");
  EXPECT_EQ(
      last_["error"]["data"].dump(),
      R"({"headers":{"Mcp-Param-Region":"eu","Mcp-Param-Count":"42","Mcp-Param-Dry":"false"}})");
}

TEST_F(ParamHeadersTest, AreNothingToClientsWithAHandshake) {
  const auto exchange = old("tools/call", R"({"name":"where","arguments":{"region":"eu"}})");
  ASSERT_EQ(source_->requests.size(), 1U);
  source_->answers(R"({"content":[]})");
  run();
  EXPECT_EQ(exchange->status(), 200U);
}

}  // namespace
}  // namespace svc::mcp
