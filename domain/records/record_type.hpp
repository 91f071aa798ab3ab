#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace waybill::domain {

/// The records whose changes are events. The numbers are stored and must not change.
enum class EntityType : std::uint8_t { order = 0, shipment = 1, customer = 2, product = 3 };
inline constexpr std::size_t entity_type_count = 4;

enum class FieldType { uuid, string, integer, decimal, boolean, timestamp, array, object };

/// The role of a field in events and lists.
enum class FieldRole : std::uint8_t {
  plain,
  status,       // its change fires the status triggers, not "updated"
  bookkeeping,  // its change fires nothing and is not in `previous` (updatedAt)
  dispatch,     // internal, never shown; setting it fires shipment_dispatched, never "updated"
  relative,     // not a column of the record's table (customer.name); its change does not change the record
  computed,     // a function of the row, `relative_column`, shown only in lists (variantCount)
  event,        // a fact of the event that no record holds (trace.status); null in other events
};

struct Field {
  std::string_view path;    // as nested in the API: "deliveryAddress.city"
  std::string_view column;  // column of the record's table; empty for relatives and for computed fields
  FieldType type;
  FieldRole role = FieldRole::plain;
  bool searchable = false;                       // used by $search
  std::string_view search_text = "search_text";  // if searchable: the function of the row with its text
  bool list_filter = false;               // available in $filter and, unless an array or object, in $orderby
  std::string_view relative_table = {};   // "customers"; the relative's row has guid = `relative_key`
  std::string_view relative_column = {};  // "name"
  std::string_view relative_key = {};     // the record's column with the relative's guid: "customer_id"
  std::string_view list_function = {};    // the function of the row that lists read instead of the column
  bool completed_by_relatives = false;    // if null, an entity may get a value from its relatives
};

using FieldSet = std::bitset<64>;

/// The path of the field whose members are the users' own keys: `metadata.KEY` is any value of type string,
/// number or boolean. A key may contain dots.
inline constexpr std::string_view metadata_path = "metadata";

/// The path of the field that is a list of texts.
inline constexpr std::string_view tags_path = "tags";

/// One kind of record: its names and fields. The tables are in records.cpp, with one row for each field; the
/// own fields come first, in the order of the API.
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

/// Reads "Order" and the other names without regard to case. nullopt for anything else.
std::optional<EntityType> parse_entity_type(std::string_view name);

}  // namespace waybill::domain
