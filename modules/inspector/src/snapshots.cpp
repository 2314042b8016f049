#include "snapshots.h"

namespace svc::inspector {

Result<std::pair<std::string, std::shared_ptr<SnapshotFile>>> Snapshots::open() {
  auto file = SnapshotFile::create(directory_);
  if (!file) {
    return std::move(file).error();
  }
  auto shared = std::make_shared<SnapshotFile>(std::move(file).value());
  const std::scoped_lock lock(mutex_);
  auto number = std::to_string(++last_);
  open_.emplace(number, shared);
  return std::pair(std::move(number), std::move(shared));
}

Status Snapshots::append(std::string_view chunk) {
  const auto end = chunk.find('\n');
  std::shared_ptr<SnapshotFile> file;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = open_.find(chunk.substr(0, end));
    if (found != open_.end()) {
      file = found->second;
    }
  }
  if (!file || end == std::string_view::npos) {
    return Error{errc::kAborted, "nobody waits for this heap snapshot any more"};
  }
  return file->append(chunk.substr(end + 1));
}

void Snapshots::close(const std::string& number) {
  const std::scoped_lock lock(mutex_);
  open_.erase(number);
}

}  // namespace svc::inspector
