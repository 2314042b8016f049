#include "folder_watch.h"

#include <future>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/plugins/temp_directory.h"

namespace svc::skills {
namespace {

/// Counts, and lets the test wait for the next one.
class Bell {
 public:
  void ring() {
    const std::scoped_lock lock(mutex_);
    if (waiting_) {
      std::exchange(waiting_, nullptr)->set_value();
    } else {
      rung_ = true;
    }
  }
  void wait() {
    std::promise<void> next;
    {
      const std::scoped_lock lock(mutex_);
      if (std::exchange(rung_, false)) {
        return;
      }
      waiting_ = &next;
    }
    next.get_future().wait();
  }

 private:
  std::mutex mutex_;
  bool rung_ = false;
  std::promise<void>* waiting_ = nullptr;
};

TEST(FolderWatchTest, TellsOfChangesBelow) {
  const svc::test::TempDirectory directory;
  directory.write("skills/a/SKILL.md", "one");
  Bell bell;
  FolderWatch watch([&bell] { bell.ring(); });
  watch.follow({directory.path() / "skills", directory.path() / "missing"});
  // The watch begins on its own thread: something that changes again and again is seen at some time.
  std::jthread writer([&directory](const std::stop_token& stop) {
    for (int at = 0; !stop.stop_requested(); ++at) {
      directory.write("skills/a/SKILL.md", std::to_string(at));
      std::this_thread::yield();
    }
  });
  bell.wait();
}

TEST(FolderWatchTest, EndsAtOnce) {
  FolderWatch watch([] {});
  watch.follow({"/nowhere"});
}

}  // namespace
}  // namespace svc::skills
