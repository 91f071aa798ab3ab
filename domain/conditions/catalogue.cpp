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

struct Required {
  EntityType type;
  std::string_view path;
};

// The fields that always have a value: those of columns that are not null, and values that the service makes.
constexpr auto required = std::to_array<Required>({
    {EntityType::order, "guid"},
    {EntityType::order, "orderNumber"},
    {EntityType::order, "status"},
    {EntityType::order, "items"},
    {EntityType::order, "totalValue"},
    {EntityType::order, "currency"},
    {EntityType::order, "source"},
    {EntityType::order, "source.type"},
    {EntityType::order, "shipments"},
    {EntityType::order, "shipments.guid"},
    {EntityType::order, "shipments.trackingNumber"},
    {EntityType::order, "shipments.status"},
    {EntityType::order, "createdAt"},
    {EntityType::order, "updatedAt"},
    {EntityType::shipment, "guid"},
    {EntityType::shipment, "trackingNumber"},
    {EntityType::shipment, "status"},
    {EntityType::shipment, "sender"},
    {EntityType::shipment, "recipient"},
    {EntityType::shipment, "packages"},
    {EntityType::shipment, "createdAt"},
    {EntityType::shipment, "updatedAt"},
    {EntityType::customer, "guid"},
    {EntityType::customer, "name"},
    {EntityType::customer, "contacts"},
    {EntityType::customer, "references"},
    {EntityType::customer, "createdAt"},
    {EntityType::customer, "updatedAt"},
    {EntityType::product, "guid"},
    {EntityType::product, "name"},
    {EntityType::product, "variants"},
    {EntityType::product, "createdAt"},
    {EntityType::product, "updatedAt"},
});

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

bool accepts(const RecordType& type, std::string_view path, std::string_view op, const json::value& operand) {
  const json::object condition{{path, json::object{{op, operand}}}};
  return std::holds_alternative<Conditions>(Conditions::parse(condition, type));
}

json::value operand_of(const Operator& kind, const json::value& sample) {
  if (kind.operand == Operand::flag) return true;
  return kind.operand == Operand::list ? json::value(json::array{sample}) : sample;
}

std::vector<std::string_view> operators_of(const RecordType& type, std::string_view path,
                                           const ConditionField& field) {
  std::vector<std::string_view> accepted;
  const auto sample = condition_sample(field);
  for (const auto& kind : operators()) {
    // An object is compared with nothing.
    if (field.type == "object" && kind.operand != Operand::flag) continue;
    if (accepts(type, path, kind.name, operand_of(kind, sample))) accepted.push_back(kind.name);
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
  field.nullable = std::ranges::none_of(
      required, [&](const Required& each) { return each.type == type.type && each.path == field.path; });
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
