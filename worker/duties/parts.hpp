#pragma once

#include <optional>
#include <type_traits>

#include "storage/statement/errors.hpp"

namespace waybill::worker {

/// The parts of a duty. One that the database refuses, for example because a session has locked a row, does
/// not keep the others from being performed.
class Parts {
 public:
  template <typename Part>
  void perform(Part part) {
    try {
      if constexpr (std::is_same_v<decltype(part()), bool>) {
        is_unfinished_ = part() || is_unfinished_;
      } else {
        part();
      }
    } catch (const storage::StatementError& error) {
      if (!failure_) failure_ = error;
    }
  }

  /// Throws the first error. Returns true if a part returned true: work is left.
  bool finish() const {
    if (failure_) throw storage::StatementError(*failure_);
    return is_unfinished_;
  }

 private:
  std::optional<storage::StatementError> failure_;
  bool is_unfinished_ = false;
};

}  // namespace waybill::worker
