// Looks at sources: few at a time, none for longer than its limit or its client.
#include "looks.h"

#include "jobs_fixture.h"

namespace svc::installs {
namespace {

using ::testing::HasSubstr;

class LooksTest : public ::testing::Test {
 protected:
  ~LooksTest() override { looks_->stop(); }

  /// A look that answers when it is stopped, or at once.
  void look(std::stop_token client = {}, bool answers = false) {
    looks_->run<int>(
        std::move(client),
        [this, answers](const std::stop_token& stop) -> Result<int> {
          began_ += 1;
          tokens_.push_back(stop);
          return answers ? Result<int>(1) : Result<int>(Error{errc::kAborted, "stopped"});
        },
        [this](Result<int> result) { results_.push_back(std::move(result)); });
  }

  test::FakeMainExecutor main_;
  ManualPool threads_;
  Work work_{threads_, main_, {}};
  std::shared_ptr<Looks> looks_ = std::make_shared<Looks>(work_);
  int began_ = 0;
  std::vector<std::stop_token> tokens_;
  std::vector<Result<int>> results_;
};

TEST_F(LooksTest, AFewRunAndTheOthersWaitForThem) {
  for (std::size_t each = 0; each < limits::kLooks + 2; ++each) {
    look({}, true);
  }
  EXPECT_EQ(threads_.jobs.size(), limits::kLooks) << "the other threads are for installs";
  ASSERT_TRUE(threads_.runOne());
  main_.runAll();
  EXPECT_EQ(threads_.jobs.size(), limits::kLooks);
  while (threads_.runOne()) {
    main_.runAll();
  }
  EXPECT_EQ(results_.size(), limits::kLooks + 2);
}

TEST_F(LooksTest, OneThatTakesTooLongIsStoppedAndSaysSo) {
  look();
  main_.advance(limits::kLook);
  ASSERT_TRUE(threads_.runOne());
  main_.runAll();
  ASSERT_EQ(results_.size(), 1U);
  EXPECT_EQ(results_[0].error().code, errc::kTimeout);
  EXPECT_THAT(results_[0].error().message, HasSubstr("(limit look)"));
}

TEST_F(LooksTest, OneWhoseClientHasGoneDoesNotBegin) {
  std::stop_source client;
  look(client.get_token(), true);
  client.request_stop();
  ASSERT_TRUE(threads_.runOne());
  main_.runAll();
  EXPECT_EQ(began_, 0);
  EXPECT_EQ(results_[0].error().code, errc::kAborted);
}

TEST_F(LooksTest, TooManyThatWaitAreRefused) {
  for (std::size_t each = 0; each < limits::kLooks + limits::kLooksWaiting + 1; ++each) {
    look();
  }
  ASSERT_EQ(results_.size(), 1U);
  EXPECT_EQ(results_[0].error().code, errc::kOverloaded);
}

}  // namespace
}  // namespace svc::installs
