#include "secret_files.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/system_error.h"
#include "svc/common/codes.h"
#include "svc/common/limits/storage.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;

Error failure(std::string_view action, const fs::path& path, int code) {
  return base::systemError(fmt::format("cannot {} {}", action, path.string()), code);
}

constexpr std::string_view kNew = ".new-";

fs::path temporary(const fs::path& directory, const std::string& key) {
  return directory / (std::string(kNew) + key);
}

Result<std::string> readSecret(const fs::path& path) {
  auto text = base::readFile(path, limits::kSettingValue, base::Links::kRefused);
  if (!text && text.error().code == errc::kTooLarge) {
    return Error{errc::kTooLarge, fmt::format("{} has more bytes than the limit settingValue, {}",
                                              path.string(), limits::kSettingValue)};
  }
  return text;
}

}  // namespace

Result<std::map<std::string, std::string>> SecretFiles::read() const {
  std::map<std::string, std::string> out;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end;
       it.increment(error)) {
    const auto name = it->path().filename().string();
    // A link leads somewhere else, and what is there is nothing that was saved here.
    std::error_code gone;
    if (name.starts_with('.') || it->symlink_status(gone).type() != fs::file_type::regular) {
      continue;
    }
    auto value = readSecret(it->path());
    if (!value) {
      return std::move(value).error();
    }
    out.emplace(name, std::move(value).value());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return failure("read", directory_, error.value());
  }
  return out;
}

void SecretFiles::removeLeftovers() const {
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(directory_, ignored)) {
    if (entry.path().filename().string().starts_with(kNew)) {
      leftovers.push_back(entry.path());
    }
  }
  for (const auto& path : leftovers) {
    ::unlink(path.c_str());
  }
}

Result<SecretFiles::Staged> SecretFiles::stage(std::vector<SecretChange> changes) const {
  Staged staged(directory_, std::move(changes));
  if (!staged.changes_.empty()) {
    if (auto status = base::makePrivateDirectory(directory_); !status) {
      return std::move(status).error();
    }
  }
  for (const auto& [key, value] : staged.changes_) {
    if (!value) {
      continue;
    }
    auto file =
        base::StagedFile::write(directory_ / key, *value, {.staged = temporary(directory_, key)});
    if (!file) {
      return std::move(file).error();
    }
    staged.files_.emplace(key, std::move(file).value());
  }
  return staged;
}

Status SecretFiles::Staged::commit() {
  Status status;
  for (const auto& [key, value] : changes_) {
    const auto path = directory_ / key;
    if (value) {
      auto& file = files_.at(key);
      status = file.commit();
      // A folder that cannot be written takes no name back: the others follow, so that the save is there as a whole.
      if (const bool is_in_place = file.path().empty(); !status && !is_in_place) {
        return status;
      }
    } else if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return failure("delete", path, errno);
    }
    ++taken_;
  }
  return taken_ == 0 ? Status() : base::syncDirectory(directory_);
}

}  // namespace svc::plugins
