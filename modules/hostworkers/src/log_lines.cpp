#include "log_lines.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/hosts.h"
#include "svc/hostworkers/worker_protocol.h"

namespace svc::hostworkers {
namespace {

constexpr std::chrono::minutes kWindow{1};

/// 12,345
std::string grouped(std::size_t number) {
  constexpr std::size_t kGroup = 3;
  auto text = std::to_string(number);
  for (auto at = text.size(); at > kGroup;) {
    at -= kGroup;
    text.insert(at, 1, ',');
  }
  return text;
}

}  // namespace

void LogLines::add(bool error, std::string_view bytes) {
  auto& partial = error ? err_ : out_;
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    append(partial, bytes.substr(0, end));
    complete(error);
    bytes.remove_prefix(end + 1);
  }
  append(partial, bytes);
}

void LogLines::finish() {
  for (const bool error : {false, true}) {
    if (!(error ? err_ : out_).empty()) {
      complete(error);
    }
  }
  tellDropped();
}

void LogLines::tick() {
  if (dropped_ > 0 && clock_.steadyNow() - window_ >= kWindow) {
    tellDropped();
  }
}

void LogLines::append(Partial& partial, std::string_view bytes) {
  if (&partial == &err_ && partial.empty() && bytes.starts_with(kErrorLine)) {
    partial.severe = true;
    bytes.remove_prefix(1);
  }
  const auto fits = std::min(bytes.size(), limits::kWorkerLogLine - partial.text.size());
  partial.text.append(bytes.substr(0, fits));
  partial.cut += bytes.size() - fits;
}

void LogLines::complete(bool error) {
  auto [text, cut, severe] = std::exchange(error ? err_ : out_, {});
  if (text.ends_with('\r')) {
    text.pop_back();
  }
  if (cut > 0) {
    text += fmt::format(" … {} bytes more", grouped(cut));
  }
  if (error && !text.empty()) {
    last_error_ = text;
  }
  const auto now = clock_.steadyNow();
  if (in_window_ == 0 || now - window_ >= kWindow) {
    tellDropped();
    window_ = now;
    in_window_ = 0;
  }
  if (in_window_ >= limits::kWorkerLogLines) {
    ++dropped_;
    return;
  }
  ++in_window_;
  lines_.push_back({error, std::move(text), severe});
}

void LogLines::tellDropped() {
  if (const auto count = std::exchange(dropped_, 0); count > 0) {
    lines_.push_back(
        {true, fmt::format("… {} line{} dropped: more than {} a minute (limit worker-log)",
                           grouped(count), count == 1 ? "" : "s", limits::kWorkerLogLines)});
  }
}

}  // namespace svc::hostworkers
