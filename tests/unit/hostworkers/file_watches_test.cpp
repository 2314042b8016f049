#include "file_watches.h"

#include <map>

#include <gmock/gmock.h>

#include "svc/common/limits/hosts.h"

#include "fakes/fake_executor.h"
#include "watch_options.h"

namespace svc::hostworkers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FakeTrees final : public ITreeWatcher {
 public:
  struct Tree {
    std::string root;
    std::vector<std::string> ignored;
    Listener listener;
    Completion<void> done;
  };
  Handle watch(const std::string& root, const std::vector<std::string>& ignored, Listener listener,
               Completion<void> done) override {
    const auto number = ++last;
    trees[number] = {root, ignored, std::move(listener), std::move(done)};
    return Handle([this, number] { trees.erase(number); });
  }
  void change(const std::string& path, ChangeType type = ChangeType::kUpdate) {
    TreeChanges changes;
    changes.add(path, type);
    trees.begin()->second.listener(changes);
  }

  int last = 0;
  std::map<int, Tree> trees;
};

class FileWatchesTest : public ::testing::Test {
 protected:
  void start(const std::string& id = "1", const std::string& options = R"({"rootPath":"/r"})") {
    session_->start(id, options);
  }
  void started() {
    start();
    trees_.trees.begin()->second.done({});
    sent_.clear();
  }
  static std::string update(int sequence, const std::string& path) {
    return R"({"type":"watch-event","watchId":"1","sequence":)" + std::to_string(sequence) +
           R"(,"event":{"type":"changed","changes":[{"path":")" + path + R"(","type":"update"}]}})";
  }

  test::FakeExecutor main_;
  FakeTrees trees_;
  std::vector<std::string> sent_;
  std::unique_ptr<IWatchSession> session_ = makeWatchSession(
      main_, trees_, [this](std::string message) { sent_.push_back(std::move(message)); });
};

TEST_F(FileWatchesTest, TellsWhenAWatchHasBegun) {
  start("1", R"({"rootPath":"/r/../r/","ignoredPaths":["a","/r/b/"]})");
  EXPECT_THAT(sent_, IsEmpty());
  auto& tree = trees_.trees.begin()->second;
  EXPECT_EQ(tree.root, "/r");
  EXPECT_THAT(tree.ignored, ElementsAre("/r/a", "/r/b"));
  tree.done({});
  EXPECT_THAT(sent_, ElementsAre(R"({"type":"watch-ready","watchId":"1"})"));
  EXPECT_EQ(session_->count(), 1U);
}

TEST_F(FileWatchesTest, TellsWhyAWatchCannotBegin) {
  start();
  trees_.trees.begin()->second.done(Error{errc::kUnavailable, "no such directory"});
  EXPECT_THAT(
      sent_,
      ElementsAre(R"({"type":"watch-start-error","watchId":"1","message":"no such directory"})"));
  EXPECT_EQ(session_->count(), 0U);
  EXPECT_THAT(trees_.trees, IsEmpty());
}

TEST_F(FileWatchesTest, AWatchOfTheSameIdIsRefused) {
  started();
  start();
  EXPECT_THAT(sent_, ElementsAre(HasSubstr("watch-start-error")));
}

TEST_F(FileWatchesTest, WatchesAreLimited) {
  for (std::size_t index = 0; index <= limits::kWatchCount; ++index) {
    start(std::to_string(index));
  }
  EXPECT_THAT(sent_, ElementsAre(HasSubstr("limit watch-count")));
}

TEST_F(FileWatchesTest, ChangesAreCollectedUntilItIsQuiet) {
  started();
  trees_.change("a");
  main_.advance(limits::kWatchDebounce - 1ms);
  trees_.change("a");
  main_.advance(limits::kWatchDebounce - 1ms);
  EXPECT_THAT(sent_, IsEmpty());
  main_.advance(1ms);
  EXPECT_THAT(sent_, ElementsAre(update(1, "a")));
}

TEST_F(FileWatchesTest, ChangesWithoutEndAreToldAfterTheLongestWait) {
  started();
  for (int count = 0; count < 10; ++count) {
    trees_.change("a");
    main_.advance(50ms);
  }
  EXPECT_THAT(sent_, ElementsAre(update(1, "a")));
}

