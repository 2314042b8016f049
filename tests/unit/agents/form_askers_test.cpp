#include "form_askers.h"

#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"

namespace svc::agents {
namespace {

class FormAskersTest : public ::testing::Test {
 protected:
  Result<std::string> ask(const std::string& plugin_id, const std::string& request) {
    Result<std::string> given = Error{errc::kAborted, "no answer"};
    askers_.ask(plugin_id, request, [&](Result<std::string> answer) { given = std::move(answer); });
    return given;
  }
  AskForm remember(std::string outcome) {
    return [this, outcome = std::move(outcome)](FormRequest request,
                                                Completion<common::RawJson> done) {
      asked_ = std::move(request);
      done(common::RawJson(outcome));
    };
  }

  FormAskers askers_;
  FormRequest asked_;
};

TEST_F(FormAskersTest, AFormGoesToItsCall) {
  const auto first = askers_.add("todo", {.ask = remember("1")});
  const auto second = askers_.add("todo", {.ask = remember("2")});
  EXPECT_EQ(ask("todo", R"({"call":")" + second +
                            R"(","rendererId":"r","title":"T","payload":{"a":1},"timeoutMs":500})")
                .value(),
            "2");
  EXPECT_EQ(asked_.plugin_id, "todo");
  EXPECT_EQ(asked_.renderer_id, "r");
  EXPECT_EQ(asked_.title, "T");
  EXPECT_EQ(asked_.payload.text(), R"({"a":1})");
  EXPECT_EQ(asked_.timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(ask("todo", R"({"call":")" + first + R"("})").value(), "1");
  EXPECT_EQ(asked_.timeout, limits::kInputTimeout);
}

TEST_F(FormAskersTest, OtherPluginsAndEndedCallsHaveNone) {
  const auto call = askers_.add("todo", {.ask = remember("1")});
  EXPECT_EQ(ask("other", R"({"call":")" + call + R"("})").error().code, errc::kNotFound);
  EXPECT_EQ(ask("todo", R"({"call":"99"})").error().code, errc::kNotFound);
  EXPECT_EQ(ask("todo", "{").error().code, errc::kNotFound);
  askers_.remove(call);
  EXPECT_EQ(ask("todo", R"({"call":")" + call + R"("})").error().code, errc::kNotFound);
}

TEST_F(FormAskersTest, ACallInAThreadHearsThatItsFormIsShownThere) {
  std::string heard;
  const auto hears = [&heard](const char* name) { return [&heard, name] { heard += name; }; };
  const auto shown = [this](const std::string& plugin, const std::string& request) {
    if (const auto tell = askers_.openedOf(plugin, request)) {
      tell();
    }
  };
  const auto first = askers_.add("todo", {.opened = hears("1"), .thread_id = "thr_1"});
  shown("todo", R"({"call":"99","threadId":"thr_1"})");
  shown("other", R"({"call":")" + first + R"(","threadId":"thr_1"})");
  shown("other", R"({"threadId":"thr_1"})");
  shown("todo", R"({"threadId":"thr_2"})");
  EXPECT_EQ(heard, "");
  shown("todo", R"({"call":")" + first + R"(","threadId":"thr_1"})");
  EXPECT_EQ(heard, "1");
  shown("todo", R"({"threadId":"thr_1"})");
  EXPECT_EQ(heard, "11") << "whoever forgets the signal can mean no other call";
  const auto second = askers_.add("todo", {.opened = hears("2"), .thread_id = "thr_1"});
  shown("todo", R"({"threadId":"thr_1"})");
  EXPECT_EQ(heard, "11") << "which of both is not known";
  askers_.remove(first);
  shown("todo", R"({"threadId":"thr_1"})");
  EXPECT_EQ(heard, "112");
  EXPECT_EQ(ask("todo", R"({"call":")" + second + R"("})").error().code, errc::kNotSupported);
}

}  // namespace
}  // namespace svc::agents
