#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// What conditions are asked of.
struct Subject {
  const json::object& entity;
  const json::object& previous;  // old values of what changed
  bool created;                  // then every `previous.…` is null
};

/// One comparison and how it came out. `path` and `op` as written, `actual` what the record had.
struct ConditionResult {
  std::string path;
  std::string op;
  json::value expected;
  json::value actual;
  bool holds;
};

/// A workflow's conditions, parsed and checked against the fields of its entity type. Immutable; cheap to
/// copy; evaluate and explain may be called from any thread and never throw but std::bad_alloc.
///
/// What is missing is null. `eq`, `ne`, `in` and `nin` compare it as a value; every other comparison with it
/// is false. An empty list counts as null: `exists` is false, `eq: null` true. Numbers compare by value,
/// timestamps as instants (a date is its midnight UTC), uuids without case, strings literally.
///
/// A path into a list holds if any element does, for every operator: `items.sku: {ne: "A"}` if any item's
/// differs (ask `not` for "none is"). Of an empty list nothing holds.
///
/// `changed`, `from`, `to` and `previous.…` are known of the record's own fields but bookkeeping; into a list
/// they compare what the path led to before and after.
class Conditions {
 public:
  /// Always true.
  Conditions();

  /// Null and `{}` are always true. `prefix` begins the field names of the errors ("conditions"), which name
  /// every bad place, to the first 1 000: `conditions.all[1].totalValue.gte`. At most 32 levels, 1 000
  /// comparisons and 1 000 values in a list.
  static std::variant<Conditions, FieldErrors> parse(const json::value& definition, const RecordType& type,
                                                     std::string_view prefix = "conditions");

  bool evaluate(const Subject& subject) const;

  /// Every comparison in the order written, evaluated without short cuts.
  std::vector<ConditionResult> explain(const Subject& subject) const;

  /// True when a comparison reads a field that is not the record's own (customer.name, shipments.…).
  bool reads_relatives() const;

  struct Node;

 private:
  explicit Conditions(std::shared_ptr<const Node> root);
  std::shared_ptr<const Node> root_;
};

}  // namespace waybill::domain
