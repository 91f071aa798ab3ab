#pragma once

#include <optional>

#include "storage/statement/errors.hpp"

namespace waybill::worker {

/// The parts of a duty. One that the database refuses, for example because a session has locked a row, does
/// not keep the others from being performed.
class Parts {
 public:
  template <typename Part>
  void perform(Part part) {
    try {
      part();
    } catch (const storage::StatementError& error) {
      if (!failure_) failure_ = error;
    }
  }

  /// Throws the first error.
  void finish() const {
    if (failure_) throw storage::StatementError(*failure_);
  }

 private:
  std::optional<storage::StatementError> failure_;
};

}  // namespace waybill::worker
