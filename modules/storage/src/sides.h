#pragma once

#include "database.h"
#include "store_request.h"

namespace svc::storage {

/// A table through statements of its own on each of the two connections.
template <class Table>
class OnBothSides {
 public:
  OnBothSides(const Database& writer, const Database& reader) : writer_(writer), reader_(reader) {}

  /// On the thread of that side.
  [[nodiscard]] Table& on(Side side) { return side == Side::kWriter ? writer_ : reader_; }

 private:
  Table writer_;
  Table reader_;
};

}  // namespace svc::storage
