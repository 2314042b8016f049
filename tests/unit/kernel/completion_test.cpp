#include "svc/kernel/completion.h"

#include <gmock/gmock.h>

namespace svc {
namespace {

TEST(CompletionTest, FiresOnce) {
  int count = 0;
  Completion<int> done([&count](Result<int> result) { count += result.value(); });
  done(1);
  done(10);
  EXPECT_EQ(count, 1);
}

TEST(CompletionTest, DroppingItAnswersAborted) {
  Errc code = errc::kInternal;
  {
    const Completion<int> dropped([&code](Result<int> result) { code = result.error().code; });
  }
  EXPECT_EQ(code, errc::kAborted);
}

TEST(CompletionTest, AMovedFromCompletionIsSilent) {
  int count = 0;
  Completion<void> first([&count](const Status&) { ++count; });
  Completion<void> second = std::move(first);
  second({});
  EXPECT_EQ(count, 1);
  EXPECT_FALSE(second.pending());
}

TEST(GuardedTest, TurnsAThrowIntoAnInternalError) {
  const auto result = guarded([]() -> Result<int> { throw std::runtime_error("boom"); });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, errc::kInternal);
  EXPECT_EQ(result.error().message, "boom");
}

}  // namespace
}  // namespace svc
