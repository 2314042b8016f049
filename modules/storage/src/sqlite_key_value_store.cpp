#include "sqlite_key_value_store.h"

#include "svc/common/same_json.h"
#include "svc/storage/kv_limits.h"

namespace svc::storage {

void SqliteKeyValueStore::get(std::string name_space, std::string key,
                              Completion<std::optional<common::RawJson>> done) {
  if (const auto valid = checkKey(name_space, key); !valid) {
    return done(valid.error());
  }
  const auto bytes = key.size();
  auto body = [this, name_space,
               key = std::move(key)](Side side) -> Result<std::optional<common::RawJson>> {
    return table_.on(side).get(name_space, key);
  };
  threads_.submit(
      makeRequest(Access::kRead, std::move(name_space), bytes, std::move(body), std::move(done)));
}

void SqliteKeyValueStore::set(std::string name_space, std::string key, common::RawJson value,
                              Completion<void> done) {
  auto valid = checkKey(name_space, key);
  if (valid) {
    valid = checkValue(key, value);
  }
  if (!valid) {
    return done(valid.error());
  }
  const auto bytes = key.size() + value.text().size();
  auto body = [this, name_space, key = std::move(key),
               value = std::move(value)](Side side) -> Status {
    table_.on(side).set(name_space, key, value.text(), clock_.nowMs());
    return {};
  };
  threads_.submit(
      makeRequest(Access::kWrite, std::move(name_space), bytes, std::move(body), std::move(done)));
}

void SqliteKeyValueStore::remove(std::string name_space, std::string key, Completion<void> done) {
  if (const auto valid = checkKey(name_space, key); !valid) {
    return done(valid.error());
  }
  const auto bytes = key.size();
  auto body = [this, name_space, key = std::move(key)](Side side) -> Status {
    table_.on(side).remove(name_space, key);
    return {};
  };
  threads_.submit(
      makeRequest(Access::kWrite, std::move(name_space), bytes, std::move(body), std::move(done)));
}

void SqliteKeyValueStore::list(std::string name_space, std::string prefix,
                               Completion<std::vector<std::string>> done) {
  if (const auto valid = checkNamespace(name_space); !valid) {
    return done(valid.error());
  }
  const auto bytes = prefix.size();
  auto body = [this, name_space,
               prefix = std::move(prefix)](Side side) -> Result<std::vector<std::string>> {
    return table_.on(side).list(name_space, prefix);
  };
  threads_.submit(
      makeRequest(Access::kRead, std::move(name_space), bytes, std::move(body), std::move(done)));
}

void SqliteKeyValueStore::compareAndSet(std::string name_space, std::string key,
                                        std::optional<common::RawJson> expected,
                                        std::optional<common::RawJson> next,
                                        Completion<bool> done) {
  auto valid = checkKey(name_space, key);
  if (valid && next) {
    valid = checkValue(key, *next);
  }
  if (!valid) {
    return done(valid.error());
  }
  const auto size = [](const std::optional<common::RawJson>& json) {
    return json ? json->text().size() : 0;
  };
  const auto bytes = key.size() + size(expected) + size(next);
  auto body = [this, name_space, key = std::move(key), expected = std::move(expected),
               next = std::move(next)](Side side) -> Result<bool> {
    const auto stored = table_.on(side).get(name_space, key);
    if (stored.has_value() != expected.has_value() ||
        (stored && !common::isSameJson(stored->text(), expected->text()))) {
      return false;
    }
    if (next) {
      table_.on(side).set(name_space, key, next->text(), clock_.nowMs());
    } else {
      table_.on(side).remove(name_space, key);
    }
    return true;
  };
  threads_.submit(
      makeRequest(Access::kWrite, std::move(name_space), bytes, std::move(body), std::move(done)));
}

void SqliteKeyValueStore::clear(std::string name_space, Completion<std::size_t> done) {
  if (const auto valid = checkNamespace(name_space); !valid) {
    return done(valid.error());
  }
  auto body = [this, name_space](Side side) -> Result<std::size_t> {
    return table_.on(side).clear(name_space);
  };
  threads_.submit(
      makeRequest(Access::kWrite, std::move(name_space), 0, std::move(body), std::move(done)));
}

}  // namespace svc::storage
