#include "backup_archive.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <Poco/SHA2Engine.h>
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/files.h"
#include "svc/common/codes.h"

#include "backup_files.h"
#include "files.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFile = 0600;
constexpr mode_t kExecutable = 0700;
constexpr std::size_t kPiece = 65'536;

struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
struct FreeReader {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, FreeReader>;

class Sha256 {
 public:
  void add(std::string_view bytes) {
    engine_.update(bytes.data(), static_cast<unsigned>(bytes.size()));
  }
  [[nodiscard]] std::string hex() { return Poco::DigestEngine::digestToHex(engine_.digest()); }

 private:
  Poco::SHA2Engine engine_{Poco::SHA2Engine::SHA_256};
};

Error notAnArchive(const fs::path& file, std::string_view why) {
  return {errc::kInvalidInput, fmt::format("{} is not a complete backup: {}", file.string(), why)};
}

std::string textOf(archive* stream) {
  const auto* text = archive_error_string(stream);
  return text != nullptr ? text : "unknown error";
}

}  // namespace

bool isSafePath(const std::string& path) {
  const fs::path parsed(path);
  return !path.empty() && parsed.is_relative() && parsed.lexically_normal().string() == path &&
         *parsed.begin() != ".." && parsed.filename() != "." && !parsed.filename().empty();
}

bool staysInside(const std::string& path, const std::string& link) {
  const auto target = (fs::path(path).parent_path() / link).lexically_normal();
  return fs::path(link).is_relative() && !target.empty() && *target.begin() != "..";
}

struct ArchiveWriter::Stream {
  archive* writer = archive_write_new();
  // Ours: libarchive does not close the file of an archive that was given up.
  base::Fd out;
  bool is_open = false;
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (is_open) {
      // One that was given up is not finished: that would pad the file it was in the middle of, be it gigabytes. What its
      // filters hold goes only as they are closed.
      archive_write_fail(writer);
      archive_write_close(writer);
    }
    archive_write_free(writer);
  }
};

ArchiveWriter::ArchiveWriter(fs::path file, std::stop_token stop)
    : file_(std::move(file)), stop_(std::move(stop)) {}

ArchiveWriter::~ArchiveWriter() {
  stream_.reset();
  if (!finished_ && !temporary_.empty()) {
    std::error_code ignored;
    fs::remove(temporary_, ignored);
  }
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::create(fs::path file, std::stop_token stop,
                                                             Names names) {
  std::unique_ptr<ArchiveWriter> writer(new ArchiveWriter(std::move(file), std::move(stop)));
  if (auto status = writer->open(names); !status) {
    return std::move(status).error();
  }
  return writer;
}

Status ArchiveWriter::open(Names names) {
  // The file is private before there is a secret in it.
  auto created = createFresh(file_.string() + ".partial");
  if (!created) {
    return std::move(created).error();
  }
  temporary_ = std::move(created).value();
  stream_ = std::make_unique<Stream>();
  stream_->out.reset(::open(temporary_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!stream_->out) {
    return systemError("cannot write", temporary_, errno);
  }
  auto* writer = stream_->writer;
  stream_->is_open = archive_write_add_filter_gzip(writer) == ARCHIVE_OK &&
                     archive_write_set_format_pax_restricted(writer) == ARCHIVE_OK &&
                     // Names are bytes: one that is no UTF-8 is saved, too.
                     (names == Names::kAscii ||
                      archive_write_set_options(writer, "hdrcharset=BINARY") == ARCHIVE_OK) &&
                     archive_write_open_fd(writer, stream_->out.get()) == ARCHIVE_OK;
  return stream_->is_open ? Status() : Status(failure());
}

Error ArchiveWriter::failure() const {
  return {errc::kUnavailable,
          fmt::format("cannot write {}: {}", file_.string(), textOf(stream_->writer))};
}

Status ArchiveWriter::beginEntry(const ArchivedFile& entry) {
  const std::unique_ptr<archive_entry, FreeEntry> header(archive_entry_new());
  archive_entry_set_pathname(header.get(), entry.path.c_str());
  archive_entry_set_perm(header.get(), entry.executable ? kExecutable : kFile);
  if (entry.link.empty()) {
    archive_entry_set_filetype(header.get(), AE_IFREG);
    archive_entry_set_size(header.get(), static_cast<la_int64_t>(entry.size));
  } else {
    archive_entry_set_filetype(header.get(), AE_IFLNK);
    archive_entry_set_symlink(header.get(), entry.link.c_str());
  }
  return archive_write_header(stream_->writer, header.get()) == ARCHIVE_OK ? Status()
                                                                           : Status(failure());
}

Status ArchiveWriter::writeData(std::string_view bytes) {
  if (stop_.stop_requested()) {
    return stopped();
  }
  const auto written = archive_write_data(stream_->writer, bytes.data(), bytes.size());
  return written == static_cast<la_ssize_t>(bytes.size()) ? Status() : Status(failure());
}

Status ArchiveWriter::addFile(const std::string& path, const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) {
    return systemError("cannot read", file, errno);
  }
  ArchivedFile entry{.path = path,
                     .size = static_cast<std::uint64_t>(info.st_size),
                     .sha256 = "",
                     .executable = (info.st_mode & S_IXUSR) != 0,
                     .link = ""};
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return systemError("cannot read", file, errno);
  }
  if (auto status = beginEntry(entry); !status) {
    return status;
  }
  Sha256 digest;
  std::array<char, kPiece> buffer{};
  for (auto left = entry.size; left > 0;) {
    in.read(buffer.data(),
            static_cast<std::streamsize>(std::min<std::uint64_t>(left, buffer.size())));
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (piece.empty()) {
      return Error{errc::kUnavailable,
                   fmt::format("{} became shorter while it was read; try again", file.string())};
    }
    digest.add(piece);
    if (auto status = writeData(piece); !status) {
      return status;
    }
    left -= piece.size();
  }
  entry.sha256 = digest.hex();
  files_.push_back(std::move(entry));
  return {};
}

