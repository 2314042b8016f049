#include "tokens.h"

#include <sys/stat.h>

#include <string_view>
#include <utility>

#include "svc/base/files.h"
#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/limits/http.h"
#include "svc/http/secrets.h"

namespace svc::routes {
namespace {

/// Named as all unfinished secrets are: what a crash leaves of it goes with them at the next load, and is in no backup.
std::filesystem::path freshFile(const std::filesystem::path& path) {
  return path.parent_path() / (".new-" + path.filename().string());
}

}  // namespace

std::filesystem::path Tokens::fileOf(const std::string& plugin_id) const {
  return plugins_ / plugin_id / "secrets" / ".http-token";
}

Result<std::optional<std::string>> Tokens::read(const std::string& plugin_id) {
  const auto path = fileOf(plugin_id);
  const auto file = base::readFile(path, 4 * limits::kHttpToken, base::Links::kRefused);
  if (!file && file.error().code == errc::kUnavailable) {
    return file.error();
  }
  const auto text = file ? base::trimmed(file.value()) : std::string_view();
  if (!http::isSecret(text)) {
    return std::optional<std::string>();  // missing, or damaged: nobody has this token
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
    if (auto made = base::makePrivateDirectory(folder); !made) {
      return std::move(made).error();
    }
  }
  // Before it is anywhere, so that it is never written to a log.
  maskToken(plugin_id, token);
  // The old token counts until the new one is whole and on the disk. A load of the plugin removes unfinished files, which may
  // be this one.
  auto written = base::replaceFile(path, token, {.staged = freshFile(path)});
  if (!written) {
    written = base::replaceFile(path, token, {.staged = freshFile(path)});
  }
  if (!written) {
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
  static_cast<void>(workers_.submit(
      [self = shared_from_this(), plugin_id] { static_cast<void>(self->read(plugin_id)); }));
}

}  // namespace svc::routes
