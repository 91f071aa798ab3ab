#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/conditions/conditions.hpp"
#include "domain/conditions/scalar.hpp"
#include "domain/conditions/target.hpp"

namespace waybill::domain {

enum class Op : std::uint8_t {
  eq,
  ne,
  gt,
  gte,
  lt,
  lte,
  in,
  nin,
  contains,
  starts_with,
  ends_with,
  exists,
  changed,
  from,
  to,
};

/// The kind of operand of an operator.
enum class Operand : std::uint8_t { value, ordered, list, text, flag };

struct Operator {
  std::string_view name;
  Op op;
  Operand operand;
  bool needs_history = false;
};

std::span<const Operator> operators();
/// Null if there is no operator of this name.
const Operator* find_operator(std::string_view name);

/// One checked comparison, ready for evaluation. Not movable, because `operands_` may point into `expected_`.
class Comparison {
 public:
  /// The caller has checked `expected` against the target and the operator.
  Comparison(std::string path, const Operator& kind, Target target, const json::value& expected);
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison() = default;

  /// Both take their work from `budget`; the result has no meaning once it is exceeded.
  bool holds(const Subject& subject, WorkBudget& budget) const;
  /// The bytes of the values in the result are taken from `shown`, too; beyond it the value is null.
  ConditionResult explain(const Subject& subject, WorkBudget& budget, WorkBudget& shown) const;
  bool reads_relatives() const { return target_.relative || target_.completed; }
  /// True if one value of the target meets the comparison; not for operators that need history.
  bool test(const json::value* actual, WorkBudget& budget) const;
  const Target& target() const { return target_; }

 private:
  json::value actual(const Subject& subject, WorkBudget& budget, WorkBudget& shown) const;
  std::size_t work_of(const Scalar& value) const;

  std::string path_;
  const Operator& kind_;
  Target target_;
  json::value expected_;
  std::vector<Scalar> operands_;  // sorted for `in` and `nin`
  // The length of the longest text operand. Unlimited for `contains`, which reads the whole text of a value.
  std::size_t longest_text_ = 0;
};

struct Conditions::Node {
  // In an `element` node, all comparisons have the same path into a list, and one element must meet them all.
  enum class Kind : std::uint8_t { comparison, all, any, negation, element };

  Kind kind = Kind::all;
  std::vector<Node> children;  // a negation has one
  std::unique_ptr<const Comparison> comparison;
  bool reads_relatives = false;
};

}  // namespace waybill::domain
