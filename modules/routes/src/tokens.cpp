#include "tokens.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"
#include "svc/http/secrets.h"

namespace svc::routes {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

Error failure(std::string_view doing, const std::filesystem::path& path) {
  return Error{errc::kUnavailable, fmt::format("cannot {} {}: {}", doing, path.string(),
                                               std::generic_category().message(errno))};
}

Status writeAll(int file, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return failure("write", path);
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return ::fsync(file) == 0 ? Status() : failure("write", path);
}

std::filesystem::path freshFile(const std::filesystem::path& path) {
  return path.parent_path() / (path.filename().string() + ".new");
}

/// The old token counts until the new one is whole and on the disk.
Status replaceFile(const std::filesystem::path& path, const std::string& text) {
  const auto fresh = freshFile(path);
  ::unlink(fresh.c_str());
  {
    const Descriptor file(
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) {
      return failure("create", fresh);
    }
    if (auto written = writeAll(file.get(), text, fresh); !written) {
      ::unlink(fresh.c_str());
      return written;
    }
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    auto failed = failure("replace", path);
    ::unlink(fresh.c_str());
    return failed;
  }
  const Descriptor folder(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && ::fsync(folder.get()) == 0 ? Status() : failure("write", path.parent_path());
}

Status makeFolder(const std::filesystem::path& path) {
  return ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? Status() : failure("create", path);
}

}  // namespace

std::filesystem::path Tokens::fileOf(const std::string& plugin_id) const {
  return plugins_ / plugin_id / "secrets" / ".http-token";
}

Result<std::optional<std::string>> Tokens::read(const std::string& plugin_id) {
  const auto path = fileOf(plugin_id);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) {
    return errno == ENOENT || errno == ENOTDIR ? Result<std::optional<std::string>>(std::nullopt)
                                               : failure("read", path);
  }
  std::array<char, 4 * limits::kHttpToken> buffer{};
  const auto size = ::read(file.get(), buffer.data(), buffer.size());
  if (size < 0) {
    return failure("read", path);
  }
  std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  if (!http::isSecret(text)) {
    return std::optional<std::string>();  // damaged: nobody has this token
  }
  maskToken(plugin_id, std::string(text));
  return std::optional(std::string(text));
}

Result<std::string> Tokens::issueNow(const std::string& plugin_id, Rotate rotate) {
  const std::scoped_lock lock(issuing_);
  if (rotate == Rotate::kNo) {
    auto present = read(plugin_id);
    if (!present) {
      return std::move(present).error();
    }
    if (present.value()) {
      return *present.value();
    }
  }
  auto token = http::randomSecret();
  const auto path = fileOf(plugin_id);
  for (const auto& folder : {path.parent_path().parent_path(), path.parent_path()}) {
    if (auto made = makeFolder(folder); !made) {
      return std::move(made).error();
    }
  }
  // Before it is anywhere, so that it is never written to a log.
  maskToken(plugin_id, token);
  if (auto written = replaceFile(path, token); !written) {
    return std::move(written).error();
  }
  return token;
}

void Tokens::maskToken(const std::string& plugin_id, const std::string& token) {
  if (mask_ == nullptr) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  auto& entry = masked_[plugin_id];
  if (entry.first != token) {
    entry = {token, mask_->add(token)};
  }
}

Tokens::FileState Tokens::stateOf(const std::string& plugin_id) const {
  struct stat facts {};
  if (::lstat(fileOf(plugin_id).c_str(), &facts) != 0) {
    return {};
  }
  return {.device = facts.st_dev,
          .inode = facts.st_ino,
          .changed_s = facts.st_ctim.tv_sec,
          .changed_ns = facts.st_ctim.tv_nsec,
          .size = facts.st_size};
}

std::optional<Tokens::Known> Tokens::known(const std::string& plugin_id) {
  const auto now = stateOf(plugin_id);
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(plugin_id);
  if (found == known_.end() || found->second.file != now) {
    return std::nullopt;
  }
  return found->second;
}

// Whoever sends wrong tokens costs a look at the file, not a turn of the workers that all modules share.
void Tokens::check(std::string plugin_id, std::string presented, Completion<bool> done) {
  if (const auto current = known(plugin_id)) {
    done(current->token && http::sameSecret(*current->token, presented));
    return;
  }
  auto answer = std::make_shared<Completion<bool>>(std::move(done));
  const bool taken = workers_.submit([self = shared_from_this(), plugin_id = std::move(plugin_id),
                                      presented = std::move(presented), answer] {
    // Looked at before it is read: one that is replaced in between is read again the next time.
    const auto state = self->stateOf(plugin_id);
    auto token = self->read(plugin_id);
    if (!token) {
      (*answer)(std::move(token).error());
    } else {
      {
        const std::scoped_lock lock(self->mutex_);
        self->known_[plugin_id] = {.file = state, .token = token.value()};
      }
      (*answer)(token.value() && http::sameSecret(*token.value(), presented));
    }
  });
  if (!taken) {
    (*answer)(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
  }
}

void Tokens::issue(std::string plugin_id, Rotate rotate, Completion<std::string> done) {
  auto answer = std::make_shared<Completion<std::string>>(std::move(done));
  const bool taken =
      workers_.submit([self = shared_from_this(), plugin_id = std::move(plugin_id), rotate,
                       answer] { (*answer)(self->issueNow(plugin_id, rotate)); });
  if (!taken) {
    (*answer)(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
  }
}

void Tokens::learn(const std::string& plugin_id) {
  // When no worker is free the first check does it.
  static_cast<void>(workers_.submit([self = shared_from_this(), plugin_id] {
    {
      // What a crash has left of an issue.
      const std::scoped_lock lock(self->issuing_);
      ::unlink(freshFile(self->fileOf(plugin_id)).c_str());
    }
    static_cast<void>(self->read(plugin_id));
  }));
}

}  // namespace svc::routes
