#pragma once

#include <memory>

#include <libpq-fe.h>

#include "storage/statement/errors.hpp"

namespace waybill::storage::pq {

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using ConnectionHandle = std::unique_ptr<PGconn, Finish>;

struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, Clear>;

/// Returns an error field (PG_DIAG_...) of a failed result; "" if absent.
inline const char* error_field(const PGresult* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? "" : text;
}

inline StatementError statement_error(const PGresult* result) {
  return {error_field(result, PG_DIAG_MESSAGE_PRIMARY), error_field(result, PG_DIAG_SQLSTATE),
          error_field(result, PG_DIAG_CONSTRAINT_NAME)};
}

}  // namespace waybill::storage::pq
