#include "domain/conditions/catalogue.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "domain/conditions/comparison.hpp"
#include "domain/records/element_fields.hpp"

namespace waybill::domain {
namespace {

constexpr std::string_view metadata_keys = "metadata.*";
constexpr std::string_view metadata_probe = "metadata.key";

/// True for a field that is never null: one of a column that is not null, or one that the service makes.
bool always_has_value(const RecordType& type, std::string_view path) {
  if (std::ranges::find(type.whole_objects, path) != type.whole_objects.end()) return true;
  const Field* const field = type.find(path);
  if (field != nullptr && field->column() != nullptr) return field->column()->is_required;
  const auto dot = path.find('.');
  const Field* const list = type.find(path.substr(0, dot));
  if (list == nullptr || !std::holds_alternative<RelatedList>(list->kind)) return false;
  const auto elements = element_fields(type.type, list->path);
  return std::ranges::none_of(elements, [&](const ElementField& element) {
    return element.is_nullable && dot != std::string_view::npos && element.path == path.substr(dot + 1);
  });
}

std::string_view type_name(const Target& target) {
  if (target.key != nullptr) return "any";
  if (target.is_value_list) return "string";
  switch (target.type) {
    case FieldType::uuid:
      return "uuid";
    case FieldType::string:
      return "string";
    case FieldType::integer:
      return "integer";
    case FieldType::decimal:
      return "number";
    case FieldType::boolean:
      return "boolean";
    case FieldType::timestamp:
      return "timestamp";
    case FieldType::array:
    case FieldType::object:
      return "object";
  }
  return "any";
}

bool accepts(const RecordType& type, std::string_view path, std::string_view op, const json::value& operand,
             const RunValues* run = nullptr) {
  const json::object condition{{path, json::object{{op, operand}}}};
  return std::holds_alternative<Conditions>(Conditions::parse(condition, type, "conditions", run));
}

json::value operand_of(const Operator& kind, const json::value& sample) {
  if (kind.operand == Operand::flag) return true;
  return kind.operand == Operand::list ? json::value(json::array{sample}) : sample;
}

std::vector<std::string_view> operators_of(const RecordType& type, std::string_view path,
                                           const ConditionField& field, const RunValues* run = nullptr) {
  std::vector<std::string_view> accepted;
  const auto sample = condition_sample(field);
  for (const auto& kind : operators()) {
    // An object is compared with nothing.
    if (field.type == "object" && kind.operand != Operand::flag) continue;
    if (accepts(type, path, kind.name, operand_of(kind, sample), run)) accepted.push_back(kind.name);
  }
  return accepted;
}

/// Adds the field at `path` unless it is listed or unknown. `probe` is a path of it that the parser accepts.
void add(std::vector<ConditionField>& fields, const RecordType& type, std::string path,
         std::string_view probe) {
  if (std::ranges::find(fields, path, &ConditionField::path) != fields.end()) return;
  const auto target = find_target(probe, type);
  if (!target) return;
  ConditionField field{.path = std::move(path), .type = type_name(*target)};
  if (target->states != nullptr) field.values = target->states->states;
  field.nullable = !always_has_value(type, field.path);
  field.array = target->enters_list || target->type == FieldType::array;
  field.operators = operators_of(type, probe, field);
  field.previous = accepts(type, "previous." + std::string(probe), "exists", true);
  fields.push_back(std::move(field));
}

/// Adds the objects on the way to `path`, then `path`.
void add_with_objects(std::vector<ConditionField>& fields, const RecordType& type, std::string_view path) {
  for (auto dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1))
    add(fields, type, std::string(path.substr(0, dot)), path.substr(0, dot));
  add(fields, type, std::string(path), path);
}

std::vector<ConditionField> fields_of(const RecordType& type) {
  std::vector<ConditionField> fields;
  for (const auto& field : type.fields) {
    add_with_objects(fields, type, field.path);
    if (field.path == metadata_path) add(fields, type, std::string(metadata_keys), metadata_probe);
    for (const auto& element : element_fields(type.type, field.path))
      add_with_objects(fields, type, std::string(field.path) + '.' + std::string(element.path));
  }
  for (const Alias& alias : type.aliases) add_with_objects(fields, type, alias.path);
  return fields;
}

}  // namespace

const std::vector<ConditionField>& condition_fields(EntityType type) {
  static const auto all = [] {
    std::array<std::vector<ConditionField>, entity_type_count> lists;
    for (const auto& each : record_types()) lists.at(static_cast<std::size_t>(each.type)) = fields_of(each);
    return lists;
  }();
  return all.at(static_cast<std::size_t>(type));
}

ConditionField run_field(EntityType type, const RunValue& value, const RunValues& run) {
  ConditionField field{.path = value.path, .type = type_name(run_target(value)), .values = value.values};
  field.array = value.type == FieldType::array;
  field.operators = operators_of(record_type(type), value.path, field, &run);
  return field;
}

json::value condition_sample(const ConditionField& field) {
  if (!field.values.empty()) return json::value(field.values.front());
  if (field.type == "uuid") return "1f0e3dad-9990-4345-b743-9f8ffabdffc4";
  if (field.type == "integer") return 1;
  if (field.type == "number") return 1.5;
  if (field.type == "boolean") return true;
  if (field.type == "timestamp") return "2026-11-20T05:45:12.345Z";
  if (field.type == "object") return json::object();
  return "text";
}

}  // namespace waybill::domain
