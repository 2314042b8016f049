#include "fetcher.h"

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "source_spec.h"

namespace svc::installs {
namespace {

// What curl answers with.
constexpr int kHttpError = 22;
constexpr int kWriteError = 23;
constexpr int kFileTooLarge = 63;

}  // namespace

Status Fetcher::fetch(const std::string& url, const std::filesystem::path& file,
                      std::uint64_t limit, const std::string& limit_name,
                      const std::stop_token& stop) {
  if (!isFetchUrl(url)) {
    return refusal("not_found", fmt::format("{}: only https addresses are fetched", url));
  }
  constexpr int kMostRedirects = 5;
  auto at = url;
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    auto next = fetchOnce(at, file, limit, limit_name, stop);
    if (!next) {
      return std::move(next).error();
    }
    if (next.value().empty()) {
      return {};
    }
    // curl can follow by protocol alone: plain http is for this machine, and nothing leads from https to it.
    if (!isFetchUrl(next.value()) ||
        (at.starts_with("https://") && !next.value().starts_with("https://"))) {
      return refusal("not_found", fmt::format("{} leads to {}: only https addresses are fetched",
                                              url, next.value()));
    }
    at = std::move(next).value();
  }
  return Error{errc::kUnavailable,
               fmt::format("{} leads on more than {} times", url, kMostRedirects)};
}

Result<std::string> Fetcher::fetchOnce(const std::string& url, const std::filesystem::path& file,
                                       std::uint64_t limit, const std::string& limit_name,
                                       const std::stop_token& stop) {
  const char* protocols = url.starts_with("https://") ? "=https" : "=http,https";
  Command command;
  command.argv = {"curl", "--silent", "--show-error", "--fail", "--write-out", "%{redirect_url}",
                  "--proto", protocols, "--connect-timeout", "30",
                  // What trickles holds up every install behind it.
                  "--speed-limit", "1024", "--speed-time", "60", "--max-filesize",
                  std::to_string(limit), "--globoff", "--output", file.string(), "--url", url};
  command.directory = file.parent_path();
  // curl's own limit is for sizes that are announced. One byte more tells a file that is too large from one that just fits.
  command.file_limit = limit + 1;
  auto output = processes_.run(command, stop);
  if (!output) {
    return std::move(output).error();
  }
  std::error_code failure;
  const auto size = std::filesystem::file_size(file, failure);
  if (output.value().exit_code == kFileTooLarge || (!failure && size > limit)) {
    return Error{errc::kTooLarge,
                 fmt::format("{} is larger than {} bytes (limit {})", url, limit, limit_name)};
  }
  if (output.value().exit_code == kWriteError) {
    return Error{
        errc::kUnavailable,
        fmt::format("{} cannot be stored in {}: is the disk full? Nothing was changed; make "
                    "room and try again",
                    url, command.directory.string())};
  }
  if (output.value().exit_code != 0) {
    auto text = fmt::format("{} cannot be fetched: {}", url, output.value().err);
    while (text.ends_with('\n')) {
      text.pop_back();
    }
    return output.value().exit_code == kHttpError ? refusal("not_found", std::move(text))
                                                  : Error{errc::kUnavailable, std::move(text)};
  }
  return std::move(output.value().out);
}

}  // namespace svc::installs
