#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace svc::threads {

/// Goes with everything in it.
struct ScratchDirectory {
  ScratchDirectory() {
    std::string name = std::filesystem::temp_directory_path() / "svc-threads-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

}  // namespace svc::threads
