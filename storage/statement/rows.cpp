#include "storage/statement/rows.hpp"

#include <libpq-fe.h>

#include "base/number.hpp"

namespace waybill::storage {
namespace {

PGresult* as_result(const std::shared_ptr<void>& result) { return static_cast<PGresult*>(result.get()); }

}  // namespace

Rows::Rows(void* pg_result)
    : result_(pg_result, [](void* result) { PQclear(static_cast<PGresult*>(result)); }),
      size_(PQntuples(as_result(result_))) {}

bool Rows::is_null(int row, int column) const {
  return PQgetisnull(as_result(result_), first_ + row, first_column_ + column) != 0;
}

std::string_view Rows::get(int row, int column) const {
  row += first_;
  column += first_column_;
  return {PQgetvalue(as_result(result_), row, column),
          static_cast<std::size_t>(PQgetlength(as_result(result_), row, column))};
}

std::optional<std::string_view> Rows::find(int row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return get(row, column);
}

std::size_t Rows::affected() const {
  if (!result_) return 0;
  return parse_number<std::size_t>(PQcmdTuples(as_result(result_))).value_or(0);
}

bool Rows::is_binary() const { return result_ && PQbinaryTuples(as_result(result_)) != 0; }

int Rows::columns() const { return result_ ? PQnfields(as_result(result_)) - first_column_ : 0; }

std::string_view Rows::name(int column) const { return PQfname(as_result(result_), first_column_ + column); }

std::uint32_t Rows::type(int column) const { return PQftype(as_result(result_), first_column_ + column); }

Rows Rows::slice(int first, int count, int first_column) const {
  Rows part(*this);
  part.first_ += first;
  part.size_ = count;
  part.first_column_ += first_column;
  return part;
}

}  // namespace waybill::storage
