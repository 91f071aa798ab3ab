#pragma once

namespace waybill::storage {

namespace blocking {
class Connection;
}

/// Creates the missing partitions of the coming days, each in its own transaction. A failure is logged and
/// the partition left to the next call. Throws DatabaseUnavailable, or StatementError if the schema is not
/// current.
void make_partitions(blocking::Connection& session);

struct Retention {
  int days = 30;            // age of events, runs and texts of steps
  int positions_days = 90;  // age of positions
};

/// Drops the partitions older than `retention`, each in its own transaction. Failures are handled as above.
void drop_partitions(blocking::Connection& session, const Retention& retention);

/// Deletes rows older than `retention` from the default partitions. The number of rows is bounded for each
/// transaction and each call.
void expire_default_partitions(blocking::Connection& session, const Retention& retention);

}  // namespace waybill::storage
