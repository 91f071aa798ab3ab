#include "domain/conditions/comparison.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace waybill::domain {
namespace {

constexpr auto all_operators = std::to_array<Operator>({
    {"eq", Op::eq, Operand::value},
    {"ne", Op::ne, Operand::value},
    {"gt", Op::gt, Operand::ordered},
    {"gte", Op::gte, Operand::ordered},
    {"lt", Op::lt, Operand::ordered},
    {"lte", Op::lte, Operand::ordered},
    {"in", Op::in, Operand::list},
    {"nin", Op::nin, Operand::list},
    {"contains", Op::contains, Operand::text},
    {"startsWith", Op::starts_with, Operand::text},
    {"endsWith", Op::ends_with, Operand::text},
    {"exists", Op::exists, Operand::flag},
    {"changed", Op::changed, Operand::flag, true},
    {"from", Op::from, Operand::value, true},
    {"to", Op::to, Operand::value, true},
});

constexpr std::size_t work_of_value = 32;  // about the nanoseconds of finding and reading it

// memmem of the C library takes time in proportion to the text. In the worst case, std::string_view::find
// takes time in proportion to the product of both lengths.
bool has_part(std::string_view text, std::string_view part) {
  return part.empty() || memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

std::string_view text_in(const Scalar& scalar) {
  const auto* held = std::get_if<std::string_view>(&scalar);
  return held == nullptr ? std::string_view() : *held;
}

std::size_t text_size(const json::value& value) {
  std::size_t size = 0;
  if (const auto* text = value.if_string()) {
    size = text->size();
  } else if (const auto* list = value.if_array()) {
    for (const json::value& each : *list) size += text_size(each);
  } else if (const auto* object = value.if_object()) {
    for (const auto& [key, each] : *object) size += text_size(each);
  }
  return size;
}

/// A copy of a value if its texts fit.
json::value shown_value(const json::value* value, WorkBudget& shown) {
  return value != nullptr && shown.take(text_size(*value)) ? *value : json::value();
}

// The old object, from the parts whose old values are kept; null if none has a value.
json::value previous_object(const Target& target, const Subject& subject) {
  json::object object;
  bool empty = true;
  for (const auto& part : target.parts) {
    const auto* value = before(subject, part.steps).value;
    empty = empty && is_nothing(value);
    put_path(object, part.path, value == nullptr ? json::value() : *value);
  }
  return empty ? json::value() : json::value(std::move(object));
}

}  // namespace

std::span<const Operator> operators() { return all_operators; }

const Operator* find_operator(std::string_view name) {
  const auto found = std::ranges::find(all_operators, name, &Operator::name);
  return found == all_operators.end() ? nullptr : &*found;
}

Comparison::Comparison(std::string path, const Operator& kind, Target target, const json::value& expected)
    : path_(std::move(path)), kind_(kind), target_(std::move(target)), expected_(expected) {
  if (kind_.operand == Operand::list) {
    for (const auto& each : expected_.get_array()) operands_.push_back(to_scalar(&each, target_.type));
    std::ranges::sort(operands_);
  } else {
    operands_.push_back(to_scalar(&expected_, target_.type));
  }
  for (const Scalar& operand : operands_) longest_text_ = std::max(longest_text_, text_in(operand).size());
  if (kind_.op == Op::contains) longest_text_ = SIZE_MAX;
}

bool Comparison::holds(const Subject& subject, WorkBudget& budget) const {
  const auto any = [&](bool previous) {
    return any_value(target_, subject, previous,
                     [&](const json::value* value) { return test(value, budget); });
  };
  switch (kind_.op) {
    case Op::changed:
      return is_changed(target_, subject, budget) == expected_.get_bool();
    case Op::from:
      return is_changed(target_, subject, budget) && any(true);
    case Op::to:
      return is_changed(target_, subject, budget) && any(false);
    default:
      return any(target_.previous);
  }
}

std::size_t Comparison::work_of(const Scalar& value) const {
  const auto compared = static_cast<std::size_t>(std::bit_width(operands_.size()));  // by binary search
  return work_of_value + std::min(text_in(value).size(), longest_text_) * compared;
}

bool Comparison::test(const json::value* actual, WorkBudget& budget) const {
  const auto value = to_scalar(actual, target_.type);
  // True ends the search for an element that meets the comparison.
  if (!budget.take(work_of(value))) return true;
  const auto& operand = operands_.front();
  const bool comparable = value.index() == operand.index();
  switch (kind_.op) {
    case Op::eq:
    case Op::from:
    case Op::to:
      return value == operand;
    case Op::ne:
      return value != operand;
    case Op::gt:
      return comparable && value > operand;
    case Op::gte:
      return comparable && value >= operand;
    case Op::lt:
      return comparable && value < operand;
    case Op::lte:
      return comparable && value <= operand;
    case Op::in:
      return std::ranges::binary_search(operands_, value);
    case Op::nin:
      return !std::ranges::binary_search(operands_, value);
    case Op::contains:
      return comparable && has_part(text_in(value), text_in(operand));
    case Op::starts_with:
      return comparable && text_in(value).starts_with(text_in(operand));
    case Op::ends_with:
      return comparable && text_in(value).ends_with(text_in(operand));
    case Op::exists:
      return !std::holds_alternative<std::monostate>(value) == expected_.get_bool();
    case Op::changed:
      break;
  }
  return false;
}

json::value Comparison::actual(const Subject& subject, WorkBudget& budget, WorkBudget& shown) const {
  if (budget.is_exceeded()) return nullptr;
  if (kind_.op == Op::changed) return is_changed(target_, subject, budget);
  const bool previous = target_.previous || kind_.op == Op::from;
  if (previous && !target_.parts.empty()) {
    const json::value object = previous_object(target_, subject);
    return shown_value(&object, shown);
  }
  const auto* value = value_of(target_, subject, previous);
  if (!target_.enters_list || target_.element.empty()) return shown_value(value, shown);
  const auto* list = value == nullptr ? nullptr : value->if_array();
  if (list == nullptr) return nullptr;
  json::array values;
  for (const auto& each : *list) {
    const auto* found = walk(each, target_.element);
    values.push_back(shown_value(found, shown));
  }
  if (shown.is_exceeded()) return nullptr;
  return values;
}

ConditionResult Comparison::explain(const Subject& subject, WorkBudget& budget, WorkBudget& shown) const {
  const bool result = holds(subject, budget);
  return {.path = path_,
          .op = std::string(kind_.name),
          .expected = expected_,
          .actual = actual(subject, budget, shown),
          .holds = result && !budget.is_exceeded()};
}

}  // namespace waybill::domain
