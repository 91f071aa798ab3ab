#pragma once

#include "storage/session.hpp"

namespace waybill::storage {

/// Makes the partitions of the coming days that are missing, each in a transaction of its own. One that
/// cannot be made is reported and left to the next call. Throws DatabaseUnavailable, and StatementError
/// without a current schema.
void make_partitions(Session& session);

struct Retention {
  int days = 30;            // of events and runs
  int positions_days = 90;  // of positions
};

/// Drops the partitions that are older, each in a transaction of its own; likewise.
void drop_partitions(Session& session, const Retention& retention);

/// Deletes what is older from the default partitions, a bounded number of rows in a transaction and in a
/// call.
void expire_default_partitions(Session& session, const Retention& retention);

}  // namespace waybill::storage
