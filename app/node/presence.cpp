#include "app/node/presence.hpp"

#include <array>
#include <chrono>
#include <unistd.h>
#include <utility>

#include "app/node/operator_view.hpp"
#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "base/version.hpp"
#include "storage/settings/key_check.hpp"
#include "storage/sql/leases.sql.hpp"
#include "storage/sql/processes.sql.hpp"
#include "storage/statement/errors.hpp"
#include "worker/duties/overdue.hpp"

namespace waybill::app {
namespace {

using namespace std::chrono_literals;

constexpr int first_readings = 5;  // of the clock
constexpr auto period = 2s;
constexpr auto duties_watched_every = 30s;

std::string process_name(const Roles& roles) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return roles.name() + " " + host.data() + ":" + std::to_string(getpid());
}

}  // namespace

Presence::Presence(Options options, SecretBox& secrets)
    : options_(std::move(options)),
      secrets_(secrets),
      session_(options_.database_url, "waybill process"),
      loop_(ThreadKind::presence, [this] {
        turn();
        return Loop::Wait{period};
      }) {
  turn();
}

void Presence::stop(Moment /*until*/) {
  loop_.stop();
  if (!session_.is_open()) return;
  try {
    session_->run(sql::processes::Leave{.process = guid_});
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): others remove the row
  }
  session_.close();
}

void Presence::turn() {
  try {
    const bool is_new = session_.open([this](auto& session) { hold_name(session); });
    if (is_new) enter();
    learn_clock();
    if (is_new) known_key_ = storage::check_secret_keys(*session_, secrets_);
    choose_key();
    watch_duties();
    refresh_view();
  } catch (const SecretError& error) {
    observe(Observable::key_missing, {{"error", error.what()}});
  } catch (const storage::DatabaseUnavailable&) {
    // The parts of the process that need the database report this.
    session_.close();
    if (options_.view != nullptr) options_.view->database_is_away();
  } catch (const std::exception& error) {
    observe(Observable::statement_failed,
            {{"statement", "processes"}, {"error", std::string_view(error.what())}});
    session_.close();
  }
}

// The first turn reads several times: the quickest of them bounds by how much later turns correct the clock,
// and so by how much a wait that begins now may end early.
void Presence::learn_clock() {
  const int readings = std::exchange(has_read_clock_, true) ? 1 : first_readings;
  for (int i = 0; i < readings; ++i) {
    const auto before = std::chrono::steady_clock::now();
    const Time reading = session_->run(sql::processes::Clock{}).front().now;
    database_clock().learn(reading, before, std::chrono::steady_clock::now());
  }
}

/// Throws if the server has not noticed yet that the previous session is broken; the next turn tries again.
void Presence::hold_name(storage::blocking::Connection& session) const {
  if (!session.run(storage::sql::leases::HoldName{.worker = guid_}).front().is_held)
    throw storage::DatabaseUnavailable("the previous session has not ended");
}

void Presence::enter() {
  const auto ids = secrets_.key_ids();
  session_->run(sql::processes::Enter{.process = guid_,
                                      .name = process_name(options_.roles),
                                      .role = options_.roles.name(),
                                      .connections = options_.connections,
                                      .key_ids = ids,
                                      .sealing_key = ids.at(secrets_.sealing_key()),
                                      .sealing_since = sealing_since_,
                                      .settings = options_.settings,
                                      .version = version_of_program()});
}

// A process writes its row before it reads the keys in use, and stores that it uses a key before it reads the
// rows again. So if one process begins to use a key while another starts without it, at least one of them
// notices the other.
void Presence::choose_key() {
  const bool is_start = !std::exchange(has_chosen_, true);
  const bool is_common = first_key_is_common();  // also notices that the session has ended
  if (secrets_.sealing_key() == 0 && !is_start) return;
  if (is_common) {
    session_->run(sql::processes::UseKeys{.key_ids = std::vector{secrets_.key_ids().front()}});
    if (first_key_is_common()) {
      if (!is_start) sealing_since_ = database_clock().now();
      return use_key(0);
    }
  }
  if (is_start) use_key(known_key_);
}

bool Presence::first_key_is_common() {
  const auto ids = secrets_.key_ids();
  const auto states =
      session_->run(sql::processes::KeyState{.process = guid_, .key_ids = ids, .first_key = ids.front()});
  const auto state = states.front();
  if (!state.without) return true;
  if (known_key_ != 0 && !std::exchange(is_waiting_, true)) {
    observe(Observable::key_waiting, {{"processes_without_first_key", std::string_view(*state.without)}});
  }
  return false;
}

void Presence::use_key(std::size_t key) {
  secrets_.seal_with(key);
  session_->run(sql::processes::UseKeys{.key_ids = std::vector{secrets_.key_ids().at(key)}});
  enter();
}

/// Reads what the page for operators shows, if somebody views it.
void Presence::refresh_view() {
  if (options_.view == nullptr || !options_.view->is_wanted()) return;
  options_.view->refresh(*session_);
}

/// Reports the duties that no process performs. Each process does, because the one that should may hang.
void Presence::watch_duties() {
  const auto now = std::chrono::steady_clock::now();
  if (now < duties_due_) return;
  duties_due_ = now + duties_watched_every;
  std::set<std::string> overdue;
  for (const auto& duty : worker::overdue_duties(*session_)) {
    if (!overdue_duties_.contains(duty.name)) observe(Observable::duty_overdue, {{"duty", duty.name}});
    overdue.insert(duty.name);
  }
  set_gauge(Gauge::duties_overdue, static_cast<double>(overdue.size()));
  overdue_duties_ = std::move(overdue);
}

}  // namespace waybill::app
