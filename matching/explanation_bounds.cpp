#include "matching/explanation_bounds.hpp"

namespace waybill::matching {

std::vector<domain::ConditionResult> explain_conditions(const Rule& rule, const domain::Subject& subject,
                                                        WorkBudget& share) {
  if (share.is_exceeded()) return {};
  WorkBudget own(domain::max_condition_work);
  std::vector<domain::ConditionResult> results = rule.conditions.explain(subject, own);
  share.take(domain::max_condition_work - own.left());
  return results;
}

}  // namespace waybill::matching
