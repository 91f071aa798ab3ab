#pragma once

#include <chrono>
#include <string>

#include "app/node/merge_pause.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/service.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::app {

/// Keeps the database ready for writers and searches, on its own thread, with at most one session:
///
/// - It creates the partitions of the coming days at its start and every hour: writers need them even while
///   no worker runs.
/// - It merges the pending entries of the search indexes, so that no writer does so and no search reads many
///   of them.
/// - It analyzes tables within a second after they have grown to several times their rows. Sessions keep the
///   plans of their statements, and those of an empty table read all rows of a business to find one. An
///   analysis makes them plan again. PostgreSQL's own comes up to a minute later.
///
/// One of the processes merges and analyzes; its session has the turn of this duty. Another one takes over
/// within 15 s after that session has ended, or ten minutes after its last merge.
///
/// If the database is unavailable, it retries after 10 s.
class DatabaseKeeper final : public Service {
 public:
  explicit DatabaseKeeper(std::string database_url);

  void start() override { loop_.start(); }
  /// Waits for the present merge or analysis.
  void stop(Moment /*until*/) override { loop_.stop(); }

 private:
  Moment turn();
  void make_partitions();
  Duration merge();
  Duration analyze_grown_tables();
  void disconnect();

  worker::PlainThreadSession session_;  // closed between turns, unless it is the merger
  bool is_merger_ = false;              // the session has the turn of the duty
  Moment turn_noted_{};
  MergePause pause_;
  Moment partitions_due_{};
  Moment merge_due_{};
  Moment analyses_due_{};
  Loop loop_;
};

}  // namespace waybill::app
