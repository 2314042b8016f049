#include "live_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

#include "svc/base/files.h"
#include "svc/common/json.h"

#include "thread_limits.h"

namespace svc::threads {

namespace fs = std::filesystem;
using common::Json;

void LiveJournal::append(const std::string& thread_id, const Piece& piece) {
  const std::scoped_lock lock(mutex_);
  auto& file = files_[thread_id];
  if (!file.descriptor && !file.failed) {
    open(thread_id, file);
  }
  write(file, piece);
}

bool LiveJournal::isLong(const std::string& thread_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = files_.find(thread_id);
  return found != files_.end() && found->second.bytes > found->second.kept + 2 * kLiveBytes;
}

void LiveJournal::rewrite(const std::string& thread_id, const std::vector<Piece>& pieces) {
  const std::scoped_lock lock(mutex_);
  // Beside the other until it is whole.
  const auto fresh = thread_id + ".new";
  File file;
  open(fresh, file);
  for (const auto& piece : pieces) {
    write(file, piece);
  }
  std::error_code failure;
  if (!file.failed) {
    fs::rename(pathOf(fresh), pathOf(thread_id), failure);
  }
  file.failed = file.failed || failure;
  file.kept = file.bytes;
  files_[thread_id] = std::move(file);
}

void LiveJournal::remove(const std::string& thread_id) {
  const std::scoped_lock lock(mutex_);
  files_.erase(thread_id);
  ::unlink(pathOf(thread_id).c_str());
}

void LiveJournal::read(
    const std::function<void(const std::string& thread_id, Piece piece)>& each) const {
  std::error_code failure;
  for (fs::directory_iterator entry(directory_, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::ifstream in(entry->path());
    for (std::string line; std::getline(in, line) && !in.eof();) {
      const auto piece = Json::parse(line);
      if (!piece) {
        break;
      }
      const auto& value = piece.value();
      each(entry->path().filename().string(), {.item_id = value["item"].asString(),
                                               .field = value["field"].asString(),
                                               .offset = value["offset"].asInteger(),
                                               .text = value["text"].asString()});
    }
  }
}

fs::path LiveJournal::pathOf(const std::string& thread_id) const { return directory_ / thread_id; }

void LiveJournal::open(const std::string& thread_id, File& file) const {
  // What is there is of a process that has ended, and was read.
  if (base::makePrivateDirectory(directory_)) {
    file.descriptor = base::Fd(::open(
        pathOf(thread_id).c_str(),
        O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
  }
  file.failed = !file.descriptor;
}

void LiveJournal::write(File& file, const Piece& piece) {
  if (file.failed) {
    return;
  }
  const auto line = Json::object()
                        .set("item", piece.item_id)
                        .set("field", piece.field)
                        .set("offset", piece.offset)
                        .set("text", piece.text)
                        .dump() +
                    "\n";
  // After a part of a line the rest of the file would be unreadable.
  file.failed = !base::writeAll(file.descriptor.get(), line);
  file.bytes += line.size();
}

}  // namespace svc::threads
