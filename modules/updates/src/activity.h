#pragma once

namespace svc::updates {

/// What runs now. A backup copies files one after another, so no update may exchange a plugin's data meanwhile. Main
/// thread.
struct Activity {
  bool backup = false;  ///< a backup, or the unpacking of one
  bool update = false;  ///< at least one update
};

}  // namespace svc::updates
