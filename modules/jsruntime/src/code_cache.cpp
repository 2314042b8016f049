#include "code_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <openssl/sha.h>

#include "svc/base/files.h"

namespace svc::jsruntime {

namespace {

constexpr std::string_view kKind = "svc code ";
constexpr std::string_view kMagic = "svc code 1\n";
/// Node's scripts and ours are some 2 MiB.
constexpr std::size_t kMostBytes = 32UL << 20;
constexpr std::size_t kMostName = 256;

void appendNumber(std::string& to, std::uint32_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  to.append(bytes, sizeof bytes);
}

/// Takes what it reads from the front of a text; everything is empty or 0 once that text was too short.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::string_view bytes(std::size_t count) {
    if (count > rest_.size()) {
      rest_ = {};
      return {};
    }
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint32_t number() {
    std::uint32_t value = 0;
    const auto from = bytes(sizeof value);
    std::memcpy(&value, from.data(), from.size());
    return value;
  }
  [[nodiscard]] bool atEnd() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::string_view viewOf(const std::array<std::uint8_t, 32>& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// Nothing for what no cache of this user has written: a path that was mistyped must not lose what is there, and code of
/// others is not run.
std::optional<std::string> readOwn(const std::filesystem::path& file) {
  struct stat found {};
  if (::lstat(file.c_str(), &found) != 0) {
    return errno == ENOENT ? std::optional<std::string>("") : std::nullopt;
  }
  if (!S_ISREG(found.st_mode) || found.st_uid != ::geteuid() ||
      (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return std::nullopt;
  }
  auto text = base::readFile(file, 2 * kMostBytes, base::Links::kRefused);
  if (!text || !text.value().starts_with(kKind)) {
    return std::nullopt;
  }
  return std::move(text).value();
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
  std::array<std::uint8_t, 32> digest{};
  ::SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

CodeCache& CodeCache::instance() {
  static auto* const cache = new CodeCache;  // threads of scripts may outlive everything else
  return *cache;
}

void CodeCache::keepIn(std::filesystem::path file, std::uint32_t engine) {
  const auto text = readOwn(file);
  if (!text) {
    return;
  }
  const std::lock_guard lock(mutex_);
  file_ = std::move(file);
  engine_ = engine;
  read(*text);
}

CodeCache::Code CodeCache::find(const ScriptKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key.name);
  return found != entries_.end() && found->second.digest == key.digest ? found->second.code
                                                                       : nullptr;
}

void CodeCache::put(const ScriptKey& key, std::string code) {
  const std::lock_guard lock(mutex_);
  auto& entry = entries_[key.name];
  const auto before = entry.code ? entry.code->size() : 0;
  if (bytes_ - before + code.size() > kMostBytes || key.name.size() > kMostName) {
    return;
  }
  bytes_ = bytes_ - before + code.size();
  entry = {key.digest, std::make_shared<const std::string>(std::move(code))};
  changed_ = true;
}

void CodeCache::drop(const ScriptKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key.name);
  if (found != entries_.end() && found->second.digest == key.digest) {
    bytes_ -= found->second.code ? found->second.code->size() : 0;
    entries_.erase(found);
  }
}

bool CodeCache::contains(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found != entries_.end() && found->second.code != nullptr;
}

void CodeCache::save() {
  std::string text;
  std::filesystem::path file;
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(changed_, false) || file_.empty()) {
      return;
    }
    text = serialised();
    file = file_;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(file.parent_path(), ignored) &&
      !base::makePrivateDirectory(file.parent_path())) {
    return;
  }
  // Several processes may share the file, and each writes it as a whole.
  auto staged = file;
  staged += "." + std::to_string(::getpid()) + ".tmp";
  static_cast<void>(
      base::replaceFile(file, text, {.durability = base::Durability::kLoose, .staged = staged}));
}

std::string CodeCache::serialised() const {
  std::string text(kMagic);
  appendNumber(text, engine_);
  for (const auto& [name, entry] : entries_) {
    if (!entry.code) {
      continue;
    }
    appendNumber(text, static_cast<std::uint32_t>(name.size()));
    text += name;
    text += viewOf(entry.digest);
    appendNumber(text, static_cast<std::uint32_t>(entry.code->size()));
    text += *entry.code;
  }
  text += viewOf(sha256(text));
  return text;
}

void CodeCache::read(std::string_view text) {
  constexpr auto kDigest = sizeof(Entry::digest);
  if (text.size() < kMagic.size() + kDigest || !text.starts_with(kMagic)) {
    return;
  }
  // V8 does not look closely at what it is given.
  const auto body = text.substr(0, text.size() - kDigest);
  if (viewOf(sha256(body)) != text.substr(body.size())) {
    return;
  }
  Reader reader(body.substr(kMagic.size()));
  if (reader.number() != engine_) {
    return;
  }
  while (!reader.atEnd()) {
    const auto name = reader.bytes(reader.number());
    const auto digest = reader.bytes(kDigest);
    const auto code = reader.bytes(reader.number());
    if (digest.size() != kDigest || code.empty() || bytes_ + code.size() > kMostBytes) {
      return;
    }
    Entry entry{{}, std::make_shared<const std::string>(code)};
    std::memcpy(entry.digest.data(), digest.data(), kDigest);
    bytes_ += code.size();
    entries_.insert_or_assign(std::string(name), std::move(entry));
  }
}

}  // namespace svc::jsruntime
