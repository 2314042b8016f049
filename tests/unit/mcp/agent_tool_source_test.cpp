#include "agent_tool_source.h"

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "mcp_fixture.h"
#include "mocks/mock_agents.h"

namespace svc::mcp {
namespace {

using ::testing::_;
using ::testing::Return;
using ::testing::StrictMock;

struct Conversation final : IConversation {
  std::vector<std::string> heard;
  void progress(double value, std::optional<double> total, std::string message) override {
    heard.push_back(fmt::format("{}/{} {}", value, total.value_or(0), message));
  }
  void letGo() override { heard.emplace_back("let go"); }
  void notify(std::string_view /*method*/, common::RawJson /*params*/) override {}
  void ask(std::string_view /*method*/, common::RawJson /*params*/,
           Completion<common::RawJson> /*done*/) override {}
};

class AgentToolSourceTest : public ::testing::Test {
 protected:
  static Request call(std::string params) {
    return {.method = "tools/call",
            .key = "add",
            .params = common::RawJson(std::move(params)),
            .caller = {.thread_id = "thr", .project_id = "proj"}};
  }

  StrictMock<agents::MockAgentTools> tools_;
  AgentToolSource source_{tools_, nullptr};
};

TEST_F(AgentToolSourceTest, SchemasAreOfferedUnchanged) {
  const std::string schema =
      R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",)"
      R"("$defs":{"x":{"$anchor":"a","type":"string"}},"allOf":[{"if":{},"then":{}}],)"
      R"("additionalProperties":false})";
  EXPECT_CALL(tools_, list)
      .WillOnce(Return(std::vector<agents::AgentTool>{
          {.plugin_id = "todo",
           .name = "add",
           .description = "Adds",
           .input_schema = parsed(schema),
           .instructions = "",
           .presentation = parsed(R"({"label":{"pending":"Adding","completed":"Added"}})")}}));
  const auto items = source_.list(ListKind::kTools, {});
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].key, "add");
  EXPECT_EQ(items[0].json.text(),
            R"({"name":"add","title":"Adding","description":"Adds","inputSchema":)" + schema +
                R"(,"annotations":{"title":"Adding"}})");
  EXPECT_TRUE(source_.list(ListKind::kPrompts, {}).empty());
}

TEST_F(AgentToolSourceTest, APlainToolHasNoTitle) {
  EXPECT_CALL(tools_, list)
      .WillOnce(Return(std::vector<agents::AgentTool>{{.plugin_id = "todo",
                                                       .name = "add",
                                                       .description = "Adds",
                                                       .input_schema = parsed("{}"),
                                                       .instructions = "",
                                                       .presentation = {}}}));
  EXPECT_EQ(source_.list(ListKind::kTools, {}).at(0).json.text(),
            R"({"name":"add","description":"Adds","inputSchema":{}})");
}

TEST_F(AgentToolSourceTest, InstructionsNameTheirTool) {
  const auto tool = [](const std::string& name, const std::string& instructions) {
    return agents::AgentTool{.plugin_id = "p",
                             .name = name,
                             .description = "d",
                             .input_schema = {},
                             .instructions = instructions,
                             .presentation = {}};
  };
  EXPECT_CALL(tools_, list)
      .WillOnce(Return(std::vector{tool("a", "Often."), tool("b", ""), tool("c", "Rarely.")}));
  EXPECT_EQ(source_.instructions({}), "a: Often.\n\nc: Rarely.");
}

TEST_F(AgentToolSourceTest, ArgumentsAndContentStayBytes) {
  EXPECT_CALL(tools_, call)
      .WillOnce([](const std::string& name, const common::RawJson& arguments,
                   const agents::ToolContext& context, const std::stop_token&, auto done) {
        EXPECT_EQ(name, "add");
        EXPECT_EQ(arguments.text(), R"({ "n": 1.50 })");
        EXPECT_EQ(context.thread_id, "thr");
        EXPECT_EQ(context.project_id, "proj");
        done(agents::ToolResult{common::RawJson(R"([{"type":"text","text":"a"}])"), true});
      });
  std::optional<Answer> answer;
  source_.answer(call(R"({"name":"add","arguments":{ "n": 1.50 }})"),
                 [&answer](Result<Answer> result) { answer = std::move(result).value(); });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->result.text(), R"({"content":[{"type":"text","text":"a"}],"isError":true})");
  EXPECT_TRUE(answer->failed);
}

