#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <openssl/sha.h>

namespace svc::serverlink {

struct PackedEntry {
  std::string path;
  std::string text{};
  unsigned type = AE_IFREG;
  std::string link{};
};

/// A .tar.gz with exactly these entries, good or bad.
inline void pack(const std::filesystem::path& file, const std::vector<PackedEntry>& entries) {
  auto* writer = archive_write_new();
  archive_write_add_filter_gzip(writer);
  archive_write_set_format_pax_restricted(writer);
  archive_write_open_filename(writer, file.c_str());
  for (const auto& each : entries) {
    auto* entry = archive_entry_new();
    archive_entry_set_pathname(entry, each.path.c_str());
    archive_entry_set_filetype(entry, each.type);
    archive_entry_set_perm(entry, 0755);
    if (each.type == AE_IFLNK) {
      archive_entry_set_symlink(entry, each.link.c_str());
    } else if (!each.link.empty()) {
      archive_entry_set_hardlink(entry, each.link.c_str());
    }
    archive_entry_set_size(entry, static_cast<la_int64_t>(each.text.size()));
    archive_write_header(writer, entry);
    archive_write_data(writer, each.text.data(), each.text.size());
    archive_entry_free(entry);
  }
  archive_write_free(writer);
}

inline std::string fileText(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string sha256Of(const std::string& text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string hex;
  for (const auto byte : digest) {
    hex += fmt::format("{:02x}", byte);
  }
  return hex;
}

/// A svc-hostd that answers --check as one of this protocol does, and appends its arguments to `journal`.
inline std::string programText(int protocol, const std::filesystem::path& journal = "/dev/null") {
  return fmt::format(
      "#!/bin/sh\necho \"$*\" >> '{}'\n"
      "echo '    provides svc.serverlink.SpokenProtocol {}'\n",
      journal.string(), protocol);
}

/// An installation below `root`, as `cmake --install` makes one.
inline void installProgram(const std::filesystem::path& root, const std::string& text = "first") {
  std::filesystem::create_directories(root / "bin");
  std::filesystem::create_directories(root / "lib/svc/modules");
  std::ofstream(root / "bin/svc-hostd") << text;
  ::chmod((root / "bin/svc-hostd").c_str(), 0755);
}

}  // namespace svc::serverlink
