#pragma once

#include <cstdint>
#include <string_view>

namespace waybill::storage {

/// One SQL statement of storage/sql/, embedded as `sql::FOLDER::FILE` (`sql::FOLDER::FILE_` if FILE is a
/// keyword of C++). Logs, metrics and prepared statements use the name ("orders.get"). Both views are valid
/// for the life of the process, and each name has one text.
struct Statement {
  std::string_view name;
  std::string_view text;
};

/// Format of a result's values: the types' output functions (text) or send functions (binary). The values are
/// the protocol's format codes.
enum class Format : std::uint8_t { text = 0, binary = 1 };

}  // namespace waybill::storage