TEST_F(FileWatchesTest, TheNextEventWaitsForTheAnswer) {
  started();
  trees_.change("a");
  main_.advance(1s);
  trees_.change("b");
  main_.advance(1s);
  trees_.change("c");
  main_.advance(1s);
  EXPECT_THAT(sent_, SizeIs(1));
  session_->acknowledge("1", 7);  // not the one that waits
  EXPECT_THAT(sent_, SizeIs(1));
  session_->acknowledge("1", 1);
  ASSERT_THAT(sent_, SizeIs(2));
  EXPECT_THAT(sent_[1], HasSubstr(R"("sequence":2)"));
  EXPECT_THAT(sent_[1], HasSubstr(R"("path":"b")"));
  EXPECT_THAT(sent_[1], HasSubstr(R"("path":"c")"));
  session_->acknowledge("1", 2);
  EXPECT_THAT(sent_, SizeIs(2));
}

TEST_F(FileWatchesTest, WhatCameAndWentIsNotTold) {
  started();
  trees_.change("a", ChangeType::kCreate);
  trees_.change("a", ChangeType::kDelete);
  main_.advance(1s);
  EXPECT_THAT(sent_, IsEmpty());
  trees_.change("b");
  main_.advance(limits::kWatchDebounce);
  EXPECT_THAT(sent_, ElementsAre(update(1, "b")));
}

TEST_F(FileWatchesTest, WhatDoesNotFitIsARescan) {
  started();
  for (std::size_t index = 0; index <= limits::kWatchBatchPaths; ++index) {
    trees_.change("file" + std::to_string(index));
  }
  main_.advance(1s);
  EXPECT_THAT(
      sent_,
      ElementsAre(
          R"({"type":"watch-event","watchId":"1","sequence":1,"event":{"type":"rescan-required"}})"));
}

TEST_F(FileWatchesTest, TheEndOfARootIsToldAtOnceAndEndsTheWatch) {
  started();
  trees_.change("a");
  main_.advance(1s);
  sent_.clear();
  TreeChanges gone;
  gone.fail("/r is gone");
  trees_.trees.begin()->second.listener(gone);
  EXPECT_THAT(sent_, ElementsAre(HasSubstr(R"({"type":"watch-error","message":"/r is gone"})")));
  EXPECT_EQ(session_->count(), 0U);
  EXPECT_THAT(trees_.trees, IsEmpty());
}

TEST_F(FileWatchesTest, AStoppedWatchIsLetGo) {
  started();
  trees_.change("a");
  session_->stop("1");
  EXPECT_THAT(trees_.trees, IsEmpty());
  main_.advance(1s);
  EXPECT_THAT(sent_, IsEmpty());
}

TEST(WatchOptionsTest, AreChecked) {
  EXPECT_TRUE(parseWatchOptions(R"({"rootPath":"/a","debounceMs":10,"maxWaitMs":30000})").ok());
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({})", "rootPath"},
           {R"({"rootPath":"a"})", "rootPath"},
           {R"({"rootPath":"/)" + std::string(limits::kWatchPath, 'x') + "\"}",
            "(limit watch-paths), has " + std::to_string(limits::kWatchPath + 1)},
           {R"({"rootPath":"/a","ignoredPaths":"x"})", "ignoredPaths"},
           {R"({"rootPath":"/a","ignoredPaths":[1]})", "ignoredPaths"},
           {R"({"rootPath":"/a","debounceMs":9})", "debounceMs"},
           {R"({"rootPath":"/a","debounceMs":5001})", "(limit watch-time), not 5001"},
           {R"({"rootPath":"/a","debounceMs":1.5})", "debounceMs"},
           {R"({"rootPath":"/a","debounceMs":100,"maxWaitMs":99})", "maxWaitMs"},
           {R"({"rootPath":"/a","maxWaitMs":30001})", "maxWaitMs"}}) {
    const auto options = parseWatchOptions(json);
    ASSERT_FALSE(options.ok()) << json;
    EXPECT_THAT(options.error().message, HasSubstr(part));
  }
}

}  // namespace
}  // namespace svc::hostworkers
