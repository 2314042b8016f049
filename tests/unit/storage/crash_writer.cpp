// Writes keys until it is killed and prints the number of each one that was acknowledged. Argument: a folder.

#include <unistd.h>

#include <cstdio>
#include <semaphore>
#include <string>

#include "unit/storage/store_fixture.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: storage_crash_writer <folder>\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const svc::storage::FixedClock clock;
  auto store = svc::storage::SqliteStore::open(
      {.file = folder / "svc.db", .backups = folder / "backups"}, clock, svc::storage::silentLog());
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  constexpr int kInFlight = 16;
  std::counting_semaphore<kInFlight> slots(kInFlight);
  for (int number = 0;; ++number) {
    slots.acquire();
    const auto name = std::to_string(number);
    store.value()->keyValues().set(
        "todo", name, svc::common::RawJson(name), [name, &slots](const svc::Status& status) {
          const auto line = name + "\n";
          if (!status || ::write(STDOUT_FILENO, line.data(), line.size()) < 0) {
            ::_exit(1);
          }
          slots.release();
        });
  }
}
