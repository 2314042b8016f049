#include "svc/skillfiles/stage.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/files.h"
#include "svc/base/random.h"
#include "svc/base/system_error.h"
#include "svc/common/json.h"
#include "svc/skillfiles/skill.h"

#include "digest.h"

namespace svc::skillfiles {
namespace {

namespace fs = std::filesystem;
using base::Fd;

constexpr std::string_view kStagePrefix = ".svc-new-";
constexpr std::string_view kCatalogue = "catalog.json";
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Error failed(std::string_view doing, const std::string& what) {
  return base::systemError(fmt::format("cannot {} {}", doing, shownName(what)), errno);
}

/// A directory below an open one, made when it is not there.
Result<Fd> enterNew(int parent, const std::string& name) {
  constexpr mode_t kMode = S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH;
  if (::mkdirat(parent, name.c_str(), kMode) != 0 && errno != EEXIST) {
    return failed("create", name);
  }
  Fd directory(::openat(parent, name.c_str(), kOpenFolder));
  return directory ? Result<Fd>(std::move(directory)) : failed("open", name);
}

Status writeFile(int root, const SkillFile& file, std::string_view bytes) {
  std::string_view rest = file.path;
  Fd inner;
  int parent = root;
  for (auto slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
    auto next = enterNew(parent, std::string(rest.substr(0, slash)));
    if (!next) {
      return std::move(next).error();
    }
    inner = std::move(next).value();
    parent = inner.get();
    rest.remove_prefix(slash + 1);
  }
  constexpr mode_t kMode = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
  constexpr mode_t kExecutable = S_IXUSR | S_IXGRP | S_IXOTH;
  Fd out(::openat(parent, std::string(rest).c_str(),
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!out || ::fchmod(out.get(), file.executable ? kMode | kExecutable : kMode) != 0 ||
      !base::writeAll(out.get(), bytes)) {
    return failed("write", file.path);
  }
  // Some file systems tell only here that there was no room.
  return ::close(out.release()) == 0 ? Status() : Status(failed("write", file.path));
}

Status fill(const fs::path& directory, const SkillTree& tree, const ReadFile& read) {
  const Fd root(::open(directory.c_str(), kOpenFolder));
  if (!root) {
    return failed("open", directory.string());
  }
  for (const auto& file : tree.files) {
    if (!isPlainPath(file.path)) {
      return Error{errc::kInvalidArgument,
                   fmt::format("\"{}\" is no path below the skill", shownName(file.path))};
    }
    auto bytes = read(file);
    if (!bytes) {
      return std::move(bytes).error();
    }
    if (digestOf(bytes.value()) != file.digest) {
      return Error{errc::kConflict,
                   fmt::format("{} is not what it was when the skill was read", file.path)};
    }
    if (auto status = writeFile(root.get(), file, bytes.value()); !status) {
      return status;
    }
  }
  return {};
}

/// A directory that goes unless it is kept.
class NewDirectory {
 public:
  explicit NewDirectory(fs::path path) : path_(std::move(path)) {}
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;
  ~NewDirectory() {
    if (!path_.empty()) {
      std::error_code failure;
      fs::remove_all(path_, failure);
    }
  }

  [[nodiscard]] Status make() const {
    constexpr mode_t kMode = S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH;
    return ::mkdir(path_.c_str(), kMode) == 0 ? Status() : Status(failed("create", path_.string()));
  }
  /// In its place; `conflict` when something is there.
  [[nodiscard]] Status moveTo(const fs::path& target) {
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) != 0) {
      if (errno == EEXIST || errno == ENOTEMPTY) {
        return Error{errc::kConflict,
                     fmt::format("{} is there already", shownName(target.string()))};
      }
      return failed("create", target.string());
    }
    path_.clear();
    return {};
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// By its name: the hash of a catalogue.
bool isStage(const fs::path& path) {
  constexpr std::size_t kDigits = 64;
  const auto name = path.filename().string();
  return name.size() == kDigits && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

fs::path besideOf(const fs::path& target) {
  constexpr std::size_t kRandom = 6;
  return target.parent_path() / (std::string(kStagePrefix) + base::randomHex(kRandom));
}

std::string catalogueText(const std::string& hash, const std::vector<StagedSkill>& skills) {
  using common::Json;
  auto list = Json::array();
  for (const auto& skill : skills) {
    list.push(Json::object()
                  .set("name", skill.name)
                  .set("description", skill.description)
                  .set("tree", skill.tree.digest)
                  .set("path", fmt::format("{}/{}", skill.name, kSkillFile)));
  }
  return Json::object().set("hash", hash).set("skills", std::move(list)).dumpPretty() + "\n";
}

}  // namespace

Status writeTree(const fs::path& target, const SkillTree& tree, const ReadFile& read) {
  NewDirectory staged(besideOf(target));
  if (auto status = staged.make(); !status) {
    return status;
  }
  if (auto status = fill(staged.path(), tree, read); !status) {
    return status;
  }
  return staged.moveTo(target);
}

std::string catalogueHash(const std::vector<std::pair<std::string, std::string>>& trees_by_name) {
  auto sorted = trees_by_name;
  std::sort(sorted.begin(), sorted.end());
  Sha256 sum;
  for (const auto& [name, tree] : sorted) {
    sum.add(fmt::format("{} {}\n", name, tree));
  }
  return sum.hex();
}

std::map<std::string, fs::path> stagedTrees(const fs::path& root) {
  constexpr std::size_t kListBytes = 4UL * 1024 * 1024;
  std::map<std::string, fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator each(root, failure), end; !failure && each != end;
       each.increment(failure)) {
    const auto text = base::readFile(each->path() / kCatalogue, kListBytes, base::Links::kRefused);
    const auto listed = text ? common::Json::parse(text.value()) : text.error();
    if (!listed || !isStage(each->path())) {
      continue;
    }
    for (const auto& skill : listed.value()["skills"].items()) {
      if (const auto& name = skill["name"].asString(); isUsableSkillName(name)) {
        found[skill["tree"].asString()] = each->path() / name;
      }
    }
  }
  return found;
}

Result<fs::path> stageCatalogue(const fs::path& root, const std::vector<StagedSkill>& skills) {
  std::vector<std::pair<std::string, std::string>> trees;
  trees.reserve(skills.size());
  for (const auto& skill : skills) {
    if (!isUsableSkillName(skill.name)) {
      return Error{errc::kInvalidArgument,
                   fmt::format("\"{}\" is no name of a skill", shownName(skill.name))};
    }
    trees.emplace_back(skill.name, skill.tree.digest);
  }
  const auto hash = catalogueHash(trees);
  const auto target = root / hash;
  std::error_code failure;
  // It is whole when it is there, and its name says what is in it.
  if (fs::is_directory(fs::symlink_status(target, failure))) {
    return target;
  }
  if (auto status = base::makePrivateDirectory(root); !status) {
    return std::move(status).error();
  }
  NewDirectory staged(besideOf(target));
  if (auto status = staged.make(); !status) {
    return std::move(status).error();
  }
  for (const auto& skill : skills) {
    if (auto status = writeTree(staged.path() / skill.name, skill.tree, skill.read); !status) {
      return Error{status.error().code,
                   fmt::format("skill {}: {}", skill.name, status.error().message)};
    }
  }
  constexpr mode_t kMode = 0644;
  if (auto status = base::replaceFile(staged.path() / kCatalogue, catalogueText(hash, skills),
                                      {.mode = kMode, .durability = base::Durability::kLoose});
      !status) {
    return std::move(status).error();
  }
  auto moved = staged.moveTo(target);
  if (!moved && moved.error().code != errc::kConflict) {
    return std::move(moved).error();
  }
  return target;
}

void removeStages(const fs::path& root, const std::vector<std::string>& used) {
  std::error_code failure;
  std::vector<fs::path> unused;
  for (fs::directory_iterator each(root, failure), end; !failure && each != end;
       each.increment(failure)) {
    const auto name = each->path().filename().string();
    if ((isStage(each->path()) && std::find(used.begin(), used.end(), name) == used.end()) ||
        name.starts_with(kStagePrefix)) {
      unused.push_back(each->path());
    }
  }
  for (const auto& path : unused) {
    fs::remove_all(path, failure);
  }
}

}  // namespace svc::skillfiles
