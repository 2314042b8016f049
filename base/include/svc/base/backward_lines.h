#pragma once

#include <functional>
#include <string_view>

namespace svc::base {

/// Calls `visit` for each line of the first `end` bytes of an open file, from the last to the first and without its line break, until
/// it returns false; empty lines are left out. What follows the last line break counts as a line. Blocks; holds one line and 64 KiB.
/// False when `visit` ended the walk. A file that cannot be read further ends it as its beginning does.
bool eachLineBackward(int file, std::size_t end,
                      const std::function<bool(std::string_view line)>& visit);

}  // namespace svc::base
