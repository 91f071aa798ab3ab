#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/records/record_type.hpp"

namespace waybill::domain::odata {

enum class Kind {
  null,
  boolean,
  number,
  string,
  timestamp,
  uuid,
  field,
  lower,
  upper,
  contains,
  starts_with,
  ends_with,
  compare,
  in,  // args[0] in the literals args[1…]
  all,
  any,
  negation,
};

enum class Comparator { eq, ne, gt, ge, lt, le };

/// A node of a parsed `$filter`. Its types are not checked yet.
struct Expression {
  Kind kind{};
  std::size_t offset = 0;  // byte of the text where it begins
  std::string text;        // the value of a literal, otherwise the word as written
  const Field* field = nullptr;
  Comparator comparator{};
  std::vector<Expression> args = {};
};

/// Parses by OData's precedence (OData 4.01 part 2, "Operator Precedence"): parentheses; functions and `in`;
/// `not`; `gt ge lt le`; `eq ne`; `and`; `or`. Throws SyntaxError, also for unknown fields and beyond 32
/// levels.
Expression parse_expression(std::string_view text, const RecordType& type);

/// The field of this path by which lists of `type` can be filtered; for `metadata.KEY` that of the metadata.
/// Throws SyntaxError if there is none.
const Field& find_list_field(std::string_view path, std::size_t offset, const RecordType& type);

/// True for the field that holds the users' own keys; the expression's text ends with the key.
inline bool is_metadata(const Field& field) { return field.type == FieldType::object; }

/// The key of `metadata.KEY`.
inline std::string_view metadata_key(std::string_view path) { return path.substr(metadata_path.size() + 1); }

}  // namespace waybill::domain::odata
