#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "svc/hostprotocol/terminal_ring.h"
#include "svc/http/http.h"
#include "svc/kernel/result.h"

namespace svc::terminals {

/// What a client wants of a terminal's output.
struct OutputQuery {
  std::optional<std::uint64_t> since{};
  std::optional<std::size_t> tail_bytes{};
  std::optional<std::size_t> most_chunks{};
  /// How long to wait for output that is not there yet.
  std::chrono::milliseconds wait{0};
};

/// sinceSeq, tailBytes, limitChunks, waitMs; `invalid_input` for what is no number.
[[nodiscard]] Result<OutputQuery> readOutputQuery(const http::Request& request);

/// { ok, chunks: { seq, dataBase64 }[], nextSeq, truncated }, as text. `truncated`: of what was asked for, the beginning is gone.
[[nodiscard]] std::string outputOf(const hostprotocol::TerminalRing& ring,
                                   const OutputQuery& query);

/// Whether there is something that the query asks for.
[[nodiscard]] bool hasOutput(const hostprotocol::TerminalRing& ring, const OutputQuery& query);

}  // namespace svc::terminals
