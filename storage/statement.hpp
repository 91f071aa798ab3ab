#pragma once

#include <cstdint>
#include <string_view>

namespace waybill::storage {

/// One SQL statement of storage/sql/, embedded under the name `sql::FOLDER::FILE` (`sql::FOLDER::FILE_` where
/// FILE is a keyword of C++). The name ("orders.get") is what logs, metrics and prepared statements call it.
/// Both views live as long as the process, and a name always means the same text.
struct Statement {
  std::string_view name;
  std::string_view text;
};

/// How the values of an answer are written: by the types' output or their send functions. As the protocol
/// numbers them.
enum class Format : std::uint8_t { text = 0, binary = 1 };

}  // namespace waybill::storage
