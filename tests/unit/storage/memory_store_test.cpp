#include "memory_store.h"

#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "contract/storage/await.h"
#include "unit/storage/gate.h"

namespace svc::storage_memory {
namespace {

TEST(MemoryStoreTest, RefusesARequestWhenTooManyWait) {
  MemoryStore store(1);
  const storage::Gate gate(store.keyValues());
  test::Awaited<void> second;
  store.keyValues().remove("todo", "k", {});
  store.keyValues().remove("todo", "k", second.completion());
  EXPECT_EQ(second.get().error().code, errc::kOverloaded);
}

TEST(MemoryStoreTest, FlushesEvenWhenTheQueueIsFull) {
  MemoryStore store(1);
  bool answered = false;
  test::Awaited<void> flushed;
  {
    const storage::Gate gate(store.keyValues());
    store.keyValues().remove("todo", "k", [&answered](const Status&) { answered = true; });
    store.flush(flushed.completion());
  }
  ASSERT_TRUE(flushed.get().ok());
  EXPECT_TRUE(answered);
}

TEST(MemoryStoreTest, FinishesWaitingRequestsAndRefusesLaterOnesWhenStopped) {
  MemoryStore store;
  test::Awaited<void> waiting;
  {
    const storage::Gate gate(store.keyValues());
    store.keyValues().remove("todo", "k", waiting.completion());
  }
  store.stop();
  EXPECT_TRUE(waiting.get().ok());
  test::Awaited<void> late;
  store.keyValues().remove("todo", "k", late.completion());
  EXPECT_EQ(late.get().error().code, errc::kUnavailable);
}

}  // namespace
}  // namespace svc::storage_memory
