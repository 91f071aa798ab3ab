#pragma once

#include <string>
#include <string_view>

#include "storage/statement/statement.hpp"

/// Additions to released migrations, whose texts never change.
namespace waybill::storage {

/// The text of a migration as PostgreSQL runs it. It differs from the released text where a later version of
/// PostgreSQL refuses that text.
std::string runnable_text(const Statement& migration);

/// Statements that lock the existing tables that a migration changes, in the order in which other
/// transactions use them. So the migration and such a transaction never wait for each other. Empty if the
/// migration changes no table, or runs in steps. A migration without a row here locks the tables in the order
/// of its text.
std::string_view locks_of(std::string_view migration);

}  // namespace waybill::storage
