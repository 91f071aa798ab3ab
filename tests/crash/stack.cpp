#include "tests/crash/stack.hpp"

#include <array>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tests/crash/faults.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

// Long enough that no run is given up while parts of the stack are down.
const std::string patient_schedule = "1s,1s,1s,1s,1s,2s,2s,2s,2s,2s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s";

// The tests are about writers that never pause. Bodies of webhooks contain links, so all processes need the
// same public URL.
const std::vector<std::string> arguments = {"--blast-guard-factor", "0", "--public-url",
                                            "http://waybill.example"};

}  // namespace

Stack::Stack(std::uint64_t seed) : random_(seed) {
  start_up();
  database_url_ = up_->database_url();
  repair();
}

void Stack::start_up() {
  Waybill::Options options;
  options.retry_schedule = patient_schedule;
  options.arguments = arguments;
  options.data_dir = directory_ / "data";
  up_ = std::make_unique<Waybill>("", options);
}

std::unique_ptr<Waybill> Stack::start_other(const std::string& command) {
  Waybill::Options options;
  options.command = command;
  options.retry_schedule = patient_schedule;
  options.arguments = arguments;
  options.secret_key_file = up_->secret_key_file();
  return std::make_unique<Waybill>(database_url_, options);
}

void Stack::repair() {
  if (!up_->process().running()) start_up();
  if (worker_stopped_) worker_->process().kill(SIGCONT);
  worker_stopped_ = false;
  if (!api_ || !api_->process().running()) api_ = start_other("api");
  if (!worker_ || !worker_->process().running()) worker_ = start_other("worker");
  note_ports();
}

void Stack::note_ports() {
  ports_[0] = up_->port();
  ports_[1] = api_->port();
}

int Stack::api_port() const { return ports_.at(turn_++ % ports_.size()); }

// PostgreSQL does not shut down while the WAL writer is stopped.
Stack::~Stack() {
  if (stopped_wal_writer_ != 0) ::kill(stopped_wal_writer_, SIGCONT);
}

void Stack::stop_wal_writer() {
  Session session(database_url_);
  const auto pid =
      static_cast<pid_t>(session.number("select pid from pg_stat_activity where backend_type = 'walwriter'"));
  const auto signal = [&](int number) {
    if (pid <= 1 || ::kill(pid, number) != 0) throw std::runtime_error("no WAL writer");
  };
  // Stopped while it writes, it would hold a lock for which all sessions wait.
  const auto sleeps = [&] {
    return session.number(
               "select count(*) from pg_stat_activity where pid = $1::int and wait_event = 'WalWriterMain'",
               {std::to_string(pid)}) == 1;
  };
  const bool stopped = eventually([&] {
    signal(SIGSTOP);
    if (sleeps()) return true;
    signal(SIGCONT);
    return false;
  });
  if (!stopped) throw std::runtime_error("the WAL writer never sleeps");
  stopped_wal_writer_ = pid;
}

void Stack::crash_postgres() {
  const auto pid = postmaster(directory_ / "data");
  if (!pid) throw std::runtime_error("PostgreSQL does not run");
  for (const pid_t process : process_tree(*pid)) ::kill(process, SIGKILL);
  stopped_wal_writer_ = 0;
}

Session Stack::connect() const {
  std::optional<Session> session;
  eventually(
      [&] {
        try {
          session.emplace(database_url_);
          return true;
        } catch (const std::runtime_error&) {
          return false;
        }
      },
      recovery_limit);
  if (!session) throw std::runtime_error("the database does not come back");
  return std::move(*session);
}

std::string Stack::kill_one() {
  const auto end = [](Waybill& process) {
    process.process().kill(SIGKILL);
    process.process().wait_exit();
  };
  switch (std::uniform_int_distribution<int>(0, 6)(random_)) {
    case 0:
      end(*worker_);
      return "worker";
    case 1:
      end(*api_);
      return "api";
    case 2:
      end(*up_);
      return "up without its PostgreSQL";
    case 3:
      return kill_postmaster();
    case 4:
      return kill_backend();
    case 5:
      worker_->process().kill(SIGSTOP);
      worker_stopped_ = true;
      return "worker (stopped for a while)";
    default:
      up_->process().kill_tree();
      end(*up_);
      end(*api_);
      end(*worker_);
      return "everything";
  }
}

std::string Stack::kill_postmaster() {
  signal_postgres(directory_ / "data", SIGKILL);
  return "PostgreSQL";
}

std::string Stack::kill_backend() {
  try {
    Session session(database_url_);
    const auto pid =
        session.number("select pid from pg_stat_activity where pid <> pg_backend_pid() order by random()");
    if (pid > 1) ::kill(static_cast<pid_t>(pid), SIGKILL);
  } catch (const std::runtime_error&) {
    return "nothing: PostgreSQL was away";
  }
  return "a process of PostgreSQL";
}

}  // namespace waybill::tests
