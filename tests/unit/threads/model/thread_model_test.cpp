#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "memory_thread_store.h"
#include "model_world.h"
#include "unit/storage/store_fixture.h"

namespace svc::threads::model {
namespace {

constexpr std::uint64_t kSeeds = 24;
constexpr int kSteps = 400;

std::uint64_t numberFrom(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string storyOf(const World& world) {
  std::string out;
  for (const auto& problem : world.problems()) {
    out += "\n! " + problem;
  }
  std::size_t number = 0;
  for (const auto& step : world.steps()) {
    out += "\n" + std::to_string(number++) + " " + step;
  }
  return out;
}

/// False after a failure, which has the seed and all that was done.
bool live(std::uint64_t seed, const World::Reopen& reopen) {
  World world(seed, reopen);
  for (int step = 0; step < kSteps && world.problems().empty(); ++step) {
    world.step();
  }
  if (world.problems().empty()) {
    world.finish();
  }
  EXPECT_TRUE(world.problems().empty())
      << "SVC_MODEL_SEED=" << seed << " repeats this" << storyOf(world);
  return world.problems().empty();
}

void liveAll(std::uint64_t first, std::uint64_t count,
             const std::function<bool(std::uint64_t seed)>& one) {
  const auto only = numberFrom("SVC_MODEL_SEED", 0);
  const auto seeds = numberFrom("SVC_MODEL_SEEDS", count);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    if (!one(only == 0 ? seed : only) || only != 0) {
      return;
    }
  }
}

TEST(ThreadModelTest, KeepsWhatItPromisesWhateverHappens) {
  liveAll(1, kSeeds, [](std::uint64_t seed) {
    storage_memory::MemoryThreadStore store;
    return live(seed, [&store]() -> storage::IThreadStore& { return store; });
  });
}

TEST(ThreadModelTest, KeepsWhatItPromisesInADatabaseThatIsOpenedAgainAfterEachDeath) {
  liveAll(100'001, kSeeds / 6, [](std::uint64_t seed) {
    storage::StoreFixture database;
    return live(seed, [&database]() -> storage::IThreadStore& {
      database.close();
      EXPECT_TRUE(database.open().ok());
      return database.threads();
    });
  });
}

}  // namespace
}  // namespace svc::threads::model
