#include "package_unpack.h"

#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <string>
#include <system_error>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

namespace svc::serverlink {
namespace {

namespace fs = std::filesystem;

struct FreeReader {
  void operator()(archive* open) const { archive_read_free(open); }
};
struct FreeWriter {
  void operator()(archive* open) const { archive_write_free(open); }
};

constexpr mode_t kDirectory = 0755;
constexpr mode_t kExecutable = 0755;
constexpr mode_t kFile = 0644;
constexpr std::size_t kBlock = 65'536;

Error refused(const std::string& name, const char* why) {
  return {errc::kInvalidInput, fmt::format("the package is refused: \"{}\" {}", name, why)};
}

std::string textOf(archive* stream) {
  const auto* text = archive_error_string(stream);
  return text != nullptr ? text : "it is damaged";
}

/// Relative, and below where it starts.
bool staysBelow(const fs::path& path) {
  if (path.empty() || path.is_absolute()) {
    return false;
  }
  for (const auto& part : path) {
    if (part == "..") {
      return false;
    }
  }
  return true;
}

class Unpacking {
 public:
  Unpacking(fs::path directory, const std::stop_token& stop)
      : directory_(std::move(directory)), stop_(stop) {}

  Status run(const fs::path& file) {
    archive_read_support_filter_gzip(reader_.get());
    archive_read_support_format_tar(reader_.get());
    if (archive_read_open_filename(reader_.get(), file.c_str(), kBlock) != ARCHIVE_OK) {
      return damaged();
    }
    archive_write_disk_set_options(writer_.get(), ARCHIVE_EXTRACT_SECURE_NODOTDOT |
                                                      ARCHIVE_EXTRACT_SECURE_SYMLINKS |
                                                      ARCHIVE_EXTRACT_PERM);
    while (true) {
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(reader_.get(), &entry);
      if (status == ARCHIVE_EOF) {
        return {};
      }
      if (status != ARCHIVE_OK) {
        return damaged();
      }
      if (auto taken = take(entry); !taken) {
        return taken;
      }
    }
  }

 private:
  Status take(archive_entry* entry) {
    const char* raw = archive_entry_pathname(entry);
    const std::string name = raw == nullptr ? "" : raw;
    const auto type = archive_entry_filetype(entry);
    if (!staysBelow(name)) {
      return refused(name, "leaves the directory of the program");
    }
    if (archive_entry_hardlink(entry) != nullptr || (type != AE_IFREG && type != AE_IFDIR)) {
      return refused(name, "is neither a file nor a directory");
    }
    if (++files_ > limits::kPackageFiles) {
      return Error{errc::kTooLarge, fmt::format("the package has more than {} files (limit "
                                                "packageFiles)",
                                                limits::kPackageFiles)};
    }
    const bool executable = (archive_entry_perm(entry) & S_IXUSR) != 0;
    archive_entry_set_perm(entry, type == AE_IFDIR ? kDirectory : executable ? kExecutable : kFile);
    archive_entry_set_pathname(entry, (directory_ / name).c_str());
    if (archive_write_header(writer_.get(), entry) != ARCHIVE_OK) {
      return unwritten();
    }
    if (auto copied = copyData(); !copied) {
      return copied;
    }
    return archive_write_finish_entry(writer_.get()) == ARCHIVE_OK ? Status() : Status(unwritten());
  }

  Status copyData() {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    while (true) {
      const int status = archive_read_data_block(reader_.get(), &block, &size, &offset);
      if (status == ARCHIVE_EOF) {
        return {};
      }
      if (status != ARCHIVE_OK) {
        return damaged();
      }
      if (stop_.stop_requested()) {
        return Error{errc::kAborted, "unpacking was stopped"};
      }
      bytes_ += size;
      if (bytes_ > limits::kPackage) {
        return Error{errc::kTooLarge, fmt::format("the package has {} bytes or more (limit "
                                                  "package: {})",
                                                  bytes_, limits::kPackage)};
      }
      if (archive_write_data_block(writer_.get(), block, size, offset) != ARCHIVE_OK) {
        return unwritten();
      }
    }
  }

  Error damaged() {
    return {errc::kInvalidInput,
            fmt::format("the package cannot be unpacked: {}", textOf(reader_.get()))};
  }
  Error unwritten() {
    return {errc::kUnavailable,
            fmt::format("cannot write the files of the package: {}", textOf(writer_.get()))};
  }

  fs::path directory_;
  std::stop_token stop_;
  std::unique_ptr<archive, FreeReader> reader_{archive_read_new()};
  std::unique_ptr<archive, FreeWriter> writer_{archive_write_disk_new()};
  std::size_t files_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Status unpackProgram(const fs::path& archive, const fs::path& directory,
                     const std::stop_token& stop) {
  std::error_code failure;
  fs::create_directory(directory, failure);
  // libarchive refuses a path with a link on the way, above the directory, too.
  const auto real = failure ? fs::path() : fs::canonical(directory, failure);
  if (failure) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot write {}: {}", directory.string(), failure.message())};
  }
  return Unpacking(real, stop).run(archive);
}

}  // namespace svc::serverlink
