#include "skill_writer.h"

#include <utility>

#include "svc/base/files.h"

namespace svc::skills {
namespace {

namespace fs = std::filesystem;

Status store(const fs::path& file, const std::string& text) {
  return guarded([&]() -> Status {
    if (text.empty()) {
      fs::remove_all(file.parent_path());
      return {};
    }
    fs::create_directories(file.parent_path());
    // It is written again at every start, and any program of the user may read it.
    constexpr mode_t kMode = 0644;
    return base::replaceFile(file, text, {.mode = kMode, .durability = base::Durability::kLoose});
  });
}

}  // namespace

void SkillWriter::update(std::string text) {
  wanted_ = std::move(text);
  write();
}

void SkillWriter::write() {
  if (writing_ || wanted_ == stored_) {
    return;
  }
  writing_ =
      workers_.submit([weak = weak_from_this(), &main = main_, file = file_, text = *wanted_] {
        auto status = std::make_shared<Status>(store(file, text));
        main.post([weak, text, status] {
          if (const auto self = weak.lock()) {
            self->written(text, *status);
          }
        });
      });
  if (!writing_) {
    listeners_.failed(Error{errc::kUnavailable, "the worker queue is full; " + file_.string() +
                                                    " is written with the next change"});
  }
}

void SkillWriter::written(const std::string& text, const Status& status) {
  writing_ = false;
  if (!status) {
    listeners_.failed(status.error());
    stored_.reset();
    if (wanted_ == text) {
      return;  // the next change tries again
    }
  } else {
    stored_ = text;
    listeners_.written();
  }
  write();
}

}  // namespace svc::skills