TEST_F(AgentToolSourceTest, AResultThatIsOneObjectIsStructuredToo) {
  const auto structured = [this](const char* content, bool failed = false) {
    EXPECT_CALL(tools_, call).WillOnce([&](auto&&, auto&&, auto&&, auto&&, auto done) {
      done(agents::ToolResult{common::RawJson(content), failed});
    });
    std::string text;
    source_.answer(call(R"({"name":"add"})"), [&text](const Result<Answer>& result) {
      text = common::Json::parse(result.value().result.text()).value()["structuredContent"].dump();
    });
    return text;
  };
  EXPECT_EQ(structured(R"([{"type":"text","text":"{\n \"n\": [1, 2.5]\n}"}])"), R"({"n":[1,2.5]})");
  EXPECT_EQ(structured(R"([{"type":"text","text":"{\"n\": 1}"}])", true), "null") << "a failure";
  EXPECT_EQ(structured(R"([{"type":"text","text":"{} and more"}])"), "null");
  EXPECT_EQ(structured(R"([{"type":"text","text":"[1]"}])"), "null");
  EXPECT_EQ(structured(R"([{"type":"text","text":"{}"},{"type":"text","text":"{}"}])"), "null");
}

TEST_F(AgentToolSourceTest, HalfASurrogatePairIsReplaced) {
  EXPECT_CALL(tools_, call).WillOnce([](auto&&, auto&&, auto&&, auto&&, auto done) {
    done(agents::ToolResult{
        common::RawJson(R"([{"type":"text","text":"a \ud800 \ud83d\ude00 \\ud800"}])"), false});
  });
  std::optional<Answer> answer;
  source_.answer(call(R"({"name":"add"})"),
                 [&answer](Result<Answer> result) { answer = std::move(result).value(); });
  EXPECT_EQ(
      answer.value().result.text(),
      R"({"content":[{"type":"text","text":"a \ufffd \ud83d\ude00 \\ud800"}],"isError":false})");
}

TEST_F(AgentToolSourceTest, ProgressGoesToClientsThatAskedForIt) {
  const auto conversation = std::make_shared<Conversation>();
  EXPECT_CALL(tools_, call(_, _, _, _, _))
      .Times(2)
      .WillRepeatedly([](const std::string&, const common::RawJson&,
                         const agents::ToolContext& context, const std::stop_token&, auto done) {
        if (context.progress) {
          context.progress({.progress = 1, .total = 2, .message = "half"});
        }
        done(agents::ToolResult{common::RawJson("[]"), false});
      });
  for (const bool wants : {false, true}) {
    auto request = call(R"({"name":"add"})");
    request.wants_progress = wants;
    request.conversation = conversation;
    source_.answer(std::move(request), [](const Result<Answer>&) {});
  }
  EXPECT_THAT(conversation->heard, ::testing::ElementsAre("1/2 half"));
}

TEST_F(AgentToolSourceTest, AFormInTheThreadOfTheCallerLetsTheCallGo) {
  const auto conversation = std::make_shared<Conversation>();
  EXPECT_CALL(tools_, call(_, _, _, _, _))
      .WillOnce([](const std::string&, const common::RawJson&, const agents::ToolContext& context,
                   const std::stop_token&, auto done) {
        context.form_opened();
        done(agents::ToolResult{common::RawJson("[]"), false});
      });
  auto request = call(R"({"name":"add"})");
  request.conversation = conversation;
  source_.answer(std::move(request), [](const Result<Answer>&) {});
  EXPECT_THAT(conversation->heard, ::testing::ElementsAre("let go"));
}

TEST_F(AgentToolSourceTest, ARequestThatGoesOnFromNowhereCallsNothing) {
  for (const bool has_thread : {true, false}) {
    auto request = call(R"({"name":"add","requestState":"old"})");
    request.modern = true;
    if (!has_thread) {
      request.caller = {};
    }
    bool refused = false;
    source_.answer(std::move(request), [&refused](const Result<Answer>& result) {
      refused = !result && result.error().code == errc::kInvalidInput;
    });
    EXPECT_TRUE(refused);
  }
}

TEST_F(AgentToolSourceTest, AbsentArgumentsAreAnEmptyObject) {
  EXPECT_CALL(tools_, call(_, _, _, _, _))
      .Times(2)
      .WillRepeatedly([](const std::string&, const common::RawJson& arguments,
                         const agents::ToolContext&, const std::stop_token&, auto done) {
        EXPECT_EQ(arguments.text(), "{}");
        done(Error{errc::kAborted, "gone"});
      });
  for (const char* params : {R"({"name":"add"})", R"({"name":"add","arguments":null})"}) {
    source_.answer(call(params), [](const Result<Answer>& result) {
      EXPECT_EQ(result.value().result.text(),
                R"({"content":[{"type":"text","text":"gone"}],"isError":true})");
    });
  }
}

TEST_F(AgentToolSourceTest, ArgumentsThatAreNoObjectAreRefused) {
  source_.answer(call(R"({"name":"add","arguments":[1]})"), [](const Result<Answer>& result) {
    EXPECT_EQ(result.error().code, errc::kInvalidInput);
  });
}

}  // namespace
}  // namespace svc::mcp
