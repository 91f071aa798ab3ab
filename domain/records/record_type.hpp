#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace waybill::domain {

/// The records whose changes are events. The numbers are stored and must not change.
enum class EntityType : std::uint8_t { order = 0, shipment = 1, customer = 2, product = 3 };
inline constexpr std::size_t entity_type_count = 4;

enum class FieldType { uuid, string, integer, decimal, boolean, timestamp, array, object };

/// The role of a column in events and lists.
enum class ColumnRole : std::uint8_t {
  plain,
  status,       // its change fires the status triggers, not "updated"
  bookkeeping,  // its change fires nothing and is not in `previous` (updatedAt)
  dispatch,     // internal, never shown; setting it fires shipment_dispatched, never "updated"
};

/// The form of a value in requests and actions, with the limits of the API.
enum class Form : std::uint8_t {
  of_type,          // the type alone decides
  line,             // a text of up to 200 characters
  text,             // a text of up to 10 000 characters
  code,             // an identifier; blanks around it are removed, inner ones become single spaces
  tracking_number,  // a code of parcels; all its blanks are removed
  email,
  web_address,
  hs_code,  // 6 to 10 digits; dots and blanks are removed
  country,  // ISO 3166-1 alpha-2; names and other codes of a country become that
  money,    // at least 0, at most two decimals, below 10^12
  measure,  // 0 to 10^9
};

/// The part of requests in the value of a column.
enum class Given : std::uint8_t {
  never,    // no request gives it
  decided,  // requests give it, and code of the resource decides the value
  merged,   // requests give it, and statements take it over; no code names the column
};

/// The effect of an erasure of a person on a column of the person's records.
enum class Personal : std::uint8_t {
  no,        // it stays
  yes,       // it is erased, or the texts in it
  if_named,  // it, or the person's texts in it, is erased if it, or a column with it, names the person
};

/// A column of the record's table.
struct Column {
  std::string_view name;
  std::string_view sql_type;  // "text", where a statement reads it from JSON
  Form form = Form::of_type;
  ColumnRole role = ColumnRole::plain;
  Given given = Given::never;
  Personal personal = Personal::no;
  bool is_required = false;                // its value in the API is never null
  bool is_not_empty = false;               // requests give no empty text
  bool is_answered = true;                 // the answer of a GET has it
  bool is_listed = false;                  // the entries of lists have it
  bool is_imported = false;                // the stores' connectors read it
  bool is_completed_by_relatives = false;  // if null, an entity may get a value from its relatives
  std::string_view settable_as = {};       // the name for the action update_record; empty: it cannot set it
  std::string_view search_text = {};       // the function of the row with its text, for $search; empty: none
  std::string_view shown_by = {};          // the function of the row that lists and answers read instead
  std::string_view description = {};       // in the OpenAPI document
  std::string_view example = {};           // JSON; empty: the usual one of the property's name
};

/// A column of another record. Its change does not change the record.
struct Relative {
  std::string_view table;   // "customers"; the relative's row has guid = `key`
  std::string_view column;  // "name"
  std::string_view key;     // the record's column with the relative's guid: "customer_id"
  bool is_searched = false;
};

/// A value that only lists show.
struct Computed {
  std::string_view function;  // of the row: "variant_count"
};

/// The relatives of a record, such as the shipments of an order.
struct RelatedList {};

/// A fact of the event that no record holds (trace.status); null in other events.
struct EventFact {};

struct Field {
  std::string_view path;  // as nested in the API: "deliveryAddress.city"
  FieldType type;
  bool is_filtered = false;  // available in $filter and, unless an array or object, in $orderby
  std::variant<Column, Relative, Computed, RelatedList, EventFact> kind;

  const Column* column() const { return std::get_if<Column>(&kind); }
  const Relative* relative() const { return std::get_if<Relative>(&kind); }
  const Computed* computed() const { return std::get_if<Computed>(&kind); }
  bool is_event_fact() const { return std::holds_alternative<EventFact>(kind); }
  bool is_of_relatives() const { return relative() != nullptr || std::holds_alternative<RelatedList>(kind); }
  bool has_role(ColumnRole role) const { return column() != nullptr && column()->role == role; }
  /// The name of the column; empty if the field has none.
  std::string_view column_name() const { return column() == nullptr ? std::string_view() : column()->name; }
};

/// A second path of a field, in entities, conditions, $filter and $orderby.
struct Alias {
  std::string_view path;   // "purchase.price"
  std::string_view field;  // "shippingPrice"
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
  std::span<const std::string_view> whole_objects;     // objects that are never null: "sender"
  std::span<const std::string_view> internal_columns;  // columns of the table without a field
  std::span<const Alias> aliases;

  /// The field with a path, which may be an alias; null if there is none.
  const Field* find(std::string_view path) const;
  std::size_t index_of(const Field& field) const { return static_cast<std::size_t>(&field - fields.data()); }
};

const RecordType& record_type(EntityType type);
std::span<const RecordType> record_types();

/// Reads "Order" and the other names without regard to case. nullopt for anything else.
std::optional<EntityType> parse_entity_type(std::string_view name);

}  // namespace waybill::domain
