#pragma once

#include <span>

#include "base/clock.hpp"
#include "storage/statement/params.hpp"

namespace waybill::storage::blocking {

/// Returns the times as a parameter in text form, the only form that libpqxx sends.
inline ArrayLiteral time_array(std::span<const Time> times) {
  ArrayLiteral literal;
  for (const Time time : times) literal.add(format_sql_timestamp(time));
  return literal;
}

}  // namespace waybill::storage::blocking
