#include "domain/records/change.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/ascii.hpp"
#include "base/clock.hpp"
#include "base/exact_number.hpp"
#include "base/number.hpp"

namespace waybill::domain {
namespace {

// The deepest nesting of JSON in a row; rows written by other SQL may be nested deeper and are refused.
constexpr std::size_t deepest_list = 128;

constexpr std::string_view source_function = "source_kind";

// One member of the API's object, built once from the field table: a column, a list of relatives, or an
// object with members.
struct Member {
  enum class Kind : std::uint8_t { column, related_list, object };

  std::string_view key;
  Kind kind = Kind::object;
  std::size_t field = 0;        // for a column
  bool null_when_empty = true;  // for an object
  std::vector<Member> members;
  FieldSet previous_fields;  // its columns that `previous` may contain
};

struct Plan {
  std::vector<Member> members;
  std::size_t columns = 0;  // the least number of values in a row
  std::optional<std::size_t> status;
  std::optional<std::size_t> dispatch;
};

bool in_previous(const Field& field) {
  return field.has_role(ColumnRole::plain) || field.has_role(ColumnRole::status);
}

Member& member_named(std::vector<Member>& members, std::string_view key) {
  const auto found = std::ranges::find(members, key, &Member::key);
  if (found != members.end()) return *found;
  Member& added = members.emplace_back();
  added.key = key;
  return added;
}

void add_field(std::vector<Member>& members, const Field& field, std::size_t index, std::string_view path) {
  const std::size_t dot = path.find('.');
  Member& member = member_named(members, path.substr(0, dot));
  if (in_previous(field)) member.previous_fields.set(index);
  if (dot == std::string_view::npos) {
    member.kind = field.is_of_relatives() ? Member::Kind::related_list : Member::Kind::column;
    member.field = index;
    return;
  }
  add_field(member.members, field, index, path.substr(dot + 1));
}

Plan make_plan(const RecordType& type) {
  Plan plan;
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const Field& field = type.fields[i];
    if (field.column() != nullptr) plan.columns = i + 1;
    if (field.computed() != nullptr || field.is_event_fact()) continue;
    if (field.has_role(ColumnRole::status)) plan.status = i;
    if (field.has_role(ColumnRole::dispatch)) {
      plan.dispatch = i;
      continue;
    }
    const bool filled_in_later = field.relative() != nullptr;
    if (!filled_in_later) add_field(plan.members, field, i, field.path);
  }
  for (const Alias& alias : type.aliases) {
    const Field& field = *type.find(alias.path);
    add_field(plan.members, field, type.index_of(field), alias.path);
  }
  for (Member& member : plan.members)
    member.null_when_empty = std::ranges::find(type.whole_objects, member.key) == type.whole_objects.end();
  return plan;
}

const Plan& plan_of(const RecordType& type) {
  static const auto plans = [] {
    std::array<Plan, entity_type_count> made;
    for (const RecordType& each : record_types())
      made.at(static_cast<std::size_t>(each.type)) = make_plan(each);
    return made;
  }();
  return plans.at(static_cast<std::size_t>(type.type));
}

class Builder {
 public:
  Builder(const RecordType& type, const Row& row, const json::storage_ptr& memory)
      : type_(type), row_(row), memory_(memory) {}

  json::object entity(const std::vector<Member>& members) const {
    json::object object(memory_);
    object.reserve(members.size());
    for (const Member& member : members) object.emplace(member.key, whole(member));
    return object;
  }

  // The members with a changed field, reduced to the changed fields.
  json::object previous(const std::vector<Member>& members, const FieldSet& changed) const {
    json::object object(memory_);
    for (const Member& member : members) {
      if ((member.previous_fields & changed).none()) continue;
      if (member.kind != Member::Kind::object || is_null(member)) {
        object.emplace(member.key, whole(member));
      } else {
        object.emplace(member.key, previous(member.members, changed));
      }
    }
    return object;
  }

 private:
  bool is_null(const Member& member) const {
    if (member.kind == Member::Kind::column) return !row_[member.field].has_value();
    return member.kind == Member::Kind::object && member.null_when_empty &&
           std::ranges::all_of(member.members, [this](const Member& part) { return is_null(part); });
  }

