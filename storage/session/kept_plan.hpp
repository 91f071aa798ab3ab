#pragma once

#include <chrono>

#include "storage/session/session_limits.hpp"

namespace waybill::storage {

/// The plan of a prepared statement that is made again after a while (`longest_plan_age`). Pure.
struct KeptPlan {
  using Moment = std::chrono::steady_clock::time_point;

  Moment made;
  std::chrono::steady_clock::duration used{};  // by all calls with this plan

  bool must_be_made_again(Moment now) const {
    return now - made > longest_plan_age && used > longest_plan_use;
  }
};

}  // namespace waybill::storage
