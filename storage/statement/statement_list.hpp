#pragma once

#include <span>

#include "storage/statement/statement.hpp"

namespace waybill::storage {

/// Every statement of storage/sql/.
std::span<const Statement* const> all_statements();

/// The migrations in order; the name is the file's ("0001_records").
std::span<const Statement> migrations();

}  // namespace waybill::storage