Status ArchiveWriter::addLink(const std::string& path, const std::string& target) {
  ArchivedFile entry;
  entry.path = path;
  entry.link = target;
  if (auto status = beginEntry(entry); !status) {
    return status;
  }
  files_.push_back(std::move(entry));
  return {};
}

Result<std::uint64_t> ArchiveWriter::finish(const std::string& manifest) {
  ArchivedFile entry;
  entry.path = kManifestName;
  entry.size = manifest.size();
  if (auto status = beginEntry(entry); !status) {
    return std::move(status).error();
  }
  if (auto status = writeData(manifest); !status) {
    return std::move(status).error();
  }
  stream_->is_open = false;
  if (archive_write_close(stream_->writer) != ARCHIVE_OK) {
    return failure();
  }
  stream_.reset();
  if (auto status = syncFile(temporary_); !status) {
    return std::move(status).error();
  }
  if (stop_.stop_requested()) {
    return stopped();
  }
  if (auto status = renamePath(temporary_, file_); !status) {
    return std::move(status).error();
  }
  finished_ = true;
  std::error_code ignored;
  return fs::file_size(file_, ignored);
}

namespace {

/// Unpacks one archive; keeps what it found.
class Unpacking {
 public:
  Unpacking(fs::path file, fs::path directory, std::stop_token stop)
      : file_(std::move(file)),
        directory_(std::move(directory)),
        stop_(std::move(stop)),
        reader_(archive_read_new()) {}

  Result<UnpackedArchive> run() {
    auto status = eachEntry([this](archive_entry* entry) { return take(entry); });
    if (!status) {
      return std::move(status).error();
    }
    if (status = makeLinks(); !status) {
      return std::move(status).error();
    }
    return std::move(out_);
  }

  Result<std::string> manifest() {
    auto status = eachEntry([this](archive_entry* entry) {
      const auto* name = archive_entry_pathname(entry);
      return name != nullptr && std::string_view(name) == kManifestName
                 ? readManifest()
                 : readData([](std::string_view) {});
    });
    return status ? Result<std::string>(std::move(out_.manifest)) : std::move(status).error();
  }

 private:
  /// Calls `take` with one header after another.
  template <class Take>
  Status eachEntry(Take take) {
    archive_read_support_format_tar(reader_.get());
    archive_read_support_filter_gzip(reader_.get());
    if (archive_read_open_filename(reader_.get(), file_.c_str(), kPiece) != ARCHIVE_OK) {
      return damaged();
    }
    archive_entry* entry = nullptr;
    for (;;) {
      const int result = archive_read_next_header(reader_.get(), &entry);
      if (result == ARCHIVE_EOF) {
        return {};
      }
      if (result != ARCHIVE_OK) {
        return damaged();
      }
      if (auto status = take(entry); !status) {
        return status;
      }
    }
  }

