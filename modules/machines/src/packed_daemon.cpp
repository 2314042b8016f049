#include "packed_daemon.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <Poco/SHA2Engine.h>
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::machines {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFile = 0644;
constexpr mode_t kExecutable = 0755;
constexpr std::size_t kReadAtOnce = 65'536;

struct FreeWriter {
  void operator()(archive* open) const { archive_write_free(open); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using Writer = std::unique_ptr<archive, FreeWriter>;

Error systemError(std::string_view what) {
  return {errc::kUnavailable, fmt::format("cannot {} the package of svc-hostd: {}", what,
                                          std::generic_category().message(errno))};
}

Error archiveError(archive* writer) {
  const auto* text = archive_error_string(writer);
  return {errc::kUnavailable, fmt::format("cannot write the package of svc-hostd: {}",
                                          text != nullptr ? text : "unknown error")};
}

Status addFile(archive* writer, const DaemonFile& file) {
  std::ifstream in(file.source, std::ios::binary);
  std::error_code failed;
  const auto size = fs::file_size(file.source, failed);
  if (!in || failed) {
    return Error{errc::kUnavailable, fmt::format("cannot read {}", file.source.string())};
  }
  // No times and no owners: the same files are the same package, whoever packs them.
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), file.path.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), file.executable ? kExecutable : kFile);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
  if (archive_write_header(writer, entry.get()) != ARCHIVE_OK) {
    return archiveError(writer);
  }
  std::array<char, kReadAtOnce> piece{};
  std::uint64_t copied = 0;
  while (in.read(piece.data(), piece.size()), in.gcount() > 0) {
    const auto count = static_cast<std::size_t>(in.gcount());
    if (archive_write_data(writer, piece.data(), count) != static_cast<la_ssize_t>(count)) {
      return archiveError(writer);
    }
    copied += count;
  }
  return copied == size ? Status()
                        : Status(Error{errc::kUnavailable,
                                       fmt::format("{} was changed while it was read; try again",
                                                   file.source.string())});
}

Status writeArchive(int descriptor, const std::vector<DaemonFile>& files) {
  const Writer writer(archive_write_new());
  const bool ready =
      archive_write_add_filter_gzip(writer.get()) == ARCHIVE_OK &&
      archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr) == ARCHIVE_OK &&
      archive_write_set_format_pax_restricted(writer.get()) == ARCHIVE_OK &&
      archive_write_open_fd(writer.get(), descriptor) == ARCHIVE_OK;
  if (!ready) {
    return archiveError(writer.get());
  }
  for (const auto& file : files) {
    if (auto added = addFile(writer.get(), file); !added) {
      return added;
    }
  }
  return archive_write_close(writer.get()) == ARCHIVE_OK ? Status()
                                                         : Status(archiveError(writer.get()));
}

}  // namespace

Result<PackedDaemonPtr> PackedDaemon::pack(const std::vector<DaemonFile>& files,
                                           const fs::path& directory) {
  auto name = (directory / ".svc-hostd-XXXXXX").string();
  base::Fd file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) {
    return systemError("write");
  }
  ::unlink(name.c_str());
  const int descriptor = file.get();
  const auto packed = std::make_shared<PackedDaemon>(std::move(file));
  if (auto written = writeArchive(descriptor, files); !written) {
    return std::move(written).error();
  }
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) {
    return systemError("read");
  }
  packed->size_ = static_cast<std::uint64_t>(facts.st_size);
  Poco::SHA2Engine digest(Poco::SHA2Engine::SHA_256);
  for (std::uint64_t offset = 0; offset < packed->size_; offset += kReadAtOnce) {
    const auto piece = packed->read(offset, kReadAtOnce);
    if (!piece) {
      return piece.error();
    }
    digest.update(piece.value().data(), static_cast<unsigned>(piece.value().size()));
  }
  packed->sha256_ = Poco::DigestEngine::digestToHex(digest.digest());
  return PackedDaemonPtr(packed);
}

Result<std::string> PackedDaemon::read(std::uint64_t offset, std::size_t count) const {
  std::string piece(std::min<std::uint64_t>(count, size_ - std::min(offset, size_)), '\0');
  std::size_t filled = 0;
  while (filled < piece.size()) {
    const auto got = ::pread(file_.get(), piece.data() + filled, piece.size() - filled,
                             static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return systemError("read");
    }
    filled += static_cast<std::size_t>(got);
  }
  return piece;
}

}  // namespace svc::machines
