#pragma once

#include <cstddef>
#include <vector>

#include "base/json.hpp"
#include "base/work_budget.hpp"
#include "domain/conditions/conditions.hpp"
#include "matching/rule.hpp"

namespace waybill::matching {

/// Bounds the values of records and of conditions in an explanation.
class ShownValues {
 public:
  /// Replaces large values by a note once many bytes are shown.
  void limit(std::vector<domain::ConditionResult>& conditions) {
    for (domain::ConditionResult& condition : conditions) {
      for (json::value* const value : {&condition.expected, &condition.actual}) {
        const std::size_t bytes = size_of(*value);
        if (bytes > small && is_full()) {
          *value = "(too large to be shown here)";
        } else {
          bytes_ += bytes;
        }
      }
    }
  }
  bool is_full() const { return bytes_ >= most; }

 private:
  static constexpr std::size_t most = 4UL * 1024 * 1024;
  static constexpr std::size_t small = 1000;

  static std::size_t size_of(const json::value& value) {
    std::size_t bytes = sizeof(json::value);
    if (const auto* const text = value.if_string()) bytes += text->size();
    if (const auto* const list = value.if_array()) {
      for (const json::value& each : *list) bytes += size_of(each);
    }
    if (const auto* const object = value.if_object()) {
      for (const auto& [name, each] : *object) bytes += name.size() + size_of(each);
    }
    return bytes;
  }

  std::size_t bytes_ = 0;
};

/// The work of evaluating conditions in one explanation, about a second.
inline constexpr std::size_t max_explained_work = 32 * domain::max_condition_work;

/// The work and the values of an explanation.
struct ExplanationBounds {
  WorkBudget work{max_explained_work};
  ShownValues shown;
};

/// Explains conditions with a part of `share`. Returns nothing if none of it is left.
std::vector<domain::ConditionResult> explain_conditions(const Rule& rule, const domain::Subject& subject,
                                                        WorkBudget& share);

}  // namespace waybill::matching
