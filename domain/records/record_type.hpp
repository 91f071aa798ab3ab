#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace waybill::domain {

/// The records whose changes are events. The numbers are stored; they never change.
enum class EntityType : std::uint8_t { order = 0, shipment = 1, customer = 2, product = 3 };
inline constexpr std::size_t entity_type_count = 4;

enum class FieldType { uuid, string, integer, decimal, boolean, timestamp, array, object };

/// What a field is beyond its value.
enum class FieldRole : std::uint8_t {
  plain,
  status,       // its change is the status triggers', not "updated"
  bookkeeping,  // its change fires nothing and is left out of `previous` (updatedAt)
  dispatch,  // kept inside: its change from null fires shipment_dispatched, never "updated", and is not shown
  relative,  // not a column of the record's own table (customer.name); no change of the record
  computed,  // a function of the row, `relative_column`, which lists alone show (variantCount)
};

struct Field {
  std::string_view path;    // as the API nests it: "deliveryAddress.city"
  std::string_view column;  // of the record's table; empty for relatives and for objects
  FieldType type;
  FieldRole role = FieldRole::plain;
  bool searchable = false;                // $search looks into it
  bool list_filter = false;               // $filter and $orderby know it
  std::string_view relative_table = {};   // of a relative: "customers"; its row has guid = `relative_key`
  std::string_view relative_column = {};  // "name"
  std::string_view relative_key = {};  // column of the record's table that names the relative: "customer_id"
};

using FieldSet = std::bitset<64>;

/// One kind of record: its names and its fields. The tables live in records.cpp, one row a field; `fields`
/// holds the own fields first, in the order in which an answer shows them.
struct RecordType {
  EntityType type;
  std::string_view name;   // "Order"
  std::string_view label;  // "order", for messages
  std::string_view table;  // "orders"
  std::span<const Field> fields;

  const Field* find(std::string_view path) const;
  std::size_t index_of(const Field& field) const { return static_cast<std::size_t>(&field - fields.data()); }
};

const RecordType& record_type(EntityType type);
std::span<const RecordType> record_types();

/// "Order" in any case. nullopt for anything else.
std::optional<EntityType> parse_entity_type(std::string_view name);

}  // namespace waybill::domain