  json::value whole(const Member& member) const {
    if (member.kind == Member::Kind::column) return column(member.field);
    if (member.kind == Member::Kind::related_list) return json::array(memory_);
    if (is_null(member)) return json::value(nullptr, memory_);
    return entity(member.members);
  }

  json::value column(std::size_t index) const {
    const Field& field = type_.fields[index];
    const auto& text = row_[index];
    if (field.column()->shown_by == source_function) return source_type(text);
    if (!text) {
      if (field.type == FieldType::array) return json::value(json::array(memory_));
      // A row that is older than such a column has no value.
      const bool is_false = field.type == FieldType::boolean && field.column()->is_required;
      return is_false ? json::value(false, memory_) : json::value(memory_);
    }
    switch (field.type) {
      case FieldType::uuid:
      case FieldType::string:
        return json::value(json::string_view(*text), memory_);
      case FieldType::integer:
        return json::value(number<std::int64_t>(field, *text), memory_);
      case FieldType::decimal:
        return json::value(number<double>(field, *text), memory_);
      case FieldType::boolean:
        if (*text != "t" && *text != "f") refuse(field);
        return json::value(*text == "t", memory_);
      case FieldType::timestamp:
        return timestamp(field, *text);
      case FieldType::array:
      case FieldType::object:
        break;
    }
    return document(field, *text);
  }

  // As the SQL function source_kind (storage/migrations/0019_recipients_and_sources.sql).
  json::value source_type(std::optional<std::string_view> stored) const {
    static const std::size_t integration = type_.index_of(*type_.find("source.integration.guid"));
    const std::string_view shown = row_[integration] ? "import" : stored == "sql" ? "sql" : "api";
    return json::value(json::string_view(shown), memory_);
  }

  template <typename Number>
  Number number(const Field& field, std::string_view text) const {
    const auto value = parse_number<Number>(text);
    if (!value || !std::isfinite(static_cast<double>(*value))) refuse(field);
    return *value;
  }

  json::value timestamp(const Field& field, std::string_view text) const {
    const auto time = parse_sql_timestamp(text);
    if (!time) refuse(field);
    std::array<char, timestamp_length> shown{};
    write_timestamp(shown.data(), *time);
    return json::value(json::string_view(shown.data(), shown.size()), memory_);
  }

  json::value document(const Field& field, std::string_view text) const {
    // Most records have some empty documents, and setting a parser up costs more than these are worth.
    if (text == "{}" && field.type == FieldType::object) return json::value(json::object(memory_));
    if (text == "[]" && field.type == FieldType::array) return json::value(json::array(memory_));
    auto parsed = parse_exact_json(text, deepest_list, memory_);
    auto* value = std::get_if<json::value>(&parsed);
    if (value == nullptr || !(field.type == FieldType::array ? value->is_array() : value->is_object()))
      refuse(field);
    return std::move(*value);
  }

  [[noreturn]] void refuse(const Field& field) const {
    throw std::invalid_argument(std::string(type_.label) + ": " + std::string(field.path) +
                                " has a value that cannot be read");
  }

