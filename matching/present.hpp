#pragma once

#include <optional>

#include "domain/records/change.hpp"
#include "storage/sync.hpp"

namespace waybill::matching {

/// A record as it now is, with its relatives, and what its last event changed; nullopt when the business has
/// no such record. Throws DatabaseUnavailable or StatementError, or std::invalid_argument for a row that
/// cannot be read.
std::optional<domain::Change> present(storage::Session& session, const Guid& business,
                                      domain::EntityType type, const Guid& entity);

}  // namespace waybill::matching
