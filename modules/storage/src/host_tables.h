#pragma once

#include <vector>

#include "svc/storage/host_store.h"

#include "database.h"

namespace svc::storage {

/// The tables hosts and host_keys, through statements prepared once. Thread of the connection; throws SqliteFailure.
class HostTables {
 public:
  explicit HostTables(const Database& database);

  [[nodiscard]] std::vector<HostRow> hosts();
  [[nodiscard]] std::vector<HostKeyRow> keys();
  void apply(const HostChange& change);

 private:
  Statement list_hosts_;
  Statement put_host_;
  Statement remove_host_;
  Statement list_keys_;
  Statement put_key_;
  Statement remove_key_;
  Statement remove_keys_of_;
};

}  // namespace svc::storage
