#pragma once

#include <string>
#include <string_view>

#include <pqxx/pqxx>

#include "storage/statement/typed_rows.hpp"

namespace waybill::storage {

/// One row of libpqxx's result, which has text format.
template <>
struct RowOf<pqxx::result> {
  const pqxx::result& rows;
  int row;

  bool is_null(int column) const { return field(column).is_null(); }
  std::string_view get(int column) const { return {field(column).c_str(), field(column).size()}; }
  std::string name(int column) const { return field(column).name(); }
  static bool is_binary() { return false; }

 private:
  pqxx::field field(int column) const {
    return rows[static_cast<pqxx::result::size_type>(row)][static_cast<pqxx::row::size_type>(column)];
  }
};

}  // namespace waybill::storage
