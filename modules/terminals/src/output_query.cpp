#include "output_query.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"
#include "svc/hostprotocol/base64.h"

namespace svc::terminals {
namespace {

Result<std::optional<std::uint64_t>> numberOf(const http::Request& request, std::string_view name) {
  const auto text = request.queryParameter(name);
  if (!text) {
    return std::optional<std::uint64_t>();
  }
  std::uint64_t value = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  if (text->empty() || read.ec != std::errc{} || read.ptr != text->data() + text->size()) {
    return Error{errc::kInvalidInput,
                 fmt::format("the request is not valid: {}: Expected a whole number from 0", name)};
  }
  return std::optional(value);
}

}  // namespace

Result<OutputQuery> readOutputQuery(const http::Request& request) {
  auto since = numberOf(request, "sinceSeq");
  auto tail = numberOf(request, "tailBytes");
  auto most = numberOf(request, "limitChunks");
  auto wait = numberOf(request, "waitMs");
  for (const auto* each : {&since, &tail, &most, &wait}) {
    if (!*each) {
      return each->error();
    }
  }
  const auto waited = wait.value().value_or(0);
  if (waited > static_cast<std::uint64_t>(limits::kLogWait.count())) {
    return Error{errc::kInvalidInput,
                 fmt::format("the request is not valid: waitMs: at most {} (limit logWait), got {}",
                             limits::kLogWait.count(), waited)};
  }
  return OutputQuery{.since = since.value(),
                     .tail_bytes = tail.value(),
                     .most_chunks = most.value(),
                     .wait = std::chrono::milliseconds(waited)};
}

bool hasOutput(const hostprotocol::TerminalRing& ring, const OutputQuery& query) {
  return ring.next() > std::max(query.since.value_or(0), ring.first());
}

std::string outputOf(const hostprotocol::TerminalRing& ring, const OutputQuery& query) {
  const auto wanted = query.since.value_or(0);
  auto begin = std::max(wanted, ring.first());
  std::size_t cut = 0;  // of the first chunk, what is before the tail
  if (query.tail_bytes) {
    std::size_t bytes = 0;
    auto at = std::max(begin, ring.next());
    for (; at > begin && bytes < *query.tail_bytes; --at) {
      bytes += ring.find(at - 1)->bytes.size();
    }
    begin = at;
    cut = bytes - std::min(bytes, *query.tail_bytes);
  }
  auto end = std::max(begin, ring.next());
  if (query.most_chunks) {
    end = std::min<std::uint64_t>(end, begin + *query.most_chunks);
  }
  std::string chunks;
  for (auto seq = begin; seq < end; ++seq) {
    const auto* chunk = ring.find(seq);
    const auto bytes = std::string_view(chunk->bytes).substr(seq == begin ? cut : 0);
    chunks += fmt::format(R"({}{{"seq":{},"dataBase64":"{}"}})", chunks.empty() ? "" : ",", seq,
                          hostprotocol::encodeBase64(bytes));
  }
  return fmt::format(R"({{"ok":true,"chunks":[{}],"nextSeq":{},"truncated":{}}})", chunks, end,
                     wanted < ring.first());
}

}  // namespace svc::terminals
