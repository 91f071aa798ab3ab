#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/work_budget.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// The record that conditions are evaluated against.
struct Subject {
  const json::object& entity;
  const json::object& previous;       // old values of the changed fields
  bool created;                       // if true, every `previous.…` is null
  const json::object* run = nullptr;  // the values that RunValues names; null: none has a value
};

/// A value of a run, such as an answer that an earlier step received.
struct RunValue {
  std::string path;                               // "steps.stock.answer.count"
  FieldType type{};                               // an object or array has no operator but `exists`
  bool is_any = false;                            // like a value of metadata; the type is then string
  std::span<const std::string_view> values = {};  // the values that a text can have; empty: any
};

/// The values that conditions of a step can name in addition to the fields of the record.
struct RunValues {
  std::vector<RunValue> values;
  bool has_record = true;  // false: the fields of the record cannot be named
  /// Null if no value has this path.
  const RunValue* find(std::string_view path) const;
};

/// One comparison and its result. `path` and `op` are as written, `actual` is the record's value.
struct ConditionResult {
  std::string path;
  std::string op;
  json::value expected;
  json::value actual;
  bool holds;
};

/// The result of evaluating conditions.
enum class Verdict : std::uint8_t {
  fail,
  hold,
  too_much_work,  // the budget was exceeded before the result was known
};

/// The most units of work that one evaluation may take, some tens of milliseconds. A unit is a compared byte
/// of text; a compared value counts as 32 more.
inline constexpr std::size_t max_condition_work = 32UL * 1024 * 1024;

/// A workflow's conditions, parsed and checked against the fields of its entity type. Immutable and cheap to
/// copy. Evaluate and explain may be called from any thread and throw only std::bad_alloc.
///
/// A missing value is null. `eq`, `ne`, `in` and `nin` compare null as a value; every other comparison with
/// it is false. An empty list counts as null: `exists` is false, `eq: null` is true. Numbers compare by
/// value, timestamps as instants (a date is its midnight UTC), uuids without case, strings literally.
///
/// A comparison on a path into a list holds if any element meets it, for every operator: `items.sku: {ne:
/// "A"}` holds if the sku of any item differs (use `not` for "no item is A"). For an empty list no comparison
/// holds.
///
/// `changed`, `from`, `to` and `previous.…` are available for the record's own fields except bookkeeping; on
/// a path into a list they compare the values before and after.
class Conditions {
 public:
  /// Conditions that always hold.
  Conditions();

  /// Null and `{}` always hold. With `run`, the conditions can name its values, too. The errors name each
  /// invalid place, up to 1 000, with names that begin with `prefix`: `conditions.all[1].totalValue.gte`. At
  /// most 32 levels, 1 000 comparisons and 1 000 values in a list.
  static std::variant<Conditions, FieldErrors> parse(const json::value& definition, const RecordType& type,
                                                     std::string_view prefix = "conditions",
                                                     const RunValues* run = nullptr);

  /// Takes the work of the evaluation from `budget`.
  Verdict judge(const Subject& subject, WorkBudget& budget) const;
  /// Judges with a budget of its own.
  Verdict judge(const Subject& subject) const;
  /// True if the conditions hold; false if that needs too much work.
  bool evaluate(const Subject& subject) const { return judge(subject) == Verdict::hold; }

  /// Every comparison in the order written. They are evaluated until they have taken `max_condition_work`;
  /// later ones have a null value and do not hold. Values after 1 MiB of texts are null, too.
  std::vector<ConditionResult> explain(const Subject& subject) const;
  /// Explains as above, until `budget` is exceeded.
  std::vector<ConditionResult> explain(const Subject& subject, WorkBudget& budget) const;

  /// For every comparison, in the order written, whether it holds. Takes the work from `budget`; beyond it,
  /// none holds.
  std::vector<bool> held(const Subject& subject, WorkBudget& budget) const;
  /// Every comparison in the order written, without a value.
  std::vector<ConditionResult> comparisons() const;

  /// True if a comparison reads a field that is not the record's own (customer.name, shipments.…).
  bool reads_relatives() const;

  struct Node;

 private:
  explicit Conditions(std::shared_ptr<const Node> root);
  std::shared_ptr<const Node> root_;
};

/// Evaluates conditions with a budget of their own, and takes their work from `share` too. Conditions that
/// need too much work exceed a share of `max_condition_work`.
Verdict judge(const Conditions& conditions, const Subject& subject, WorkBudget& share);

}  // namespace waybill::domain
