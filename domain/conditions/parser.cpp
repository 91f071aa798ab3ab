#include <algorithm>
#include <utility>

#include "base/joined_texts.hpp"
#include "base/utf8.hpp"
#include "domain/conditions/comparison.hpp"

namespace waybill::domain {
namespace {

using Node = Conditions::Node;

constexpr int max_levels = 32;
constexpr std::size_t max_comparisons = 1000;
constexpr std::size_t max_list = 1000;
constexpr std::size_t max_characters = 10'000;  // length of a text
constexpr std::size_t max_errors = 1000;

std::string operator_names() {
  std::vector<std::string_view> names;
  for (const auto& known : operators()) names.push_back(known.name);
  return joined_texts(names);
}

std::string indexed(const std::string& place, std::size_t index) {
  return place + "[" + std::to_string(index) + "]";
}

template <typename Value>
bool reads_as(const json::value& value, FieldType type) {
  return std::holds_alternative<Value>(to_scalar(&value, type));
}

// The reason why a field of the target's type never equals `value`; empty if it may.
std::string mismatch(const json::value& value, const Target& target) {
  if (value.is_null()) return {};
  switch (target.type) {
    case FieldType::uuid:
      return reads_as<Guid>(value, target.type) ? "" : "must be a uuid";
    case FieldType::timestamp:
      return reads_as<Time>(value, target.type) ? "" : "must be a timestamp or a date";
    case FieldType::boolean:
      return value.is_bool() ? "" : "must be true or false";
    case FieldType::integer:
    case FieldType::decimal:
      return value.is_number() ? "" : "must be a number";
    case FieldType::array:
    case FieldType::object:
      return "an object or a list compares only with null; use one of its fields";
    case FieldType::string:
      break;
  }
  if (!target.run_values.empty() && value.is_string() &&
      std::ranges::find(target.run_values, std::string_view(value.get_string())) == target.run_values.end())
    return "must be one of " + joined_texts(target.run_values);
  if (target.key != nullptr)
    return value.is_object() ? "must be a string, a number, true, false or null" : "";
  if (!value.is_string()) return "must be a string";
  if (target.states == nullptr || target.states->has_state(value.get_string())) return {};
  return "must be one of " + joined_texts(target.states->states);
}

// True if a comparison concerns a list as a whole, and not each of its values.
bool concerns_list(const Operator& kind, const json::value& operand) {
  return kind.operand == Operand::flag || operand.is_null();
}

bool is_ordered(FieldType type) {
  return type == FieldType::string || type == FieldType::integer || type == FieldType::decimal ||
         type == FieldType::timestamp;
}

class Parser {
 public:
  Parser(const RecordType& type, const RunValues* run) : type_(type), run_(run) {}

  Node parse(const json::value& definition, const std::string& place) { return object(definition, place, 1); }
  FieldErrors take_errors() { return std::move(errors_); }

 private:
  bool is_full() const { return errors_.size() >= max_errors || comparisons_ > max_comparisons; }

  void fail(const std::string& place, std::string message) {
    if (errors_.size() < max_errors) errors_.push_back({place, std::move(message)});
  }

  static void add(Node& parent, Node child) {
    parent.reads_relatives = parent.reads_relatives || child.reads_relatives;
    parent.children.push_back(std::move(child));
  }

  Node object(const json::value& definition, const std::string& place, int level) {
    Node node;
    const auto* object = definition.if_object();
    if (object == nullptr) {
      fail(place, "must be an object of conditions");
      return node;
    }
    if (level > max_levels) {
      fail(place, "nested deeper than 32 levels");
      return node;
    }
    for (const auto& [key, value] : *object) {
      if (is_full()) break;
      const auto within = place + "." + std::string(key);
      if (key == "all" || key == "any") {
        add(node, list(value, within, level, key == "all" ? Node::Kind::all : Node::Kind::any));
      } else if (key == "not") {
        Node negation{.kind = Node::Kind::negation, .children = {}, .comparison = nullptr};
        add(negation, this->object(value, within, level + 1));
        add(node, std::move(negation));
      } else {
        field(node, key, value, within);
      }
    }
    return node;
  }

  Node list(const json::value& value, const std::string& place, int level, Node::Kind kind) {
    Node node{.kind = kind, .children = {}, .comparison = nullptr};
    const auto* entries = value.if_array();
    if (entries == nullptr || entries->empty()) {
      fail(place, "must be a list of at least one object of conditions");
      return node;
    }
    for (std::size_t i = 0; i < entries->size() && !is_full(); ++i)
      add(node, object((*entries)[i], indexed(place, i), level + 1));
    return node;
  }

  void field(Node& parent, std::string_view path, const json::value& value, const std::string& place) {
    const auto target = target_at(path);
    if (!target) return fail(place, unknown_field(path));
    if (target->previous && !target->has_history) return fail(place, no_history(*target));
    const auto* set = value.if_object();
    const auto target_of = [&](const Operator& kind, const json::value& operand) {
      return target->is_value_list && !concerns_list(kind, operand) ? each_value(*target) : *target;
    };
    if (set == nullptr) {
      const Operator& eq = *find_operator("eq");
      return comparison(parent, path, eq, target_of(eq, value), value, place);
    }
    if (set->empty()) return fail(place, "needs an operator: " + operator_names());
    Node of_element{.kind = Node::Kind::element, .children = {}, .comparison = nullptr};
    for (const auto& [name, operand] : *set) {
      if (is_full()) return;
      const auto within = place + "." + std::string(name);
      const auto* kind = find_operator(name);
      if (kind == nullptr) {
        fail(within, "unknown operator; known operators: " + operator_names());
      } else {
        const Target compared = target_of(*kind, operand);
        const bool one_element = compared.enters_list && !kind->needs_history;
        comparison(one_element ? of_element : parent, path, *kind, compared, operand, within);
      }
    }
    if (!of_element.children.empty()) add(parent, std::move(of_element));
  }

