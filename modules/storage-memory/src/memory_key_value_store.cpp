#include "memory_key_value_store.h"

#include <future>

#include "svc/common/same_json.h"
#include "svc/storage/kv_limits.h"

namespace svc::storage_memory {

using storage::checkKey;
using storage::checkNamespace;
using storage::checkValue;

std::optional<common::RawJson> MemoryKeyValueStore::stored(const std::string& name_space,
                                                           const std::string& key) const {
  const auto values = namespaces_.find(name_space);
  if (values == namespaces_.end()) {
    return std::nullopt;
  }
  const auto value = values->second.find(key);
  return value == values->second.end() ? std::nullopt
                                       : std::optional(common::RawJson(value->second));
}

void MemoryKeyValueStore::get(std::string name_space, std::string key,
                              Completion<std::optional<common::RawJson>> done) {
  if (const auto valid = checkKey(name_space, key); !valid) {
    return done(valid.error());
  }
  auto body = [this, name_space = std::move(name_space),
               key = std::move(key)]() -> Result<std::optional<common::RawJson>> {
    return stored(name_space, key);
  };
  thread_.submit(std::move(body), std::move(done));
}

void MemoryKeyValueStore::set(std::string name_space, std::string key, common::RawJson value,
                              Completion<void> done) {
  auto valid = checkKey(name_space, key);
  if (valid) {
    valid = checkValue(key, value);
  }
  if (!valid) {
    return done(valid.error());
  }
  auto body = [this, name_space = std::move(name_space), key = std::move(key),
               value = std::move(value)]() -> Status {
    namespaces_[name_space][key] = value.text();
    return {};
  };
  thread_.submit(std::move(body), std::move(done));
}

void MemoryKeyValueStore::remove(std::string name_space, std::string key, Completion<void> done) {
  if (const auto valid = checkKey(name_space, key); !valid) {
    return done(valid.error());
  }
  auto body = [this, name_space = std::move(name_space), key = std::move(key)]() -> Status {
    namespaces_[name_space].erase(key);
    return {};
  };
  thread_.submit(std::move(body), std::move(done));
}

void MemoryKeyValueStore::list(std::string name_space, std::string prefix,
                               Completion<std::vector<std::string>> done) {
  if (const auto valid = checkNamespace(name_space); !valid) {
    return done(valid.error());
  }
  auto body = [this, name_space = std::move(name_space),
               prefix = std::move(prefix)]() -> Result<std::vector<std::string>> {
    std::vector<std::string> keys;
    const auto& values = namespaces_[name_space];
    for (auto at = values.lower_bound(prefix); at != values.end() && at->first.starts_with(prefix);
         ++at) {
      keys.push_back(at->first);
    }
    return keys;
  };
  thread_.submit(std::move(body), std::move(done));
}

void MemoryKeyValueStore::compareAndSet(std::string name_space, std::string key,
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
  auto body = [this, name_space = std::move(name_space), key = std::move(key),
               expected = std::move(expected), next = std::move(next)]() -> Result<bool> {
    const auto current = stored(name_space, key);
    if (current.has_value() != expected.has_value() ||
        (current && !common::isSameJson(current->text(), expected->text()))) {
      return false;
    }
    if (next) {
      namespaces_[name_space][key] = next->text();
    } else {
      namespaces_[name_space].erase(key);
    }
    return true;
  };
  thread_.submit(std::move(body), std::move(done));
}

void MemoryKeyValueStore::clear(std::string name_space, Completion<std::size_t> done) {
  if (const auto valid = checkNamespace(name_space); !valid) {
    return done(valid.error());
  }
  auto body = [this, name_space = std::move(name_space)]() -> Result<std::size_t> {
    const auto removed = namespaces_[name_space].size();
    namespaces_.erase(name_space);
    return removed;
  };
  thread_.submit(std::move(body), std::move(done));
}

Result<std::map<std::string, common::RawJson>> MemoryKeyValueStore::readAll(
    const std::string& name_space) {
  using Found = std::map<std::string, common::RawJson>;
  auto promise = std::make_shared<std::promise<Result<Found>>>();
  auto answer = promise->get_future();
  const auto body = [this, name_space]() -> Result<Found> {
    Found out;
    for (const auto& [key, value] : namespaces_[name_space]) {
      out.emplace(key, common::RawJson(value));
    }
    return out;
  };
  thread_.submit(body, Completion<Found>([promise](Result<Found> result) {
                   promise->set_value(std::move(result));
                 }));
  return answer.get();
}

Status MemoryKeyValueStore::replaceAll(const std::string& name_space,
                                       const std::map<std::string, common::RawJson>& values) {
  auto promise = std::make_shared<std::promise<Status>>();
  auto answer = promise->get_future();
  const auto body = [this, name_space, values]() -> Status {
    auto& stored = namespaces_[name_space];
    stored.clear();
    for (const auto& [key, value] : values) {
      stored.emplace(key, value.text());
    }
    return {};
  };
  thread_.submit(
      body, Completion<void>([promise](Status status) { promise->set_value(std::move(status)); }));
  return answer.get();
}

}  // namespace svc::storage_memory
