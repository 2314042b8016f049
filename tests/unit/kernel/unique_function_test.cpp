#include "svc/kernel/unique_function.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "svc/kernel/executor.h"

namespace svc {
namespace {

/// Counts how many of it there are, and where the last call found it.
template <std::size_t kBytes, std::size_t kAlignment = alignof(void*)>
struct alignas(kAlignment) Probe {
  struct State {
    int alive = 0;
    const void* called_at = nullptr;
  };
  explicit Probe(State& counted) : state(&counted) { ++counted.alive; }
  Probe(Probe&& other) noexcept : state(other.state) { ++state->alive; }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  Probe& operator=(Probe&&) = delete;
  ~Probe() { --state->alive; }
  void operator()() const { state->called_at = this; }

  State* state;
  std::array<std::byte, kBytes - sizeof(State*)> rest{};
};

template <class T>
bool liesIn(const T& whole, const void* part) {
  const auto begin = reinterpret_cast<std::uintptr_t>(&whole);
  const auto at = reinterpret_cast<std::uintptr_t>(part);
  return begin <= at && at < begin + sizeof(T);
}

TEST(UniqueFunctionTest, KeepsSmallCallablesInside) {
  using Small = Probe<Task::kInline>;
  Small::State state;
  Task task = Small(state);
  task();
  EXPECT_TRUE(liesIn(task, state.called_at));
  Task moved = std::move(task);
  moved();
  EXPECT_TRUE(liesIn(moved, state.called_at));
  EXPECT_EQ(state.alive, 1);
}

TEST(UniqueFunctionTest, LargeCallablesStayWhereTheyAre) {
  using Large = Probe<Task::kInline + 1>;
  Large::State state;
  Task task = Large(state);
  task();
  const auto* const before = state.called_at;
  EXPECT_FALSE(liesIn(task, before));
  Task moved = std::move(task);
  moved();
  EXPECT_EQ(state.called_at, before);
  EXPECT_EQ(state.alive, 1);
}

TEST(UniqueFunctionTest, KeepsTheAlignmentOfCallables) {
  using Strict = Probe<16, alignof(std::max_align_t)>;
  using Stricter = Probe<64, 64>;
  EXPECT_TRUE(Task::isInline<Strict>());
  EXPECT_FALSE(Task::isInline<Stricter>());
  Strict::State strict;
  Stricter::State stricter;
  std::vector<Task> tasks;
  tasks.emplace_back(Strict(strict));
  tasks.emplace_back(Stricter(stricter));
  for (auto& task : tasks) {
    task();
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(strict.called_at) % alignof(Strict), 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stricter.called_at) % alignof(Stricter), 0U);
}

TEST(UniqueFunctionTest, WhatMayThrowWhenMovedIsNotMoved) {
  struct MayThrow {
    MayThrow() = default;
    MayThrow(MayThrow&&) noexcept(false) {}
    MayThrow(const MayThrow&) = delete;
    MayThrow& operator=(const MayThrow&) = delete;
    MayThrow& operator=(MayThrow&&) = delete;
    ~MayThrow() = default;
    void operator()() const {}
  };
  EXPECT_FALSE(Task::isInline<MayThrow>());
  static_assert(std::is_nothrow_move_constructible_v<Task>);
}

TEST(UniqueFunctionTest, DestroysWhatItHoldsOnce) {
  using Small = Probe<16>;
  using Large = Probe<128>;
  Small::State small;
  Large::State large;
  {
    std::vector<Task> tasks;
    for (int count = 0; count < 20; ++count) {
      tasks.emplace_back(Small(small));
      tasks.emplace_back(Large(large));
    }
    tasks[0] = std::move(tasks[1]);
    tasks[2] = nullptr;
    EXPECT_EQ(small.alive, 18);
    EXPECT_EQ(large.alive, 20);
  }
  EXPECT_EQ(small.alive, 0);
  EXPECT_EQ(large.alive, 0);
}

TEST(UniqueFunctionTest, AMovedFromFunctionIsEmpty) {
  Task task = [] {};
  const Task moved = std::move(task);
  EXPECT_FALSE(task);  // NOLINT(bugprone-use-after-move): that is what is asked
  EXPECT_TRUE(moved);
  EXPECT_FALSE(Task());
  EXPECT_FALSE(Task(nullptr));
}

TEST(UniqueFunctionTest, AnEmptyFunctionOfAnotherKindIsEmpty) {
  EXPECT_FALSE(Task(std::function<void()>()));
  EXPECT_FALSE(Task(static_cast<void (*)()>(nullptr)));
  EXPECT_FALSE(Task(UniqueFunction<int()>()));
  EXPECT_TRUE(Task(std::function<void()>([] {})));
}

TEST(UniqueFunctionTest, PassesArgumentsAndResults) {
  UniqueFunction<std::string(std::unique_ptr<int>, const std::string&, int&)> join =
      [calls = 0](const std::unique_ptr<int>& number, const std::string& text, int& out) mutable {
        out = ++calls;
        return text + std::to_string(*number);
      };
  int out = 0;
  EXPECT_EQ(join(std::make_unique<int>(7), "a", out), "a7");
  EXPECT_EQ(join(std::make_unique<int>(8), "b", out), "b8");
  EXPECT_EQ(out, 2);
}

TEST(UniqueFunctionTest, ACallableMayDestroyTheFunctionItRunsIn) {
  const auto kept = std::make_shared<int>(1);
  auto task = std::make_unique<Task>();
  *task = [&task, kept] { task.reset(); };
  (*task)();
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_EQ(task, nullptr);

  const std::array<char, 100> large{};
  task = std::make_unique<Task>();
  *task = [&task, kept, large] { task.reset(); };
  (*task)();
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(UniqueFunctionTest, WhatIsReplacedMayLookAtTheFunction) {
  Task task;
  bool was_set = false;
  struct Look {
    explicit Look(UniqueFunction<void()> look) : at_end(std::move(look)) {}
    Look(Look&&) = default;
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;
    Look& operator=(Look&&) = delete;
    ~Look() {
      if (at_end) {
        at_end();
      }
    }
    void operator()() const {}
    UniqueFunction<void()> at_end;
  };
  task = Look([&] { was_set = static_cast<bool>(task); });
  task = [] {};
  EXPECT_TRUE(was_set);
  EXPECT_TRUE(task);
}

}  // namespace
}  // namespace svc
