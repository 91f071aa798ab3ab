#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "domain/workflows/schedule.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// Returns the guids of the records that a schedule's query finds now, in its order. With `only`, the query
/// is limited to this record. The schedule's check has compiled the query before. Throws DatabaseUnavailable
/// or StatementError.
std::vector<Guid> find_scheduled_records(Session& session, const domain::Schedule& schedule,
                                         domain::EntityType type, const Guid& business,
                                         const std::optional<Guid>& only);

/// A record as it is now.
struct PresentRecord {
  std::size_t position;  // of its guid among those that were asked for, from 1
  Guid guid;
  std::size_t bytes;                  // size of the stored record
  std::optional<std::string> record;  // in the form that RecordValue reads; empty if it is too large
};

/// Reads records by their guids, in the order of these, up to the one that reaches `max_bytes`. Deleted ones
/// are left out. Throws DatabaseUnavailable or StatementError.
std::vector<PresentRecord> read_present_records(Session& session, domain::EntityType type,
                                                const Guid& business, std::span<const Guid> guids,
                                                std::size_t max_bytes);

}  // namespace waybill::storage
