#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace waybill {

/// The threads of a process except the main one, by what they do.
enum class ThreadKind : std::uint8_t {
  signals,
  liveness,
  calls,
  cancel,
  presence,
  primaries,
  account_mails,
  mailer,
  metrics,
  postgres,
  destruction,
  http_client,
  pump,
  workflows,
  preparation,
  recorder,
  leases,
  pauses,
  mail_limit,
  push,
  stores,
  purchases,
  tracking,
  duties,
  alerts,
  schedules,
  slow_schedules,
  io,
  analysis,
  background,
  drawing,
  merging,
  bodies,
  passwords,
  maps,
  database_keeper,
  doctor,
  demo,
};

/// A row of docs/threads.md, which is generated from these rows. The texts are Markdown.
struct ThreadRow {
  enum class Of : std::uint8_t { every_process, worker, api, command };

  ThreadKind kind;
  std::string_view name;  // at most 15 characters, as pthread_setname_np(3) requires
  Of of;
  std::string_view owner;  // its class and file
  std::string_view woken_by;
  std::string_view owns;
  std::string_view mutexes;      // those that it may take
  std::string_view crash_loses;  // what a crash of the process loses
};

/// All kinds, in the order of the document.
std::span<const ThreadRow> thread_rows();
const ThreadRow& row_of(ThreadKind kind);

}  // namespace waybill
