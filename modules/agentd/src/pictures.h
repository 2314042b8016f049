#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "svc/common/json.h"

namespace svc::agentd {

/// Keeps what an agent has sent as Base64; the absolute path of the file. Empty when it is no picture, or cannot be kept.
using KeepPicture = std::function<std::string(std::string_view base64)>;

/// Pictures that agents send, as files of this machine, because no log keeps their bytes: a file for each content, named by it, for the
/// user alone. Those that were sent longest ago go when there are too many. On the io thread; blocks for as long as a file takes.
class Pictures {
 public:
  struct Limits {
    std::uint64_t one;  ///< bytes of a picture
    std::uint64_t all;
  };
  Pictures(std::filesystem::path folder, Limits limits)
      : folder_(std::move(folder)), limits_(limits) {}

  [[nodiscard]] std::string keep(std::string_view base64);

 private:
  struct Kept {
    std::string name;
    std::uint64_t bytes;
  };
  void readFolder();
  void makeRoom(std::uint64_t bytes);

  const std::filesystem::path folder_;
  const Limits limits_;
  bool is_read_ = false;
  /// The one that was sent last is at the end.
  std::list<Kept> kept_;
  std::uint64_t bytes_ = 0;
};

/// An update of a session that has, in the place of the bytes of each picture in what an agent says and in what its tools answer, the path
/// where it is kept, or nothing. Nothing at all when there are no pictures.
[[nodiscard]] std::optional<common::Json> withPicturesKept(const common::Json& update,
                                                           const KeepPicture& keep);

}  // namespace svc::agentd
