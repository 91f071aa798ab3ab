#include "domain/conditions/catalogue.hpp"

#include <algorithm>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/conditions/comparison.hpp"

namespace waybill::domain {
namespace {

bool accepts(EntityType type, const std::string& path, std::string_view op, const json::value& operand) {
  const json::object condition{{path, json::object{{op, operand}}}};
  return std::holds_alternative<Conditions>(Conditions::parse(condition, record_type(type)));
}

json::value operand_of(const Operator& kind, const json::value& sample) {
  if (kind.operand == Operand::flag) return true;
  return kind.operand == Operand::list ? json::value(json::array{sample}) : sample;
}

std::string key_of(const ConditionField& field) {
  return field.path == "metadata.*" ? "metadata.erp.id-1" : field.path;
}

bool lists(const ConditionField& field, std::string_view op) {
  return std::ranges::find(field.operators, op) != field.operators.end();
}

const ConditionField* find(EntityType type, std::string_view path) {
  const auto& fields = condition_fields(type);
  const auto found = std::ranges::find(fields, path, &ConditionField::path);
  return found == fields.end() ? nullptr : &*found;
}

TEST(ConditionCatalogue, ListedOperatorsAreAcceptedAndAllOthersRefused) {
  for (const RecordType& type : record_types()) {
    for (const ConditionField& field : condition_fields(type.type)) {
      for (const Operator& kind : operators()) {
        EXPECT_EQ(accepts(type.type, key_of(field), kind.name, operand_of(kind, condition_sample(field))),
                  lists(field, kind.name))
            << type.name << ' ' << field.path << ' ' << kind.name;
      }
      EXPECT_EQ(accepts(type.type, "previous." + key_of(field), "exists", true), field.previous)
          << type.name << ' ' << field.path;
      EXPECT_FALSE(accepts(type.type, key_of(field), "matches", "x"));
    }
  }
}

// docs/workflows.md: the list shows `exists` and `changed`; comparisons with null are accepted as well.
TEST(ConditionCatalogue, ObjectsTakeExistsChangedAndNullAlone) {
  for (const RecordType& type : record_types()) {
    for (const ConditionField& field : condition_fields(type.type)) {
      if (field.type != "object") continue;
      for (const Operator& kind : operators()) {
        const bool is_known = field.previous || !kind.needs_history;
        const bool compares = kind.operand == Operand::value || kind.operand == Operand::list;
        EXPECT_EQ(accepts(type.type, field.path, kind.name, operand_of(kind, json::object())),
                  is_known && kind.operand == Operand::flag)
            << type.name << ' ' << field.path << ' ' << kind.name;
        EXPECT_EQ(accepts(type.type, field.path, kind.name, operand_of(kind, json::value())),
                  is_known && (compares || kind.operand == Operand::flag))
            << type.name << ' ' << field.path << ' ' << kind.name;
      }
    }
  }
}

TEST(ConditionCatalogue, EveryAcceptedPathIsListed) {
  for (const RecordType& type : record_types()) {
    for (const RecordType& other : record_types()) {
      for (const ConditionField& field : condition_fields(other.type)) {
        EXPECT_EQ(accepts(type.type, key_of(field), "exists", true), find(type.type, field.path) != nullptr)
            << type.name << ' ' << field.path;
        EXPECT_FALSE(accepts(type.type, field.path + ".unknown", "exists", true) &&
                     field.path != "metadata" && field.path != "metadata.*")
            << type.name << ' ' << field.path;
      }
      for (const Field& field : other.fields) {
        EXPECT_EQ(accepts(type.type, std::string(field.path), "exists", true),
                  find(type.type, field.path) != nullptr)
            << type.name << ' ' << field.path;
      }
    }
  }
}

TEST(ConditionCatalogue, DescribesEachKindOfField) {
  using testing::ElementsAre;
  const auto* const status = find(EntityType::order, "status");
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(status->type, "string");
  EXPECT_EQ(status->values.size(), 7U);
  EXPECT_FALSE(status->nullable);
  EXPECT_TRUE(status->previous);
  const auto* const carrier = find(EntityType::order, "carrier");
  ASSERT_NE(carrier, nullptr);
  EXPECT_EQ(carrier->type, "object");
  EXPECT_THAT(carrier->operators, ElementsAre("exists", "changed"));
  const auto* const sku = find(EntityType::order, "items.sku");
  ASSERT_NE(sku, nullptr);
  EXPECT_TRUE(sku->array);
  EXPECT_TRUE(sku->nullable);
  EXPECT_FALSE(find(EntityType::order, "shipments.status")->nullable);
  EXPECT_TRUE(find(EntityType::order, "shipments.labelStatus")->nullable);
  const auto* const name = find(EntityType::order, "customer.name");
  ASSERT_NE(name, nullptr);
  EXPECT_FALSE(name->previous);
  EXPECT_FALSE(lists(*name, "changed"));
  const auto* const value = find(EntityType::order, "metadata.*");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->type, "any");
  EXPECT_EQ(value->operators.size(), operators().size());
  const auto* const tags = find(EntityType::order, "tags");
  ASSERT_NE(tags, nullptr);
  EXPECT_EQ(tags->type, "string");
  EXPECT_TRUE(tags->array);
  EXPECT_EQ(find(EntityType::shipment, "dispatchId"), nullptr);
  EXPECT_EQ(find(EntityType::product, "variantCount"), nullptr);
}

}  // namespace
}  // namespace waybill::domain
