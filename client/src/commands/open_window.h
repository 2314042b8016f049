#pragma once

#include <string>

#include "dispatch.h"

namespace svc::client {

/// The window as it is shown to the person of this call.
struct ShownWindow {
  /// Good once, for five minutes: it lets a browser in whose user the server cannot tell.
  std::string link;
  /// What a browser of this desktop was started with; empty when the link has to be opened by hand.
  std::string opened{};
};

/// Opens the window of `server`, at this path of it, in a browser of this desktop when `may_open` and a person looks on, and makes a link to it. A
/// refusal of the server is the reply.
[[nodiscard]] Result<Reply> showWindow(const Context& context, Api& api, const std::string& server,
                                       bool may_open, ShownWindow& shown,
                                       const std::string& path = "/");

/// Two lines for people: what was opened, or the link and what to do with it.
void tellOfWindow(const Console& console, const ShownWindow& shown);

}  // namespace svc::client
