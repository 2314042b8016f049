#include "package_archive.h"

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "svc/base/path_bounds.h"
#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"
#include "svc/common/shown_text.h"
#include "svc/common/utf8.h"

#include "source_spec.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;

struct Closer {
  void operator()(archive* open) const { archive_free(open); }
};
using Reader = std::unique_ptr<archive, Closer>;

Error tooLarge(const char* what, std::uint64_t actual, const char* limit, std::uint64_t allowed) {
  return {errc::kTooLarge,
          fmt::format("the package has {} {} (limit {}: {})", actual, what, limit, allowed)};
}

Error escapes(const std::string& name, const std::string& why) {
  return refusal("path_escape", fmt::format("the package is refused: \"{}\" {}",
                                            common::shownOnOneLine(name), why));
}

Error broken(const fs::path& file, archive* reader) {
  const char* text = archive_error_string(reader);
  return refusal("not_found", fmt::format("{} cannot be unpacked: {}", file.filename().string(),
                                          text == nullptr ? "it is damaged" : text));
}

/// Directories below each other are held open all together by whatever walks through them.
constexpr int kDeepest = 128;
/// Of the name of one that lies too deep.
constexpr std::size_t kNameShown = 80;

std::string tooDeep() { return fmt::format("lies more than {} directories deep", kDeepest); }

/// The path below the root of the package; empty for the first component itself. nullopt when it leaves it.
std::optional<fs::path> strippedPath(const std::string& name) {
  const fs::path whole(name);
  fs::path out;
  bool first = true;
  for (const auto& part : whole) {
    if (part == ".." || part == "/") {
      return std::nullopt;
    }
    if (part == "." || part.empty()) {
      continue;
    }
    if (!first) {
      out /= part;
    }
    first = false;
  }
  return out;
}

/// True when `target`, read from the directory of `link`, stays below the root. Both are relative to it.
bool staysInside(const fs::path& link, const fs::path& target) {
  if (target.is_absolute()) {
    return false;
  }
  const auto normal = (link.parent_path() / target).lexically_normal();
  return normal.empty() || *normal.begin() != "..";
}

Status checkEntry(archive_entry* entry, const std::string& name, const fs::path& path) {
  const auto type = archive_entry_filetype(entry);
  if (!common::isUtf8(name)) {
    return escapes(name, "has a name that is not UTF-8; give it another one");
  }
  if (std::distance(path.begin(), path.end()) > kDeepest) {
    return escapes(name.substr(0, kNameShown), tooDeep());
  }
  if (archive_entry_hardlink(entry) != nullptr) {
    return escapes(name, "is a hard link");
  }
  if (type == AE_IFLNK) {
    const char* target = archive_entry_symlink(entry);
    if (target == nullptr || !staysInside(path, target)) {
      return escapes(name, "is a link that leaves the package");
    }
    return {};
  }
  if (type != AE_IFREG && type != AE_IFDIR) {
    return escapes(name, "is neither a file, a directory nor a link");
  }
  return {};
}

Status writeData(archive* reader, archive* writer, const fs::path& file, std::uint64_t& bytes,
                 const PackageLimits& limits) {
  const void* block = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  while (true) {
    const int status = archive_read_data_block(reader, &block, &size, &offset);
    if (status == ARCHIVE_EOF) {
      return {};
    }
    if (status != ARCHIVE_OK) {
      return broken(file, reader);
    }
    bytes += size;
    if (bytes > limits.bytes) {
      return tooLarge("bytes or more", bytes, "package", limits.bytes);
    }
    if (archive_write_data_block(writer, block, size, offset) != ARCHIVE_OK) {
      return Error{
          errc::kUnavailable,
          fmt::format("cannot write the files of the package: {}: is the disk full? Nothing was "
                      "changed; make room and try again",
                      archive_error_string(writer))};
    }
  }
}

class Extraction {
 public:
  Extraction(fs::path file, fs::path target, const PackageLimits& limits)
      : file_(std::move(file)), target_(std::move(target)), limits_(limits) {}

