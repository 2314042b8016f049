#include "memory_account.h"

#include <cstdlib>

#include <fmt/format.h>
#include <sqlite3.h>

#include "svc/common/codes.h"

#include "cache_pressure.h"

namespace svc::database {

namespace {

thread_local MemoryAccount* account_of_thread = nullptr;

/// Before each block.
struct alignas(std::max_align_t) Header {
  MemoryAccount* account;
  std::size_t size;
};

Header& headerOf(void* block) { return *(static_cast<Header*>(block) - 1); }

constexpr std::size_t wholeOf(std::size_t size) { return sizeof(Header) + size; }

bool take(MemoryAccount* account, std::size_t bytes) {
  return account == nullptr || account->take(bytes);
}

void give(MemoryAccount* account, std::size_t bytes) {
  if (account != nullptr) {
    account->give(bytes);
  }
}

// NOLINTBEGIN(cppcoreguidelines-no-malloc): nothing else can make a block larger where it stands

void* allocate(int wanted) {
  auto* account = account_of_thread;
  const auto size = static_cast<std::size_t>(wanted);
  if (!take(account, wholeOf(size))) {
    return nullptr;
  }
  auto* header = static_cast<Header*>(std::malloc(wholeOf(size)));
  if (header == nullptr) {
    give(account, wholeOf(size));
    return nullptr;
  }
  *header = {account, size};
  return header + 1;
}

void release(void* block) {
  auto& header = headerOf(block);
  const auto [account, size] = header;
  std::free(&header);
  give(account, wholeOf(size));
}

void* reallocate(void* block, int wanted) {
  const auto [account, before] = headerOf(block);
  const auto size = static_cast<std::size_t>(wanted);
  if (size > before && !take(account, size - before)) {
    return nullptr;
  }
  auto* header = static_cast<Header*>(std::realloc(&headerOf(block), wholeOf(size)));
  if (header == nullptr) {
    if (size > before) {
      give(account, size - before);
    }
    return nullptr;
  }
  header->size = size;
  if (size < before) {
    give(account, before - size);
  }
  return header + 1;
}

// NOLINTEND(cppcoreguidelines-no-malloc)

int sizeOf(void* block) { return block == nullptr ? 0 : static_cast<int>(headerOf(block).size); }

int roundedUp(int size) {
  constexpr int kStep = 8;
  return (size + kStep - 1) & ~(kStep - 1);
}

Status configure() {
  const sqlite3_mem_methods methods{.xMalloc = allocate,
                                    .xFree = release,
                                    .xRealloc = reallocate,
                                    .xSize = sizeOf,
                                    .xRoundup = roundedUp,
                                    .xInit = [](void*) { return SQLITE_OK; },
                                    .xShutdown = [](void*) {},
                                    .pAppData = nullptr};
  // Without its own statistics SQLite takes no lock for each block, and its heap limits, which a plugin could set for the whole
  // process by a pragma, have no effect. A mapped file would end the process when somebody cuts it off.
  constexpr sqlite3_int64 kUnmapped = 0;
  for (const int code :
       {sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0),
        sqlite3_config(SQLITE_CONFIG_MMAP_SIZE, kUnmapped, kUnmapped), watchCaches(),
        sqlite3_initialize()}) {
    if (code != SQLITE_OK) {
      return Error{errc::kUnavailable,
                   fmt::format("SQLite's memory cannot be counted ({}): something in this process "
                               "has used SQLite before the module database was loaded",
                               sqlite3_errstr(code))};
    }
  }
  return {};
}

}  // namespace

Status MemoryAccount::install() {
  static const Status kInstalled = configure();
  return kInstalled;
}

void MemoryAccount::enter(MemoryAccount* account) { account_of_thread = account; }

MemoryAccount* MemoryAccount::ofThisThread() { return account_of_thread; }

bool MemoryAccount::take(std::size_t bytes) {
  const auto held = held_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (limit_ == 0 || held - kOwner <= limit_) {
    return true;
  }
  held_.fetch_sub(bytes, std::memory_order_relaxed);
  refused_at_.store(held - bytes - kOwner, std::memory_order_relaxed);
  refused_.store(bytes, std::memory_order_relaxed);
  return false;
}

void MemoryAccount::give(std::size_t bytes) {
  if (held_.fetch_sub(bytes, std::memory_order_acq_rel) == bytes) {
    delete this;
  }
}

}  // namespace svc::database