  const RecordType& type_;
  const Row& row_;
  const json::storage_ptr& memory_;
};

// The digits of a number as PostgreSQL prints it, without zeros at the end of its fraction.
std::string_view significant(std::string_view number) {
  if (number.find_first_of("eE") != std::string_view::npos || number.find('.') == std::string_view::npos)
    return number;
  number = number.substr(0, number.find_last_not_of('0') + 1);
  return number.ends_with('.') ? number.substr(0, number.size() - 1) : number;
}

// Takes the number that begins at a place of a JSON text; empty if none does.
std::string_view take_number(std::string_view text, std::size_t& at) {
  const std::size_t from = at;
  if (text[at] == '-' || is_digit(text[at]))
    at = std::min(text.find_first_not_of("0123456789+-.eE", at), text.size());
  return text.substr(from, at - from);
}

// True if two texts of JSON that PostgreSQL has printed differ in zeros at the end of numbers at most.
bool is_same_document(std::string_view before, std::string_view after) {
  bool is_text = false;
  std::size_t i = 0, j = 0;
  while (i < before.size() && j < after.size()) {
    if (!is_text) {
      const std::string_view old_number = take_number(before, i), new_number = take_number(after, j);
      if (significant(old_number) != significant(new_number)) return false;
      if (!old_number.empty()) continue;
    }
    const char sign = before[i++];
    if (sign != after[j++]) return false;
    if (sign == '"') is_text = !is_text;
    if (sign == '\\' && (i == before.size() || j == after.size() || before[i++] != after[j++])) return false;
  }
  return i == before.size() && j == after.size();
}

// True if two different texts of a column are one value. SQL writes numbers with other zeros, and an empty
// list, or an object without members, as null.
bool is_same_column(const Field& field, std::optional<std::string_view> before,
                    std::optional<std::string_view> after) {
  switch (field.type) {
    case FieldType::decimal:
      return before && after && significant(*before) == significant(*after);
    case FieldType::array:
      return is_same_document(before.value_or("[]"), after.value_or("[]"));
    case FieldType::object:
      return is_same_document(before.value_or("{}"), after.value_or("{}"));
    case FieldType::uuid:
    case FieldType::string:
    case FieldType::integer:
    case FieldType::boolean:
    case FieldType::timestamp:
      break;
  }
  return false;
}

FieldSet changed_fields(const RecordType& type, const Row& before, const Row& after, std::size_t columns) {
  FieldSet changed;
  for (std::size_t i = 0; i < columns; ++i) {
    if (before[i] != after[i] && !is_same_column(type.fields[i], before[i], after[i])) changed.set(i);
  }
  return changed;
}

// Leaves only the keys of an old object that differ from the new one, and adds null for keys that are new.
void reduce_to_changes(json::value* old_value, const json::value* new_value) {
  auto* const old_object = old_value == nullptr ? nullptr : old_value->if_object();
  const auto* const new_object = new_value == nullptr ? nullptr : new_value->if_object();
  if (old_object == nullptr || new_object == nullptr) return;
  for (const auto& [key, value] : *new_object) {
    const auto found = old_object->find(key);
    if (found == old_object->end()) {
      old_object->emplace(key, nullptr);
    } else if (is_same_value(found->value(), value)) {
      old_object->stable_erase(found);
    }
  }
}

void require_complete(const RecordType& type, const Row* row, std::size_t columns) {
  if (row != nullptr && row->size() < columns) {
    throw std::invalid_argument(std::string(type.label) + ": a row lacks columns");
  }
}

}  // namespace

Change make_change(const RecordType& type, const Row* before, const Row* after,
                   const json::storage_ptr& memory) {
  const Plan& plan = plan_of(type);
  const Row* shown = after != nullptr ? after : before;
  if (shown == nullptr) throw std::invalid_argument("a change needs a row before or after it");
  require_complete(type, before, plan.columns);
  require_complete(type, after, plan.columns);

  const bool updated = before != nullptr && after != nullptr;
  const FieldSet changed = updated ? changed_fields(type, *before, *after, plan.columns) : FieldSet();
  // Both objects are constructed in place, because an assignment between different storages would copy them.
  Change change{
      .type = type.type,
      .created = before == nullptr,
      .deleted = after == nullptr,
      .entity = Builder(type, *shown, memory).entity(plan.members),
      .previous =
          updated ? Builder(type, *before, memory).previous(plan.members, changed) : json::object(memory),
      .changed = changed,
      .previous_status = std::nullopt,
      .dispatched = false,
  };
  reduce_to_changes(change.previous.if_contains(metadata_path), change.entity.if_contains(metadata_path));
  if (plan.status && changed.test(*plan.status)) change.previous_status = (*before)[*plan.status];
  if (plan.dispatch && changed.test(*plan.dispatch)) change.dispatched = (*after)[*plan.dispatch].has_value();
  return change;
}

Change make_erasure(EntityType type, std::string_view guid, const json::storage_ptr& memory) {
  return {.type = type,
          .entity = json::object({{"guid", guid}}, memory),
          .previous = json::object(memory),
          .changed = {},
          .previous_status = std::nullopt,
          .erased = true};
}

void add_trace(Change& change, const json::object& trace) {
  change.entity["trace"] = trace;
  change.traced = true;
}

}  // namespace waybill::domain