  Status run(const std::stop_token& stop) {
    archive_read_support_filter_gzip(reader_.get());
    archive_read_support_filter_none(reader_.get());
    archive_read_support_format_tar(reader_.get());
    constexpr std::size_t kBlock = 65536;
    if (archive_read_open_filename(reader_.get(), file_.c_str(), kBlock) != ARCHIVE_OK) {
      return broken(file_, reader_.get());
    }
    archive_write_disk_set_options(writer_.get(), ARCHIVE_EXTRACT_SECURE_NODOTDOT |
                                                      ARCHIVE_EXTRACT_SECURE_SYMLINKS |
                                                      ARCHIVE_EXTRACT_UNLINK);
    while (true) {
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(reader_.get(), &entry);
      if (status == ARCHIVE_EOF) {
        return finish();
      }
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
        return broken(file_, reader_.get());
      }
      if (stop.stop_requested()) {
        return Error{errc::kAborted, "unpacking was stopped"};
      }
      if (auto done = take(entry); !done) {
        return done;
      }
    }
  }

 private:
  Status finish() {
    return files_ > 0 ? Status()
                      : Status(refusal("no_manifest",
                                       fmt::format("{} has no files below a folder, where `npm "
                                                   "pack` puts them (package/)",
                                                   file_.filename().string())));
  }

  Status take(archive_entry* entry) {
    const char* raw = archive_entry_pathname(entry);
    const std::string name = raw == nullptr ? "" : raw;
    const auto path = strippedPath(name);
    if (!path) {
      return escapes(name, "leaves the package");
    }
    if (path->empty()) {
      return {};
    }
    if (++files_ > limits_.files) {
      return tooLarge("files or more", files_, "packageFiles", limits_.files);
    }
    if (auto valid = checkEntry(entry, name, *path); !valid) {
      return valid;
    }
    // Those that hold something come with it. Of very many, each takes longer than the one before.
    if (archive_entry_filetype(entry) == AE_IFDIR) {
      return {};
    }
    const bool executable = (archive_entry_perm(entry) & 0100U) != 0;
    archive_entry_set_perm(entry, executable ? 0755 : 0644);
    archive_entry_set_pathname(entry, (target_ / *path).c_str());
    if (archive_write_header(writer_.get(), entry) != ARCHIVE_OK) {
      return escapes(name, archive_error_string(writer_.get()));
    }
    if (archive_entry_filetype(entry) == AE_IFREG) {
      if (auto written = writeData(reader_.get(), writer_.get(), file_, bytes_, limits_);
          !written) {
        return written;
      }
    }
    archive_write_finish_entry(writer_.get());
    return {};
  }

  fs::path file_;
  fs::path target_;
  PackageLimits limits_;
  Reader reader_{archive_read_new()};
  Reader writer_{archive_write_disk_new()};
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

PackageLimits packageLimits() { return {limits::kPackage, limits::kPackageFiles}; }

Status extractPackage(const fs::path& archive, const fs::path& target, PackageLimits limits,
                      const std::stop_token& stop) {
  // libarchive's own check of links on the way refuses a path that has one above the target.
  std::error_code failure;
  const auto real = fs::canonical(target, failure);
  if (failure) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot unpack into {}: {}", target.string(), failure.message())};
  }
  return Extraction(archive, real, limits).run(stop);
}

Status checkPackageSize(std::uint64_t bytes, std::uint64_t files, PackageLimits limits) {
  if (bytes > limits.bytes) {
    return tooLarge("bytes or more", bytes, "package", limits.bytes);
  }
  return files > limits.files
             ? Status(tooLarge("files or more", files, "packageFiles", limits.files))
             : Status();
}

Status checkTreeSize(const fs::path& root, PackageLimits limits) {
  std::error_code failure;
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  for (auto each = fs::recursive_directory_iterator(root, failure);
       !failure && each != fs::recursive_directory_iterator(); each.increment(failure)) {
    ++files;
    if (each.depth() >= kDeepest) {
      return escapes(each->path().lexically_relative(root).string().substr(0, kNameShown),
                     tooDeep());
    }
    if (each->is_regular_file(failure) && !each->is_symlink(failure)) {
      bytes += each->file_size(failure);
    }
    if (auto allowed = checkPackageSize(bytes, files, limits); !allowed) {
      return allowed;
    }
  }
  if (failure) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot read the files of the package: {}", failure.message())};
  }
  return {};
}

Status checkLinks(const fs::path& root) {
  std::error_code failure;
  const auto real_root = fs::canonical(root, failure);
  if (failure) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot read {}: {}", root.string(), failure.message())};
  }
  for (auto each = fs::recursive_directory_iterator(real_root, failure);
       !failure && each != fs::recursive_directory_iterator(); each.increment(failure)) {
    std::error_code ignored;
    if (!each->is_symlink(ignored)) {
      continue;
    }
    if (!base::isWithin(fs::weakly_canonical(each->path(), ignored).native(), real_root.native())) {
      return escapes(each->path().lexically_relative(real_root).string(),
                     "is a link that leaves the package");
    }
  }
  if (failure) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot read the files of the package: {}", failure.message())};
  }
  return {};
}

}  // namespace svc::installs
