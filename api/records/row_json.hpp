#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/statement/rows.hpp"

namespace waybill::api {

/// Writes rows, of text or binary format, as the JSON objects of an answer. A column's name is the path of
/// its value (`"customer.name"`); the columns of one object must be adjacent. An object is null if all its
/// parts are, unless a `!` follows its name (`"sender!.name"`). A name can select members of the objects in a
/// json array, as in `"items{quantity,price}"`. The type decides the form: uuids and texts become strings,
/// numbers lose trailing zeros, timestamptz becomes an RFC 3339 time, json and jsonb lose the spaces between
/// their tokens. Twice as fast as json_build_object for lists (docs/decisions/0005). Throws
/// std::invalid_argument for a binary value of a type that no record has.
class RowWriter {
 public:
  /// Refers to `rows`, which must outlive it.
  explicit RowWriter(const storage::Rows& rows);

  void append(std::string& out, int row) const;

 private:
  struct Member {
    std::string key;  // as JSON, with its quotes and colon
    std::string_view name;
    int first = 0;  // columns
    int last = 0;   // one past the last
    bool is_never_null = false;
    std::vector<Member> members;           // empty: the value of column `first`
    std::vector<std::string_view> chosen;  // members of a json array's objects; empty: all
  };

  static void place(std::vector<Member>& members, std::string_view path, int column);
  void append_members(std::string& out, const std::vector<Member>& members, int row) const;
  void append_value(std::string& out, int row, const Member& member) const;
  bool is_null(const Member& member, int row) const;

  const storage::Rows& rows_;
  std::vector<Member> members_;
};

/// Returns all rows as a JSON array.
std::string json_array(const storage::Rows& rows);
/// Returns one row as a JSON object.
std::string json_object(const storage::Rows& rows, int row = 0);

}  // namespace waybill::api
