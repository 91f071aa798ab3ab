#pragma once

#include <string>
#include <string_view>

#include "storage/statement/statement.hpp"

/// Additions to released migrations, whose texts never change.
namespace waybill::storage {

/// The text of a migration as PostgreSQL runs it. It differs from the released one where a later version of
/// PostgreSQL refuses that.
std::string runnable_text(const Statement& migration);

/// Statements that lock the existing tables which a migration changes, in the order in which other
/// transactions use them. So the migration never waits for a lock while it holds one for which a transaction
/// waits that is not about to end. Empty if it changes no table, or runs in steps. A migration without a row
/// here locks the tables in the order of its text.
std::string_view locks_of(std::string_view migration);

}  // namespace waybill::storage