  [[nodiscard]] Error damaged() const { return notAnArchive(file_, textOf(reader_.get())); }

  Status take(archive_entry* entry) {
    const auto* name = archive_entry_pathname(entry);
    ArchivedFile found;
    found.path = name != nullptr ? name : "";
    if (!isSafePath(found.path) || !names_.insert(found.path).second) {
      return notAnArchive(file_, fmt::format("the entry \"{}\" has no place in it", found.path));
    }
    if (!belongsInBackup(found.path)) {
      found.left_out = kMadeAnew;
    }
    if (archive_entry_filetype(entry) == AE_IFLNK) {
      const auto* link = archive_entry_symlink(entry);
      found.link = link != nullptr ? link : "";
      if (found.left_out.empty() && !staysInside(found.path, found.link)) {
        found.left_out = kLeadsOut;
      }
      out_.files.push_back(std::move(found));
      return {};
    }
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr) {
      return notAnArchive(file_, fmt::format("\"{}\" is not a file", found.path));
    }
    found.executable = (archive_entry_perm(entry) & S_IXUSR) != 0;
    if (found.path == kManifestName) {
      return readManifest();
    }
    auto status = found.left_out.empty() ? writeEntry(found) : readContent(found, [](auto) {});
    out_.files.push_back(std::move(found));
    return status;
  }

  /// Calls `sink` with the pieces of the present entry.
  template <class Sink>
  Status readData(Sink sink) {
    std::array<char, kPiece> buffer{};
    for (;;) {
      const auto count = archive_read_data(reader_.get(), buffer.data(), buffer.size());
      if (count < 0) {
        return damaged();
      }
      if (count == 0) {
        return {};
      }
      if (stop_.stop_requested()) {
        return stopped();
      }
      sink(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    }
  }

  Status readManifest() {
    return readData([this](std::string_view piece) { out_.manifest += piece; });
  }

  /// Calls `sink` with the pieces of the present entry, and takes down what they are.
  template <class Sink>
  Status readContent(ArchivedFile& found, Sink sink) {
    Sha256 digest;
    auto status = readData([&](std::string_view piece) {
      sink(piece);
      digest.add(piece);
      found.size += piece.size();
    });
    found.sha256 = digest.hex();
    return status;
  }

  Status writeEntry(ArchivedFile& found) {
    const auto target = directory_ / found.path;
    if (auto status = base::makePrivateDirectory(target.parent_path()); !status) {
      return status;
    }
    if (auto status = base::replaceFile(target, ""); !status) {
      return status;
    }
    std::ofstream out(target, std::ios::binary | std::ios::trunc);
    auto status = readContent(found, [&out](std::string_view piece) {
      out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    });
    if (!status) {
      return status;
    }
    out.close();
    if (!out) {
      return systemError("cannot write", target, errno);
    }
    if (found.executable) {
      std::error_code ignored;
      fs::permissions(target, fs::perms::owner_all, ignored);
    }
    return syncFile(target);
  }

  // Last, so that no entry is written through one.
  Status makeLinks() {
    for (const auto& entry : out_.files) {
      if (entry.link.empty() || !entry.left_out.empty()) {
        continue;
      }
      const auto target = directory_ / entry.path;
      if (auto status = base::makePrivateDirectory(target.parent_path()); !status) {
        return status;
      }
      std::error_code failure;
      fs::create_symlink(entry.link, target, failure);
      if (failure) {
        return systemError("cannot create", target, failure.value());
      }
    }
    return {};
  }

  const fs::path file_;
  const fs::path directory_;
  const std::stop_token stop_;
  Reader reader_;
  std::set<std::string> names_;
  UnpackedArchive out_;
};

}  // namespace

Result<UnpackedArchive> unpackArchive(const fs::path& file, const fs::path& directory,
                                      const std::stop_token& stop) {
  if (auto status = base::makePrivateDirectory(directory); !status) {
    return std::move(status).error();
  }
  return Unpacking(file, directory, stop).run();
}

Result<std::string> readArchiveManifest(const fs::path& file, const std::stop_token& stop) {
  return Unpacking(file, {}, stop).manifest();
}

}  // namespace svc::updates
