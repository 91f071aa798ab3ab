#include "tests/harness/standby.hpp"

#include <csignal>
#include <filesystem>
#include <pwd.h>
#include <stdexcept>
#include <unistd.h>

#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

/// The server gets the signal before its processes are listed, so that a stopped one starts no further ones.
void signal_tree(pid_t server, int signal) {
  ::kill(server, signal);
  for (const pid_t process : process_tree(server))
    if (process != server) ::kill(process, signal);
}

void run_program(const std::vector<std::string>& command) {
  const Finished done = run(command, {.user = unprivileged_user()});
  if (done.status != 0) throw std::runtime_error(command.front() + ": " + done.standard_error);
}

}  // namespace

PrimaryAndStandby::PrimaryAndStandby() {
  const auto user = unprivileged_user();
  for (const char* const name : {"", "primary", "standby"}) {
    const std::filesystem::path path = directory_ / name;
    std::filesystem::create_directories(path);
    if (!user) continue;
    const passwd* account = getpwnam(user->c_str());
    if (chown(path.c_str(), account->pw_uid, account->pw_gid) != 0)
      throw std::runtime_error("chown " + path.string());
  }
  const auto programs = server_programs();
  run_program({programs / "initdb", "-D", directory_ / "primary" / "data", "-U", "waybill", "-A", "trust",
               "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"});
  // The cluster has not run yet, so its copy is a standby that follows it from the first WAL record.
  run_program({"cp", "-R", directory_ / "primary" / "data", directory_ / "standby" / "data"});
  const std::string follow_primary =
      "cd \"$0\" && touch standby.signal && "
      "echo \"primary_conninfo = 'host=$1 user=waybill'\" >>postgresql.auto.conf";
  run_program({"sh", "-c", follow_primary, directory_ / "standby" / "data", directory_ / "primary"});
  primary_ = start("primary");
  standby_ = start("standby");
}

PrimaryAndStandby::~PrimaryAndStandby() {
  for (const auto& server : {&standby_, &primary_}) {
    if (!*server) continue;
    signal_tree((*server)->pid(), SIGCONT);
    (*server)->kill(SIGQUIT);
    (*server)->wait_exit();
  }
}

std::unique_ptr<Process> PrimaryAndStandby::start(std::string_view name) const {
  const std::filesystem::path home = directory_ / name;
  std::vector<std::string> command{server_programs() / "postgres", "-D", home / "data", "-k", home};
  for (const char* setting : {"listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=200",
                              "shared_buffers=32MB", "max_locks_per_transaction=256"}) {
    command.insert(command.end(), {"-c", setting});
  }
  auto server = std::make_unique<Process>(
      command, Process::Options{.user = unprivileged_user(), .death_signal = SIGQUIT});
  if (!server->wait_for_line("ready to accept", std::chrono::seconds(30)))
    throw std::runtime_error("PostgreSQL did not start: " + server->standard_error());
  return server;
}

std::string PrimaryAndStandby::url_of(std::string_view hosts) const {
  std::string list;
  for (std::size_t at = 0; at <= hosts.size();) {
    const std::size_t end = std::min(hosts.find(',', at), hosts.size());
    list += (list.empty() ? "" : ",") + (directory_ / hosts.substr(at, end - at)).string();
    at = end + 1;
  }
  return "postgresql://waybill@/postgres?host=" + list;
}

void PrimaryAndStandby::stop_replication() {
  Session standby(standby_url() + "&target_session_attrs=any");
  standby.exec("alter system set primary_conninfo = ''");
  standby.exec("select pg_reload_conf()");
  const bool stopped =
      eventually([&] { return standby.number("select count(*) from pg_stat_wal_receiver") == 0; });
  if (!stopped) throw std::runtime_error("the standby still receives");
}

void PrimaryAndStandby::catch_up() {
  const std::string end = Session(url()).value("select pg_current_wal_insert_lsn()");
  Session standby(standby_url() + "&target_session_attrs=any");
  const bool caught_up = eventually(
      [&] { return standby.value("select pg_last_wal_replay_lsn() >= $1::pg_lsn", {end}) == "t"; });
  if (!caught_up) throw std::runtime_error("the standby does not follow");
}

void PrimaryAndStandby::signal_primary(int signal) { signal_tree(primary_->pid(), signal); }

void PrimaryAndStandby::kill_primary() {
  primary_->kill(SIGQUIT);
  primary_->wait_exit();
}

void PrimaryAndStandby::pause_replay() {
  Session standby(standby_url() + "&target_session_attrs=any");
  standby.exec("select pg_wal_replay_pause()");
  const bool paused =
      eventually([&] { return standby.value("select pg_get_wal_replay_pause_state()") == "paused"; });
  if (!paused) throw std::runtime_error("the standby still replays");
}

void PrimaryAndStandby::resume_replay() {
  Session(standby_url() + "&target_session_attrs=any").exec("select pg_wal_replay_resume()");
}

void PrimaryAndStandby::signal_standby(int signal) { signal_tree(standby_->pid(), signal); }

void PrimaryAndStandby::kill_standby() {
  standby_->kill(SIGQUIT);
  standby_->wait_exit();
}

void PrimaryAndStandby::set_on_standby(std::string_view setting, std::string_view value) {
  Session standby(standby_url() + "&target_session_attrs=any");
  standby.exec("alter system set " + std::string(setting) + " = '" + std::string(value) + "'");
  standby.exec("select pg_reload_conf()");
}

void PrimaryAndStandby::promote() {
  Session standby(standby_url() + "&target_session_attrs=any");
  if (standby.value("select pg_promote()") != "t") throw std::runtime_error("the standby was not promoted");
}

}  // namespace waybill::tests
