#include "skill_writer.h"

#include <fstream>
#include <system_error>
#include <utility>

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

Status store(const fs::path& file, const std::string& text) {
  return guarded([&]() -> Status {
    if (text.empty()) {
      fs::remove_all(file.parent_path());
      return {};
    }
    fs::create_directories(file.parent_path());
    auto staged = file;
    staged += ".new";
    std::ofstream out(staged, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) {
      return Error{errc::kUnavailable, "cannot write " + staged.string()};
    }
    fs::rename(staged, file);
    return {};
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
    report_(Error{errc::kUnavailable, "the worker queue is full; " + file_.string() +
                                          " is written with the next change"});
  }
}

void SkillWriter::written(const std::string& text, const Status& status) {
  writing_ = false;
  if (!status) {
    report_(status.error());
    stored_.reset();
    if (wanted_ == text) {
      return;  // the next change tries again
    }
  } else {
    stored_ = text;
  }
  write();
}

}  // namespace svc::cli
