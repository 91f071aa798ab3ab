#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace waybill::simulate {

/// Something that happens in a simulation at a time.
struct Step {
  enum class Kind : std::uint8_t {
    write,               // a transaction writes events of some records of a business
    replay,              // the last finished run of a business is queued again
    change_workflow,     // a workflow of a business gets a new version
    add_workflow,        // a business gets another workflow
    switch_mails,        // a business switches its mails off, and after a while on; then one is sent again
    crash,               // a worker ends without a word
    stop,                // a worker does not run for a while (SIGSTOP, SIGCONT)
    leave,               // a worker is told to end
    join,                // another worker starts
    kill_session,        // one of a worker's sessions ends
    lose_commit,         // the answer to a commit of a worker's recorder is lost
    refuse_commit,       // a commit of a worker's recorder does not happen
    restart_database,    // all sessions end, and none begins for a while
    lose_notifications,  // no notification arrives for a while
    slow_database,       // statements take long for a while
    spoil_destination,   // a destination fails for a while
    pause_workflow,      // a workflow of a business is paused for a while
    hide_write,          // a write of a record of its own in a transaction that no snapshot lists
  };
  Kind kind;
  Duration at;
  Duration length{};        // how long it lasts
  std::size_t subject = 0;  // a business, worker or destination
  std::size_t detail = 0;   // what exactly
  std::size_t count = 1;    // of events
  bool commits = true;      // false: the transaction is rolled back
  // The change that a write makes besides the reference.
  enum class Also : std::uint8_t { nothing, schedules, unschedules, ships } also = Also::nothing;
};

/// All that a simulation does besides the order of its threads, which follows from the seed.
struct Plan {
  std::uint64_t seed;
  std::size_t businesses;
  std::size_t workers;
  std::vector<Step> steps;
};

/// The plan of a seed.
Plan make_plan(std::uint64_t seed);

/// One line that describes the step.
std::string describe(const Step& step);

/// True for a step after which attempts may be repeated.
bool is_fault(const Step& step);

}  // namespace waybill::simulate
