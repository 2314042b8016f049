#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/plugins/managed_plugins.h"

namespace svc::installs {

/// Bytes of a readme that are shown; the rest of a longer one is cut.
inline constexpr std::size_t kReadmeShown = 256UL * 1024;
/// Pictures of a readme, and the bytes of each and of all.
inline constexpr std::size_t kReadmePictures = 12;
inline constexpr std::size_t kReadmePicture = 1024UL * 1024;
inline constexpr std::size_t kReadmePicturesBytes = 4UL * 1024 * 1024;

/// A picture that comes with a package.
struct Picture {
  std::string path;  ///< as the readme names it
  std::string media_type;
  std::string bytes;
};

/// What a package says of itself and brings, for who decides whether to install it. Nothing of it has run.
struct PackageAbout {
  plugins::PackageContents contents;
  std::string license;
  std::string author;
  std::string homepage;                   ///< http or https; empty: none
  std::vector<std::string> dependencies;  ///< names, as package.json lists them
  std::string readme;                     ///< Markdown; UTF-8
  bool is_readme_cut = false;
  std::vector<Picture> pictures;
  std::uint64_t bytes = 0;  ///< of its files, installed dependencies aside
  std::uint64_t files = 0;
};

/// Reads the files of a package. Links that leave it are not followed. Blocks. Errors as IManagedPlugins::readPackage().
[[nodiscard]] Result<PackageAbout> readAbout(const plugins::IManagedPlugins& plugins,
                                             const std::filesystem::path& root);

[[nodiscard]] common::Json toJson(const PackageAbout& about);

/// The relative addresses of pictures in Markdown and the HTML in it, in their order, each once. A pure function.
[[nodiscard]] std::vector<std::string> picturesOf(const std::string& markdown);

}  // namespace svc::installs