  std::optional<Target> target_at(std::string_view path) const {
    const RunValue* const value = run_ == nullptr ? nullptr : run_->find(path);
    if (value != nullptr) return run_target(*value);
    return run_ == nullptr || run_->has_record ? find_target(path, type_) : std::nullopt;
  }

  void comparison(Node& parent, std::string_view path, const Operator& kind, const Target& target,
                  const json::value& expected, const std::string& place) {
    if (++comparisons_ > max_comparisons) return fail(place, "more than 1000 comparisons");
    if (!check(kind, target, expected, place)) return;
    auto comparison = std::make_unique<const Comparison>(std::string(path), kind, target, expected);
    add(parent, {.kind = Node::Kind::comparison,
                 .children = {},
                 .comparison = std::move(comparison),
                 .reads_relatives = target.relative || target.completed});
  }

  bool check(const Operator& kind, const Target& target, const json::value& expected,
             const std::string& place) {
    const auto require = [&](bool met, const char* message) {
      if (!met) fail(place, message);
      return met;
    };
    if (kind.needs_history) {
      if (!require(!target.previous, "refers to the change already; leave out previous.")) return false;
      if (!target.has_history) {
        fail(place, no_history(target));
        return false;
      }
    }
    switch (kind.operand) {
      case Operand::flag:
        return require(expected.is_bool(), "must be true or false");
      case Operand::list:
        return check_list(target, expected, place);
      case Operand::value:
        return check_value(target, expected, place);
      case Operand::text:
        return require(target.type == FieldType::string, "applies only to text") &&
               require(expected.is_string(), "must be a string") && check_length(expected, place);
      case Operand::ordered:
        return require(is_ordered(target.type) && !(target.key != nullptr && expected.is_bool()),
                       "applies only to numbers, timestamps and text") &&
               require(!expected.is_null(), "nothing is greater or less than null") &&
               check_value(target, expected, place);
    }
    return false;
  }

  bool check_list(const Target& target, const json::value& expected, const std::string& place) {
    const auto* values = expected.if_array();
    if (values == nullptr || values->empty() || values->size() > max_list) {
      fail(place, "must be a list of 1 to 1000 values");
      return false;
    }
    bool good = true;
    for (std::size_t i = 0; i < values->size(); ++i) {
      const bool never = target.is_value_list && (*values)[i].is_null();
      if (never) fail(indexed(place, i), "no element is null; use exists");
      good = !never && check_value(target, (*values)[i], indexed(place, i)) && good;
    }
    return good;
  }

  bool check_length(const json::value& value, const std::string& place) {
    const auto* text = value.if_string();
    const bool good = text == nullptr || count_characters(*text) <= max_characters;
    if (!good) fail(place, "must have at most 10000 characters");
    return good;
  }

  bool check_value(const Target& target, const json::value& value, const std::string& place) {
    if (!check_length(value, place)) return false;
    if (value.is_array()) {
      fail(place, "a list is not a value; use in");
      return false;
    }
    auto message = mismatch(value, target);
    const bool good = message.empty();
    if (!good) fail(place, std::move(message));
    return good;
  }

  std::string unknown_field(std::string_view path) const {
    if (run_ != nullptr && path.starts_with("steps.")) return "names no value of an earlier step";
    if (run_ != nullptr && !run_->has_record && find_target(path, type_))
      return "is a field of a record; this run is for several";
    constexpr std::string_view previous = "previous.";
    if (path.starts_with(previous)) path.remove_prefix(previous.size());
    const bool is_metadata =
        path.starts_with(metadata_path) && path.substr(metadata_path.size()).starts_with('.');
    return is_metadata ? "is not a key of metadata: 1 to 40 characters A-Z a-z 0-9 _ . -" : "unknown field";
  }

  static std::string no_history(const Target& target) {
    if (target.run_path != nullptr) return "is a value of the run, which has no change";
    return target.relative ? "is not a field of the record itself, so its changes are unknown"
                           : "its changes are not recorded";
  }

  const RecordType& type_;
  const RunValues* const run_;
  FieldErrors errors_;
  std::size_t comparisons_ = 0;
};

}  // namespace

const RunValue* RunValues::find(std::string_view path) const {
  const auto found = std::ranges::find(values, path, &RunValue::path);
  return found == values.end() ? nullptr : &*found;
}

std::variant<Conditions, FieldErrors> Conditions::parse(const json::value& definition, const RecordType& type,
                                                        std::string_view prefix, const RunValues* run) {
  if (definition.is_null()) return Conditions();
  Parser parser(type, run);
  auto root = parser.parse(definition, std::string(prefix));
  auto errors = parser.take_errors();
  if (!errors.empty()) return errors;
  return Conditions(std::make_shared<const Node>(std::move(root)));
}

}  // namespace waybill::domain
