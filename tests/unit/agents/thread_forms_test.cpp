#include "thread_forms.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"

namespace svc::agents {
namespace {

/// Keeps what it is asked.
class KeepingDesk final : public IThreadFormDesk {
 public:
  void ask(ThreadForm form, std::stop_token stop, Completion<common::RawJson> done) override {
    asked.push_back(std::move(form));
    stops.push_back(std::move(stop));
    completions.push_back(std::move(done));
  }
  void describe(const std::string& plugin_id, const std::string& interaction_id,
                common::Json description) override {
    described.push_back(plugin_id + " " + interaction_id + " " + description.dump());
  }
  std::vector<ThreadForm> asked;
  std::vector<std::stop_token> stops;
  std::vector<Completion<common::RawJson>> completions;
  std::vector<std::string> described;
};

class ThreadFormsTest : public ::testing::Test {
 protected:
  void ask(const ThreadForms::Caller& caller, const std::string& request) {
    forms_->ask(
        caller, request, [this] { ++shown_; },
        [this](Result<std::string> answer) { answer_ = std::move(answer); });
  }

  int shown_ = 0;
  std::optional<Result<std::string>> answer_;  // what the desk drops is answered
  KeepingDesk desk_;
  std::shared_ptr<ThreadForms> forms_ = std::make_shared<ThreadForms>();
};

TEST_F(ThreadFormsTest, AFormGoesToTheDeskAndItsOutcomeBack) {
  const auto served = forms_->serve(desk_);
  ask({"todo", 7},
      R"({"number":"1","threadId":"thr_a","rendererId":"r","title":"T","payload":{"a":1},)"
      R"("timeoutMs":500,"presentation":{"p":1},"described":true})");
  ASSERT_EQ(desk_.asked.size(), 1U);
  const auto& form = desk_.asked.front();
  EXPECT_EQ(form.thread_id, "thr_a");
  EXPECT_EQ(form.request.plugin_id, "todo");
  EXPECT_EQ(form.request.renderer_id, "r");
  EXPECT_EQ(form.request.title, "T");
  EXPECT_EQ(form.request.payload.text(), R"({"a":1})");
  EXPECT_EQ(form.request.timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(form.presentation.dump(), R"({"p":1})");
  EXPECT_EQ(form.load_id, 7U);
  EXPECT_TRUE(form.described);
  EXPECT_EQ(shown_, 0);
  form.shown();
  EXPECT_EQ(shown_, 1);
  EXPECT_FALSE(answer_);
  desk_.completions.front()(common::RawJson("1"));
  EXPECT_EQ(answer_->value(), "1");
  ask({"todo", 7}, R"({"number":"2","threadId":"thr_a"})");
  EXPECT_EQ(desk_.asked.back().request.timeout, limits::kInputTimeout);
  desk_.completions.back()(Error{errc::kNotFound, "no such thread"});
  EXPECT_EQ(answer_->error().code, errc::kNotFound);
}

TEST_F(ThreadFormsTest, AFormIsCancelledByWhoeverAskedForItOnly) {
  const auto served = forms_->serve(desk_);
  ask({"todo", 7}, R"({"number":"1","threadId":"thr_a"})");
  forms_->cancel({"todo", 8}, "1");
  forms_->cancel({"todo", 7}, "2");
  EXPECT_FALSE(desk_.stops.front().stop_requested());
  forms_->cancel({"todo", 7}, "1");
  EXPECT_TRUE(desk_.stops.front().stop_requested());
}

TEST_F(ThreadFormsTest, ADescriptionNamesItsPlugin) {
  const auto served = forms_->serve(desk_);
  forms_->describe({"todo", 7}, R"({"interactionId":"int_a","description":{"title":"x"}})");
  EXPECT_EQ(desk_.described, std::vector<std::string>{R"(todo int_a {"title":"x"})"});
}

TEST_F(ThreadFormsTest, WithoutADeskThereAreNoThreads) {
  auto served = forms_->serve(desk_);
  EXPECT_TRUE(forms_->isServed());
  served.reset();
  EXPECT_FALSE(forms_->isServed());
  ask({"todo", 7}, R"({"number":"1","threadId":"thr_a"})");
  EXPECT_EQ(answer_->error().code, errc::kNotSupported);
  forms_->describe({"todo", 7}, "{}");
  EXPECT_TRUE(desk_.described.empty());
}

}  // namespace
}  // namespace svc::agents
