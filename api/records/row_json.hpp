#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/rows.hpp"

namespace waybill::api {

/// Writes rows, of either format, as the objects of an answer. A column's name is where its value stands
/// (`"customer.name"`), its type says how it is written: uuids and texts as strings, numbers without trailing
/// zeros, timestamptz as an answer shows a time, json and jsonb without the spaces between their tokens.
/// Columns of one object stand side by side; an object is null when all its parts are, unless its name has a
/// `!` behind it
/// (`"sender!.name"`). Of a json array of objects a name can choose members: `"items{quantity,price}"`. Twice
/// the rate of json_build_object for lists (docs/decisions/0005). Of binary values those types are known that
/// records have; another throws std::invalid_argument.
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
    int last = 0;   // behind the last
    bool is_never_null = false;
    std::vector<Member> members;           // none: the value of column `first`
    std::vector<std::string_view> chosen;  // members of a json array's objects; none: all
  };

  static void place(std::vector<Member>& members, std::string_view path, int column);
  void append_members(std::string& out, const std::vector<Member>& members, int row) const;
  void append_value(std::string& out, int row, const Member& member) const;
  bool is_null(const Member& member, int row) const;

  const storage::Rows& rows_;
  std::vector<Member> members_;
};

/// All rows as an array.
std::string json_array(const storage::Rows& rows);
/// One row as an object.
std::string json_object(const storage::Rows& rows, int row = 0);

}  // namespace waybill::api
