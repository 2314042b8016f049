#pragma once

namespace svc::database {

/// Lets caches of pages give way: an account that is nearly full fails no statement for the sake of pages that can be read again.
/// Before SQLite is first used; a result code of SQLite.
[[nodiscard]] int watchCaches();

}  // namespace svc::database
