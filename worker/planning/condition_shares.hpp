#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/guid.hpp"
#include "base/work_budget.hpp"
#include "domain/conditions/conditions.hpp"

namespace waybill::worker {

/// The work of conditions in one turn of the pump. Each business has a share, and all together have a bound,
/// so that the costly conditions of many businesses do not add up. One thread.
class ConditionShares {
 public:
  /// True if the business has used up its share.
  bool is_exceeded(const Guid& business) { return share_of(business).is_exceeded(); }
  /// True if all businesses together have used up the turn. Never before the first evaluation.
  bool is_over() const { return turn_.is_exceeded(); }

  /// Evaluates conditions at the expense of the business's share and of the turn.
  domain::Verdict judge(const Guid& business, const domain::Conditions& conditions,
                        const domain::Subject& subject) {
    WorkBudget& share = share_of(business);
    const std::size_t before = share.left();
    const domain::Verdict verdict = domain::judge(conditions, subject, share);
    turn_.take(before - share.left());
    return verdict;
  }

 private:
  WorkBudget& share_of(const Guid& business) {
    return shares_.try_emplace(business, domain::max_condition_work).first->second;
  }

  std::unordered_map<Guid, WorkBudget> shares_;
  WorkBudget turn_{2 * domain::max_condition_work - 1};  // exceeded by two shares
};

}  // namespace waybill::worker
