#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "storage/database/commit_position.hpp"
#include "storage/database/database.hpp"
#include "storage/standbys/primary_samples.hpp"
#include "storage/standbys/standby_log.hpp"
#include "storage/statement/rows.hpp"

namespace waybill::storage {

/// The rows of a standby, and a position that they show.
struct StandbyRows {
  Rows rows;
  CommitPosition position;
};

/// The standbys of `--read-database-url`, one object for each io thread. A standby serves a read if it has
/// replayed the position that the read requires and a position that the primary had at most half a second
/// ago. One that is behind, cancels statements for a conflict with recovery, or does not answer is passed
/// over, and used again when it is back. No read waits for a connection to open. The primary's position is
/// read at most every 250 ms, and only while there are reads. Its destruction follows the rules of Database.
class Standbys {
 public:
  struct Options {
    std::string url;  // URL of all standbys
    Database::Options database;
  };

  /// `primary` and `log` outlive it.
  Standbys(asio::io_context& io, Database& primary, const Options& options, StandbyLog& log);
  ~Standbys();
  Standbys(const Standbys&) = delete;
  Standbys& operator=(const Standbys&) = delete;

  /// The rows show at least `required`. nullopt: no standby can serve the read now, so the primary must.
  /// Throws StatementError if the statement exceeded its time limit, and Failure if the business has its
  /// share of the connections for long reads. The read belongs to the caller, who waits for the outcome.
  asio::awaitable<std::optional<StandbyRows>> read(const Read& read, CommitPosition required);

  /// Returns a standby for a blocking read; nullopt as above.
  asio::awaitable<std::optional<StandbyTarget>> choose(CommitPosition required);

 private:
  class Host;
  struct Choice {
    Host* host;
    std::int64_t cluster;
    CommitPosition least;  // what the standby must have replayed
  };

  asio::awaitable<bool> refresh_samples();
  asio::awaitable<std::optional<Choice>> find(CommitPosition required);

  Database& primary_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::size_t next_ = 0;  // where the next search begins, so that reads are spread
  PrimarySamples samples_;
  bool is_sampling_ = false;
};

}  // namespace waybill::storage
