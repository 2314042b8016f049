#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::updates {

/// One file of an archive, as its manifest lists it.
struct ArchivedFile {
  std::string path;  ///< relative, with '/'
  std::uint64_t size = 0;
  std::string sha256;
  bool executable = false;
  std::string link;        ///< target of a symbolic link; then size and digest are empty
  std::string left_out{};  ///< why it was not unpacked; empty when it was
};

inline constexpr const char* kLeadsOut = "a link that leads out of the data directory";
inline constexpr const char* kMadeAnew = "no part of a backup: the server makes it anew";

/// The last entry, which lists the others; no file of an archive has its name.
inline constexpr std::string_view kManifestName = "manifest.json";

/// Relative, inside, and in its simplest form.
[[nodiscard]] bool isSafePath(const std::string& path);

/// Whether a link stays in the directory that it is unpacked to. Any other is not unpacked.
[[nodiscard]] bool staysInside(const std::string& path, const std::string& link);

/// Writes a compressed tar archive: files, then the manifest that the caller makes of them. Blocking. The file appears
/// under its name when it is complete and durable. A stop is heard between pieces of a file.
class ArchiveWriter {
 public:
  /// What the names of files may hold. Bytes that are no ASCII take a mark at every file, which other programs than ours warn of.
  enum class Names : bool { kAscii, kBytes };

  [[nodiscard]] static Result<std::unique_ptr<ArchiveWriter>> create(std::filesystem::path file,
                                                                     std::stop_token stop = {},
                                                                     Names names = Names::kBytes);
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;
  /// Removes what is not finished.
  ~ArchiveWriter();

  [[nodiscard]] Status addFile(const std::string& path, const std::filesystem::path& file);
  [[nodiscard]] Status addLink(const std::string& path, const std::string& target);
  [[nodiscard]] const std::vector<ArchivedFile>& files() const { return files_; }
  /// The manifest is the last entry. Returns the size of the archive.
  [[nodiscard]] Result<std::uint64_t> finish(const std::string& manifest);

 private:
  struct Stream;
  ArchiveWriter(std::filesystem::path file, std::stop_token stop);
  [[nodiscard]] Status open(Names names);
  [[nodiscard]] Error failure() const;
  [[nodiscard]] Status beginEntry(const ArchivedFile& entry);
  [[nodiscard]] Status writeData(std::string_view bytes);

  const std::filesystem::path file_;
  std::filesystem::path temporary_;
  const std::stop_token stop_;
  std::unique_ptr<Stream> stream_;
  std::vector<ArchivedFile> files_;
  bool finished_ = false;
};

struct UnpackedArchive {
  std::string manifest;
  std::vector<ArchivedFile> files;  ///< as found, manifest apart; also those that were not unpacked
};

/// Unpacks into an empty directory, files with mode 0600 or 0700, without the links that lead out of it and what no backup has. `invalid_input` for what is not such an archive: no
/// tar, damaged, absolute paths or paths that leave the directory, other kinds of entries. Blocking; a stop is heard
/// between pieces.
[[nodiscard]] Result<UnpackedArchive> unpackArchive(const std::filesystem::path& file,
                                                    const std::filesystem::path& directory,
                                                    const std::stop_token& stop = {});

/// The manifest of an archive, without unpacking it; `invalid_input` for what is not such an archive. Reads all of it.
[[nodiscard]] Result<std::string> readArchiveManifest(const std::filesystem::path& file,
                                                      const std::stop_token& stop = {});

}  // namespace svc::updates
