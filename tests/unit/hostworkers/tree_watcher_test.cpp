#include "tree_watcher.h"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <optional>

#include <gmock/gmock.h>

#include "temp_directory.h"
#include "test_main.h"

namespace svc::hostworkers {
namespace {

using ::testing::Contains;
using ::testing::Pair;

class TreeWatcherTest : public ::testing::Test {
 protected:
  struct Watch {
    std::optional<Status> started;
    TreeChanges changes;
    Handle handle;
  };
  std::shared_ptr<Watch> watch(const std::string& root) {
    auto made = std::make_shared<Watch>();
    // It owns the handle that ends the callbacks.
    made->handle = watcher_->watch(
        root, {}, [watch = made.get()](const TreeChanges& changes) { watch->changes.add(changes); },
        [watch = made.get()](const Status& status) { watch->started = status; });
    EXPECT_TRUE(main_.runUntil([&] { return made->started.has_value(); }));
    return made;
  }

  test::TempDirectory directory_;
  TestMain main_;
  std::optional<TreeWatcher> watcher_{main_};
};

TEST_F(TreeWatcherTest, EveryWatchOfATreeHearsOfItsChanges) {
  const auto first = watch(directory_.path().string());
  const auto second = watch(directory_.path().string());
  ASSERT_TRUE(first->started->ok());
  ASSERT_TRUE(second->started->ok());
  directory_.write("file", "x");
  ASSERT_TRUE(main_.runUntil([&] { return !first->changes.empty() && !second->changes.empty(); }));
  EXPECT_THAT(first->changes.paths(), Contains(Pair("file", ChangeType::kCreate)));
  EXPECT_THAT(second->changes.paths(), Contains(Pair("file", ChangeType::kCreate)));
  first->handle.reset();
  first->changes = {};
  second->changes = {};
  directory_.write("next", "x");
  ASSERT_TRUE(main_.runUntil([&] { return !second->changes.empty(); }));
  EXPECT_TRUE(first->changes.empty());
  second->handle.reset();
}

TEST_F(TreeWatcherTest, ATreeThatIsNotThereIsAnError) {
  const auto missing = watch((directory_.path() / "missing").string());
  EXPECT_FALSE(missing->started->ok());
  // And may be there later.
  std::filesystem::create_directory(directory_.path() / "missing");
  EXPECT_TRUE(watch((directory_.path() / "missing").string())->started->ok());
}

TEST_F(TreeWatcherTest, TheEndOfATreeIsTold) {
  const auto root = directory_.path() / "root";
  std::filesystem::create_directory(root);
  const auto tree = watch(root.string());
  std::filesystem::remove(root);
  ASSERT_TRUE(main_.runUntil([&] { return !tree->changes.error().empty(); }));
}

TEST_F(TreeWatcherTest, MayGoBeforeItsWatches) {
  const auto tree = watch(directory_.path().string());
  watcher_.reset();
  tree->handle.reset();
}

}  // namespace
}  // namespace svc::hostworkers
