#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "app/config/connections.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/service.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::app {

class OperatorView;

/// Makes this process visible to the other processes of the database, with its connections, keys and options:
/// by a row of `processes` and the session that it names. Reports the background duties that no process
/// performs, and reads what the page for operators shows. Decides which key encrypts: the first one as soon
/// as every running process has it, until then the key that the database was set up with. So no process seals
/// a value that another one cannot open, in whatever order the processes get a new key. Keeps
/// `database_clock` at the time of the server. Owns a thread, which reconnects automatically. If the database
/// is unavailable at first, the first key encrypts and the machine's clock counts until it is available.
class Presence final : public Service {
 public:
  struct Options {
    std::string database_url;
    Roles roles;
    int connections = 0;   // the most that the process opens
    std::string settings;  // a JSON object: the values of the options that all processes need, by name
    OperatorView* view = nullptr;  // of this process; outlives it
  };

  /// Chooses the key and reads the clock before it returns. Does not throw if the database is unavailable.
  /// `secrets` outlives it.
  Presence(Options options, SecretBox& secrets);
  ~Presence() override { stop_at_once(); }

  void start() override { loop_.start(); }
  /// Begins the next turn at once. Any thread.
  void wake() { loop_.wake(); }
  /// Removes the row.
  void stop(Moment until) override;

 private:
  void turn();
  void hold_name(storage::blocking::Connection& session) const;
  void learn_clock();
  void choose_key();
  bool first_key_is_common();
  void use_key(std::size_t key);
  void enter();
  void watch_duties();
  void refresh_view();

  const Options options_;
  const Guid guid_ = Guid::random();
  SecretBox& secrets_;
  worker::PlainThreadSession session_;  // closed while the database is unavailable
  std::optional<Time> sealing_since_;   // null: since the start
  std::size_t known_key_ = 0;           // position of the key that the database was set up with
  bool has_chosen_ = false;
  bool has_read_clock_ = false;
  std::chrono::steady_clock::time_point duties_due_{};
  std::set<std::string> overdue_duties_;  // those reported
  bool is_waiting_ = false;               // true once it has logged that other processes lack the first key
  Loop loop_;
};

}  // namespace waybill::app
