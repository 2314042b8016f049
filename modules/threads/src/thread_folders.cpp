#include "thread_folders.h"

#include <system_error>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/codes.h"

namespace svc::threads {

namespace fs = std::filesystem;

Result<fs::path> ThreadFolders::open(const std::string& thread_id) const {
  auto folder = root_ / thread_id / "storage";
  if (auto made = base::makePrivateDirectory(folder); !made) {
    return std::move(made).error();
  }
  return folder;
}

Status ThreadFolders::remove(const std::string& thread_id) const {
  std::error_code failure;
  fs::remove_all(root_ / thread_id, failure);
  if (failure) {
    return Error{errc::kInternal, fmt::format("cannot remove {}: {}", (root_ / thread_id).string(),
                                              failure.message())};
  }
  return {};
}

}  // namespace svc::threads
