#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace waybill::storage {

/// Name and type of a parameter or of a result's column. The type is PostgreSQL's name of it ("timestamptz").
struct SqlValue {
  std::string_view name;
  std::string_view type;
};

/// The text of one SQL statement of storage/sql/. Logs, metrics and prepared statements use the name
/// ("orders.get"). All views are valid for the life of the process, and each name has one text.
struct Statement {
  std::string_view name;
  std::string_view text;
  std::span<const SqlValue> params = {};
  std::span<const SqlValue> columns = {};  // those that the file's head declares
  bool more_columns = false;               // further columns follow; they are read by name
};

/// Format of a result's values: the types' output functions (text) or send functions (binary). The values are
/// the protocol's format codes.
enum class Format : std::uint8_t { text = 0, binary = 1 };

}  // namespace waybill::storage

namespace waybill::storage::sql {}  // namespace waybill::storage::sql

namespace waybill {
namespace sql = storage::sql;
}  // namespace waybill
